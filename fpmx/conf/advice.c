/*
 * advice: beyond what php-fpm checks.
 *
 * Runs in: master.
 * Pure.
 */
#include "conf/advice.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf/keys.h"
#include "conf/report.h"
#include "conf/value.h"

struct advice {
	const struct conf_source *source;
	struct conf_report *report;
	const struct pool_conf *pool; /* NULL: [global] */
};

static struct conf_finding finding(
    struct advice *a, enum conf_grade grade, const struct conf_origin *at)
{
	struct conf_finding f = {.grade = grade, .stage = CONF_STAGE_CHECK, .ours = true};

	if (at->file != NULL) {
		f.at = *at;
		f.at.file = arena_strdup(a->report->arena, at->file);
	}
	if (a->pool != NULL)
		f.pool = arena_strdup(a->report->arena, a->pool->name);
	return f;
}

#define advise(a, grade, at, ...)                                   \
	do {                                                        \
		struct conf_finding f_ = finding((a), grade, (at)); \
		report_add((a)->report, &f_, __VA_ARGS__);          \
	} while (0)

/* ---- keys that do nothing yet ---- */

static bool is_default(const struct conf_row *row, const void *record)
{
	struct strbuf text;
	bool same, printed;

	strbuf_init(&text, 4096);
	printed = value_print(row, record, &text);
	same =
	    printed && strcmp(strbuf_str(&text), row->standard != NULL ? row->standard : "") == 0;
	strbuf_free(&text);
	return same;
}

static void advise_parsed(struct advice *a, const struct conf *c)
{
	enum conf_scope scope = a->pool != NULL ? SCOPE_POOL : SCOPE_GLOBAL;
	const void *record = a->pool != NULL ? (const void *)a->pool : &c->global;

	for (size_t i = 0; i < KEY_MAX; i++) {
		const struct conf_row *row = &conf_rows[i];
		const struct conf_origin *at =
		    a->pool != NULL ? &a->pool->origin[i] : &c->global.origin[i];

		if (row->scope != scope || row->state != STATE_PARSED || at->file == NULL ||
		    is_default(row, record))
			continue;
		advise(a, CONF_NOTICE, at, "'%s' is read, but this version does not act on it yet",
		    row->name);
	}
}

/* ---- addresses ---- */

/* What stands behind the last colon, or the whole where there is none. */
static const char *port_of(const char *address)
{
	const char *colon = strrchr(address, ':');

	return colon != NULL ? colon + 1 : address;
}

static void advise_ports(struct advice *a)
{
	for (size_t i = 0; i < a->pool->listen.n; i++) {
		const char *address = a->pool->listen.items[i], *port = port_of(address);
		struct conf_finding f;
		char *end;
		long n;

		if (conf_listen_is_path(address))
			continue;
		errno = 0;
		n = strtol(port, &end, 10);
		if (isdigit((unsigned char)*port) && *end == '\0' && errno == 0 && n > 0 &&
		    n <= 65535)
			continue;
		f = finding(a, CONF_ERROR, &a->pool->origin[KEY_POOL_listen]);
		f.pool = NULL;
		f.ours = false; /* php-fpm has it too, though at a start only */
		report_add(a->report, &f, "invalid port value '%s'", port);
	}
}

static bool is_ip(const char *text)
{
	struct in6_addr ip;

	return inet_pton(AF_INET, text, &ip) == 1 || inet_pton(AF_INET6, text, &ip) == 1;
}

/* Nobody but addresses can be let in: a host name here locks its host out. */
static void advise_clients(struct advice *a)
{
	const char *at = a->pool->listen_allowed_clients;
	char one[64];
	size_t n;

	for (; at != NULL && *at != '\0'; at += n) {
		at += strspn(at, ", ");
		n = strcspn(at, ", ");
		if (n == 0)
			continue;
		snprintf(
		    one, sizeof(one), "%.*s", (int)(n < sizeof(one) ? n : sizeof(one) - 1), at);
		if (!is_ip(one))
			advise(a, CONF_WARNING, &a->pool->origin[KEY_POOL_listen_allowed_clients],
			    "Wrong IP address '%s' in listen.allowed_clients", one);
	}
}

/* ---- ini values ---- */

static const char *const ini_sizes[] = {"memory_limit", "post_max_size", "upload_max_filesize",
    "opcache.memory_consumption", "opcache.interned_strings_buffer", "opcache.jit_buffer_size",
    "realpath_cache_size"};

/* Digits and at most one of K, M, G: php takes the number and drops the rest. */
static bool is_size(const char *text)
{
	size_t n;

	text += *text == '-';
	n = strspn(text, "0123456789");
	if (n == 0)
		return false;
	return text[n] == '\0' || (strchr("KMGkmg", text[n]) != NULL && text[n + 1] == '\0');
}

static void advise_sizes(struct advice *a, const char *key, const struct conf_map *map)
{
	for (size_t i = 0; i < map->n; i++) {
		for (size_t j = 0; j < sizeof(ini_sizes) / sizeof(ini_sizes[0]); j++) {
			if (strcmp(map->pairs[i].name, ini_sizes[j]) != 0 ||
			    is_size(map->pairs[i].value))
				continue;
			advise(a, CONF_WARNING, &map->pairs[i].at,
			    "%s[%s]: '%s' is no size: a number, and K, M or G behind it", key,
			    map->pairs[i].name, map->pairs[i].value);
		}
	}
}

/* ---- modes and limits ---- */

static void advise_mode(struct advice *a)
{
	const struct pool_conf *p = a->pool;

	if (p->mode == POOL_MODE_ISOLATED && p->script == NULL)
		advise(a, CONF_ERROR, &p->origin[KEY_POOL_mode],
		    "mode isolated needs a script: the file that boots the application");
	if (p->mode == POOL_MODE_ISOLATED && !p->cow)
		advise(a, CONF_ERROR, &p->origin[KEY_POOL_cow],
		    "mode isolated forks from what has booted: cow cannot be no");
	if (p->mode == POOL_MODE_WORKER && p->script == NULL)
		advise(a, CONF_ERROR, &p->origin[KEY_POOL_mode],
		    "mode worker needs a script: the file with the loop on fpmx_handle_request()");
}

static int32_t least_workers(const struct pool_conf *p)
{
	switch (p->pm) {
	case PM_STATIC:
		return p->pm_max_children;
	case PM_DYNAMIC:
		return p->pm_start_servers;
	default:
		return 0;
	}
}

static void advise_total(struct advice *a, const struct conf *c)
{
	int64_t sum = 0;

	for (size_t i = 0; i < c->npools; i++)
		sum += least_workers(c->pools[i]);
	if (c->global.process_max > 0 && sum > c->global.process_max)
		advise(a, CONF_WARNING, &c->global.origin[KEY_GLOBAL_process_max],
		    "process.max (%d) is less than the %lld workers that the pools start with",
		    c->global.process_max, (long long)sum);
}

/* ---- what php-fpm says at a start ---- */

static void ignored(struct advice *a, enum conf_key key, const struct conf_origin *at)
{
	struct conf_finding f = finding(a, CONF_NOTICE, at);

	if (at->file == NULL)
		return;
	f.ours = false;
	report_add(a->report, &f, "'%s' directive is ignored when FPM is not running as root",
	    conf_rows[key].name);
}

static void advise_start(struct advice *a)
{
	static const enum conf_key keys[] = {
	    KEY_POOL_user, KEY_POOL_group, KEY_POOL_chroot, KEY_POOL_process_priority};

	if (!a->source->start || a->source->root)
		return;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		ignored(a, keys[i], &a->pool->origin[keys[i]]);
}

static void advise_pool(struct advice *a, const struct conf *c)
{
	advise_mode(a);
	advise_ports(a);
	advise_clients(a);
	advise_sizes(a, "php_value", &a->pool->php_value);
	advise_sizes(a, "php_admin_value", &a->pool->php_admin_value);
	advise_parsed(a, c);
	advise_start(a);
}

void check_advice(
    const struct conf *c, const struct conf_source *source, struct conf_report *report)
{
	struct advice a = {.source = source, .report = report};
	size_t fatal = report->nfatal;

	advise_parsed(&a, c);
	if (source->start && !source->root)
		ignored(&a, KEY_GLOBAL_process_priority,
		    &c->global.origin[KEY_GLOBAL_process_priority]);
	for (size_t i = 0; i < c->npools; i++) {
		a.pool = c->pools[i];
		if (!a.pool->damaged)
			advise_pool(&a, c);
	}
	a.pool = NULL;
	if (fatal == 0)
		advise_total(&a, c);
}
