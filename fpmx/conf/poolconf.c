/*
 * poolconf: one pool as text, for the heritage.
 *
 * Runs in: master (dump), engine (parse).
 * A plain form of our own, so that the engine needs neither reader: lines of
 * name TAB element TAB value. The first line says which form this is, its value
 * is the pool's name; the last says that nothing was cut off. TAB, newline and
 * backslash within a text are \t \n \\.
 * Never: takes what is not exactly that.
 */
#include <string.h>

#include "conf/conf.h"
#include "conf/keys.h"
#include "conf/value.h"

#define HEAD "fpmx-pool-1"
#define TAIL "end"

static void put_escaped(struct strbuf *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '\t')
			strbuf_adds(out, "\\t");
		else if (*text == '\n')
			strbuf_adds(out, "\\n");
		else if (*text == '\\')
			strbuf_adds(out, "\\\\");
		else
			strbuf_addc(out, *text);
	}
}

static void put_line(struct strbuf *out, const char *name, const char *element, const char *value)
{
	strbuf_adds(out, name);
	strbuf_addc(out, '\t');
	put_escaped(out, element);
	strbuf_addc(out, '\t');
	put_escaped(out, value);
	strbuf_addc(out, '\n');
}

/* A value that was not set, and is the default, says nothing. */
static void put_scalar(struct strbuf *out, const struct conf_row *row, const struct pool_conf *p,
    const struct pool_conf *plain)
{
	struct strbuf text, standard;
	bool printed;

	strbuf_init(&text, out->max);
	strbuf_init(&standard, out->max);
	printed = value_print(row, p, &text);
	value_print(row, plain, &standard);
	if (printed && (p->origin[key_of(row)].file != NULL ||
			   strcmp(strbuf_str(&text), strbuf_str(&standard)) != 0))
		put_line(out, row->name, "", strbuf_str(&text));
	strbuf_free(&text);
	strbuf_free(&standard);
}

static void put_row(struct strbuf *out, const struct conf_row *row, const struct pool_conf *p,
    const struct pool_conf *plain)
{
	const struct conf_list *list = value_field_const(row, p);
	const struct conf_map *map = value_field_const(row, p);

	switch (row->type) {
	case TYPE_LIST:
		for (size_t i = 0; i < list->n; i++)
			put_line(out, row->name, "", list->items[i]);
		break;
	case TYPE_MAP:
		for (size_t i = 0; i < map->n; i++)
			put_line(out, row->name, map->pairs[i].name, map->pairs[i].value);
		break;
	case TYPE_FLAGS:
		break;
	default:
		put_scalar(out, row, p, plain);
		break;
	}
}

void pool_conf_dump(const struct pool_conf *p, struct strbuf *out)
{
	struct arena *arena = arena_new(8192);
	struct pool_conf *plain = arena_new_of(arena, struct pool_conf);

	value_defaults(SCOPE_POOL, plain, arena);
	put_line(out, HEAD, "", p->name);
	for (size_t i = 0; i < KEY_MAX; i++) {
		if (conf_rows[i].scope == SCOPE_POOL)
			put_row(out, &conf_rows[i], p, plain);
	}
	put_line(out, TAIL, "", "");
	arena_free(arena);
}

/* Lines being read. */
struct lines {
	struct arena *arena;
	const char *at, *end;
	uint32_t number;
	const char *name, *element, *value; /* of the current line */
};

/* One field, up to the byte that has to end it. NULL where that is missing. */
static const char *take_field(struct lines *l, char stop)
{
	const char *end = l->at;
	char *field, *to;

	while (end < l->end && strchr("\t\n", *end) == NULL)
		end++;
	if (end == l->end || *end != stop)
		return NULL;
	field = to = arena_alloc(l->arena, (size_t)(end - l->at) + 1, 1);
	for (const char *p = l->at; p < end; p++) {
		if (*p != '\\') {
			*to++ = *p;
			continue;
		}
		p++;
		if (p == end || strchr("tn\\", *p) == NULL)
			return NULL;
		*to++ = *p == 't' ? '\t' : *p == 'n' ? '\n' : '\\';
	}
	l->at = end + 1;
	return field;
}

static int next_line(struct lines *l, struct err *e)
{
	l->number++;
	l->name = take_field(l, '\t');
	l->element = l->name != NULL ? take_field(l, '\t') : NULL;
	l->value = l->element != NULL ? take_field(l, '\n') : NULL;
	if (l->value == NULL)
		return err_set(e, "pool configuration: line %u is broken or cut", l->number);
	return 0;
}

static int take_line(struct lines *l, struct pool_conf *p, struct err *e)
{
	const struct conf_row *row = keys_find(SCOPE_POOL, l->name);
	struct conf_origin at = {.file = "(heritage)", .line = l->number};
	struct conf_pair pair = {.name = l->element, .value = l->value, .at = at};
	struct value_verdict verdict;

	if (row == NULL || row->type == TYPE_FLAGS)
		return err_set(e, "pool configuration: unknown key '%s'", l->name);
	if (row->type == TYPE_LIST)
		list_add(value_field(row, p), l->arena, l->value);
	else if (row->type == TYPE_MAP)
		map_add(value_field(row, p), l->arena, &pair);
	else if (value_read(row, p, l->arena, l->value, &verdict) != 0)
		return err_set(
		    e, "pool configuration: '%s' for '%s': %s", l->value, l->name, verdict.refusal);
	p->origin[key_of(row)] = at;
	return 0;
}

struct pool_conf *pool_conf_parse(struct arena *arena, const char *text, size_t n, struct err *e)
{
	struct lines l = {.arena = arena, .at = text, .end = text + n};
	struct pool_conf *p = arena_new_of(arena, struct pool_conf);

	value_defaults(SCOPE_POOL, p, arena);
	if (next_line(&l, e) != 0)
		return NULL;
	if (strcmp(l.name, HEAD) != 0) {
		err_set(e, "pool configuration: not of this version");
		return NULL;
	}
	p->name = l.value;
	for (;;) {
		if (next_line(&l, e) != 0)
			return NULL;
		if (strcmp(l.name, TAIL) == 0)
			break;
		if (take_line(&l, p, e) != 0)
			return NULL;
	}
	if (l.at != l.end) {
		err_set(e, "pool configuration: something behind its end");
		return NULL;
	}
	return p;
}
