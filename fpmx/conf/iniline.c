/*
 * iniline: what the reader of INI files leaves out of a line.
 *
 * Runs in: master, for --convert.
 * Pure.
 */
#include "conf/iniline.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"
#include "conf/iniscan.h"
#include "conf/yamltext.h"

/* Longer than any line of a configuration file may be. */
#define LINE_BYTES (32u << 20)

static const char *keep(struct arena *arena, struct strbuf *text)
{
	const char *kept = arena_strdup(arena, strbuf_str(text));

	strbuf_free(text);
	return kept;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static struct ini_line trimmed(struct ini_line l)
{
	while (l.n > 0 && is_blank(l.bytes[l.n - 1]))
		l.n--;
	while (l.n > 0 && is_blank(l.bytes[0])) {
		l.bytes++;
		l.n--;
	}
	return l;
}

bool iniline_is_blank(const struct ini_line *l)
{
	return trimmed(*l).n == 0;
}

/* Rules and boxes of semicolons stay what they are, of the other character. */
static void add_comment(struct ini_line l, struct strbuf *out)
{
	size_t tail = 0;

	for (; l.n > 0 && *l.bytes == ';'; l.bytes++, l.n--)
		strbuf_addc(out, '#');
	while (tail < l.n && l.bytes[l.n - 1 - tail] == ';')
		tail++;
	if (tail < l.n && !is_blank(l.bytes[l.n - 1 - tail]))
		tail = 0;
	yamltext_comment(l.bytes, l.n - tail, out);
	while (tail-- > 0)
		strbuf_addc(out, '#');
}

const char *iniline_comment(struct arena *arena, const struct ini_line *line)
{
	struct ini_line l = trimmed(*line);
	struct strbuf out;

	strbuf_init(&out, LINE_BYTES);
	if (l.n > 0 && *l.bytes != ';')
		strbuf_adds(&out, "# ");
	add_comment(l, &out);
	return keep(arena, &out);
}

const char *iniline_behind(struct arena *arena, const struct ini_line *line)
{
	struct ini_line comment;
	struct ini_scan s;
	struct strbuf out;

	strbuf_init(&out, LINE_BYTES);
	ini_scan_init(&s, line->bytes, line->n);
	for (ini_scan_next(&s); s.token != INI_END; ini_scan_next(&s)) {
		comment = trimmed((struct ini_line){s.text, s.n});
		if (s.token != INI_END_OF_LINE || comment.n < 2)
			continue;
		if (out.len > 0)
			strbuf_addc(&out, ' ');
		add_comment(comment, &out);
	}
	if (out.len > 0)
		return keep(arena, &out);
	strbuf_free(&out);
	return NULL;
}

/* The word of a boolean as people write it in YAML, too. */
static const char *bool_word(const struct ini_scan *s)
{
	static const char *const words[] = {"on", "off", "yes", "no", "true", "false"};
	struct ini_line l = trimmed((struct ini_line){s->text, s->n});

	if (s->token != INI_TRUE && s->token != INI_FALSE)
		return NULL;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i]) == l.n && strncasecmp(words[i], l.bytes, l.n) == 0)
			return words[i];
	return NULL;
}

struct iniline_value iniline_value(struct arena *arena, const struct ini_line *line, size_t column)
{
	struct iniline_value value = {.text = ""};
	struct ini_line raw = {.bytes = line->bytes + line->n};
	struct ini_scan s;

	if (column == 0 || column > line->n)
		return value;
	ini_scan_init(&s, line->bytes + column - 1, line->n - (column - 1));
	do
		ini_scan_next(&s);
	while (s.token != INI_EQUALS && s.token != INI_END && s.token != INI_END_OF_LINE);
	if (s.token != INI_EQUALS)
		return value;
	raw.bytes = s.at;
	ini_scan_next(&s);
	value.word = bool_word(&s);
	while (s.token != INI_END && s.token != INI_END_OF_LINE)
		ini_scan_next(&s);
	raw.n = (size_t)(s.text - raw.bytes);
	raw = trimmed(raw);
	value.text = arena_strndup(arena, raw.bytes, raw.n);
	return value;
}

/* Text of tokens that mean themselves, up to one that does not. */
static void add_plain(struct ini_scan *s, struct strbuf *out)
{
	for (;; ini_scan_next(s)) {
		switch (s->token) {
		case INI_CONSTANT: /* those that are a number are written in capitals */
			if (isupper((unsigned char)s->text[0]) &&
			    memchr(s->text, '_', s->n) != NULL)
				return;
			break;
		case INI_QUOTED:
			ini_scan_unescape(s, out);
			continue;
		case INI_NUMBER:
		case INI_STRING:
		case INI_WHITESPACE:
		case INI_RAW:
			break;
		case INI_QUOTE:
			continue;
		default:
			return;
		}
		strbuf_add(out, s->text, s->n);
	}
}

static bool takes_element(const struct conf_row *row)
{
	return row->type == TYPE_MAP || row->type == TYPE_FLAGS ||
	       (row->type == TYPE_LIST && key_of(row) != KEY_POOL_listen);
}

/* "name" or "name[element]", up to the "=". */
static bool take_name(
    struct arena *arena, struct ini_scan *s, enum conf_scope scope, struct iniline_disabled *d)
{
	struct ini_line name;
	struct strbuf text;

	ini_scan_next(s);
	if (s->token != INI_LABEL && s->token != INI_OFFSET)
		return false;
	name = trimmed((struct ini_line){s->text, s->n});
	d->row = keys_find(scope, arena_strndup(arena, name.bytes, name.n));
	if (d->row == NULL)
		return false;
	if (s->token == INI_OFFSET) {
		strbuf_init(&text, LINE_BYTES);
		ini_scan_next(s);
		add_plain(s, &text);
		d->element = keep(arena, &text);
		if (s->token != INI_CLOSE)
			return false;
	}
	ini_scan_next(s);
	return s->token == INI_EQUALS && takes_element(d->row) == (d->element != NULL);
}

bool iniline_disabled(struct arena *arena, const struct ini_line *line, enum conf_scope scope,
    struct iniline_disabled *d)
{
	struct ini_line l = trimmed(*line);
	struct strbuf text;
	struct ini_scan s;

	*d = (struct iniline_disabled){0};
	if (l.n < 3 || l.bytes[0] != ';' ||
	    !isalpha((unsigned char)l.bytes[l.bytes[1] == ' ' ? 2 : 1]))
		return false;
	ini_scan_init(&s, l.bytes + 1, l.n - 1);
	if (!take_name(arena, &s, scope, d))
		return false;
	strbuf_init(&text, LINE_BYTES);
	ini_scan_next(&s);
	d->word = bool_word(&s);
	if (d->word != NULL) {
		strbuf_adds(&text, s.token == INI_TRUE ? "1" : "");
		ini_scan_next(&s);
	} else {
		add_plain(&s, &text);
	}
	d->value = keep(arena, &text);
	d->behind = iniline_behind(arena, &(struct ini_line){l.bytes + 1, l.n - 1});
	return s.token == INI_END || s.token == INI_END_OF_LINE;
}
