/*
 * build: what a reader of one format does to the configuration being made.
 *
 * Runs in: master.
 * Invariant: every string handed to the configuration lives in its arena, and
 * every place (conf_origin) names a file by a string in that arena.
 */
#include "conf/build.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"
#include "conf/keys.h"
#include "conf/report.h"
#include "conf/value.h"

/* php-fpm's: the main file and four below each other. */
#define INCLUDE_LEVELS 5

/* A configuration file larger than this is no configuration file. */
#define FILE_MAX_BYTES (16u << 20)

enum format { FORMAT_INI, FORMAT_YAML };

struct conf_build {
	struct conf *conf;
	struct conf_report *report;
	enum format format;        /* of the file being read */
	bool too_deep;             /* an include went too deep: follow no more */
	unsigned level;            /* files open above each other */
	struct pool_conf *section; /* INI: see build_section() */
	struct build_spelling spelling;
	const struct build_witness *witness; /* or NULL */
};

/* One value on its way into its field. */
struct setting {
	struct conf_build *build;
	struct pool_conf *pool; /* NULL: [global] */
	const struct conf_row *row;
	const char *name, *element; /* as written */
	const struct conf_origin *at;
};

struct arena *build_arena(struct conf_build *b)
{
	return b->conf->arena;
}

struct pool_conf *build_section(const struct conf_build *b)
{
	return b->section;
}

static void tell_witness(struct conf_build *b, const struct build_event *event)
{
	if (b->witness != NULL)
		b->witness->note(b->witness->ctx, event);
}

void build_enter_section(struct conf_build *b, struct pool_conf *pool, const struct conf_origin *at)
{
	struct build_event event = {.kind = BUILD_SECTION, .at = *at, .pool = pool};

	b->section = pool;
	tell_witness(b, &event);
}

struct build_spelling *build_spelling(struct conf_build *b)
{
	return &b->spelling;
}

int build_complain(struct conf_build *b, enum conf_grade grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
{
	struct conf_finding f = {.grade = grade, .pool = pool, .stage = CONF_STAGE_READ};
	struct arena *arena = b->report->arena;
	struct strbuf text;
	va_list args;

	/* The report may outlive the configuration: it has copies. */
	if (at != NULL && at->file != NULL) {
		f.at = *at;
		f.at.file = arena_strdup(arena, at->file);
	}
	if (hint != NULL)
		f.hint = arena_strdup(arena, hint);
	if (pool != NULL)
		f.pool = arena_strdup(arena, pool);
	strbuf_init(&text, ERR_TEXT_BYTES * 4);
	va_start(args, fmt);
	strbuf_vprintf(&text, fmt, args);
	va_end(args);
	report_add(b->report, &f, "%s", strbuf_str(&text));
	strbuf_free(&text);
	/* Half a pool would only bring findings that are not the cause. */
	if (grade >= CONF_ERROR && b->format == FORMAT_INI && b->section != NULL)
		b->section->damaged = true;
	return -1;
}

/* ---- pools and names ---- */

struct pool_conf *build_pool(struct conf_build *b, const char *name, const struct conf_origin *at)
{
	struct conf *c = b->conf;
	struct pool_conf **larger, *pool;

	for (size_t i = 0; i < c->npools; i++) {
		if (strcasecmp(c->pools[i]->name, name) == 0)
			return c->pools[i];
	}
	if ((c->npools & (c->npools + 1)) == 0) {
		larger = arena_alloc(c->arena, 2 * (c->npools + 1), sizeof(struct pool_conf *));
		if (c->npools != 0)
			memcpy(larger, c->pools, c->npools * sizeof(struct pool_conf *));
		c->pools = larger;
	}
	pool = arena_new_of(c->arena, struct pool_conf);
	value_defaults(SCOPE_POOL, pool, c->arena);
	pool->name = arena_strdup(c->arena, name);
	pool->declared = *at;
	c->pools[c->npools++] = pool;
	return pool;
}

static void *record_of(const struct setting *s)
{
	return s->pool != NULL ? (void *)s->pool : (void *)&s->build->conf->global;
}

static struct conf_origin *origin_of(const struct setting *s)
{
	enum conf_key key = key_of(s->row);

	return s->pool != NULL ? &s->pool->origin[key] : &s->build->conf->global.origin[key];
}

static const char *meant_hint(struct conf_build *b, enum conf_scope scope, const char *name)
{
	enum conf_scope other = scope == SCOPE_POOL ? SCOPE_GLOBAL : SCOPE_POOL;
	const char *nearest;

	if (keys_find(other, name) != NULL)
		return other == SCOPE_POOL ? "it belongs into a pool, not into [global]"
					   : "it belongs into [global], not into a pool";
	nearest = keys_nearest(scope, name);
	if (nearest == NULL)
		return NULL;
	return arena_printf(b->report->arena, "did you mean '%s'?", nearest);
}

static enum conf_scope scope_of(const struct setting *s)
{
	return s->pool != NULL ? SCOPE_POOL : SCOPE_GLOBAL;
}

/* "unknown entry 'x'", or php-fpm's word for the same of an array. */
static int complain_unknown(const struct setting *s, const char *what)
{
	return build_complain(s->build, CONF_ERROR, NULL, s->at,
	    meant_hint(s->build, scope_of(s), s->name), "unknown %s '%s'", what, s->name);
}

/* The sentence of the key, so that nobody has to look it up. */
static const char *key_hint(const struct setting *s)
{
	return arena_printf(s->build->report->arena, "%s: %s", s->row->name, s->row->doc);
}

static int complain_value(const struct setting *s, const char *reason)
{
	return build_complain(s->build, CONF_ERROR, NULL, s->at, key_hint(s),
	    "unable to parse value for entry '%s': %s", s->name, reason);
}

/* ---- values ---- */

/* $pool is the name of the pool wherever it stands. NULL after a complaint. */
static const char *expand_pool(const struct setting *s, const char *value)
{
	const char *mark = strstr(value, "$pool"), *expanded;
	struct strbuf out;

	if (mark == NULL)
		return arena_strdup(s->build->conf->arena, value);
	if (s->pool == NULL) {
		complain_value(s, "Can't use '$pool' when the pool is not defined");
		return NULL;
	}
	strbuf_init(&out, FILE_MAX_BYTES);
	for (; mark != NULL; mark = strstr(value, "$pool")) {
		strbuf_add(&out, value, (size_t)(mark - value));
		strbuf_adds(&out, s->pool->name);
		value = mark + strlen("$pool");
	}
	strbuf_adds(&out, value);
	expanded = arena_strdup(s->build->conf->arena, strbuf_str(&out));
	strbuf_free(&out);
	return expanded;
}

static int set_scalar(struct setting *s, const char *value)
{
	struct value_verdict verdict;

	if (s->row->type == TYPE_STRING || s->row->type == TYPE_PATH) {
		value = expand_pool(s, value);
		if (value == NULL)
			return -1;
	}
	if (value_read(s->row, record_of(s), s->build->conf->arena, value, &verdict) != 0)
		return complain_value(s, verdict.refusal);
	if (verdict.warning != NULL)
		build_complain(
		    s->build, CONF_WARNING, NULL, s->at, NULL, "%s: %s", s->name, verdict.warning);
	*origin_of(s) = *s->at;
	return 0;
}

static int set_list(struct setting *s, const char *value)
{
	struct conf_list *list = value_field(s->row, record_of(s));
	struct conf_origin *origin = origin_of(s);

	if (s->element != NULL && *s->element != '\0')
		return build_complain(s->build, CONF_ERROR, NULL, s->at, key_hint(s),
		    "Keys provided to field '%s' are ignored", s->name);
	if (key_of(s->row) == KEY_POOL_access_suppress_path && *value != '/')
		return build_complain(s->build, CONF_ERROR, NULL, s->at, key_hint(s),
		    "Values provided to field '%s' must begin with '/'", s->name);
	value = expand_pool(s, value);
	if (value == NULL)
		return -1;
	if (s->element == NULL)
		list->n = 0;
	if (*value != '\0')
		list_add(list, s->build->conf->arena, value);
	*origin = *s->at;
	return 0;
}

/* "env[X]", for people. */
static const char *element_name(const struct setting *s)
{
	return arena_printf(s->build->report->arena, "%s[%s]", s->name, s->element);
}

static int add_pair(struct setting *s, const struct conf_row *holder, const char *value)
{
	struct conf_map *map = value_field(holder, s->pool);
	struct conf_pair pair = {.value = value, .at = *s->at};
	bool replaced = false;

	pair.name = arena_strdup(s->build->conf->arena, s->element);
	if (s->build->format == FORMAT_YAML) {
		for (size_t i = 0; i < map->n; i++) {
			if (strcmp(map->pairs[i].name, pair.name) != 0)
				continue;
			map->pairs[i] = pair;
			replaced = true;
		}
	}
	if (!replaced)
		map_add(map, s->build->conf->arena, &pair);
	*origin_of(s) = *s->at;
	s->pool->origin[key_of(holder)] = *s->at;
	return 0;
}

static int set_element(struct setting *s, const char *value)
{
	const struct conf_row *holder = s->row;
	bool on;

	if (s->element == NULL || *s->element == '\0')
		return build_complain(s->build, CONF_ERROR, NULL, s->at, key_hint(s),
		    "You must provide a key for field '%s'", s->name);
	if (s->row->type == TYPE_FLAGS) {
		if (value_bool(value, &on) != 0)
			return build_complain(s->build, CONF_ERROR, NULL, s->at, NULL,
			    "error while parsing '%s' : invalid boolean value", element_name(s));
		holder = s->row - 1;
		value = on ? "1" : "0";
	}
	if (key_of(s->row) == KEY_POOL_env && *value == '\0')
		return build_complain(
		    s->build, CONF_ERROR, NULL, s->at, key_hint(s), "empty value");
	value = expand_pool(s, value);
	return add_pair(s, holder, value);
}

/* What php-fpm does with x[...], in its order and with its case. */
static int check_ini_array(struct setting *s)
{
	bool listed = s->row != NULL && s->row->type == TYPE_LIST;

	if (s->pool == NULL)
		return build_complain(s->build, CONF_ERROR, NULL, s->at, NULL,
		    "Array are not allowed in the global section");
	if (*s->element == '\0' && !listed)
		return build_complain(s->build, CONF_ERROR, NULL, s->at, NULL,
		    "You must provide a key for field '%s'", s->name);
	if (s->row == NULL || strcmp(s->row->name, s->name) != 0 ||
	    (s->row->type != TYPE_MAP && s->row->type != TYPE_FLAGS && !listed))
		return complain_unknown(s, "directive");
	return 0;
}

static int set(struct setting *s, const char *value)
{
	bool ini = s->build->format == FORMAT_INI;

	s->row = keys_find(scope_of(s), s->name);
	if (ini && s->element != NULL && check_ini_array(s) != 0)
		return -1;
	if (s->row == NULL)
		return complain_unknown(s, "entry");
	switch (s->row->type) {
	case TYPE_LIST:
		/* php-fpm's lists are always arrays; listen is a list with us only. */
		if (ini && s->element == NULL && key_of(s->row) != KEY_POOL_listen)
			return complain_unknown(s, "entry");
		return set_list(s, value);
	case TYPE_MAP:
	case TYPE_FLAGS:
		if (ini && s->element == NULL)
			return complain_unknown(s, "entry");
		return set_element(s, value);
	default:
		return set_scalar(s, value);
	}
}

int build_set(struct conf_build *b, struct pool_conf *pool, const char *name, const char *element,
    const char *value, const struct conf_origin *at)
{
	struct setting s = {.build = b, .pool = pool, .name = name, .element = element, .at = at};
	struct build_event event = {.kind = BUILD_SETTING,
	    .at = *at,
	    .pool = pool,
	    .element = element,
	    .value = value,
	    .spelling = &b->spelling};

	if (set(&s, value) == 0) {
		event.row = s.row;
		tell_witness(b, &event);
		return 0;
	}
	if (pool != NULL)
		pool->damaged = true;
	return -1;
}

/* ---- files ---- */

static bool is_yaml(const char *path)
{
	const char *ending = strrchr(path, '.');

	return ending != NULL &&
	       (strcasecmp(ending, ".yaml") == 0 || strcasecmp(ending, ".yml") == 0);
}

static int read_text(struct conf_build *b, const char *path, char **text, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct err e = {0};
	int failed;

	if (fd < 0)
		return build_complain(b, CONF_ERROR, NULL, NULL, NULL,
		    "failed to open configuration file '%s': %s (%d)", path, strerror(errno),
		    errno);
	failed = fd_slurp(fd, FILE_MAX_BYTES, text, n, &e);
	fd_close(&fd);
	if (failed)
		return build_complain(b, CONF_ERROR, NULL, NULL, NULL,
		    "failed to read configuration file '%s': %s", path, e.text);
	return 0;
}

static int read_as(struct conf_build *b, const char *file, const char *text, size_t n)
{
	struct build_event event = {.kind = BUILD_FILE,
	    .at = {.file = file},
	    .text = text,
	    .n = n,
	    .yaml = b->format == FORMAT_YAML};
	int status;

	tell_witness(b, &event);
	if (b->format == FORMAT_YAML)
		status = yaml_read(b, file, text, n);
	else
		status = ini_read(b, file, text, n);
	event.kind = BUILD_FILE_END;
	tell_witness(b, &event);
	return status;
}

/* Reads one file by its ending. 0, or -1 when something in it was fatal. */
static int read_file(struct conf_build *b, const char *path)
{
	enum format outer = b->format;
	struct pool_conf *section = b->section;
	const char *file = arena_strdup(b->conf->arena, path);
	size_t n, fatal = b->report->nfatal;
	char *text;
	int status;

	if (b->level >= INCLUDE_LEVELS) {
		b->too_deep = true;
		return build_complain(b, CONF_ERROR, NULL, NULL, NULL,
		    "failed to include more than %d files recursively", INCLUDE_LEVELS);
	}
	if (read_text(b, path, &text, &n) != 0)
		return -1;
	b->level++;
	b->format = is_yaml(path) ? FORMAT_YAML : FORMAT_INI;
	status = read_as(b, file, text, n);
	/* Only from INI to INI does a section go on. */
	if (b->format != outer)
		b->section = section;
	b->format = outer;
	b->level--;
	free(text);
	return status != 0 || b->report->nfatal > fatal ? -1 : 0;
}

/* "folder/" of a path with its slash, "" where it has none. */
static const char *folder_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == NULL ? "" : arena_strndup(arena, path, (size_t)(slash - path) + 1);
}

static bool has_match(const char *pattern)
{
	glob_t found;
	int status = glob(pattern, 0, NULL, &found);

	if (status == 0)
		globfree(&found);
	return status == 0;
}

static const char *full_pattern(
    struct conf_build *b, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	const char *beside, *behind;

	if (*pattern == '/')
		return pattern;
	behind = arena_printf(b->conf->arena, "%s/%s", b->conf->prefix, pattern);
	if (!from_yaml)
		return behind;
	beside = arena_printf(b->conf->arena, "%s%s", folder_of(b->conf->arena, at->file), pattern);
	return !has_match(beside) && has_match(behind) ? behind : beside;
}

static int include_match(struct conf_build *b, const char *path, const struct conf_origin *at)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	if (read_file(b, path) == 0)
		return 0;
	return build_complain(b, CONF_ERROR, NULL, NULL, NULL,
	    "Unable to include %s from %s at line %u", path, at->file, at->line);
}

static int include_all(struct conf_build *b, const char *pattern, const struct conf_origin *at)
{
	int found_status, status = 0;
	glob_t found;

	found_status = glob(pattern, GLOB_ERR | GLOB_MARK, NULL, &found);
	if (found_status == GLOB_NOMATCH) {
		build_complain(b, CONF_WARNING, NULL, NULL, NULL,
		    "Nothing matches the include pattern '%s' from %s at line %u.", pattern,
		    at->file, at->line);
		return 0;
	}
	if (found_status != 0)
		return build_complain(b, CONF_ERROR, NULL, NULL, NULL,
		    "Unable to globalize '%s' (ret=%d) from %s at line %u.", pattern, found_status,
		    at->file, at->line);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (include_match(b, found.gl_pathv[i], at) != 0)
			status = -1;
	}
	globfree(&found);
	return status;
}

int build_include(
    struct conf_build *b, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	struct build_event event = {.kind = BUILD_INCLUDE, .at = *at};
	int status;

	if (*pattern == '\0' || b->too_deep)
		return 0;
	event.value = full_pattern(b, pattern, from_yaml, at);
	tell_witness(b, &event);
	status = include_all(b, event.value, at);
	event.kind = BUILD_INCLUDE_END;
	tell_witness(b, &event);
	return status;
}

void build_run(struct conf *conf, struct conf_report *report)
{
	struct conf_build b = {.conf = conf, .report = report};

	(void)read_file(&b, conf->path);
}

void build_run_watched(
    struct conf *conf, struct conf_report *report, const struct build_witness *witness)
{
	struct conf_build b = {.conf = conf, .report = report, .witness = witness};

	(void)read_file(&b, conf->path);
}

void build_run_yaml(struct conf *conf, struct conf_report *report, const char *text, size_t n)
{
	struct conf_build b = {.conf = conf, .report = report, .format = FORMAT_YAML, .level = 1};

	(void)yaml_read(&b, conf->path, text, n);
}
