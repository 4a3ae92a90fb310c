/*
 * strbuf: grows by doubling up to its maximum.
 *
 * Runs in: every process.
 */
#include "base/strbuf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define FIRST_ROOM 128

void strbuf_init(struct strbuf *s, size_t max)
{
	must(max < SIZE_MAX / 2);
	*s = (struct strbuf){.max = max};
}

void strbuf_free(struct strbuf *s)
{
	free(s->bytes);
	strbuf_init(s, s->max);
}

void strbuf_clear(struct strbuf *s)
{
	s->len = 0;
	s->truncated = false;
	if (s->bytes)
		s->bytes[0] = '\0';
}

/*
 * Makes room for n more bytes and their NUL, as far as the maximum allows.
 * Returns how many of the n bytes fit.
 */
static size_t make_room(struct strbuf *s, size_t n)
{
	size_t fits = n, room = s->room ? s->room : FIRST_ROOM;

	if (fits > s->max - s->len) {
		fits = s->max - s->len;
		s->truncated = true;
	}
	while (room <= s->len + fits)
		room *= 2;
	if (room > s->max + 1)
		room = s->max + 1;
	if (room > s->room) {
		s->bytes = must_memory(realloc(s->bytes, room));
		s->room = room;
		s->bytes[s->len] = '\0';
	}
	return fits;
}

void strbuf_add(struct strbuf *s, const void *bytes, size_t n)
{
	size_t fits = make_room(s, n);

	if (fits)
		memcpy(s->bytes + s->len, bytes, fits);
	s->len += fits;
	s->bytes[s->len] = '\0';
}

void strbuf_adds(struct strbuf *s, const char *text)
{
	strbuf_add(s, text, strlen(text));
}

void strbuf_addc(struct strbuf *s, char c)
{
	strbuf_add(s, &c, 1);
}

void strbuf_vprintf(struct strbuf *s, const char *fmt, va_list ap)
{
	va_list again;
	size_t fits;
	int n;

	make_room(s, 1 < s->max - s->len ? 1 : 0);
	va_copy(again, ap);
	n = vsnprintf(s->bytes + s->len, s->room - s->len, fmt, ap);
	must(n >= 0);
	if ((size_t)n < s->room - s->len)
		s->len += (size_t)n;
	else {
		fits = make_room(s, (size_t)n);
		vsnprintf(s->bytes + s->len, fits + 1, fmt, again);
		s->len += fits;
	}
	va_end(again);
}

void strbuf_printf(struct strbuf *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(s, fmt, ap);
	va_end(ap);
}

const char *strbuf_str(const struct strbuf *s)
{
	return s->bytes ? s->bytes : "";
}

void strbuf_eat(struct strbuf *s, size_t n)
{
	must(n <= s->len);
	if (n == 0)
		return;
	memmove(s->bytes, s->bytes + n, s->len - n + 1);
	s->len -= n;
}
