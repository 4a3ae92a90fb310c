/*
 * check: whether a configuration can work.
 *
 * Runs in: master.
 * Never: opens, creates or changes anything.
 */
#include "conf/check.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/accessfmt.h"
#include "conf/advice.h"
#include "conf/keys.h"
#include "conf/report.h"
#include "conf/statuspool.h"

struct check {
	const struct conf *conf;
	const struct conf_source *source;
	struct conf_report *report;
	enum conf_stage stage;
	const struct pool_conf *pool; /* the one being looked at, or NULL */
};

static struct conf_origin copy_origin(struct check *k, const struct conf_origin *at)
{
	struct conf_origin copy = *at;

	if (at->file != NULL)
		copy.file = arena_strdup(k->report->arena, at->file);
	return copy;
}

/* The place of a key, or of its pool where nobody has set it. */
static struct conf_origin place(struct check *k, enum conf_key key)
{
	const struct pool_conf *p = k->pool;

	if (conf_rows[key].scope == SCOPE_GLOBAL)
		return copy_origin(k, &k->conf->global.origin[key]);
	return copy_origin(k, p->origin[key].file != NULL ? &p->origin[key] : &p->declared);
}

static struct conf_finding finding(struct check *k, enum conf_grade grade, enum conf_key key)
{
	struct conf_finding f = {.grade = grade, .stage = k->stage, .at = place(k, key)};

	if (k->pool != NULL)
		f.pool = arena_strdup(k->report->arena, k->pool->name);
	return f;
}

/* A finding about a key; php-fpm names the pool in front of most of them. */
#define found(k, grade, key, ...)                                \
	do {                                                     \
		struct conf_finding f_ = finding(k, grade, key); \
		report_add((k)->report, &f_, __VA_ARGS__);       \
	} while (0)

#define found_hint(k, key, what, ...)                                 \
	do {                                                          \
		struct conf_finding f_ = finding(k, CONF_ERROR, key); \
		f_.hint = what;                                       \
		report_add((k)->report, &f_, __VA_ARGS__);            \
	} while (0)

#define found_unnamed(k, grade, key, ...)                        \
	do {                                                     \
		struct conf_finding f_ = finding(k, grade, key); \
		f_.pool = NULL;                                  \
		report_add((k)->report, &f_, __VA_ARGS__);       \
	} while (0)

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool given(const char *text)
{
	return text != NULL && *text != '\0';
}

/*
 * Whether a log could be opened for appending, made if need be: 0, or the errno
 * that open() would give. Nothing is opened.
 */
static int cannot_append(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[4096];
	struct stat st;
	size_t n;

	if (stat(path, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return EISDIR;
		return faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 ? 0 : errno;
	}
	if (errno != ENOENT || *path == '\0')
		return errno;
	n = slash == NULL ? 1 : slash == path ? 1 : (size_t)(slash - path);
	if (n >= sizeof(folder))
		return ENAMETOOLONG;
	memcpy(folder, slash == NULL ? "." : path, n);
	folder[n] = '\0';
	return faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) == 0 ? 0 : errno;
}

/* ---- [global] ---- */

static bool priority_is_wrong(int32_t priority)
{
	return priority < -19 || priority > 20;
}

static bool is_mechanism(const char *name)
{
	return strcasecmp(name, "epoll") == 0 || strcasecmp(name, "poll") == 0 ||
	       strcasecmp(name, "select") == 0;
}

/* Where nobody has set it, the remedy has to say that there is a default. */
static void check_error_log(struct check *k)
{
	const struct global_conf *g = &k->conf->global;
	struct conf_finding f;
	int error = strcmp(g->error_log, "syslog") == 0 ? 0 : cannot_append(g->error_log);

	if (error == 0)
		return;
	f = finding(k, CONF_ERROR, KEY_GLOBAL_error_log);
	f.hint = "error_log: make its folder, or set it to another file or to syslog";
	if (f.at.file == NULL) {
		f.at.file = arena_strdup(k->report->arena, k->conf->path);
		f.hint = "error_log is not set, and this is its default: make that folder, or set "
			 "error_log in [global] to another file or to syslog";
	}
	report_add(k->report, &f, "failed to open error_log (%s): %s (%d)", g->error_log,
	    strerror(error), error);
}

static void check_global(struct check *k)
{
	const struct global_conf *g = &k->conf->global;

	if (g->log_limit < 512)
		found(k, CONF_ERROR, KEY_GLOBAL_log_limit, "log_limit must be greater than 512");
	if (g->process_max < 0)
		found(k, CONF_ERROR, KEY_GLOBAL_process_max, "process_max can't be negative");
	if (global_is_set(g, process_priority) && priority_is_wrong(g->process_priority))
		found(k, CONF_ERROR, KEY_GLOBAL_process_priority,
		    "process.priority must be included into [-19,20]");
	check_error_log(k);
	if (g->events_mechanism != NULL && !is_mechanism(g->events_mechanism))
		found(k, CONF_ERROR, KEY_GLOBAL_events_mechanism,
		    "event mechanism '%s' is not available on this system", g->events_mechanism);
}

/* ---- one pool ---- */

static void check_identity(struct check *k)
{
	const struct pool_conf *p = k->pool;

	if (given(p->prefix) && !is_folder(p->prefix))
		found(k, CONF_ERROR, KEY_POOL_prefix,
		    "the prefix '%s' does not exist or is not a directory", p->prefix);
	if (k->source->root && !k->source->allow_root && !given(p->user))
		found(k, CONF_ALERT, KEY_POOL_user, "user has not been defined");
	if (p->listen.n == 0)
		found(k, CONF_ALERT, KEY_POOL_listen, "no listen address have been defined!");
	if (pool_is_set(p, process_priority) && priority_is_wrong(p->process_priority))
		found(k, CONF_ERROR, KEY_POOL_process_priority,
		    "process.priority must be included into [-19,20]");
}

static void check_spare(struct check *k)
{
	const struct pool_conf *p = k->pool;
	int32_t low = p->pm_min_spare_servers, high = p->pm_max_spare_servers;
	int32_t start = p->pm_start_servers;

	if (low <= 0)
		found(k, CONF_ALERT, KEY_POOL_pm_min_spare_servers,
		    "pm.min_spare_servers(%d) must be a positive value", low);
	else if (high <= 0)
		found(k, CONF_ALERT, KEY_POOL_pm_max_spare_servers,
		    "pm.max_spare_servers(%d) must be a positive value", high);
	else if (low > p->pm_max_children || high > p->pm_max_children)
		found(k, CONF_ALERT, KEY_POOL_pm_max_spare_servers,
		    "pm.min_spare_servers(%d) and pm.max_spare_servers(%d) cannot be greater than "
		    "pm.max_children(%d)",
		    low, high, p->pm_max_children);
	else if (high < low)
		found(k, CONF_ALERT, KEY_POOL_pm_max_spare_servers,
		    "pm.max_spare_servers(%d) must not be less than pm.min_spare_servers(%d)", high,
		    low);
	else if (!pool_is_set(p, pm_start_servers))
		found(k, CONF_NOTICE, KEY_POOL_pm_start_servers,
		    "pm.start_servers is not set. It's been set to %d.", start);
	else if (start < low || start > high)
		found(k, CONF_ALERT, KEY_POOL_pm_start_servers,
		    "pm.start_servers(%d) must not be less than pm.min_spare_servers(%d) and not "
		    "greater than pm.max_spare_servers(%d)",
		    start, low, high);
}

static void check_ondemand(struct check *k)
{
	const char *mechanism = k->conf->global.events_mechanism;

	if (mechanism != NULL && is_mechanism(mechanism) && strcasecmp(mechanism, "epoll") != 0)
		found(k, CONF_ALERT, KEY_POOL_pm,
		    "ondemand process manager can ONLY be used when events.mechanism is either "
		    "epoll (Linux) or kqueue (*BSD).");
	if (k->pool->pm_process_idle_timeout_ms == 0)
		found(k, CONF_ALERT, KEY_POOL_pm_process_idle_timeout,
		    "pm.process_idle_timeout(0s) must be greater than 0s");
}

static void check_pm(struct check *k)
{
	const struct pool_conf *p = k->pool;

	if (p->pm_max_children < 1)
		found(k, CONF_ALERT, KEY_POOL_pm_max_children,
		    "pm.max_children must be a positive value");
	if (!pool_is_set(p, pm)) {
		found(k, CONF_ALERT, KEY_POOL_pm,
		    "the process manager is missing (static, dynamic or ondemand)");
		return;
	}
	if (p->pm == PM_DYNAMIC) {
		check_spare(k);
		if (p->pm_max_spawn_rate < 1)
			found(k, CONF_ALERT, KEY_POOL_pm_max_spawn_rate,
			    "pm.max_spawn_rate must be a positive value");
	}
	if (p->pm == PM_ONDEMAND)
		check_ondemand(k);
}

/* "/" alone is what pm.status_listen brings along, and fine then. */
static bool is_set(const struct pool_conf *p, enum conf_key key)
{
	return p->origin[key].file != NULL;
}

static bool is_plain_uri(const char *path)
{
	while (isalnum((unsigned char)*path) || (*path != '\0' && strchr("/_-.~", *path) != NULL))
		path++;
	return *path == '\0';
}

static void check_uri(struct check *k, enum conf_key key, const char *what, const char *path)
{
	if (!given(path))
		return;
	if (*path != '/')
		found(k, CONF_ERROR, key, "the %s path '%s' must start with a '/'", what, path);
	else if (path[1] == '\0' && is_set(k->pool, key))
		found(k, CONF_ERROR, key, "the %s path '%s' is not long enough", what, path);
	else if (!is_plain_uri(path))
		found(k, CONF_ERROR, key,
		    "the %s path '%s' must contain only the following characters "
		    "'[alphanum]/_-.~'",
		    what, path);
}

static void check_pages(struct check *k)
{
	const struct pool_conf *p = k->pool;

	check_uri(k, KEY_POOL_pm_status_path, "status", p->pm_status_path);
	check_uri(k, KEY_POOL_ping_path, "ping", p->ping_path);
	if (given(p->ping_path) && p->ping_response != NULL && *p->ping_response == '\0')
		found(k, CONF_ERROR, KEY_POOL_ping_response,
		    "the ping response page '' is not long enough");
}

static void check_slowlog(struct check *k)
{
	const struct pool_conf *p = k->pool;
	uint32_t slow = p->request_slowlog_timeout_ms, end = p->request_terminate_timeout_ms;
	int error;

	if (slow == 0)
		return;
	if (!given(p->slowlog)) {
		found(k, CONF_ERROR, KEY_POOL_slowlog,
		    "'slowlog' must be specified for use with 'request_slowlog_timeout'");
		return;
	}
	if (p->request_slowlog_trace_depth < 0)
		found(k, CONF_ERROR, KEY_POOL_request_slowlog_trace_depth,
		    "'request_slowlog_trace_depth' (%d) must be a positive value",
		    p->request_slowlog_trace_depth);
	if (end != 0 && slow > end)
		found(k, CONF_ERROR, KEY_POOL_request_slowlog_timeout,
		    "'request_slowlog_timeout' (%u) can't be greater than "
		    "'request_terminate_timeout' (%u)",
		    slow / 1000, end / 1000);
	error = cannot_append(p->slowlog);
	if (error != 0)
		found_unnamed(k, CONF_ERROR, KEY_POOL_slowlog,
		    "Unable to create or open slowlog(%s): %s (%d)", p->slowlog, strerror(error),
		    error);
}

static void check_folders(struct check *k)
{
	const struct pool_conf *p = k->pool;
	const char *inside;

	if (given(p->chroot) && !is_folder(p->chroot))
		found(k, CONF_ERROR, KEY_POOL_chroot,
		    "the chroot path '%s' does not exist or is not a directory", p->chroot);
	if (!given(p->chdir))
		return;
	if (given(p->chroot)) {
		inside = arena_printf(k->report->arena, "%s/%s", p->chroot, p->chdir);
		if (!is_folder(inside))
			found(k, CONF_ERROR, KEY_POOL_chdir,
			    "the chdir path '%s' within the chroot path '%s' ('%s') does not exist "
			    "or is not a directory",
			    p->chdir, p->chroot, inside);
	} else if (!is_folder(p->chdir)) {
		found(k, CONF_ERROR, KEY_POOL_chdir,
		    "the chdir path '%s' does not exist or is not a directory", p->chdir);
	}
}

static void check_pool(struct check *k)
{
	check_identity(k);
	check_pm(k);
	check_pages(k);
	check_slowlog(k);
	check_folders(k);
}

/* ---- pools together ---- */

/* An address and the name of the pool that php-fpm would give it to. */
struct taken {
	const char *address, *name;
};

static size_t count_addresses(const struct conf *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->npools; i++)
		n += c->pools[i]->listen.n + 1;
	return n;
}

static void take_address(struct check *k, struct taken *all, size_t *n, struct taken one)
{
	struct conf_finding f;

	for (size_t i = 0; i < *n; i++) {
		if (strcmp(all[i].address, one.address) != 0)
			continue;
		f = finding(k, CONF_ERROR, KEY_POOL_listen);
		f.pool = one.name;
		report_add(k->report, &f,
		    "unable to set listen address as it's already used in another pool '%s'",
		    all[i].name);
		return;
	}
	all[(*n)++] = one;
}

/* pm.status_listen makes a pool of its own. */
static struct taken status_address(struct check *k)
{
	struct arena *arena = k->report->arena;

	return (struct taken){
	    .name = statuspool_name(arena, k->pool),
	    .address = statuspool_address(arena, k->conf, k->pool),
	};
}

static void check_addresses(struct check *k)
{
	struct taken *all =
	    arena_alloc(k->report->arena, count_addresses(k->conf) + 1, sizeof(*all));
	size_t n = 0;

	for (size_t i = 0; i < k->conf->npools; i++) {
		const struct pool_conf *p = k->pool = k->conf->pools[i];
		struct taken one = {.name = arena_strdup(k->report->arena, p->name)};

		for (size_t j = 0; j < p->listen.n; j++) {
			one.address = p->listen.items[j];
			take_address(k, all, &n, one);
		}
		if (given(p->pm_status_listen))
			take_address(k, all, &n, status_address(k));
	}
	k->pool = NULL;
}

static void check_access_log(struct check *k)
{
	const struct pool_conf *p = k->pool;
	int error;

	if (p->access_log == NULL)
		return;
	error = cannot_append(p->access_log);
	if (error != 0)
		found_unnamed(k, CONF_ERROR, KEY_POOL_access_log,
		    "failed to open access log (%s): %s (%d)", p->access_log, strerror(error),
		    error);
}

static void check_access_format(struct check *k)
{
	const struct pool_conf *p = k->pool;
	struct access_format format;
	struct err e;

	if (p->access_log == NULL ||
	    access_format_compile(k->report->arena, p->access_format, &format, &e) == 0)
		return;
	found_unnamed(k, CONF_WARNING, KEY_POOL_access_format, "%s", e.text);
	found(k, CONF_ERROR, KEY_POOL_access_format, "wrong format for access.format '%s'",
	    p->access_format);
}

/* ---- users and groups ---- */

static bool is_number(const char *text)
{
	return *text != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static void check_user(struct check *k, enum conf_key key, const char *name, const char *tail)
{
	if (!given(name) || is_number(name))
		return;
	if (getpwnam(name) == NULL)
		found_hint(k, key,
		    "no user has this name: 'getent passwd' lists them; a number will do, too",
		    "cannot get uid for user '%s'%s", name, tail);
}

static void check_group(struct check *k, enum conf_key key, const char *name, const char *tail)
{
	if (!given(name) || is_number(name))
		return;
	if (getgrnam(name) == NULL)
		found_hint(k, key,
		    "no group has this name: 'getent group' lists them; a number will do, too",
		    "cannot get gid for group '%s'%s", name, tail);
}

/* php-fpm adds errno to those of the socket, where it is 0 for a missing name. */
#define NO_ERRNO ": Success (0)"

static void check_names(struct check *k)
{
	const struct pool_conf *p = k->pool;

	k->stage = CONF_STAGE_NAMES;
	/* A start that is not root's ignores these two, and says so. */
	if (k->source->root || !k->source->start) {
		check_user(k, KEY_POOL_user, p->user, "");
		check_group(k, KEY_POOL_group, p->group, "");
	}
	check_user(k, KEY_POOL_listen_owner, p->listen_owner, NO_ERRNO);
	check_group(k, KEY_POOL_listen_group, p->listen_group, NO_ERRNO);
	k->stage = CONF_STAGE_CHECK;
}

/* ---- all ---- */

static void each_pool(struct check *k, void (*look)(struct check *))
{
	for (size_t i = 0; i < k->conf->npools; i++) {
		k->pool = k->conf->pools[i];
		if (!k->pool->damaged)
			look(k);
	}
	k->pool = NULL;
}

void check_conf(
    const struct conf *conf, const struct conf_source *source, struct conf_report *report)
{
	struct check k = {
	    .conf = conf, .source = source, .report = report, .stage = CONF_STAGE_CHECK};
	struct conf_finding none = {.grade = CONF_ERROR, .stage = CONF_STAGE_CHECK};

	bool all_read = report->nfatal == 0;

	/* What was not read may be what is missing. */
	if (all_read)
		check_global(&k);
	if (conf->npools == 0 && all_read)
		report_add(report, &none,
		    "No pool defined. at least one pool section must be specified in config file");
	each_pool(&k, check_pool);
	check_addresses(&k);
	each_pool(&k, check_access_log);
	each_pool(&k, check_access_format);
	each_pool(&k, check_names);
	check_advice(conf, source, report);
}
