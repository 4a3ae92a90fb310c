/*
 * route: what a request is for.
 *
 * Runs in: worker.
 * Pure.
 */
#include "worker/route.h"

#include <string.h>

#include "base/must.h"

static const enum engine_action actions[] = {
    [ROUTE_SCRIPT] = ENGINE_RUN,
    [ROUTE_FRONT] = ENGINE_RUN,
    [ROUTE_PING] = ENGINE_PAGE,
    [ROUTE_STATUS] = ENGINE_PAGE,
    [ROUTE_MISSING] = ENGINE_NOT_FOUND,
    [ROUTE_DENIED] = ENGINE_DENIED,
    [ROUTE_NO_METHOD] = ENGINE_HEADERS_ONLY,
    [ROUTE_NO_METHOD_MISSING] = ENGINE_HEADERS_NOT_FOUND,
};
_Static_assert(sizeof(actions) / sizeof(actions[0]) == ROUTE_MAX, "an action for each route");

static bool is_path(const char *path, const char *name)
{
	return path != NULL && name != NULL && strcmp(path, name) == 0;
}

/* The script of the pool answers, whatever the web server names; or is that refused? */
static enum route to_front(const struct pool_conf *pool, const struct script *script)
{
	if (pool->front_controller == NULL ||
	    (!script->missing && is_path(script->path, pool->front_controller)))
		return ROUTE_SCRIPT;
	return pool->other_scripts == OTHER_SCRIPTS_FRONT ? ROUTE_FRONT : ROUTE_MISSING;
}

enum route route_request(
    const struct pool_conf *pool, const struct script *script, const char *method)
{
	if (method == NULL)
		return script->missing ? ROUTE_NO_METHOD_MISSING : ROUTE_NO_METHOD;
	if (is_path(pool->ping_path, script->name))
		return ROUTE_PING;
	if (is_path(pool->pm_status_path, script->name))
		return ROUTE_STATUS;
	if (pool->mode == POOL_MODE_WORKER)
		return to_front(pool, script);
	if (script->path == NULL || script->missing)
		return ROUTE_MISSING;
	if (!script_extension_allowed(pool->security_limit_extensions, script->path))
		return ROUTE_DENIED;
	return ROUTE_SCRIPT;
}

enum route route_pages_only(enum route r)
{
	return r == ROUTE_SCRIPT || r == ROUTE_DENIED ? ROUTE_MISSING : r;
}

enum engine_action route_action(enum route r)
{
	must(r < ROUTE_MAX);
	return actions[r];
}
