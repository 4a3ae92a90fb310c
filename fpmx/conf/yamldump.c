/*
 * yamldump: a configuration as YAML.
 *
 * Runs in: master.
 * Pure: everything that a file has set, in the order of keys.def, each text
 * quoted so that our reader (and any other of YAML 1.1 or 1.2) takes it for
 * that text. Reading the dump gives the same configuration, and dumping that
 * the same bytes.
 * Two things of php-fpm's files have no YAML form. Of two elements with one
 * name only the first, which wins at run time, is written. Bytes that are not
 * UTF-8 come out as the characters that they are in Latin-1.
 */
#include <string.h>
#include <strings.h>

#include "base/utf8.h"
#include "conf/conf.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Longer keys need YAML's explicit form. */
#define KEY_BYTES_MAX 1000

/* What YAML takes for something else than text, unless quoted. */
static bool is_word_of_yaml(const char *text)
{
	static const char *const words[] = {
	    "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "none"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return true;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/*
 * Text that means itself without quotes: only characters that are nowhere
 * special (a ':' at the end would be), begun by one that begins nothing.
 */
static bool is_plain(const char *text)
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
	else if (c == UTF8_BAD || c <= 0xFF)
		strbuf_printf(out, "\\x%02X", c == UTF8_BAD ? (unsigned char)*from : c);
	else
		strbuf_printf(out, "\\u%04X", c);
}

static void put_text(const char *text, struct strbuf *out)
{
	if (is_plain(text)) {
		strbuf_adds(out, text);
	} else if (all_printable(text)) {
		put_single(text, out);
	} else {
		strbuf_addc(out, '"');
		while (*text != '\0')
			put_escaped(&text, out);
		strbuf_addc(out, '"');
	}
}

/* In values the reader expands ${NAME} but between single quotes; not \${. */
static void put_value(const char *text, struct strbuf *out)
{
	if (all_printable(text) || strstr(text, "${") == NULL) {
		put_text(text, out);
		return;
	}
	strbuf_addc(out, '"');
	while (*text != '\0') {
		if (text[0] == '$' && text[1] == '{')
			strbuf_adds(out, "\\\\");
		put_escaped(&text, out);
	}
	strbuf_addc(out, '"');
}

/* Up to where the value begins. */
static void put_key(const char *key, unsigned indent, struct strbuf *out)
{
	struct strbuf name;

	strbuf_init(&name, out->max);
	put_text(key, &name);
	if (name.len <= KEY_BYTES_MAX)
		strbuf_printf(out, "%*s%s:", (int)indent, "", strbuf_str(&name));
	else
		strbuf_printf(
		    out, "%*s? %s\n%*s:", (int)indent, "", strbuf_str(&name), (int)indent, "");
	strbuf_free(&name);
}

/* One value on the key's line, several below it. */
static void put_list(const struct conf_list *list, unsigned indent, struct strbuf *out)
{
	if (list->n == 1) {
		strbuf_addc(out, ' ');
		put_value(list->items[0], out);
	}
	for (size_t i = 0; list->n > 1 && i < list->n; i++) {
		strbuf_printf(out, "\n%*s- ", (int)indent, "");
		put_value(list->items[i], out);
	}
	strbuf_adds(out, list->n == 0 ? " []\n" : "\n");
}

static bool named_before(const struct conf_map *map, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(map->pairs[i].name, map->pairs[at].name) == 0)
			return true;
	return false;
}

static void put_map(const struct conf_map *map, unsigned indent, struct strbuf *out)
{
	strbuf_adds(out, map->n == 0 ? " {}\n" : "\n");
	for (size_t i = 0; i < map->n; i++) {
		if (named_before(map, i))
			continue;
		put_key(map->pairs[i].name, indent, out);
		strbuf_addc(out, ' ');
		put_value(map->pairs[i].value, out);
		strbuf_addc(out, '\n');
	}
}

static void put_setting(
    const struct conf_row *row, const void *record, unsigned indent, struct strbuf *out)
{
	const void *field = value_field_const(row, record);
	struct strbuf text;

	strbuf_init(&text, out->max);
	if (row->type == TYPE_LIST) {
		put_key(row->name, indent, out);
		put_list(field, indent + 2, out);
	} else if (row->type == TYPE_MAP) {
		put_key(row->name, indent, out);
		put_map(field, indent + 2, out);
	} else if (value_print(row, record, &text)) {
		put_key(row->name, indent, out);
		strbuf_addc(out, ' ');
		/* Words of ours are no text: yes is yes without quotes. */
		if (row->type == TYPE_STRING || row->type == TYPE_PATH)
			put_value(strbuf_str(&text), out);
		else
			strbuf_adds(out, strbuf_str(&text));
		strbuf_addc(out, '\n');
	}
	strbuf_free(&text);
}

/* What was set of one scope. The flags are in the map of the row before theirs. */
static void put_settings(enum conf_scope scope, const void *record,
    const struct conf_origin *origin, unsigned indent, struct strbuf *out)
{
	for (size_t key = 0; key < KEY_MAX; key++)
		if (conf_rows[key].scope == scope && conf_rows[key].type != TYPE_FLAGS &&
		    origin[key].file != NULL)
			put_setting(&conf_rows[key], record, indent, out);
}

static bool any_set(const struct conf_origin *origin)
{
	for (size_t key = 0; key < KEY_MAX; key++)
		if (origin[key].file != NULL)
			return true;
	return false;
}

void conf_dump_yaml(const struct conf *c, struct strbuf *out)
{
	if (any_set(c->global.origin)) {
		strbuf_adds(out, "global:\n");
		put_settings(SCOPE_GLOBAL, &c->global, c->global.origin, 2, out);
	}
	if (c->npools > 0)
		strbuf_adds(out, "pools:\n");
	for (size_t i = 0; i < c->npools; i++) {
		const struct pool_conf *pool = c->pools[i];

		put_key(pool->name, 2, out);
		strbuf_adds(out, any_set(pool->origin) ? "\n" : " {}\n");
		put_settings(SCOPE_POOL, pool, pool->origin, 4, out);
	}
}
