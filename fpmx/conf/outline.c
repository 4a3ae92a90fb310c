/*
 * outline: a YAML file that is being made out of statements in their order.
 *
 * Runs in: master, for --convert.
 * Pure. Writing it down is in outwrite.c.
 */
#include "conf/outline.h"

#include <string.h>
#include <strings.h>

#include "base/must.h"
#include "conf/value.h"
#include "conf/yamltext.h"

#define VALUE_BYTES (32u << 20)

struct outline *outline_new(struct arena *arena)
{
	struct outline *o = arena_new_of(arena, struct outline);

	o->arena = arena;
	return o;
}

static void add_line(struct outline *o, struct outline_lines *lines, const struct outline_line *l)
{
	lines->items = arena_grow(o->arena, lines->items, lines->n, sizeof(*lines->items));
	lines->items[lines->n++] = *l;
}

void outline_line(struct outline *o, const struct outline_line *line)
{
	add_line(o, &o->pending, line);
}

static struct outline_lines take_pending(struct outline *o)
{
	struct outline_lines lines = o->pending;

	o->pending = (struct outline_lines){0};
	return lines;
}

/* ---- sections ---- */

static void begin_block(struct outline *o, char block)
{
	size_t n = strlen(o->blocks);

	if (strchr(o->blocks, block) == NULL) {
		must(n + 1 < sizeof(o->blocks));
		o->blocks[n] = block;
	}
}

static struct outline_section *find_section(struct outline *o, const char *pool)
{
	if (pool == NULL)
		return o->global;
	for (size_t i = 0; i < o->npools; i++)
		if (strcmp(o->pools[i]->name, pool) == 0)
			return o->pools[i];
	return NULL;
}

static struct outline_section *new_section(struct outline *o, const char *pool)
{
	struct outline_section *s = arena_new_of(o->arena, struct outline_section);

	begin_block(o, pool == NULL ? 'g' : 'p');
	if (pool == NULL) {
		o->global = s;
		return s;
	}
	s->name = arena_strdup(o->arena, pool);
	o->pools = arena_grow(o->arena, o->pools, o->npools, sizeof(struct outline_section *));
	o->pools[o->npools++] = s;
	return s;
}

/* Settings that are commented out belong to the section that ends. */
static void leave_section(struct outline *o)
{
	size_t n = o->current != NULL ? o->pending.n : 0;
	struct outline_lines lines = o->pending;

	while (n > 0 && lines.items[n - 1].disabled.row == NULL)
		n--;
	if (n == 0)
		return;
	o->pending = (struct outline_lines){0};
	for (size_t i = 0; i < lines.n; i++)
		add_line(o, i < n ? &o->current->tail : &o->pending, &lines.items[i]);
}

void outline_section(struct outline *o, const char *pool, const char *behind)
{
	struct outline_section *s = find_section(o, pool);

	leave_section(o);
	if (s == NULL) {
		s = new_section(o, pool);
		s->lead = take_pending(o);
		s->behind = behind;
	} else if (behind != NULL) {
		outline_line(o, &(struct outline_line){.comment = behind});
	}
	o->current = s;
}

void outline_include(struct outline *o, const char *pattern, const char *behind)
{
	struct outline_include include = {.pattern = pattern, .behind = behind};

	leave_section(o);
	include.lead = take_pending(o);
	begin_block(o, 'i');
	o->includes = arena_grow(o->arena, o->includes, o->nincludes, sizeof(*o->includes));
	o->includes[o->nincludes++] = include;
}

void outline_end(struct outline *o)
{
	struct outline_lines lines = take_pending(o);

	if (lines.n == 0)
		return;
	if (o->current == NULL)
		o->current = new_section(o, NULL);
	for (size_t i = 0; i < lines.n; i++)
		add_line(o, &o->current->tail, &lines.items[i]);
}

/* ---- values ---- */

static bool is_ini_map(const struct conf_row *row)
{
	return row->type == TYPE_FLAGS || (row->type == TYPE_MAP && key_of(row) != KEY_POOL_env);
}

static const char *word_of(const struct conf_row *row, const char *value)
{
	const struct conf_word *w = keys_words(row->type);

	for (; w != NULL && w->word != NULL; w++)
		if (strcasecmp(w->word, value) == 0)
			return keys_word(row->type, w->value);
	return NULL;
}

static bool is_text(const struct conf_row *row)
{
	return row->type == TYPE_STRING || row->type == TYPE_PATH || row->type == TYPE_LIST ||
	       row->type == TYPE_MAP;
}

/* What is no text of the user's has a form of its own; NULL where it has not. */
static const char *typed_value(
    const struct conf_row *row, const char *value, const struct iniline_value *raw)
{
	bool on;

	/* The reader makes "1" and "" of the words here, as php does. */
	if (raw->word != NULL && (is_ini_map(row) || row->type == TYPE_BOOL))
		return raw->word;
	if ((row->type == TYPE_BOOL || row->type == TYPE_FLAGS) && value_bool(value, &on) == 0)
		return on ? "yes" : "no";
	if (keys_words(row->type) != NULL)
		return word_of(row, value);
	/* A number may have a sign. */
	return !is_text(row) && yamltext_is_plain(value + (*value == '-')) ? value : NULL;
}

const char *outline_value(struct arena *arena, const struct conf_row *row, const char *value,
    const struct iniline_value *raw, const struct build_spelling *spelling)
{
	const char *typed, *yaml;
	struct strbuf out;

	strbuf_init(&out, VALUE_BYTES);
	if (spelling != NULL && spelling->n > 0 && !spelling->sealed &&
	    yamltext_spelled(value, spelling->variables, spelling->n, &out)) {
		yaml = arena_strdup(arena, strbuf_str(&out));
	} else {
		typed = typed_value(row, value, raw);
		yamltext_value(value, &out);
		yaml = arena_strdup(arena, typed != NULL ? typed : strbuf_str(&out));
	}
	strbuf_free(&out);
	return yaml;
}

/* ---- settings ---- */

static struct outline_node *find_node(struct outline_section *s, const struct conf_row *row)
{
	for (size_t i = s->n; i > 0; i--)
		if (s->nodes[i - 1].row == row && s->nodes[i - 1].n > 0)
			return &s->nodes[i - 1];
	return NULL;
}

static struct outline_node *new_node(
    struct outline *o, struct outline_section *s, const struct conf_row *row)
{
	s->nodes = arena_grow(o->arena, s->nodes, s->n, sizeof(*s->nodes));
	s->nodes[s->n] = (struct outline_node){.row = row};
	return &s->nodes[s->n++];
}

static void add_item(struct outline *o, struct outline_node *n, const struct outline_item *item)
{
	n->items = arena_grow(o->arena, n->items, n->n, sizeof(*n->items));
	n->items[n->n++] = *item;
}

static const char *said_in(struct outline *o, const struct outline_setting *set)
{
	return arena_printf(o->arena, "replaced in line %u", set->event->at.line);
}

/* Of two scalars the later one counts. */
static void set_scalar(struct outline *o, struct outline_section *s, struct outline_item *item,
    const struct outline_setting *set)
{
	struct outline_node *old = find_node(s, set->event->row);

	if (old != NULL)
		old->items[0].dead = said_in(o, set);
	add_item(o, new_node(o, s, set->event->row), item);
}

/* Without brackets a list begins anew; an empty element is none. */
static void set_list(struct outline *o, struct outline_section *s, struct outline_item *item,
    const struct outline_setting *set)
{
	struct outline_node *n = find_node(s, set->event->row);

	if (n == NULL)
		n = new_node(o, s, set->event->row);
	for (size_t i = 0; set->event->element == NULL && i < n->n; i++)
		if (n->items[i].dead == NULL)
			n->items[i].dead = said_in(o, set);
	if (n->n > 0 && *set->event->value == '\0' && set->event->element != NULL)
		item->dead = "empty";
	add_item(o, n, item);
}

static void to_numbers(struct outline_node *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->items[i].number != NULL)
			n->items[i].yaml = n->items[i].number;
}

/*
 * Values and flags of ini settings are one list to php-fpm. Where they come in
 * turns only one mapping keeps their order: that of values, a flag being 1 or 0.
 */
static struct outline_node *ini_node(
    struct outline *o, struct outline_section *s, const struct conf_row *row)
{
	const struct conf_row *value_row = row->type == TYPE_FLAGS ? row - 1 : row;
	struct outline_node *values = find_node(s, value_row), *flags = find_node(s, value_row + 1);
	struct outline_node *first, *second;

	if (values == NULL && flags == NULL)
		return new_node(o, s, row);
	if (values == NULL || flags == NULL) {
		first = values != NULL ? values : flags;
		return first->row == row ? first : new_node(o, s, row);
	}
	first = values < flags ? values : flags;
	second = values < flags ? flags : values;
	if (second->row == row)
		return second;
	to_numbers(flags);
	for (size_t i = 0; i < second->n; i++)
		add_item(o, first, &second->items[i]);
	first->row = value_row;
	second->n = 0;
	return first;
}

/* A mapping of flags has become one of values: no flags of its own any more. */
static bool holds_flags(const struct outline_node *n)
{
	if (n == NULL)
		return false;
	for (size_t i = 0; i < n->n; i++)
		if (n->items[i].number != NULL)
			return true;
	return false;
}

static bool is_named(const struct outline_node *n, const char *element)
{
	for (size_t i = 0; n != NULL && i < n->n; i++)
		if (n->items[i].dead == NULL && strcmp(n->items[i].element, element) == 0)
			return true;
	return false;
}

/* Of two elements with one name the first counts, as at run time. */
static void set_element(struct outline *o, struct outline_section *s, struct outline_item *item,
    const struct outline_setting *set)
{
	const struct conf_row *row = set->event->row;
	const struct conf_row *values = row->type == TYPE_FLAGS ? row - 1 : row;
	struct outline_node *n;
	bool on;

	if (is_named(find_node(s, values), set->event->element) ||
	    (is_ini_map(row) && is_named(find_node(s, values + 1), set->event->element)))
		item->dead = "the first of this name counts";
	if (row->type == TYPE_FLAGS) {
		must(value_bool(set->event->value, &on) == 0);
		item->number = on ? "1" : "0";
	}
	if (!is_ini_map(row)) {
		n = find_node(s, row);
		n = n != NULL ? n : new_node(o, s, row);
	} else if (holds_flags(find_node(s, values))) {
		n = find_node(s, values);
	} else {
		n = ini_node(o, s, row);
	}
	if (n->row->type != TYPE_FLAGS && item->number != NULL)
		item->yaml = item->number;
	add_item(o, n, item);
}

static const char *comment_behind(struct outline *o, const struct outline_setting *set)
{
	struct strbuf text;
	const char *both;

	if (!set->event->spelling->computed)
		return set->behind;
	strbuf_init(&text, VALUE_BYTES);
	strbuf_adds(&text, "# ");
	yamltext_comment(set->raw.text, strlen(set->raw.text), &text);
	if (set->behind != NULL)
		strbuf_printf(&text, "  %s", set->behind);
	both = arena_strdup(o->arena, strbuf_str(&text));
	strbuf_free(&text);
	return both;
}

void outline_set(struct outline *o, const struct outline_setting *set)
{
	const struct build_event *e = set->event;
	struct outline_item item = {.lead = take_pending(o)};
	struct outline_section *s = find_section(o, set->pool);

	if (s == NULL)
		s = new_section(o, set->pool);
	o->current = s;
	if (e->element != NULL)
		item.element = arena_strdup(o->arena, e->element);
	item.yaml = outline_value(o->arena, e->row, e->value, &set->raw, e->spelling);
	item.behind = comment_behind(o, set);
	switch (e->row->type) {
	case TYPE_LIST:
		set_list(o, s, &item, set);
		break;
	case TYPE_MAP:
	case TYPE_FLAGS:
		set_element(o, s, &item, set);
		break;
	default:
		set_scalar(o, s, &item, set);
		break;
	}
}
