/*
 * params: the parameters of a request.
 *
 * Runs in: worker.
 * Bounded (R2): 1 MiB of names and values, 2,048 pairs; lengths are checked
 * before they are believed. Lookup by a keyed hash, so colliding names cost
 * nothing. Last of two equal names wins (php-fpm, R4).
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
	bool removed;
};

struct params;

enum params_result {
	PARAMS_OK,
	PARAMS_TOO_LARGE, /* over a bound */
	PARAMS_MALFORMED  /* a length points past the end, or NUL where none may be */
};

/* Memory comes from the request's arena. */
struct params *params_new(struct arena *);

/* Feeds a piece of the stream; pairs may be split anywhere (R4). */
enum params_result params_feed(struct params *, const uint8_t *, size_t n)
    __attribute__((warn_unused_result));
/* The stream is complete: parses it. */
enum params_result params_finish(struct params *) __attribute__((warn_unused_result));

/* NULL when absent. */
const struct param *params_find(const struct params *, const char *name);
const char *params_get(const struct params *, const char *name);

/* For request set-up: changes what PHP will see. The value is copied. */
void params_set(struct params *, const char *name, const char *value, size_t n);
void params_remove(struct params *, const char *name);

/*
 * In the order of PHP's own enumeration of $_SERVER under php-fpm: newest
 * first; a changed value keeps its place. i from 0; NULL ends.
 */
const struct param *params_at(const struct params *, size_t i);

#endif
