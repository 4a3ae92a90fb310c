/*
 * script: which script a request is for, and what $_SERVER says of it: php-fpm's
 * request set-up, derived again over checked slices.
 *
 * Runs in: worker.
 * Pure but for stat(2), which comes as a function so that tests can pretend.
 * Never: arithmetic on lengths that was not checked (CVE-2019-11043).
 */
#ifndef FPMX_WORKER_SCRIPT_H
#define FPMX_WORKER_SCRIPT_H

#include <stdbool.h>

#include "base/arena.h"
#include "fcgi/params.h"
#include "php/engine.h"

struct script {
	const char *path; /* to open; NULL: none, or none to be run, 404 */
	const char *name; /* what status, ping and the access log match: SCRIPT_NAME as set up */
	const char *php_self;
	const char *path_info; /* or NULL */
	bool named;            /* the web server has named one; else nothing was looked at */
	bool missing;          /* looked for, and not there */
};

/* kind of a path: 'f' regular file, 'd' directory, 'o' other, 0 not there. */
typedef char script_stat_fn(const char *path);

/*
 * Fills *s and changes params (SCRIPT_FILENAME, PATH_INFO, ORIG_*, ...) as
 * php-fpm does. Memory comes from the arena.
 */
void script_resolve(
    struct params *, const struct engine_cgi *, struct arena *, script_stat_fn *, struct script *s);

/* security.limit_extensions: byte-exact suffixes; an empty list allows all. */
bool script_extension_allowed(const char *limit_extensions, const char *path);

#endif
