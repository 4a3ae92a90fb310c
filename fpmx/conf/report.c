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

static const char *between(bool *first)
{
	const char *mark = *first ? " (" : "; ";

	*first = false;
	return mark;
}

/* A place for php-fpm's eyes first, where php-fpm gives one; the rest behind. */
static void finding_line(const struct conf_finding *f, struct strbuf *out)
{
	bool place_first = f->stage == CONF_STAGE_READ, first = true;

	if (place_first && f->at.file != NULL)
		strbuf_printf(out, "[%s:%u] ", f->at.file, f->at.line);
	if (f->pool != NULL)
		strbuf_printf(out, "[pool %s] ", f->pool);
	strbuf_adds(out, f->text);
	if (!place_first && f->at.file != NULL)
		strbuf_printf(out, "%s%s:%u", between(&first), f->at.file, f->at.line);
	if (place_first && f->at.file != NULL && f->at.column != 0)
		strbuf_printf(out, "%scolumn %u", between(&first), f->at.column);
	if (f->hint != NULL)
		strbuf_printf(out, "%s%s", between(&first), f->hint);
	if (!first)
		strbuf_addc(out, ')');
}

void conf_finding_text(const struct conf_finding *f, struct strbuf *out)
{
	struct strbuf line;

	strbuf_init(&line, LINE_BYTES);
	finding_line(f, &line);
	/* File names and values are anybody's: a line stays one line. */
	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.bytes[i];

		strbuf_addc(out, c < ' ' || c == 127 ? '?' : (char)c);
	}
	strbuf_free(&line);
}

static const struct conf_finding *first_fatal(const struct conf_report *r)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->findings[i].grade >= CONF_ERROR)
			return &r->findings[i];
	}
	return NULL;
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
