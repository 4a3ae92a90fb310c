/*
 * route: what a request is for: ping, status, a script, or a refusal.
 *
 * Runs in: worker.
 * Pure. The order is php-fpm's: no method, ping, status, missing script,
 * security.limit_extensions. Mode worker runs no script by its name: there the
 * last two are front_controller and other_scripts.
 */
#ifndef FPMX_WORKER_ROUTE_H
#define FPMX_WORKER_ROUTE_H

#include "conf/conf.h"
#include "php/engine.h"
#include "worker/script.h"

enum route {
	ROUTE_SCRIPT,
	ROUTE_FRONT, /* for another script, served by the front controller */
	ROUTE_PING,
	ROUTE_STATUS,
	ROUTE_MISSING,           /* 404 */
	ROUTE_DENIED,            /* 403 */
	ROUTE_NO_METHOD,         /* headers only */
	ROUTE_NO_METHOD_MISSING, /* the same with status 404 */
	ROUTE_MAX
};

/* method is NULL when the web server sent none. */
enum route route_request(const struct pool_conf *, const struct script *, const char *method);

/* At an address of pm.status_listen: there are no scripts. */
enum route route_pages_only(enum route);

/* What the engine is to do about it. */
enum engine_action route_action(enum route);

#endif
