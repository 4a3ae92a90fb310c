/*
 * escape: texts that strangers chose, made safe for one page format.
 *
 * Runs in: worker.
 * Pure: a text in, bytes out.
 */
#include "status/escape.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/utf8.h"

#define REPLACEMENT 0xFFFDu
#define REPLACEMENT_UTF8 "\xEF\xBF\xBD"

/* One character, or REPLACEMENT for a byte that is none. */
static uint32_t next_character(const char **s)
{
	uint32_t c = utf8_next(s);

	return c == UTF8_BAD ? REPLACEMENT : c;
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

/* The Char production of XML 1.0, but for surrogates, which never get here. */
static bool xml_char(uint32_t c)
{
	return c >= 0x20 ? c != 0xFFFE && c != 0xFFFF : c == '\t' || c == '\n' || c == '\r';
}

void escape_markup(struct strbuf *out, const char *s)
{
	while (*s != '\0') {
		const char *from = s;
		uint32_t c = next_character(&s);

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
		uint32_t c = next_character(&s);

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
