/*
 * escape: texts that strangers chose, made safe for one page format.
 *
 * Runs in: worker.
 * Pure: a text in, bytes out.
 */
#include "status/escape.h"

#include <stdbool.h>
#include <stdint.h>

#define REPLACEMENT 0xFFFDu
#define REPLACEMENT_UTF8 "\xEF\xBF\xBD"

/*
 * Takes one character from *s (not at its end) and moves past it. What is not
 * the start of a well-formed sequence (RFC 3629: shortest form, no surrogates,
 * at most U+10FFFF) costs one byte and gives REPLACEMENT. The NUL ends a
 * sequence like any wrong byte, so nothing is read behind it.
 */
static uint32_t utf8_next(const char **s)
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
		return REPLACEMENT;
	}
	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (p[i] & 0x3F);
	}
	if (c < least || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return REPLACEMENT;
	*s += more;
	return c;
}

void escape_plain(struct strbuf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7F)
			strbuf_printf(out, "\\x%02X", c);
		else
			strbuf_addc(out, *s);
	}
}

/* The Char production of XML 1.0, but for surrogates, which utf8_next() drops. */
static bool xml_char(uint32_t c)
{
	return c >= 0x20 ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r';
}

void escape_markup(struct strbuf *out, const char *s)
{
	while (*s != '\0') {
		const char *from = s;
		uint32_t c = utf8_next(&s);

		if (c == '&')
			strbuf_adds(out, "&amp;");
		else if (c == '<')
			strbuf_adds(out, "&lt;");
		else if (c == '>')
			strbuf_adds(out, "&gt;");
		else if (c == '"')
			strbuf_adds(out, "&quot;");
		else if (c == REPLACEMENT || !xml_char(c))
			strbuf_adds(out, REPLACEMENT_UTF8);
		else
			strbuf_add(out, from, (size_t)(s - from));
	}
}

static void json_unit(struct strbuf *out, uint32_t unit)
{
	strbuf_printf(out, "\\u%04x", unit);
}

void escape_json(struct strbuf *out, const char *s)
{
	/* Index by character: the letter behind the backslash. */
	static const char letters[0x80] = {['\b'] = 'b',
	    ['\t'] = 't',
	    ['\n'] = 'n',
	    ['\f'] = 'f',
	    ['\r'] = 'r',
	    ['"'] = '"',
	    ['/'] = '/',
	    ['\\'] = '\\'};

	while (*s != '\0') {
		uint32_t c = utf8_next(&s);

		if (c < 0x80 && letters[c] != '\0') {
			strbuf_addc(out, '\\');
			strbuf_addc(out, letters[c]);
		} else if (c >= 0x20 && c < 0x80) {
			strbuf_addc(out, (char)c);
		} else if (c < 0x10000) {
			json_unit(out, c);
		} else {
			json_unit(out, 0xD800 + ((c - 0x10000) >> 10));
			json_unit(out, 0xDC00 + ((c - 0x10000) & 0x3FF));
		}
	}
}

void escape_help(struct strbuf *out, const char *s)
{
	for (; *s != '\0'; s++) {
		if (*s == '\\')
			strbuf_adds(out, "\\\\");
		else if (*s == '\n')
			strbuf_adds(out, "\\n");
		else
			strbuf_addc(out, *s);
	}
}
