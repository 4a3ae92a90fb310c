/*
 * dump: a configuration in the form of php-fpm -tt.
 *
 * Runs in: master.
 * Byte for byte php-fpm's for its own keys, quirks and all: tools compare it.
 */
#include <ctype.h>
#include <string.h>

#include "conf/conf.h"
#include "conf/keys.h"
#include "conf/value.h"

/* Longest value in a line; what is longer is cut. */
#define LINE_BYTES (1u << 20)

struct dump {
	void (*emit)(void *ctx, const char *line);
	void *ctx;
	bool places; /* say where each value came from */
	struct strbuf line;
};

/* A default has no place. */
static void flush(struct dump *d, const struct conf_origin *at)
{
	if (d->places && at->file != NULL)
		strbuf_printf(&d->line, "  ; %s:%u", at->file, at->line);
	d->emit(d->ctx, strbuf_str(&d->line));
	strbuf_clear(&d->line);
}

static void start_line(struct dump *d, const char *name)
{
	strbuf_printf(&d->line, "\t%s", name);
}

static void put_upper(struct dump *d, const char *word)
{
	for (; *word != '\0'; word++)
		strbuf_addc(&d->line, (char)toupper((unsigned char)*word));
}

/*
 * What php-fpm writes another way than a user would: an array that is "unset"
 * by its text, numbers for words, seconds without their unit.
 */
static bool put_oddity(struct dump *d, const struct conf_row *row, const void *record, bool set)
{
	const struct conf_core *core = value_field_const(row, record);

	switch (key_of(row)) {
	case KEY_GLOBAL_log_level:
		if (set)
			put_upper(
			    d, keys_word(row->type, *(const int *)value_field_const(row, record)));
		else
			strbuf_adds(&d->line, "unknown value");
		return true;
	case KEY_GLOBAL_syslog_facility:
		strbuf_printf(&d->line, "%d", *(const int *)value_field_const(row, record));
		return true;
	case KEY_GLOBAL_events_mechanism:
		if (set)
			return false;
		strbuf_adds(&d->line, "epoll");
		return true;
	case KEY_GLOBAL_process_priority:
	case KEY_POOL_process_priority:
		if (set)
			return false;
		strbuf_adds(&d->line, "undefined");
		return true;
	case KEY_GLOBAL_rlimit_core:
	case KEY_POOL_rlimit_core:
		strbuf_printf(&d->line, "%d", core->unlimited ? -1 : core->bytes);
		return true;
	case KEY_POOL_pm_process_idle_timeout:
		strbuf_printf(
		    &d->line, "%u", *(const uint32_t *)value_field_const(row, record) / 1000);
		return true;
	default:
		return false;
	}
}

static void put_scalar(
    struct dump *d, const struct conf_row *row, const void *record, const struct conf_origin *at)
{
	start_line(d, row->name);
	strbuf_adds(&d->line, " = ");
	if (!put_oddity(d, row, record, at->file != NULL) && !value_print(row, record, &d->line))
		strbuf_adds(&d->line, at->line != 0 ? "" : "undefined");
	flush(d, at);
}

/* php-fpm's arrays are stacks: the last one in the file is on top. */
static void put_list(
    struct dump *d, const char *name, const struct conf_list *list, const struct conf_origin *at)
{
	for (size_t i = list->n; i > 0; i--) {
		start_line(d, name);
		strbuf_printf(&d->line, "[] = %s", list->items[i - 1]);
		flush(d, at);
	}
}

static void put_map(struct dump *d, const char *name, const struct conf_map *map)
{
	for (size_t i = map->n; i > 0; i--) {
		start_line(d, name);
		strbuf_printf(
		    &d->line, "[%s] = %s", map->pairs[i - 1].name, map->pairs[i - 1].value);
		flush(d, &map->pairs[i - 1].at);
	}
}

/* php-fpm knows one address; more of them are ours, in their order. */
static void put_listen(struct dump *d, const struct conf_list *list, const struct conf_origin *at)
{
	for (size_t i = 0; i < list->n; i++) {
		start_line(d, "listen");
		strbuf_printf(&d->line, "%s = %s", list->n > 1 ? "[]" : "", list->items[i]);
		flush(d, at);
	}
}

static void put_row(
    struct dump *d, const struct conf_row *row, const void *record, const struct conf_origin *at)
{
	const void *field = value_field_const(row, record);

	if (row->maker == MAKER_OWN && at->file == NULL)
		return;
	/* Debian's php-fpm reads it and does not show it. */
	if (key_of(row) == KEY_POOL_apparmor_hat)
		return;
	if (key_of(row) == KEY_POOL_listen)
		put_listen(d, field, at);
	else if (row->type == TYPE_LIST)
		put_list(d, row->name, field, at);
	else if (row->type == TYPE_MAP)
		put_map(d, row->name, field);
	else if (row->type != TYPE_FLAGS)
		put_scalar(d, row, record, at);
}

static void put_rows(
    struct dump *d, enum conf_scope scope, const void *record, const struct conf_origin *origins)
{
	for (size_t i = 0; i < KEY_MAX; i++) {
		if (conf_rows[i].scope == scope)
			put_row(d, &conf_rows[i], record, &origins[i]);
	}
	d->emit(d->ctx, " ");
}

static void put_all(struct dump *d, const struct conf *c)
{
	strbuf_init(&d->line, LINE_BYTES);
	d->emit(d->ctx, "[global]");
	put_rows(d, SCOPE_GLOBAL, &c->global, c->global.origin);
	for (size_t i = 0; i < c->npools; i++) {
		if (c->pools[i]->shows != NULL)
			continue;
		strbuf_printf(&d->line, "[%s]", c->pools[i]->name);
		flush(d, &c->pools[i]->declared);
		put_rows(d, SCOPE_POOL, c->pools[i], c->pools[i]->origin);
	}
	strbuf_free(&d->line);
}

void conf_dump_fpm(const struct conf *c, void (*emit)(void *ctx, const char *line), void *ctx)
{
	struct dump d = {.emit = emit, .ctx = ctx};

	put_all(&d, c);
}

void conf_dump_places(const struct conf *c, void (*emit)(void *ctx, const char *line), void *ctx)
{
	struct dump d = {.emit = emit, .ctx = ctx, .places = true};

	put_all(&d, c);
}
