/*
 * accesslog: a line for each request.
 *
 * Runs in: worker, after the response and before PHP's request shutdown.
 * One write a line, to a descriptor in append mode, so lines of many workers do
 * not mix. A log that takes nothing costs its lines and stops no request.
 * Lines are php-fpm's, but for two things: control characters that a client
 * sent are written as \xHH, so that nobody forges a line, and a line that was
 * cut does not end in a NUL.
 */
#ifndef FPMX_WORKER_ACCESSLOG_H
#define FPMX_WORKER_ACCESSLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sink.h"
#include "conf/accessfmt.h"
#include "conf/conf.h"
#include "fcgi/params.h"
#include "status/scoreboard.h"

/* Longest line, without its newline; php-fpm's. */
#define ACCESS_LINE_MAX 1024

/* What is known of a request at its end. */
struct access_facts {
	const char *pool;
	const struct worker_view *view; /* its texts are cut at php-fpm's lengths */
	const char *peer;
	const struct params *params;
	const char *(*header)(const char *name); /* of the response */
	int status;
	int32_t parent_pid;
	uint64_t ended_wall_us;
	uint64_t cpu_user_us, cpu_system_us;
};

struct access_line {
	size_t n;
	bool cut; /* it did not fit */
	char text[ACCESS_LINE_MAX + 1];
};

/* The line, newline included; n is 0 when there is nothing to write. */
void access_line(const struct access_format *, const struct access_facts *, struct access_line *);

/* Is this request left out by access.suppress_path? */
bool access_suppressed(const struct conf_list *paths, const struct access_facts *);

/* Writes the line of a request, unless it is left out. Returns whether it had to be cut. */
bool access_write(struct sink *, const struct access_format *, const struct conf_list *suppress,
    const struct access_facts *);

#endif
