/*
 * err: one failure on its way up.
 *
 * Runs in: every process.
 * Never: logs. The caller that decides what the failure means logs it, once.
 *
 * Four grades of bad news: panic (our bug: must.h), fatal and error and warn
 * (the world: log.h). A struct err carries the last three; who receives it
 * picks the grade.
 */
#ifndef FPMX_BASE_ERR_H
#define FPMX_BASE_ERR_H

#include <stddef.h>

/* Long enough for a path and a sentence; longer text is cut, never lost whole. */
#define ERR_TEXT_BYTES 1024

struct err {
	int sys;                   /* errno behind it, 0 when there is none */
	char text[ERR_TEXT_BYTES]; /* for people; no final full stop, no newline */
};

/* Fills *e (which may be NULL: the caller does not care). Always returns -1. */
int err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As err_set, then appends ": strerror (errno)" the way php-fpm's log does. */
int err_sys(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Puts "context: " before the text of *e on its way up, or "[pool www] " as
 * php-fpm does where the context ends with a bracket. Always returns -1.
 */
int err_wrap(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * Makes one line of a text that came from a process we do not trust: it ends
 * with a NUL within size bytes (at least 1), and control characters are blanks.
 */
void err_tame(char *text, size_t size);

#endif
