/*
 * yamldump: a configuration as YAML.
 *
 * Runs in: master.
 * Pure: everything that a file has set, in the order of keys.def, each text
 * as yamltext.c writes it. Reading the dump gives the same configuration, and
 * dumping that the same bytes.
 * One thing of php-fpm's files has no YAML form: of two elements with one name
 * only the first, which wins at run time, is written.
 */
#include <string.h>

#include "conf/conf.h"
#include "conf/keys.h"
#include "conf/value.h"
#include "conf/yamltext.h"

/* One value on the key's line, several below it. */
static void put_list(const struct conf_list *list, unsigned indent, struct strbuf *out)
{
	if (list->n == 1) {
		strbuf_addc(out, ' ');
		yamltext_value(list->items[0], out);
	}
	for (size_t i = 0; list->n > 1 && i < list->n; i++) {
		strbuf_printf(out, "\n%*s- ", (int)indent, "");
		yamltext_value(list->items[i], out);
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
		yamltext_entry(map->pairs[i].name, indent, out);
		strbuf_addc(out, ' ');
		yamltext_value(map->pairs[i].value, out);
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
		yamltext_entry(row->name, indent, out);
		put_list(field, indent + 2, out);
	} else if (row->type == TYPE_MAP) {
		yamltext_entry(row->name, indent, out);
		put_map(field, indent + 2, out);
	} else if (value_print(row, record, &text)) {
		yamltext_entry(row->name, indent, out);
		strbuf_addc(out, ' ');
		/* Words of ours are no text: yes is yes without quotes. */
		if (row->type == TYPE_STRING || row->type == TYPE_PATH)
			yamltext_value(strbuf_str(&text), out);
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

		if (pool->shows != NULL)
			continue;
		yamltext_entry(pool->name, 2, out);
		strbuf_adds(out, any_set(pool->origin) ? "\n" : " {}\n");
		put_settings(SCOPE_POOL, pool, pool->origin, 4, out);
	}
}
