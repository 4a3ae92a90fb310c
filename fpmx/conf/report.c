/*
 * report: what is wrong with a configuration, and how php-fpm says it.
 *
 * Runs in: master, engine.
 * Never: logs. Lines are made here and written by whoever asked.
 */
#include "conf/report.h"

#include <string.h>

#include "base/must.h"

/* Longest line that a finding makes; the log cuts at its own limit. */
#define LINE_BYTES 8192

void conf_report_init(struct conf_report *r)
{
	*r = (struct conf_report){.arena = arena_new(4096)};
}

void conf_report_free(struct conf_report *r)
{
	arena_free(r->arena);
	*r = (struct conf_report){0};
}

void report_add(struct conf_report *r, const struct conf_finding *what, const char *fmt, ...)
{
	struct conf_finding *f;
	struct strbuf text;
	va_list args;

	must(r->arena != NULL && what->grade < CONF_GRADE_MAX);
	if ((r->n & (r->n + 1)) == 0) {
		f = arena_alloc(r->arena, 2 * (r->n + 1), sizeof(*f));
		if (r->n != 0)
			memcpy(f, r->findings, r->n * sizeof(*f));
		r->findings = f;
	}
	f = &r->findings[r->n++];
	*f = *what;
	strbuf_init(&text, LINE_BYTES);
	va_start(args, fmt);
	strbuf_vprintf(&text, fmt, args);
	va_end(args);
	f->text = arena_strdup(r->arena, strbuf_str(&text));
	strbuf_free(&text);
	if (f->grade >= CONF_ERROR)
		r->nfatal++;
}

static void finding_line(const struct conf_finding *f, struct strbuf *out)
{
	bool has_place = f->at.file != NULL;

	if (f->stage == CONF_STAGE_READ && has_place)
		strbuf_printf(out, "[%s:%u] ", f->at.file, f->at.line);
	if (f->pool != NULL)
		strbuf_printf(out, "[pool %s] ", f->pool);
	strbuf_adds(out, f->text);
	if (f->stage != CONF_STAGE_READ && f->ours && has_place)
		strbuf_printf(out, " (%s:%u)", f->at.file, f->at.line);
}

/* Notices of php-fpm's and what is ours need no help. */
static void help_line(const struct conf_finding *f, struct strbuf *out)
{
	bool place_is_news = f->stage != CONF_STAGE_READ || f->at.column > 1;

	if (f->grade == CONF_NOTICE || f->at.file == NULL ||
	    (f->hint == NULL && (f->ours || !place_is_news)))
		return;
	strbuf_printf(out, "see %s", f->at.file);
	if (f->at.line != 0)
		strbuf_printf(out, ":%u", f->at.line);
	if (f->at.column != 0)
		strbuf_printf(out, ":%u", f->at.column);
	if (f->hint != NULL)
		strbuf_printf(out, ": %s", f->hint);
}

/* File names and values are anybody's: a line stays one line. */
static void add_cleaned(struct strbuf *out, const struct strbuf *line)
{
	for (size_t i = 0; i < line->len; i++) {
		unsigned char c = (unsigned char)line->bytes[i];

		strbuf_addc(out, c < ' ' || c == 127 ? '?' : (char)c);
	}
}

void conf_finding_text(const struct conf_finding *f, struct strbuf *out)
{
	struct strbuf line;

	strbuf_init(&line, LINE_BYTES);
	finding_line(f, &line);
	add_cleaned(out, &line);
	strbuf_free(&line);
}

bool conf_finding_help(const struct conf_finding *f, struct strbuf *out)
{
	struct strbuf line;
	bool any;

	strbuf_init(&line, LINE_BYTES);
	help_line(f, &line);
	any = line.len > 0;
	add_cleaned(out, &line);
	strbuf_free(&line);
	return any;
}

static const struct conf_finding *first_fatal(const struct conf_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->findings[i].grade >= CONF_ERROR)
			return &r->findings[i];
	}
	return NULL;
}

/* php-fpm's own tests compare all that -tt says of an unknown user. */
static bool is_helped(const struct conf_report *r, const struct conf_finding *f)
{
	return !(r->bare_names && f->stage == CONF_STAGE_NAMES);
}

void conf_report_tell(const struct conf_report *r,
    void (*emit)(void *ctx, enum conf_grade, const char *line), void *ctx)
{
	const struct conf_finding *fatal = first_fatal(r);
	struct strbuf line;

	strbuf_init(&line, LINE_BYTES);
	for (size_t i = 0; i < r->n; i++) {
		strbuf_clear(&line);
		conf_finding_text(&r->findings[i], &line);
		emit(ctx, r->findings[i].grade, strbuf_str(&line));
		strbuf_clear(&line);
		if (is_helped(r, &r->findings[i]) && conf_finding_help(&r->findings[i], &line))
			emit(ctx, CONF_NOTICE, strbuf_str(&line));
	}
	strbuf_clear(&line);
	if (fatal != NULL && fatal->stage == CONF_STAGE_READ) {
		strbuf_printf(&line, "failed to load configuration file '%s'",
		    r->path != NULL ? r->path : "");
		emit(ctx, CONF_ERROR, strbuf_str(&line));
	} else if (fatal != NULL && fatal->stage == CONF_STAGE_CHECK) {
		emit(ctx, CONF_ERROR, "failed to post process the configuration");
	}
	strbuf_free(&line);
}
