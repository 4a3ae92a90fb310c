/*
 * strbuf: a growing string that knows its maximum.
 *
 * Runs in: every process.
 * Invariant: s.bytes[s.len] is NUL once anything was appended.
 * Appending past the maximum keeps what fits, sets truncated and goes on: the
 * writers of log lines and pages check once, at the end.
 */
#ifndef FPMX_BASE_STRBUF_H
#define FPMX_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdarg.h>

struct strbuf {
	char *bytes;
	size_t len;
	size_t room; /* allocated, including the NUL */
	size_t max;  /* len never exceeds it */
	bool truncated;
};

void strbuf_init(struct strbuf *, size_t max);
void strbuf_free(struct strbuf *);
void strbuf_clear(struct strbuf *); /* keeps the memory */

void strbuf_add(struct strbuf *, const void *bytes, size_t n);
void strbuf_adds(struct strbuf *, const char *);
void strbuf_addc(struct strbuf *, char);
void strbuf_printf(struct strbuf *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_vprintf(struct strbuf *, const char *fmt, va_list)
    __attribute__((format(printf, 2, 0)));

/* The text so far, never NULL. Valid until the next append. */
const char *strbuf_str(const struct strbuf *);

/* Drops the first n bytes (n <= len). */
void strbuf_eat(struct strbuf *, size_t n);

#endif
