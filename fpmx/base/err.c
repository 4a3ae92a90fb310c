/*
 * err: fills and extends a struct err.
 *
 * Runs in: every process.
 * Never: allocates, so that it also serves between fork and exec.
 */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	e->sys = 0;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, const char *fmt, ...)
{
	int sys = errno;
	char tail[128];
	size_t len;
	va_list ap;

	if (!e)
		return -1;
	e->sys = sys;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);

	/* A text that fills the buffer loses its end, not the reason. */
	snprintf(tail, sizeof(tail), ": %s (%d)", strerror(sys), sys);
	len = strlen(e->text);
	if (len > sizeof(e->text) - sizeof(tail))
		len = sizeof(e->text) - sizeof(tail);
	memcpy(e->text + len, tail, strlen(tail) + 1);
	errno = sys;
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char before[ERR_TEXT_BYTES];
	size_t used, rest;
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(before, sizeof(before) - 2, fmt, ap);
	va_end(ap);
	used = strlen(before);
	/* "[pool www] text", but "reading: text" */
	if (used == 0 || before[used - 1] != ']')
		before[used++] = ':';
	before[used++] = ' ';

	rest = strnlen(e->text, sizeof(e->text) - 1 - used);
	memmove(e->text + used, e->text, rest);
	memcpy(e->text, before, used);
	e->text[used + rest] = '\0';
	return -1;
}

void err_tame(char *text, size_t size)
{
	text[size - 1] = '\0';
	for (; *text; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}
