/*
 * accessfmt: access.format, understood once.
 *
 * Runs in: master (to check a configuration), worker (to write lines).
 * Pure: text in, items out. What a line looks like is worker/accesslog.c's.
 * Texts of refusals are php-fpm's.
 */
#ifndef FPMX_CONF_ACCESSFMT_H
#define FPMX_CONF_ACCESSFMT_H

#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

/* What a pool without access.format writes. */
#define ACCESS_FORMAT_DEFAULT "%R - %u %t \"%m %r\" %s"

enum access_token {
	ACCESS_TEXT,       /* as it is: name */
	ACCESS_CPU,        /* %C */
	ACCESS_DURATION,   /* %d */
	ACCESS_PARAMETER,  /* %e: name */
	ACCESS_SCRIPT,     /* %f */
	ACCESS_LENGTH,     /* %l */
	ACCESS_METHOD,     /* %m */
	ACCESS_MEMORY,     /* %M */
	ACCESS_POOL,       /* %n */
	ACCESS_HEADER,     /* %o: name */
	ACCESS_PID,        /* %p */
	ACCESS_PARENT_PID, /* %P */
	ACCESS_QUERY,      /* %q */
	ACCESS_QUERY_MARK, /* %Q */
	ACCESS_URI,        /* %r */
	ACCESS_PEER,       /* %R */
	ACCESS_STATUS,     /* %s */
	ACCESS_STARTED,    /* %t: name is a format of strftime */
	ACCESS_ENDED,      /* %T: the same */
	ACCESS_USER,       /* %u */
	ACCESS_TOKEN_MAX
};

/* The unit or the part that a modifier asked for. */
enum access_unit {
	ACCESS_UNIT_NONE,
	ACCESS_CPU_TOTAL,
	ACCESS_CPU_USER,
	ACCESS_CPU_SYSTEM,
	ACCESS_SECONDS,
	ACCESS_MILLISECONDS,
	ACCESS_MICROSECONDS,
	ACCESS_BYTES,
	ACCESS_KILOBYTES,
	ACCESS_MEGABYTES,
	ACCESS_UNIT_MAX
};

struct access_item {
	enum access_token token;
	enum access_unit unit;
	const char *name; /* NUL-terminated; "" where the token needs none */
};

struct access_format {
	size_t n;
	const struct access_item *items;
};

/*
 * Items live in the arena. 0, or -1 with php-fpm's sentence. A format that
 * ends in a single "%" is fine and the "%" is left out.
 */
int access_format_compile(struct arena *, const char *text, struct access_format *, struct err *)
    __attribute__((warn_unused_result));

#endif
