/*
 * yamltext: a text as YAML, so that it is read as that text again.
 *
 * Runs in: master.
 * Pure.
 */
#include "conf/yamltext.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "conf/base64.h"

/* Longer keys need YAML's explicit form. */
#define KEY_BYTES_MAX 1000

/* What YAML takes for something else than text, unless quoted. */
static bool is_word_of_yaml(const char *text)
{
	static const char *const words[] = {"~", "null", "true", "false", "yes", "no", "on", "off",
	    "y", "n", "none", ".inf", ".nan"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c);
}

/*
 * Numbers and dates that another reader might hand back in another spelling:
 * 0660, 1e3, 0x1F, 1_000, 2026-01-01, 12:30. An address has two dots or more.
 */
static bool changes_as_number(const char *text)
{
	const char *dot = strchr(text, '.');

	if (!is_digit(text[0]) && text[0] != '.')
		return false;
	if (text[strspn(text, "0123456789")] == '\0')
		return text[0] == '0' && text[1] != '\0';
	return text[strspn(text, "0123456789.+-_:xXoabcdefABCDEF")] == '\0' &&
	       (dot == NULL || strchr(dot + 1, '.') == NULL);
}

/*
 * Text that means itself without quotes: only characters that are nowhere
 * special (a ':' at the end would be), begun by one that begins nothing.
 */
bool yamltext_is_plain(const char *text)
{
	size_t n =
	    strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-:@");

	return n > 0 && text[n] == '\0' && text[n - 1] != ':' &&
	       (is_letter(text[0]) || text[0] == '/' || text[0] == '.') && !is_word_of_yaml(text);
}

/* Characters that YAML takes as they are and that end no line in it. */
static bool is_printable(uint32_t c)
{
	if (c < 0xA0)
		return c >= ' ' && c < 127;
	return c != UTF8_BAD && c != 0x2028 && c != 0x2029 && c != 0xFEFF && c != 0xFFFE &&
	       c != 0xFFFF;
}

static bool all_printable(const char *text)
{
	while (*text != '\0')
		if (!is_printable(utf8_next(&text)))
			return false;
	return true;
}

static bool all_utf8(const char *text)
{
	while (*text != '\0')
		if (utf8_next(&text) == UTF8_BAD)
			return false;
	return true;
}

/* Between single quotes nothing is special but the quote, and nothing expands. */
static void put_single(const char *text, struct strbuf *out)
{
	strbuf_addc(out, '\'');
	for (; *text != '\0'; text++) {
		if (*text == '\'')
			strbuf_addc(out, '\'');
		strbuf_addc(out, *text);
	}
	strbuf_addc(out, '\'');
}

/* One character between double quotes, where everything has some form. */
static void put_escaped(const char **text, struct strbuf *out)
{
	const char *from = *text;
	uint32_t c = utf8_next(text);

	if (c == '\n')
		strbuf_adds(out, "\\n");
	else if (c == '"' || c == '\\')
		strbuf_printf(out, "\\%c", (int)c);
	else if (is_printable(c))
		strbuf_add(out, from, (size_t)(*text - from));
	else if (c <= 0xFF)
		strbuf_printf(out, "\\x%02X", c);
	else
		strbuf_printf(out, "\\u%04X", c);
}

/* The first end - text bytes; a ${ in them is to stay one. */
static void put_literally(const char *text, const char *end, struct strbuf *out)
{
	while (text < end) {
		if (text + 1 < end && text[0] == '$' && text[1] == '{')
			strbuf_adds(out, "\\\\");
		put_escaped(&text, out);
	}
}

void yamltext_key(const char *text, struct strbuf *out)
{
	if (yamltext_is_plain(text) && !changes_as_number(text)) {
		strbuf_adds(out, text);
	} else if (all_printable(text)) {
		put_single(text, out);
	} else if (all_utf8(text)) {
		strbuf_addc(out, '"');
		while (*text != '\0')
			put_escaped(&text, out);
		strbuf_addc(out, '"');
	} else {
		strbuf_adds(out, "!!binary \"");
		base64_encode(text, strlen(text), out);
		strbuf_addc(out, '"');
	}
}

/* The reader expands ${NAME} everywhere but between single quotes. */
void yamltext_value(const char *text, struct strbuf *out)
{
	if (all_printable(text) || !all_utf8(text)) {
		yamltext_key(text, out);
		return;
	}
	strbuf_addc(out, '"');
	put_literally(text, text + strlen(text), out);
	strbuf_addc(out, '"');
}

void yamltext_entry(const char *key, unsigned indent, struct strbuf *out)
{
	struct strbuf name;

	strbuf_init(&name, out->max);
	yamltext_key(key, &name);
	if (name.len <= KEY_BYTES_MAX)
		strbuf_printf(out, "%*s%s:", (int)indent, "", strbuf_str(&name));
	else
		strbuf_printf(
		    out, "%*s? %s\n%*s:", (int)indent, "", strbuf_str(&name), (int)indent, "");
	strbuf_free(&name);
}

/* A name that stands between ${ and } of a YAML file as it is. */
static bool is_sayable(const char *name)
{
	return *name != '\0' && strpbrk(name, "}\\\"") == NULL && all_printable(name);
}

/* A byte that goes on with a character. */
static bool is_inside(char c)
{
	return ((unsigned char)c & 0xC0) == 0x80;
}

bool yamltext_spelled(
    const char *text, const struct build_variable *v, size_t n, struct strbuf *out)
{
	const char *at = text;

	if (!all_utf8(text))
		return false;
	for (size_t i = 0; i < n; i++)
		/* A backslash before ${ would shield it; a cut character is none. */
		if (!is_sayable(v[i].name) || (v[i].from > 0 && text[v[i].from - 1] == '\\') ||
		    is_inside(text[v[i].from]) || is_inside(text[v[i].to]))
			return false;
	strbuf_addc(out, '"');
	for (size_t i = 0; i < n; i++) {
		put_literally(at, text + v[i].from, out);
		strbuf_printf(out, "${%s}", v[i].name);
		at = text + v[i].to;
	}
	put_literally(at, text + strlen(text), out);
	strbuf_addc(out, '"');
	return true;
}

void yamltext_comment(const char *text, size_t n, struct strbuf *out)
{
	const char *end = text + n;

	while (text < end) {
		const char *from = text;
		uint32_t c = (unsigned char)*text;

		/* A character that the end cuts is none; a line has no NUL. */
		if (c >= 0x80)
			c = utf8_next(&text);
		else
			text++;
		if (text > end)
			break;
		if (c == '\t' || is_printable(c))
			strbuf_add(out, from, (size_t)(text - from));
		else if (c == UTF8_BAD && (unsigned char)*from >= 0xA0) /* Latin-1, as a rule */
			strbuf_printf(out, "%c%c", 0xC0 | (unsigned char)*from >> 6,
			    0x80 | ((unsigned char)*from & 0x3F));
		else
			strbuf_addc(out, '?');
	}
}
