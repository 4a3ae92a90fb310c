/*
 * params: the parameters of a request.
 *
 * Runs in: worker.
 * Bounded: 1 MiB of names and values, 2,048 pairs; lengths are checked before
 * they are believed. Lookup by a keyed hash, so names chosen to collide cost
 * nothing. Last of two equal names wins, in the place of the first (php-fpm).
 * Never: touches the process environment.
 */
#ifndef FPMX_FCGI_PARAMS_H
#define FPMX_FCGI_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define PARAMS_MAX_BYTES (1u << 20)
#define PARAMS_MAX_PAIRS 2048u

struct param {
	const char *name; /* NUL-terminated; name_len without it */
	size_t name_len;
	const char *value;
	size_t value_len;
};

struct params;

enum params_result {
	PARAMS_OK,
	PARAMS_TOO_LARGE, /* over a bound */
	PARAMS_MALFORMED, /* a length points past the end */
	/*
	 * NUL in a name, or in the value of REQUEST_METHOD, DOCUMENT_ROOT,
	 * SCRIPT_* or PATH_*: whoever reads it as a C string would see another
	 * script than the web server meant.
	 */
	PARAMS_NUL
};

/* Memory comes from the request's arena. */
struct params *params_new(struct arena *);

/* Feeds a piece of the stream; pairs may be split anywhere. */
enum params_result params_feed(struct params *, const uint8_t *, size_t n)
    __attribute__((warn_unused_result));
/* The stream is complete: parses it. */
enum params_result params_finish(struct params *) __attribute__((warn_unused_result));

/* NULL when absent. */
const struct param *params_find(const struct params *, const char *name);
const char *params_get(const struct params *, const char *name);

/*
 * For request set-up: changes what PHP will see. Name and value are copied.
 * Earlier value strings stay valid; a struct param shows the change. Also before
 * params_finish(): such a parameter is older than all of the wire, which may
 * override it.
 */
void params_set(struct params *, const char *name, const char *value, size_t n);
void params_remove(struct params *, const char *name);

/*
 * In the order of PHP's own enumeration of $_SERVER under php-fpm: newest
 * first; a changed value keeps its place. i from 0; NULL ends. Removed ones are
 * not shown.
 */
const struct param *params_at(const struct params *, size_t i);

#endif
