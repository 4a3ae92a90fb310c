/*
 * speech: the bytes of a worker's stdout or stderr as messages and lines.
 *
 * Runs in: master.
 * Pure: bytes in, whole log lines out through a call.
 * A message ends with a newline, or with the mark that a worker writes after
 * each request (NUL "fscf" NUL), which may come in pieces and is no text. Lines
 * are php-fpm's: no longer than the limit; what is longer goes on in another
 * line of the same form.
 * Invariant: never holds more than one line.
 */
#ifndef FPMX_MASTER_SPEECH_H
#define FPMX_MASTER_SPEECH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct speech {
	/* set once */
	size_t limit;  /* of a line, newline included */
	bool decorate; /* put head and quotes around the text */
	/* Puts what goes before the opening quote: time, level, who says it where. */
	void (*head)(void *ctx, struct strbuf *);
	void (*line)(void *ctx, const char *text, size_t n); /* newline included */
	void *ctx;

	/* run-time state */
	unsigned matched; /* bytes of the mark that have come */
	bool spoke;       /* a line has gone out */
	struct strbuf text;
};

void speech_init(struct speech *);
void speech_free(struct speech *);

void speech_feed(struct speech *, const char *bytes, size_t n);

/* Ends the message that is under way; nothing happens without one. */
void speech_flush(struct speech *);

/*
 * The stream has ended: php-fpm says so when it never heard anything before; here,
 * where the line has room for it.
 */
void speech_end(struct speech *);

#endif
