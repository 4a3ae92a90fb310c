/*
 * record: all that was read of a configuration, in its order.
 *
 * Runs in: master, for --convert.
 */
#include "conf/record.h"

#include <string.h>

#include "base/must.h"

static struct record_file *find_file(const struct record *r, const char *path)
{
	for (size_t i = 0; i < r->nfiles; i++)
		if (strcmp(r->files[i]->path, path) == 0)
			return r->files[i];
	return NULL;
}

/* Lines as the reader counts them: each ends with \n; a mark in front is skipped. */
static void cut_lines(struct record *r, struct record_file *f, const char *text, size_t n)
{
	const char *at = arena_strndup(r->arena, text, n), *end = at + n, *stop;

	if (n >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		at += 3;
	for (; at < end; at = stop) {
		stop = memchr(at, '\n', (size_t)(end - at));
		stop = stop != NULL ? stop + 1 : end;
		f->lines = arena_grow(r->arena, f->lines, f->nlines, sizeof(*f->lines));
		f->lines[f->nlines++] = (struct ini_line){at, (size_t)(stop - at)};
	}
}

static struct record_file *note_file(struct record *r, const struct build_event *e)
{
	struct record_file *f = find_file(r, e->at.file);

	if (f == NULL) {
		f = arena_new_of(r->arena, struct record_file);
		f->path = arena_strdup(r->arena, e->at.file);
		f->yaml = e->yaml;
		if (!f->yaml)
			cut_lines(r, f, e->text, e->n);
		r->files = arena_grow(r->arena, r->files, r->nfiles, sizeof(struct record_file *));
		r->files[r->nfiles++] = f;
	}
	f->opened++;
	return f;
}

static const char *copy(struct record *r, const char *text)
{
	return text != NULL ? arena_strdup(r->arena, text) : NULL;
}

static void note(void *ctx, const struct build_event *e)
{
	struct record *r = ctx;
	struct record_step step = {.event = *e};
	struct build_spelling *spelling;

	step.event.element = copy(r, e->element);
	step.event.value = copy(r, e->value);
	step.event.text = NULL;
	if (e->spelling != NULL) {
		spelling = arena_new_of(r->arena, struct build_spelling);
		*spelling = *e->spelling;
		step.event.spelling = spelling;
	}
	if (e->kind == BUILD_FILE)
		step.file = note_file(r, e);
	r->steps = arena_grow(r->arena, r->steps, r->n, sizeof(*r->steps));
	r->steps[r->n++] = step;
}

void record_init(struct record *r, struct arena *arena, struct build_witness *witness)
{
	*r = (struct record){.arena = arena};
	*witness = (struct build_witness){.note = note, .ctx = r};
}

size_t record_end(const struct record *r, size_t i)
{
	size_t open = 0;

	for (; i < r->n; i++) {
		enum build_event_kind kind = r->steps[i].event.kind;

		if (kind == BUILD_FILE || kind == BUILD_INCLUDE)
			open++;
		else if (kind == BUILD_FILE_END || kind == BUILD_INCLUDE_END)
			open--;
		if (open == 0)
			return i;
	}
	must(!"what begins ends");
	return i;
}
