/*
 * complete: what a configuration means beyond its words.
 *
 * Runs in: master.
 * Pure.
 */
#include "conf/complete.h"

#include <string.h>
#include <strings.h>

#include "conf/accessfmt.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Ini settings that name a file or a folder: php-fpm puts the prefix before them. */
static const char *const ini_paths[] = {"error_log", "extension_dir", "mime_magic.magicfile",
    "sendmail_path", "session.cookie_path", "session_pgsql.sem_file_name", "soap.wsdl_cache_dir",
    "uploadprogress.file.filename_template", "xdebug.output_dir", "xdebug.profiler_output_dir",
    "xdebug.trace_output_dir", "xmms.path", "axis2.client_home", "blenc.key_file",
    "coin_acceptor.device"};

static const char *behind(struct conf *c, const char *prefix, const char *path)
{
	if (path == NULL || *path == '/')
		return path;
	return arena_printf(c->arena, "%s/%s", prefix, path);
}

static const char *pool_prefix(const struct conf *c, const struct pool_conf *p)
{
	return p->prefix != NULL && *p->prefix != '\0' ? p->prefix : c->prefix;
}

/* As behind(), but an empty path stays empty. */
static const char *pool_path(struct conf *c, const struct pool_conf *p, const char *path)
{
	if (path == NULL || *path == '\0')
		return path;
	return behind(c, pool_prefix(c, p), path);
}

/* chroot is the one path in which $prefix counts, at its start. */
static const char *chroot_path(struct conf *c, const struct pool_conf *p)
{
	static const char mark[] = "$prefix";

	if (p->chroot == NULL || strncmp(p->chroot, mark, sizeof(mark) - 1) != 0)
		return pool_path(c, p, p->chroot);
	if (p->chroot[sizeof(mark) - 1] == '\0')
		return pool_prefix(c, p);
	return arena_printf(c->arena, "%s/%s", pool_prefix(c, p), p->chroot + sizeof(mark) - 1);
}

static bool is_ini_path(const char *name)
{
	for (size_t i = 0; i < sizeof(ini_paths) / sizeof(ini_paths[0]); i++) {
		if (strcasecmp(ini_paths[i], name) == 0)
			return true;
	}
	return false;
}

static void complete_ini(struct conf *c, struct pool_conf *p, struct conf_map *map, bool admin)
{
	for (size_t i = 0; i < map->n; i++) {
		struct conf_pair *pair = &map->pairs[i];

		if (!is_ini_path(pair->name))
			continue;
		if (admin && strcasecmp(pair->name, "error_log") == 0 &&
		    strcasecmp(pair->value, "syslog") == 0)
			continue;
		pair->value = behind(c, pool_prefix(c, p), pair->value);
	}
}

/* php-fpm's: the middle of the spare range. */
static int32_t start_servers(const struct pool_conf *p)
{
	return p->pm_min_spare_servers + (p->pm_max_spare_servers - p->pm_min_spare_servers) / 2;
}

static void complete_pm(struct pool_conf *p)
{
	if (!pool_is_set(p, pm))
		return;
	if (p->pm == PM_ONDEMAND) {
		p->pm_start_servers = 0;
		p->pm_min_spare_servers = 0;
		p->pm_max_spare_servers = 0;
	}
	if (p->pm == PM_DYNAMIC && p->pm_start_servers <= 0 && p->pm_min_spare_servers > 0 &&
	    p->pm_max_spare_servers >= p->pm_min_spare_servers) {
		p->pm_start_servers = start_servers(p);
		p->origin[KEY_POOL_pm_start_servers] = (struct conf_origin){0};
	}
}

static void complete_ping(struct pool_conf *p)
{
	if (p->ping_path == NULL || *p->ping_path == '\0') {
		p->ping_response = NULL;
		p->origin[KEY_POOL_ping_response] = (struct conf_origin){0};
	} else if (p->ping_response == NULL) {
		p->ping_response = "pong";
	}
}

static void complete_pool(struct conf *c, struct pool_conf *p)
{
	if (p->prefix != NULL && *p->prefix != '\0')
		p->prefix = behind(c, c->prefix, p->prefix);
	for (size_t i = 0; i < p->listen.n; i++) {
		if (conf_listen_is_path(p->listen.items[i]))
			p->listen.items[i] = pool_path(c, p, p->listen.items[i]);
	}
	p->access_log = pool_path(c, p, p->access_log);
	p->slowlog = pool_path(c, p, p->slowlog);
	p->chroot = chroot_path(c, p);
	p->chdir = pool_path(c, p, p->chdir);
	p->script = pool_path(c, p, p->script);
	if (p->chroot == NULL || *p->chroot == '\0') {
		complete_ini(c, p, &p->php_value, false);
		complete_ini(c, p, &p->php_admin_value, true);
	}
	if (p->access_log != NULL && p->access_format == NULL)
		p->access_format = ACCESS_FORMAT_DEFAULT;
	if (p->pm_status_listen != NULL && p->pm_status_path == NULL)
		p->pm_status_path = "/";
	complete_ping(p);
	complete_pm(p);
	if (p->request_slowlog_trace_depth == 0)
		p->request_slowlog_trace_depth = 20;
}

/* php-fpm shows its own spelling of an event mechanism. */
static const char *mechanism(const char *name)
{
	static const char *const known[] = {"epoll", "poll", "select"};

	for (size_t i = 0; name != NULL && i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcasecmp(known[i], name) == 0)
			return known[i];
	}
	return name;
}

void complete_conf(struct conf *c, const char *root)
{
	struct global_conf *g = &c->global;

	g->pid = behind(c, root, g->pid);
	if (strcmp(g->error_log, "syslog") != 0)
		g->error_log = behind(c, root, g->error_log);
	g->control = behind(c, root, g->control);
	g->events_mechanism = mechanism(g->events_mechanism);
	for (size_t i = 0; i < c->npools; i++)
		complete_pool(c, c->pools[i]);
}

static void empty_to_unset(struct pool_conf *p, const struct conf_row *row)
{
	struct conf_origin *origin = &p->origin[key_of(row)];
	const char **text = value_field(row, p);
	struct conf_mode *mode = value_field(row, p);

	if (row->standard != NULL || origin->file == NULL)
		return;
	if (row->type == TYPE_MODE && *mode->text == '\0') {
		mode->text = NULL;
		origin->file = NULL;
	}
	if ((row->type == TYPE_STRING || row->type == TYPE_PATH) && **text == '\0') {
		*text = NULL;
		origin->file = NULL;
	}
}

void complete_empty(struct conf *c)
{
	for (size_t i = 0; i < KEY_MAX; i++) {
		for (size_t j = 0; conf_rows[i].scope == SCOPE_POOL && j < c->npools; j++)
			empty_to_unset(c->pools[j], &conf_rows[i]);
	}
}
