/*
 * conf: a configuration from its files to its use.
 *
 * Runs in: master.
 */
#include "conf/conf.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/build.h"
#include "conf/check.h"
#include "conf/complete.h"
#include "conf/keys.h"
#include "conf/report.h"
#include "conf/statuspool.h"
#include "conf/value.h"

bool conf_listen_is_path(const char *address)
{
	return strchr(address, ':') == NULL && address[strspn(address, "0123456789")] != '\0';
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

/* Where a configuration is looked for when -y names none. */
static const char *default_path(struct conf *c, const struct conf_source *source)
{
	static const char own[] = FPMX_SYSCONFDIR "/fpmx/fpmx.yaml";

	if (source->prefix != NULL)
		return arena_printf(c->arena, "%s/etc/php-fpm.conf", source->prefix);
	if (exists(own))
		return own;
	return FPMX_PHP_FPM_CONF;
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

struct conf *conf_load(const struct conf_source *source, struct conf_report *report)
{
	struct conf_finding f = {.grade = CONF_ERROR, .stage = CONF_STAGE_NAMES};
	struct arena *arena = arena_new(16384);
	struct conf *c = arena_new_of(arena, struct conf);

	c->arena = arena;
	c->prefix = arena_strdup(arena, source->prefix != NULL ? source->prefix : FPMX_PREFIX);
	c->path =
	    source->path != NULL ? arena_strdup(arena, source->path) : default_path(c, source);
	report->path = arena_strdup(report->arena, c->path);
	if (source->prefix != NULL && !is_folder(source->prefix)) {
		report_add(report, &f,
		    "the global prefix '%s' does not exist or is not a directory", source->prefix);
		conf_free(c);
		return NULL;
	}
	value_defaults(SCOPE_GLOBAL, &c->global, arena);
	build_run(c, report);
	complete_conf(c, source->prefix != NULL ? source->prefix : FPMX_LOCALSTATEDIR);
	check_conf(c, source, report);
	complete_empty(c);
	if (report->nfatal > 0) {
		conf_free(c);
		return NULL;
	}
	statuspool_add(c);
	return c;
}

void conf_free(struct conf *c)
{
	if (c != NULL)
		arena_free(c->arena);
}
