/*
 * utf8: characters out of bytes that may be anything.
 *
 * Runs in: every process.
 */
#include "base/utf8.h"

uint32_t utf8_next(const char **s)
{
	const unsigned char *p = (const unsigned char *)*s;
	uint32_t c = p[0], least;
	unsigned more;

	(*s)++;
	if (c < 0x80)
		return c;
	if (c >= 0xC2 && c <= 0xDF) {
		more = 1, least = 0x80, c &= 0x1F;
	} else if (c >= 0xE0 && c <= 0xEF) {
		more = 2, least = 0x800, c &= 0x0F;
	} else if (c >= 0xF0 && c <= 0xF4) {
		more = 3, least = 0x10000, c &= 0x07;
	} else {
		return UTF8_BAD;
	}
	/* The NUL is no continuation: nothing is read behind it. */
	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return UTF8_BAD;
		c = c << 6 | (p[i] & 0x3F);
	}
	if (c < least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return UTF8_BAD;
	*s += more;
	return c;
}
