/*
 * outwrite: an outline as text.
 *
 * Runs in: master, for --convert.
 * Pure.
 */
#include <string.h>

#include "conf/outline.h"
#include "conf/yamltext.h"

struct writer {
	const struct outline *outline;
	struct strbuf *out;
	const struct conf_row *heading; /* of commented-out elements, already written */
	const struct conf_row *inside;  /* whose elements are being written */
};

static void put(struct writer *w, unsigned indent, const char *text, const char *behind)
{
	strbuf_printf(w->out, "%*s%s", (int)indent, "", text);
	if (behind != NULL)
		strbuf_printf(w->out, "  %s", behind);
	strbuf_addc(w->out, '\n');
}

/* Behind "key:" or "-". */
static void put_value(struct writer *w, const char *value, const char *behind)
{
	strbuf_printf(w->out, " %s", value);
	if (behind != NULL)
		strbuf_printf(w->out, "  %s", behind);
	strbuf_addc(w->out, '\n');
}

/* A name, or a pool's, that has its values below it. */
static void put_heading(struct writer *w, unsigned indent, const char *name, const char *behind)
{
	yamltext_entry(name, indent, w->out);
	if (behind != NULL)
		strbuf_printf(w->out, "  %s", behind);
	strbuf_addc(w->out, '\n');
}

/* ---- lines between statements ---- */

static void put_disabled(struct writer *w, unsigned indent, const struct iniline_disabled *d)
{
	struct iniline_value raw = {.text = d->value, .word = d->word};
	const char *yaml = outline_value(w->outline->arena, d->row, d->value, &raw, NULL);
	bool inside = w->inside == d->row;

	if (d->element == NULL) {
		strbuf_printf(w->out, "%*s#%s:", (int)indent, "", d->row->name);
		put_value(w, yaml, d->behind);
		return;
	}
	if (!inside && w->heading != d->row)
		strbuf_printf(w->out, "%*s#%s:\n", (int)indent, "", d->row->name);
	w->heading = d->row;
	strbuf_printf(w->out, "%*s#", (int)indent, "");
	if (d->row->type == TYPE_LIST)
		strbuf_adds(w->out, inside ? "-" : "  -");
	else
		yamltext_entry(d->element, inside ? 0 : 2, w->out);
	put_value(w, yaml, d->behind);
}

static void put_line(struct writer *w, unsigned indent, const struct outline_line *line)
{
	if (line->disabled.row != NULL)
		put_disabled(w, indent, &line->disabled);
	else if (line->comment != NULL)
		put(w, indent, line->comment, NULL);
	else
		strbuf_addc(w->out, '\n');
}

static void put_lines(struct writer *w, unsigned indent, const struct outline_lines *lines)
{
	for (size_t i = 0; i < lines->n; i++)
		put_line(w, indent, &lines->items[i]);
}

/* ---- settings ---- */

static void put_dead(
    struct writer *w, unsigned indent, const char *name, const struct outline_item *item)
{
	struct strbuf text;

	strbuf_init(&text, w->out->max);
	yamltext_entry(name, 0, &text);
	/* A very long key has two lines. */
	for (char *c = text.bytes; *c != '\0'; c++)
		*c = *c == '\n' ? ' ' : *c;
	strbuf_printf(&text, " %s  # %s", item->yaml, item->dead);
	if (item->behind != NULL)
		strbuf_printf(&text, "  %s", item->behind);
	strbuf_printf(w->out, "%*s#%s\n", (int)indent, "", strbuf_str(&text));
	strbuf_free(&text);
}

static const struct outline_item *first_live(const struct outline_node *n)
{
	for (size_t i = 0; i < n->n; i++)
		if (n->items[i].dead == NULL)
			return &n->items[i];
	return NULL;
}

static bool is_single(const struct outline_node *n)
{
	return n->row->type != TYPE_MAP && n->row->type != TYPE_FLAGS &&
	       (n->row->type != TYPE_LIST || n->n == 1);
}

/* Before the first of several: prose above the name, what is commented out below it. */
static void put_first_lead(
    struct writer *w, unsigned indent, const struct outline_node *n, bool below)
{
	const struct outline_lines *lead = &n->items[0].lead;

	for (size_t i = 0; i < lead->n; i++) {
		bool element = !is_single(n) && lead->items[i].disabled.row == n->row;

		if (element == below)
			put_line(w, indent, &lead->items[i]);
	}
}

static void put_item(struct writer *w, unsigned indent, const struct outline_node *n,
    const struct outline_item *item)
{
	bool list = n->row->type == TYPE_LIST;

	if (item->dead != NULL) {
		put_dead(w, indent, list ? n->row->name : item->element, item);
		return;
	}
	if (list)
		strbuf_printf(w->out, "%*s-", (int)indent, "");
	else
		yamltext_entry(item->element, indent, w->out);
	put_value(w, item->yaml, item->behind);
}

static void put_node(struct writer *w, unsigned indent, const struct outline_node *n)
{
	put_first_lead(w, indent, n, false);
	if (is_single(n) && n->items[0].dead != NULL) {
		put_dead(w, indent, n->row->name, &n->items[0]);
		return;
	}
	if (is_single(n)) {
		yamltext_entry(n->row->name, indent, w->out);
		put_value(w, n->items[0].yaml, n->items[0].behind);
		return;
	}
	put_heading(w, indent, n->row->name, NULL);
	w->inside = n->row;
	put_first_lead(w, indent + 2, n, true);
	for (size_t i = 0; i < n->n; i++) {
		if (i > 0)
			put_lines(w, indent + 2, &n->items[i].lead);
		put_item(w, indent + 2, n, &n->items[i]);
	}
	w->inside = NULL;
}

static bool has_settings(const struct outline_section *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (first_live(&s->nodes[i]) != NULL)
			return true;
	return false;
}

static void put_section(
    struct writer *w, unsigned indent, const char *name, const struct outline_section *s)
{
	if (has_settings(s)) {
		put_heading(w, indent, name, s->behind);
	} else {
		yamltext_entry(name, indent, w->out);
		put_value(w, "{}", s->behind);
	}
	w->heading = NULL;
	for (size_t i = 0; i < s->n; i++) {
		if (s->nodes[i].n > 0)
			put_node(w, indent + 2, &s->nodes[i]);
	}
	put_lines(w, indent + 2, &s->tail);
}

/* ---- blocks ---- */

static void put_global(struct writer *w)
{
	const struct outline_section *s = w->outline->global;

	put_lines(w, 0, &s->lead);
	put_section(w, 0, "global", s);
}

static void put_pools(struct writer *w)
{
	const struct outline *o = w->outline;

	for (size_t i = 0; i < o->npools; i++) {
		put_lines(w, i == 0 ? 0 : 2, &o->pools[i]->lead);
		if (i == 0)
			put(w, 0, "pools:", NULL);
		put_section(w, 2, o->pools[i]->name, o->pools[i]);
	}
}

static void put_includes(struct writer *w)
{
	const struct outline *o = w->outline;

	if (o->nincludes == 1) {
		put_lines(w, 0, &o->includes[0].lead);
		strbuf_adds(w->out, "include:");
		put_value(w, arena_printf(o->arena, "[%s]", o->includes[0].pattern),
		    o->includes[0].behind);
		return;
	}
	for (size_t i = 0; i < o->nincludes; i++) {
		put_lines(w, i == 0 ? 0 : 2, &o->includes[i].lead);
		if (i == 0)
			put(w, 0, "include:", NULL);
		strbuf_adds(w->out, "  -");
		put_value(w, o->includes[i].pattern, o->includes[i].behind);
	}
}

void outline_write(const struct outline *o, enum outline_order order, struct strbuf *out)
{
	struct writer w = {.outline = o, .out = out};

	if (order == INCLUDE_FIRST && o->nincludes > 0)
		put_includes(&w);
	for (const char *block = o->blocks; *block != '\0'; block++) {
		if (*block == 'g')
			put_global(&w);
		else if (*block == 'p')
			put_pools(&w);
		else if (order == INCLUDE_WHERE_IT_WAS)
			put_includes(&w);
	}
	if (order == INCLUDE_LAST && o->nincludes > 0)
		put_includes(&w);
}
