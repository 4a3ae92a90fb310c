/*
 * render: status pages from a snapshot, in php-fpm's formats.
 *
 * Runs in: worker.
 * status_render() is pure: a view in, bytes out, free of the process's locale.
 * Every text goes through escape.h; what the board says is taken for display
 * only, so a lie in it is printed and does no more.
 */
#include "status/render.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/must.h"
#include "status/escape.h"

enum kind { KIND_TEXT, KIND_COUNT, KIND_TIME, KIND_PERCENT, KIND_URI };

struct field {
	const char *name, *plain;
	enum kind kind;
	uint64_t number;         /* COUNT, TIME; PERCENT in hundredths */
	const char *text, *more; /* TEXT; URI and its query */
};

#define VALUE_TEXT(e) .text = (e)
#define VALUE_COUNT(e) .number = (e)
#define VALUE_TIME(e) .number = (e)
#define VALUE_PERCENT(e) .number = (e)
#define VALUE_URI(e) .text = w->uri, .more = w->query

/* Enough for the longer of the two lists in fields.def. */
#define FIELDS_MAX 16
struct fields {
	size_t n;
	struct field f[FIELDS_MAX];
};

/* What the types of fields.def expand to in the OpenMetrics page. */
enum metric_type { GAUGE, COUNTER, TYPED_GAUGE };

static uint64_t since(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

static uint64_t worker_since_s(const struct status_view *v, const struct worker_view *w)
{
	return since(w->started_wall_us, v->now_wall_us) / 1000000;
}

static uint64_t worker_duration_us(const struct status_view *v, const struct worker_view *w)
{
	if (w->state == WORKER_IDLE)
		return w->request_duration_us;
	return w->request_started_us == 0 ? 0 : since(w->request_started_us, v->now_us);
}

/* php-fpm tells CPU and memory only of a request that is over. */
static uint64_t worker_cpu_hundredths(const struct worker_view *w)
{
	uint64_t took = w->request_duration_us;

	if (w->state != WORKER_IDLE || took == 0 || w->cpu_us > (UINT64_MAX - took) / 10000)
		return 0;
	return (w->cpu_us * 10000 + took / 2) / took;
}

static uint64_t worker_peak_bytes(const struct worker_view *w)
{
	return w->state == WORKER_IDLE ? w->peak_memory_bytes : 0;
}

static void pool_fields(const struct status_view *v, struct fields *out)
{
	const struct field rows[] = {
#define POOL_FIELD(name_, kind_, e, metric, type, help) \
	{.name = name_, .plain = name_, .kind = KIND_##kind_, VALUE_##kind_(e)},
#define WORKER_FIELD(name_, plain_, kind_, e)
#include "status/fields.def"
#undef POOL_FIELD
#undef WORKER_FIELD
	};

	_Static_assert(sizeof(rows) / sizeof(rows[0]) <= FIELDS_MAX, "FIELDS_MAX is too small");
	out->n = sizeof(rows) / sizeof(rows[0]);
	memcpy(out->f, rows, sizeof(rows));
}

static void worker_fields(
    const struct status_view *v, const struct worker_view *w, struct fields *out)
{
	const struct field rows[] = {
#define POOL_FIELD(name_, kind_, e, metric, type, help)
#define WORKER_FIELD(name_, plain_, kind_, e) \
	{.name = name_, .plain = plain_, .kind = KIND_##kind_, VALUE_##kind_(e)},
#include "status/fields.def"
#undef POOL_FIELD
#undef WORKER_FIELD
	};

	_Static_assert(sizeof(rows) / sizeof(rows[0]) <= FIELDS_MAX, "FIELDS_MAX is too small");
	out->n = sizeof(rows) / sizeof(rows[0]);
	memcpy(out->f, rows, sizeof(rows));
}

/* 30/Nov/2026:14:42:00 +0000, as strftime("%d/%b/%Y:%T %z") of the C locale. */
static void put_time(struct strbuf *out, uint64_t wall_s)
{
	static const char months[12][4] = {
	    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t t = (time_t)wall_s;
	struct tm tm;
	long east;

	if (localtime_r(&t, &tm) == NULL) {
		strbuf_addc(out, '-');
		return;
	}
	east = tm.tm_gmtoff / 60;
	strbuf_printf(out, "%02d/%s/%04lld:%02d:%02d:%02d %c%02ld%02ld", tm.tm_mday,
	    months[tm.tm_mon], (long long)tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec,
	    east < 0 ? '-' : '+', (east < 0 ? -east : east) / 60, (east < 0 ? -east : east) % 60);
}

typedef void escape_fn(struct strbuf *, const char *);

static void put_text(struct strbuf *out, const struct field *f, escape_fn *escape)
{
	if (f->text[0] == '\0') {
		strbuf_addc(out, '-');
		return;
	}
	escape(out, f->text);
	if (f->kind == KIND_URI && f->more[0] != '\0') {
		strbuf_addc(out, '?');
		escape(out, f->more);
	}
}

static void put_number(struct strbuf *out, const struct field *f)
{
	if (f->kind == KIND_PERCENT)
		strbuf_printf(out, "%llu.%02llu", (unsigned long long)f->number / 100,
		    (unsigned long long)f->number % 100);
	else
		strbuf_printf(out, "%llu", (unsigned long long)f->number);
}

static bool is_text(const struct field *f)
{
	return f->kind == KIND_TEXT || f->kind == KIND_URI;
}

/* For eyes (plain, html): times as dates. */
static void put_readable(struct strbuf *out, const struct field *f, escape_fn *escape)
{
	if (is_text(f))
		put_text(out, f, escape);
	else if (f->kind == KIND_TIME)
		put_time(out, f->number);
	else
		put_number(out, f);
}

static void plain_fields(struct strbuf *out, const struct fields *fields)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->f[i];

		strbuf_printf(out, "%s:%*s", f->plain, 21 - (int)strlen(f->plain), "");
		put_readable(out, f, escape_plain);
		strbuf_addc(out, '\n');
	}
}

static void render_plain(struct strbuf *out, const struct status_view *v, bool full)
{
	struct fields fields;

	pool_fields(v, &fields);
	plain_fields(out, &fields);
	for (uint32_t i = 0; full && i < v->nworkers; i++) {
		strbuf_adds(out, "\n************************\n");
		worker_fields(v, &v->workers[i], &fields);
		plain_fields(out, &fields);
	}
}

static void html_workers(struct strbuf *out, const struct status_view *v)
{
	static const struct worker_view nobody;
	struct fields fields;

	strbuf_adds(out, "<table border=\"1\">\n<tr>");
	worker_fields(v, &nobody, &fields);
	for (size_t i = 0; i < fields.n; i++)
		strbuf_printf(out, "<th>%s</th>", fields.f[i].name);
	strbuf_adds(out, "</tr>\n");
	for (uint32_t w = 0; w < v->nworkers; w++) {
		strbuf_adds(out, "<tr>");
		worker_fields(v, &v->workers[w], &fields);
		for (size_t i = 0; i < fields.n; i++) {
			strbuf_adds(out, "<td>");
			put_readable(out, &fields.f[i], escape_markup);
			strbuf_adds(out, "</td>");
		}
		strbuf_adds(out, "</tr>\n");
	}
	strbuf_adds(out, "</table>");
}

static void render_html(struct strbuf *out, const struct status_view *v, bool full)
{
	struct fields fields;

	strbuf_adds(out,
	    "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" "
	    "\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n"
	    "<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\" lang=\"en\">\n"
	    "<head><title>PHP-FPM Status Page</title></head>\n<body>\n<table>\n");
	pool_fields(v, &fields);
	for (size_t i = 0; i < fields.n; i++) {
		strbuf_printf(out, "<tr><th>%s</th><td>", fields.f[i].name);
		put_readable(out, &fields.f[i], escape_markup);
		strbuf_adds(out, "</td></tr>\n");
	}
	strbuf_adds(out, "</table>\n");
	if (full)
		html_workers(out, v);
	strbuf_adds(out, "</body></html>");
}

static void xml_tag(struct strbuf *out, const char *open, const char *name)
{
	strbuf_adds(out, open);
	for (; *name != '\0'; name++)
		strbuf_addc(out, *name == ' ' ? '-' : *name);
	strbuf_addc(out, '>');
}

static void xml_fields(struct strbuf *out, const struct fields *fields, const char *behind)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->f[i];

		xml_tag(out, "<", f->name);
		if (is_text(f))
			put_text(out, f, escape_markup);
		else
			put_number(out, f);
		xml_tag(out, "</", f->name);
		strbuf_adds(out, behind);
	}
}

static void render_xml(struct strbuf *out, const struct status_view *v, bool full)
{
	struct fields fields;

	strbuf_adds(out, "<?xml version=\"1.0\" ?>\n<status>\n");
	pool_fields(v, &fields);
	xml_fields(out, &fields, "\n");
	if (full) {
		strbuf_adds(out, "<processes>\n");
		for (uint32_t w = 0; w < v->nworkers; w++) {
			strbuf_adds(out, "<process>");
			worker_fields(v, &v->workers[w], &fields);
			xml_fields(out, &fields, "");
			strbuf_adds(out, "</process>\n");
		}
		strbuf_adds(out, "</processes>\n");
	}
	strbuf_adds(out, "</status>");
}

static void json_fields(struct strbuf *out, const struct fields *fields)
{
	for (size_t i = 0; i < fields->n; i++) {
		const struct field *f = &fields->f[i];

		strbuf_printf(out, "%s\"%s\":", i == 0 ? "{" : ",", f->name);
		if (is_text(f)) {
			strbuf_addc(out, '"');
			put_text(out, f, escape_json);
			strbuf_addc(out, '"');
		} else {
			put_number(out, f);
		}
	}
}

static void render_json(struct strbuf *out, const struct status_view *v, bool full)
{
	struct fields fields;

	pool_fields(v, &fields);
	json_fields(out, &fields);
	if (full) {
		strbuf_adds(out, ", \"processes\":[");
		for (uint32_t w = 0; w < v->nworkers; w++) {
			if (w > 0)
				strbuf_addc(out, ',');
			worker_fields(v, &v->workers[w], &fields);
			json_fields(out, &fields);
			strbuf_addc(out, '}');
		}
		strbuf_addc(out, ']');
	}
	strbuf_addc(out, '}');
}

static void put_metric(
    struct strbuf *out, const char *name, enum metric_type type, const char *help, uint64_t value)
{
	if (type == TYPED_GAUGE)
		strbuf_printf(out, "# TYPE phpfpm_%s gauge\n", name);
	strbuf_printf(out, "# HELP phpfpm_%s %s\n", name, help);
	if (type != TYPED_GAUGE)
		strbuf_printf(
		    out, "# TYPE phpfpm_%s %s\n", name, type == COUNTER ? "counter" : "gauge");
	strbuf_printf(out, "phpfpm_%s %llu\n", name, (unsigned long long)value);
}

static void render_openmetrics(struct strbuf *out, const struct status_view *v)
{
	static const struct {
		const char *metric, *help;
		enum metric_type type;
	} rows[] = {
#define POOL_FIELD(name_, kind_, e, metric_, type_, help_) \
	{.metric = metric_, .help = help_, .type = type_},
#define WORKER_FIELD(name_, plain_, kind_, e)
#include "status/fields.def"
#undef POOL_FIELD
#undef WORKER_FIELD
	};
	struct fields fields;

	strbuf_adds(out, "# HELP phpfpm_up Could pool ");
	escape_help(out, v->pool);
	strbuf_adds(out, " using a ");
	escape_help(out, v->manager);
	strbuf_adds(out, " PM on PHP-FPM be reached?\n"
			 "# TYPE phpfpm_up gauge\nphpfpm_up 1\n");
	pool_fields(v, &fields);
	for (size_t i = 0; i < fields.n; i++)
		if (rows[i].metric != NULL)
			put_metric(
			    out, rows[i].metric, rows[i].type, rows[i].help, fields.f[i].number);
	strbuf_adds(out, "# EOF\n");
}

void status_render(
    const struct status_view *v, enum status_format format, bool full, struct strbuf *out)
{
	switch (format) {
	case STATUS_PLAIN:
		render_plain(out, v, full);
		break;
	case STATUS_HTML:
		render_html(out, v, full);
		break;
	case STATUS_XML:
		render_xml(out, v, full);
		break;
	case STATUS_JSON:
		render_json(out, v, full);
		break;
	case STATUS_OPENMETRICS:
		render_openmetrics(out, v);
		break;
	case STATUS_FORMAT_MAX:
		must(false);
	}
}

enum status_format status_format_of(bool (*asks)(const char *word))
{
	static const char *const words[] = {
	    [STATUS_HTML] = "html",
	    [STATUS_XML] = "xml",
	    [STATUS_JSON] = "json",
	    [STATUS_OPENMETRICS] = "openmetrics",
	};

	for (int f = STATUS_HTML; f < STATUS_FORMAT_MAX; f++)
		if (asks(words[f]))
			return (enum status_format)f;
	return STATUS_PLAIN;
}

const char *status_content_type(enum status_format format)
{
	static const char *const types[] = {
	    [STATUS_PLAIN] = "text/plain",
	    [STATUS_HTML] = "text/html",
	    [STATUS_XML] = "text/xml",
	    [STATUS_JSON] = "application/json",
	    [STATUS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	};
	_Static_assert(
	    sizeof(types) / sizeof(types[0]) == STATUS_FORMAT_MAX, "a type for each format");

	must(format < STATUS_FORMAT_MAX);
	return types[format];
}

void status_collect(
    const struct board *b, struct status_view *v, struct worker_view *workers, bool full)
{
	struct worker_view one;
	struct pool_view p;

	(void)board_read_pool(b, &p); /* an unsteady page still gives its counts */
	v->now_wall_us = clock_wall_us();
	v->now_us = clock_now_us();
	v->start_wall = p.start_wall_us / 1000000;
	v->start_since_s = since(v->start_wall, v->now_wall_us / 1000000);
	v->accepted = p.accepted_before;
	v->slow = p.slow;
	v->listen_queue = p.listen_queue;
	v->listen_queue_max = p.listen_queue_max;
	v->listen_queue_len = p.listen_queue_len;
	v->children_max_reached = p.children_max_reached;
	v->idle = v->active = v->active_max = 0;
	v->nworkers = 0;
	v->workers = workers;
	for (uint32_t slot = 0; slot < board_nslots(b); slot++) {
		struct worker_view *w = full ? &workers[v->nworkers] : &one;

		(void)board_read(b, slot, w);
		v->accepted += w->accepted;
		if (w->active_max > v->active_max)
			v->active_max = w->active_max;
		if (w->state == WORKER_GONE)
			continue;
		if (w->state == WORKER_IDLE)
			v->idle++;
		else
			v->active++;
		if (full)
			v->nworkers++;
	}
	v->total = v->idle + v->active;
	/* Last: the master takes over a dead worker's before the page is another's. */
	(void)board_read_pool(b, &p);
	if (p.active_max > v->active_max)
		v->active_max = p.active_max;
	if (v->active > v->active_max)
		v->active_max = v->active;
}
