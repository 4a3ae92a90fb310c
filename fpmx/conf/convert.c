/*
 * convert: php-fpm's files as YAML that means the same.
 *
 * Runs in: fpmx before it would become a master.
 * Reads as the master does, with a witness, goes through what that one has
 * noted, and lays out one YAML file, or one for each file that can stand alone.
 */
#include "conf/convert.h"

#include <fnmatch.h>
#include <glob.h>
#include <string.h>
#include <strings.h>

#include "conf/build.h"
#include "conf/outline.h"
#include "conf/place.h"
#include "conf/record.h"
#include "conf/target.h"
#include "conf/value.h"
#include "conf/yamltext.h"

#define TEXT_BYTES (64u << 20)

struct document {
	const char *target;             /* relative to the folder */
	const struct record_file *file; /* it is made from */
	struct outline *outline;
};

struct convert {
	const struct convert_order *order;
	struct arena *arena;
	struct conf *conf;
	struct record record;
	const char *base; /* the main file, absolute */
	bool whole;       /* one document for all */
	size_t ndocs;
	struct document *docs;     /* the main file's is the first */
	struct conf_list patterns; /* relative to the folder */
	struct err *e;
};

static struct conf *new_conf(const struct convert_order *order, const char *path)
{
	struct arena *arena = arena_new(16384);
	struct conf *c = arena_new_of(arena, struct conf);

	c->arena = arena;
	c->path = arena_strdup(arena, path);
	c->prefix = arena_strdup(arena, order->prefix != NULL ? order->prefix : FPMX_PREFIX);
	value_defaults(SCOPE_GLOBAL, &c->global, arena);
	return c;
}

/* ---- going through what was read ---- */

struct walk {
	struct convert *k;
	struct outline *outline;
	const struct record_file *file;
	const char *target;
	size_t line; /* the next that was not looked at, from 1 */
};

static void note_line(struct walk *w, const struct ini_line *bytes)
{
	struct outline *o = w->outline;
	enum conf_scope scope =
	    o->current != NULL && o->current->name != NULL ? SCOPE_POOL : SCOPE_GLOBAL;
	struct outline_line line = {0};

	if (!iniline_is_blank(bytes) &&
	    !iniline_disabled(w->k->arena, bytes, scope, &line.disabled)) {
		line.disabled.row = NULL;
		line.comment = iniline_comment(w->k->arena, bytes);
	}
	outline_line(o, &line);
}

static void note_comment(struct walk *w, const char *text)
{
	outline_line(w->outline, &(struct outline_line){.comment = text});
}

/* All lines before that one, which has a statement. */
static void lines_before(struct walk *w, size_t line)
{
	for (; w->line < line; w->line++)
		note_line(w, &w->file->lines[w->line - 1]);
	if (w->line == line)
		w->line++;
}

static const struct ini_line *line_of(const struct walk *w, const struct build_event *e)
{
	return &w->file->lines[e->at.line - 1];
}

static void walk_setting(struct walk *w, const struct build_event *e)
{
	const struct ini_line *line = line_of(w, e);
	struct outline_setting set = {
	    .pool = e->pool != NULL ? e->pool->name : NULL,
	    .event = e,
	    .raw = iniline_value(w->k->arena, line, e->at.column),
	    .behind = iniline_behind(w->k->arena, line),
	};

	outline_set(w->outline, &set);
}

/*
 * A file that goes on in a pool's section of the one that includes it has no
 * meaning of its own, nor has one that is read more than once.
 */
static bool stands_alone(const struct convert *k, size_t i)
{
	const struct record_step *steps = k->record.steps;
	size_t end = record_end(&k->record, i);

	if (k->whole || steps[i].file->opened > 1)
		return false;
	while (++i < end)
		if (steps[i].event.kind == BUILD_SECTION || steps[i].event.kind == BUILD_SETTING)
			return steps[i].event.kind == BUILD_SECTION || steps[i].event.pool == NULL;
	return true;
}

static size_t walk_file(struct walk *w, size_t i);

static struct document *add_document(struct convert *k, const struct record_file *file)
{
	struct document *d;

	k->docs = arena_grow(k->arena, k->docs, k->ndocs, sizeof(*k->docs));
	d = &k->docs[k->ndocs++];
	*d = (struct document){.target = target_of(k->arena, k->base, file->path),
	    .file = file,
	    .outline = outline_new(k->arena)};
	return d;
}

static size_t walk_document(struct convert *k, size_t i)
{
	const struct document *d = add_document(k, k->record.steps[i].file);
	struct walk w = {
	    .k = k, .outline = d->outline, .file = d->file, .target = d->target, .line = 1};

	i = walk_file(&w, i);
	outline_end(w.outline);
	return i;
}

/* In its place, between comments that name it. */
static size_t walk_inside(struct walk *outer, size_t i)
{
	struct walk w = *outer;

	w.file = outer->k->record.steps[i].file;
	w.line = 1;
	note_comment(&w, arena_printf(w.k->arena, "# From %s:", w.file->path));
	i = walk_file(&w, i);
	note_comment(&w, arena_printf(w.k->arena, "# End of %s.", w.file->path));
	return i;
}

/* In [ ], where a pattern may be plain, too. */
static const char *include_text(struct convert *k, const char *pattern)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._+-*?";
	struct strbuf text;
	const char *yaml;

	if (pattern[strspn(pattern, plain)] == '\0' && strchr("*?-", pattern[0]) == NULL)
		return pattern;
	strbuf_init(&text, TEXT_BYTES);
	yamltext_value(pattern, &text);
	yaml = arena_strdup(k->arena, strbuf_str(&text));
	strbuf_free(&text);
	return yaml;
}

/* One file or pattern of the folder, seen from the file that includes it. */
static void include_target(struct walk *w, const char *target, const char *behind)
{
	struct convert *k = w->k;

	list_add(&k->patterns, k->arena, target);
	outline_include(
	    w->outline, include_text(k, target_between(k->arena, w->target, target)), behind);
}

static const char *target_of_step(struct convert *k, size_t i)
{
	return target_of(k->arena, k->base, k->record.steps[i].file->path);
}

/* Whether the pattern, converted, means the files of it, converted. */
static bool pattern_holds(struct convert *k, const char *target, size_t first, size_t end)
{
	const struct record_step *steps = k->record.steps;

	for (size_t i = first; i < end; i = record_end(&k->record, i) + 1)
		if (steps[i].file->yaml || !stands_alone(k, i) ||
		    fnmatch(target, target_of_step(k, i), FNM_PATHNAME | FNM_PERIOD) != 0)
			return false;
	return true;
}

/* One file of an include; all tells that the pattern stands for it. */
static size_t walk_included(struct walk *w, size_t i, bool all, const char *behind)
{
	struct convert *k = w->k;

	if (k->record.steps[i].file->yaml) {
		outline_include(w->outline,
		    include_text(k, target_absolute(k->arena, k->record.steps[i].file->path)),
		    behind);
		return record_end(&k->record, i);
	}
	if (!stands_alone(k, i))
		return walk_inside(w, i);
	if (!all)
		include_target(w, target_of_step(k, i), behind);
	return walk_document(k, i);
}

static size_t walk_include(struct walk *w, size_t i)
{
	struct convert *k = w->k;
	const struct build_event *e = &k->record.steps[i].event;
	const char *behind = iniline_behind(k->arena, line_of(w, e));
	const char *target = target_of(k->arena, k->base, e->value);
	size_t end = record_end(&k->record, i);
	bool all = !k->whole && pattern_holds(k, target, i + 1, end);

	if (all)
		include_target(w, target, behind);
	else if (i + 1 == end)
		note_comment(w,
		    arena_printf(k->arena, "# Nothing matched: include = %s",
			iniline_comment(k->arena, &(struct ini_line){e->value, strlen(e->value)}) +
			    2));
	while (++i < end)
		i = walk_included(w, i, all, behind);
	return end;
}

/* From the step that begins the file to the one that ends it. */
static size_t walk_file(struct walk *w, size_t i)
{
	const struct record *r = &w->k->record;

	for (i++; r->steps[i].event.kind != BUILD_FILE_END; i++) {
		const struct build_event *e = &r->steps[i].event;

		lines_before(w, e->at.line);
		if (e->kind == BUILD_SECTION)
			outline_section(w->outline, e->pool != NULL ? e->pool->name : NULL,
			    iniline_behind(w->k->arena, line_of(w, e)));
		else if (e->kind == BUILD_SETTING)
			walk_setting(w, e);
		else if (e->kind == BUILD_INCLUDE)
			i = walk_include(w, i);
	}
	lines_before(w, w->file->nlines + 1);
	return i;
}

static void lay_out(struct convert *k, bool whole)
{
	k->whole = whole;
	k->ndocs = 0;
	k->docs = NULL;
	k->patterns = (struct conf_list){0};
	(void)walk_document(k, 0);
}

/* ---- whether it means the same ---- */

/*
 * Of these each counts, as php-fpm loads or disables what each one names, and a
 * mapping has a name once.
 */
static bool adds_up(const char *name)
{
	return strcmp(name, "extension") == 0 || strcmp(name, "disable_functions") == 0 ||
	       strcmp(name, "disable_classes") == 0;
}

static int refuse_what_adds_up(
    const struct pool_conf *p, const char *key, const struct conf_map *map, struct err *e)
{
	for (size_t i = 0; i < map->n; i++)
		for (size_t j = 0; j < i && adds_up(map->pairs[i].name); j++)
			if (strcmp(map->pairs[i].name, map->pairs[j].name) == 0 &&
			    strcmp(map->pairs[i].value, map->pairs[j].value) != 0)
				return err_set(e,
				    "[pool %s] %s[%s] is there twice and both count, which YAML "
				    "has no form for; keep this configuration as it is, YAML "
				    "files can include it",
				    p->name, key, map->pairs[i].name);
	return 0;
}

static int refuse_all_that_adds_up(const struct conf *c, struct err *e)
{
	for (size_t i = 0; i < c->npools; i++) {
		const struct pool_conf *p = c->pools[i];

		if (refuse_what_adds_up(p, "php_value", &p->php_value, e) < 0 ||
		    refuse_what_adds_up(p, "php_admin_value", &p->php_admin_value, e) < 0)
			return -1;
	}
	return 0;
}

/* The second of any other two elements with one name has no effect, and no YAML form. */
static void drop_repeated(struct conf_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n; i++) {
		size_t j = 0;

		while (j < n && strcmp(map->pairs[j].name, map->pairs[i].name) != 0)
			j++;
		if (j == n)
			map->pairs[n++] = map->pairs[i];
	}
	map->n = n;
}

static void drop_all_repeated(struct conf *c)
{
	for (size_t i = 0; i < c->npools; i++) {
		drop_repeated(&c->pools[i]->env);
		drop_repeated(&c->pools[i]->php_value);
		drop_repeated(&c->pools[i]->php_admin_value);
	}
}

static void describe_line(void *ctx, const char *line)
{
	strbuf_adds(ctx, line);
	strbuf_addc(ctx, '\n');
}

static void describe(const struct conf *c, struct strbuf *out)
{
	strbuf_init(out, 2 * TEXT_BYTES);
	conf_dump_fpm(c, describe_line, out);
	for (size_t i = 0; i < c->npools; i++)
		pool_conf_dump(c->pools[i], out);
}

/* The first lines that are not the same. */
static int complain_difference(const char *a, const char *b, struct err *e)
{
	size_t from = 0;

	for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++)
		if (a[i] == '\n')
			from = i + 1;
	return err_set(e,
	    "'%.*s' would become '%.*s'; keep this configuration as it is, YAML files can "
	    "include it",
	    (int)strcspn(a + from, "\n"), a + from, (int)strcspn(b + from, "\n"), b + from);
}

static int compare(struct convert *k, const struct conf *again, const struct conf_report *report)
{
	struct strbuf a, b;
	int status = 0;

	for (size_t i = 0; i < report->n; i++)
		if (report->findings[i].grade >= CONF_ERROR)
			return err_set(k->e, "%s (%s:%u)", report->findings[i].text,
			    report->findings[i].at.file != NULL ? report->findings[i].at.file : "",
			    report->findings[i].at.line);
	describe(k->conf, &a);
	describe(again, &b);
	if (strcmp(strbuf_str(&a), strbuf_str(&b)) != 0)
		status = complain_difference(strbuf_str(&a), strbuf_str(&b), k->e);
	strbuf_free(&a);
	strbuf_free(&b);
	return status;
}

/* Reads the file of that path, or a text instead of it. */
static int check_again(struct convert *k, const char *path, const struct strbuf *text)
{
	struct conf *again = new_conf(k->order, path);
	struct conf_report report;
	int status;

	conf_report_init(&report);
	if (text != NULL)
		build_run_yaml(again, &report, strbuf_str(text), text->len);
	else
		build_run(again, &report);
	status = compare(k, again, &report);
	conf_report_free(&report);
	conf_free(again);
	return status;
}

/* ---- one text ---- */

static int to_text(struct convert *k, struct strbuf *text)
{
	for (int order = 0; order < INCLUDE_ORDER_MAX; order++) {
		strbuf_clear(text);
		outline_write(k->docs[0].outline, (enum outline_order)order, text);
		if (check_again(k, "converted.yaml", text) == 0)
			return 0;
	}
	return -1;
}

/* ---- files ---- */

static int check_targets(struct convert *k)
{
	for (size_t i = 0; i < k->ndocs; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(k->docs[i].target, k->docs[j].target) == 0)
				return err_set(k->e,
				    "'%s' and '%s' would both become '%s': rename one of them",
				    k->docs[j].file->path, k->docs[i].file->path,
				    k->docs[i].target);
	return 0;
}

static bool is_ours(const struct convert *k, const char *path)
{
	const char *name = path + strlen(k->order->folder) + 1;

	for (size_t i = 0; i < k->ndocs; i++)
		if (strcmp(k->docs[i].target, name) == 0)
			return true;
	return false;
}

/* A pattern must not take in what somebody else has put there. */
static int check_strangers(struct convert *k)
{
	int status = 0;

	for (size_t i = 0; i < k->patterns.n; i++) {
		glob_t found;

		if (glob(arena_printf(k->arena, "%s/%s", k->order->folder, k->patterns.items[i]), 0,
			NULL, &found) != 0)
			continue;
		for (size_t j = 0; j < found.gl_pathc && status == 0; j++)
			if (!is_ours(k, found.gl_pathv[j]))
				status = err_set(k->e,
				    "'%s' is there already and would be included, too: give "
				    "another folder, or move it away",
				    found.gl_pathv[j]);
		globfree(&found);
	}
	return status;
}

static const struct place_file *write_all(struct convert *k, enum outline_order order)
{
	struct place_file *files = arena_alloc(k->arena, k->ndocs, sizeof(*files));

	for (size_t i = 0; i < k->ndocs; i++) {
		struct strbuf text;

		strbuf_init(&text, TEXT_BYTES);
		outline_write(k->docs[i].outline, order, &text);
		files[i] = (struct place_file){.name = k->docs[i].target,
		    .text = arena_strdup(k->arena, strbuf_str(&text)),
		    .n = text.len,
		    .like = k->docs[i].file->path};
		strbuf_free(&text);
	}
	return files;
}

enum outcome { PLACED, UNLIKE, FAILED };

static enum outcome try_order(struct convert *k, enum outline_order order)
{
	struct place p = {.folder = k->order->folder,
	    .n = k->ndocs,
	    .files = write_all(k, order),
	    .npatterns = k->patterns.n,
	    .patterns = k->patterns.items,
	    .overwrite = k->order->overwrite};
	enum outcome outcome = FAILED;

	if (place_stage(&p, k->arena, k->e) == 0) {
		outcome = UNLIKE;
		if (check_again(
			k, arena_printf(k->arena, "%s/%s", p.stage, p.files[0].name), NULL) == 0)
			outcome = place_commit(&p, k->arena, k->e) == 0 ? PLACED : FAILED;
	}
	place_discard(&p, k->arena);
	return outcome;
}

static int to_files(struct convert *k)
{
	enum outcome outcome = UNLIKE;
	const char *why = NULL;

	if (check_targets(k) < 0 || check_strangers(k) < 0)
		return -1;
	for (int order = 0; order < INCLUDE_ORDER_MAX && outcome == UNLIKE; order++) {
		outcome = try_order(k, (enum outline_order)order);
		if (why == NULL)
			why = arena_strdup(k->arena, k->e->text);
	}
	if (outcome == UNLIKE && !k->whole) {
		k->order->tell(arena_printf(k->arena,
		    "one file is made of all, as apart they would not mean the same: %s", why));
		lay_out(k, true);
		return to_files(k);
	}
	for (size_t i = 0; outcome == PLACED && i < k->ndocs; i++)
		k->order->tell(arena_printf(k->arena, "%s became %s/%s", k->docs[i].file->path,
		    k->order->folder, k->docs[i].target));
	return outcome == PLACED ? 0 : -1;
}

static bool is_yaml(const char *path)
{
	const char *ending = strrchr(path, '.');

	return ending != NULL &&
	       (strcasecmp(ending, ".yaml") == 0 || strcasecmp(ending, ".yml") == 0);
}

int convert(const struct convert_order *order, struct conf_report *report, struct strbuf *text,
    struct err *e)
{
	struct convert k = {.order = order, .e = e};
	struct build_witness witness;
	int status = -1;

	e->text[0] = '\0';
	if (is_yaml(order->path))
		return err_set(e, "'%s' is YAML already", order->path);
	k.conf = new_conf(order, order->path);
	k.arena = k.conf->arena;
	k.base = target_absolute(k.arena, order->path);
	report->path = arena_strdup(report->arena, order->path);
	record_init(&k.record, k.arena, &witness);
	build_run_watched(k.conf, report, &witness);
	if (report->nfatal == 0 && refuse_all_that_adds_up(k.conf, e) == 0) {
		drop_all_repeated(k.conf);
		lay_out(&k, order->folder == NULL);
		status = order->folder != NULL ? to_files(&k) : to_text(&k, text);
	}
	conf_free(k.conf);
	return status;
}
