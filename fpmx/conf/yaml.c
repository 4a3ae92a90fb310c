/*
 * yaml: the reader of YAML configuration.
 *
 * Runs in: master, engine.
 * The only includer of <yaml.h>. Takes libyaml's events one by one and calls
 * the builder as it goes; no tree is made, so a file costs what its settings
 * cost. Names, types and includes are the builder's.
 * Never: follows an alias (no file can grow by them), reads more than one
 * document, goes deeper than DEPTH_MAX, or stops at the first wrong setting:
 * only where the text is not YAML any more does reading end.
 *
 *   global:   a mapping of directives
 *   include:  a pattern, or a list of them
 *   pools:    NAME: a mapping of directives
 *
 * Nested mappings join with dots; inside "pm" the key "mode" is pm itself.
 */
#include <string.h>
#include <strings.h>
#include <yaml.h>

#include "conf/build.h"
#include "conf/expand.h"
#include "conf/keys.h"
#include "conf/names.h"
#include "conf/yamlhint.h"

/* No directive has more than three parts; ini names in php_value some more. */
#define DEPTH_MAX 16

/* Of one value, with its variables in place. */
#define VALUE_BYTES_MAX 65536

struct reader {
	struct conf_build *build;
	const char *file;
	const char *text;
	size_t n;
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	bool stop;          /* the text is not YAML from here on */
	bool failed;        /* something was complained about */
	unsigned depth;
	uint32_t spaces; /* given out so far, see struct names */
	struct arena *scratch;
	struct names *names;
};

/* Where settings go: the pool, or [global] when it is NULL. */
struct target {
	struct pool_conf *pool;
	uint32_t space; /* of full names, so that pm.x and pm: {x} are the same */
};

static struct conf_origin origin_of(const struct reader *r, const yaml_mark_t *mark)
{
	return (struct conf_origin){.file = r->file,
	    .line = (uint32_t)mark->line + 1,
	    .column = (uint32_t)mark->column + 1};
}

static struct conf_origin here(const struct reader *r)
{
	return origin_of(r, &r->event.start_mark);
}

#define complain(r, at, hint, ...) \
	((r)->failed = true,       \
	    (void)build_complain((r)->build, CONF_ERROR, NULL, (at), (hint), __VA_ARGS__))

static void complain_syntax(struct reader *r)
{
	const yaml_parser_t *p = &r->parser;
	struct conf_origin at = origin_of(r, &p->problem_mark);
	struct yaml_slip slip = {.context = p->context,
	    .problem = p->problem,
	    .text = r->text,
	    .n = r->n,
	    .line = p->problem_mark.line,
	    .column = p->problem_mark.column};

	if (p->error == YAML_READER_ERROR) {
		yaml_place(r->text, r->n, p->problem_offset, &at); /* it has no mark */
		complain(r, &at, "The file must be text in UTF-8.", "not text: %s", p->problem);
	} else if (p->error == YAML_MEMORY_ERROR) {
		complain(r, &at, NULL, "out of memory");
	} else if (p->context != NULL && p->context_mark.line != p->problem_mark.line) {
		complain(r, &at, yaml_hint(&slip), "not YAML: %s %s that began in line %zu",
		    p->problem, p->context, p->context_mark.line + 1);
	} else {
		complain(r, &at, yaml_hint(&slip), "not YAML: %s%s%s", p->problem,
		    p->context != NULL ? " " : "", p->context != NULL ? p->context : "");
	}
}

/* Makes the next event the current one; false at the end of what can be read. */
static bool next(struct reader *r)
{
	if (r->stop)
		return false;
	yaml_event_delete(&r->event);
	if (!yaml_parser_parse(&r->parser, &r->event)) {
		memset(&r->event, 0, sizeof(r->event));
		complain_syntax(r);
		r->stop = true;
		return false;
	}
	return true;
}

/*
 * Nodes. Every function below that reads a node finds its first event current
 * and leaves its last one current.
 */

static void complain_depth(struct reader *r)
{
	struct conf_origin at = here(r);

	complain(r, &at, NULL, "nested deeper than %d levels", DEPTH_MAX);
	r->stop = true;
}

static void skip(struct reader *r)
{
	size_t open = 0;

	do {
		switch (r->event.type) {
		case YAML_MAPPING_START_EVENT:
		case YAML_SEQUENCE_START_EVENT:
			open++;
			break;
		case YAML_MAPPING_END_EVENT:
		case YAML_SEQUENCE_END_EVENT:
			open--;
			break;
		default:
			break;
		}
		if (open > DEPTH_MAX)
			complain_depth(r);
	} while (open > 0 && next(r));
}

/* An alias has its own sentence, whatever was wanted in its place. */
static bool is_alias(struct reader *r)
{
	struct conf_origin at = here(r);

	if (r->event.type != YAML_ALIAS_EVENT)
		return false;
	complain(r, &at, "Write the value out, or quote it if it is meant to begin with '*'.",
	    "aliases (*%s) are not supported", (const char *)r->event.data.alias.anchor);
	return true;
}

/* Says what is wrong with a node that is not of the wanted kind, and skips it. */
#define refuse(r, hint, ...)                                         \
	do {                                                         \
		struct conf_origin refused_at = here(r);             \
                                                                     \
		if (!is_alias(r))                                    \
			complain(r, &refused_at, hint, __VA_ARGS__); \
		skip(r);                                             \
	} while (0)

/* False, with a complaint, for a node with a tag such as !!binary or !include. */
static bool untagged(struct reader *r)
{
	const yaml_event_t *e = &r->event;
	const yaml_char_t *tag = NULL;
	struct conf_origin at = here(r);

	if (e->type == YAML_SCALAR_EVENT)
		tag = e->data.scalar.tag;
	else if (e->type == YAML_MAPPING_START_EVENT)
		tag = e->data.mapping_start.tag;
	else if (e->type == YAML_SEQUENCE_START_EVENT)
		tag = e->data.sequence_start.tag;
	if (tag == NULL)
		return true;
	complain(r, &at, "Quote a value that is meant to begin with '!'.",
	    "tags (%s) are not supported", (const char *)tag);
	return false;
}

/* Directives and pools have no case: one spelling of each for doubled(). */
static const char *lower(struct reader *r, const char *name)
{
	char *copy = arena_strdup(r->scratch, name);

	for (char *c = copy; *c != '\0'; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c - 'A' + 'a');
	return copy;
}

/* True, with a complaint naming both lines, if the name was used before. */
static bool doubled(
    struct reader *r, uint32_t space, const char *name, const struct conf_origin *at)
{
	uint32_t line = names_add(r->names, space, name, at->line);

	if (line == 0)
		return false;
	complain(r, at, NULL, "'%s' is here a second time: the first is in line %u", name, line);
	return true;
}

/* The current scalar as a key, or NULL with a complaint. */
static const char *key_text(struct reader *r, const struct conf_origin *at)
{
	const char *key = (const char *)r->event.data.scalar.value;

	if (!untagged(r))
		return NULL;
	if (strlen(key) != r->event.data.scalar.length)
		complain(r, at, NULL, "a key holds a NUL character");
	else if (strcmp(key, "<<") == 0)
		complain(r, at, "Write the settings out, or include a file.",
		    "merge keys (<<) are not supported");
	else
		return arena_strdup(r->scratch, key);
	return NULL;
}

/*
 * The next key of the current mapping, with its value's first event current; or
 * NULL at the end. Pairs without a usable key are complained about and skipped.
 */
static const char *next_key(struct reader *r, uint32_t space, struct conf_origin *at)
{
	while (next(r) && r->event.type != YAML_MAPPING_END_EVENT) {
		const char *key = NULL;

		*at = here(r);
		if (r->event.type == YAML_SCALAR_EVENT)
			key = key_text(r, at);
		else
			refuse(r, NULL, "a key must be a word, not a list or mapping");
		if (!next(r))
			break;
		if (key != NULL && !doubled(r, space, key, at))
			return key;
		skip(r);
	}
	return NULL;
}

static bool plain_is(const char *text, const char *const *words)
{
	for (; *words != NULL; words++)
		if (strcasecmp(text, *words) == 0)
			return true;
	return false;
}

/*
 * The text of the current scalar as the builder takes it, or NULL with a
 * complaint. Single quotes keep ${ } as it is. row is NULL for an include.
 */
static const char *value_text(struct reader *r, const struct conf_row *row)
{
	static const char *const nothing[] = {"~", "null", NULL};
	static const char *const yes[] = {"true", "yes", "on", NULL};
	static const char *const no[] = {"false", "no", "off", NULL};
	const char *text = (const char *)r->event.data.scalar.value;
	struct conf_origin at = here(r);

	if (!untagged(r))
		return NULL;
	if (strlen(text) != r->event.data.scalar.length) {
		complain(r, &at, NULL, "a value holds a NUL character");
		return NULL;
	}
	text = arena_strdup(r->scratch, text);
	if (r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE) {
		if (plain_is(text, nothing))
			return "";
		/* As php reads them in its own files: scripts see "1" and "". */
		if (row != NULL && row->type == TYPE_MAP && strncmp(row->name, "php_", 4) == 0) {
			if (plain_is(text, yes))
				return "1";
			if (plain_is(text, no))
				return "";
		}
		/* 0o660 is how YAML 1.2 writes 0660. */
		if (row != NULL && row->type == TYPE_MODE && strncmp(text, "0o", 2) == 0)
			return arena_printf(r->scratch, "0%s", text + 2);
	}
	if (r->event.data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE)
		return text;
	text = expand_env(r->scratch, text, VALUE_BYTES_MAX);
	if (text == NULL)
		complain(r, &at, NULL, "a value longer than %d bytes", VALUE_BYTES_MAX);
	return text;
}

static void set(
    struct reader *r, const struct target *t, const struct conf_row *row, const char *element)
{
	struct conf_origin at = here(r);
	const char *text = value_text(r, row);

	if (text != NULL && build_set(r->build, t->pool, row->name, element, text, &at) != 0)
		r->failed = true;
}

static bool deeper(struct reader *r)
{
	if (r->depth == DEPTH_MAX) {
		complain_depth(r);
		return false;
	}
	r->depth++;
	return true;
}

static const char *join(struct reader *r, const char *prefix, const char *key)
{
	return prefix[0] == '\0' ? key : arena_printf(r->scratch, "%s.%s", prefix, key);
}

/* null: a list, mapping or pool with nothing in it. */
static bool is_null(const struct reader *r)
{
	const char *text = (const char *)r->event.data.scalar.value;

	return r->event.type == YAML_SCALAR_EVENT &&
	       r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (text[0] == '\0' || strcmp(text, "~") == 0 || strcasecmp(text, "null") == 0);
}

/* Several values of a LIST: the first replaces what another file had set. */
static void read_items(struct reader *r, const struct target *t, const struct conf_row *row)
{
	const char *element = NULL;

	if (!untagged(r)) {
		skip(r);
		return;
	}
	while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		if (r->event.type != YAML_SCALAR_EVENT) {
			refuse(r, row->doc, "'%s' must be a list of plain values", row->name);
			continue;
		}
		set(r, t, row, element);
		element = "";
	}
}

/* "php_value[x]". A flag is a value that is 1 or 0: one name for both. */
static const char *full_name(struct reader *r, const struct conf_row *row, const char *element)
{
	if (row->type == TYPE_FLAGS)
		row--;
	return arena_printf(r->scratch, "%s[%s]", row->name, element);
}

/* A MAP such as env or php_value. Ini names may be nested at their dots. */
static void read_pairs(
    struct reader *r, const struct target *t, const struct conf_row *row, const char *prefix)
{
	uint32_t space = ++r->spaces;
	struct conf_origin at;
	const char *key;

	if (!untagged(r) || !deeper(r)) {
		skip(r);
		return;
	}
	while ((key = next_key(r, space, &at)) != NULL) {
		const char *element = join(r, prefix, key);

		if (r->event.type == YAML_MAPPING_START_EVENT)
			read_pairs(r, t, row, element);
		else if (r->event.type != YAML_SCALAR_EVENT)
			refuse(r, row->doc, "'%s' must be one value", element);
		else if (!doubled(r, t->space, full_name(r, row, element), &at))
			set(r, t, row, element);
	}
	r->depth--;
}

static enum conf_scope scope_of(const struct target *t)
{
	return t->pool != NULL ? SCOPE_POOL : SCOPE_GLOBAL;
}

/* Whether some directive's name goes on behind name and a dot. */
static bool begins_directive(const struct target *t, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < KEY_MAX; i++)
		if (conf_rows[i].scope == scope_of(t) &&
		    strncasecmp(conf_rows[i].name, name, n) == 0 && conf_rows[i].name[n] == '.')
			return true;
	return false;
}

static bool takes_pairs(const struct conf_row *row)
{
	return row != NULL && (row->type == TYPE_MAP || row->type == TYPE_FLAGS);
}

static void read_settings(struct reader *r, const struct target *t, const char *prefix);

/* The value of one directive, or of the first part of several. */
static void read_setting(
    struct reader *r, const struct target *t, const char *name, const struct conf_origin *at)
{
	const struct conf_row *row = keys_find(scope_of(t), name);
	yaml_event_type_t type = r->event.type;

	if (type == YAML_MAPPING_START_EVENT && !takes_pairs(row) && begins_directive(t, name)) {
		read_settings(r, t, name);
	} else if (row == NULL) {
		/* Not ours to name what was meant: the builder refuses it. */
		if (build_set(r->build, t->pool, name, NULL, "", at) != 0)
			r->failed = true;
		skip(r);
	} else if (doubled(r, t->space, lower(r, name), at)) {
		skip(r);
	} else if ((takes_pairs(row) || row->type == TYPE_LIST) && is_null(r)) {
		return;
	} else if (takes_pairs(row)) {
		if (type == YAML_MAPPING_START_EVENT)
			read_pairs(r, t, row, "");
		else
			refuse(r, row->doc, "'%s' must be a mapping: 'NAME: value' on a line each",
			    name);
	} else if (type == YAML_SCALAR_EVENT) {
		set(r, t, row, NULL);
	} else if (row->type == TYPE_LIST && type == YAML_SEQUENCE_START_EVENT) {
		read_items(r, t, row);
	} else if (row->type == TYPE_LIST) {
		refuse(r, row->doc, "'%s' must be a value or a list of values", name);
	} else {
		refuse(r, row->doc, "'%s' must be one value", name);
	}
}

static void read_settings(struct reader *r, const struct target *t, const char *prefix)
{
	uint32_t space = ++r->spaces;
	struct conf_origin at;
	const char *key;

	if (!untagged(r) || !deeper(r)) {
		skip(r);
		return;
	}
	while ((key = next_key(r, space, &at)) != NULL) {
		if (strcasecmp(prefix, "pm") == 0 && strcasecmp(key, "mode") == 0)
			read_setting(r, t, "pm", &at);
		else
			read_setting(r, t, join(r, prefix, key), &at);
	}
	r->depth--;
}

static void read_global(struct reader *r)
{
	struct target t = {.pool = NULL, .space = ++r->spaces};

	if (r->event.type == YAML_MAPPING_START_EVENT)
		read_settings(r, &t, "");
	else if (!is_null(r))
		refuse(r, NULL, "'global' must be a mapping of directives");
}

static void read_pools(struct reader *r)
{
	uint32_t space = ++r->spaces, names = ++r->spaces;
	struct pool_conf *last = NULL;
	struct conf_origin at;
	const char *name;

	if (is_null(r))
		return;
	if (r->event.type != YAML_MAPPING_START_EVENT) {
		refuse(r, NULL,
		    "'pools' must be a mapping: 'NAME:' and below it the pool's directives");
		return;
	}
	if (!untagged(r)) {
		skip(r);
		return;
	}
	while ((name = next_key(r, space, &at)) != NULL) {
		struct target t = {.space = ++r->spaces};

		if (doubled(r, names, lower(r, name), &at)) {
			skip(r);
			continue;
		}
		t.pool = last = build_pool(r->build, name, &at);
		if (t.pool == NULL) {
			r->failed = true;
			skip(r);
		} else if (r->event.type == YAML_MAPPING_START_EVENT) {
			read_settings(r, &t, "");
		} else if (!is_null(r)) {
			refuse(r, NULL, "'%s' must be a mapping of directives", name);
		}
	}
	/* What this pool lacks may be there, behind the slip. */
	if (r->stop && last != NULL)
		last->damaged = true;
}

static void include(struct reader *r)
{
	struct conf_origin at = here(r);
	const char *pattern = is_null(r) ? NULL : value_text(r, NULL);

	if (pattern != NULL && build_include(r->build, pattern, true, &at) != 0)
		r->failed = true;
}

static void read_include(struct reader *r)
{
	static const char wanted[] = "'include' must be a pattern of file names or a list of them";

	if (r->event.type == YAML_SCALAR_EVENT) {
		include(r);
	} else if (r->event.type != YAML_SEQUENCE_START_EVENT) {
		refuse(r, NULL, "%s", wanted);
	} else {
		while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
			if (r->event.type == YAML_SCALAR_EVENT)
				include(r);
			else
				refuse(r, NULL, "%s", wanted);
		}
	}
}

static const char top_level[] = "The top level has: global, include, pools.";

static void read_top(struct reader *r)
{
	uint32_t space = ++r->spaces;
	struct conf_origin at;
	const char *key;

	while ((key = next_key(r, space, &at)) != NULL) {
		if (strcmp(key, "global") == 0) {
			read_global(r);
		} else if (strcmp(key, "include") == 0) {
			read_include(r);
		} else if (strcmp(key, "pools") == 0) {
			read_pools(r);
		} else {
			complain(r, &at, top_level, "unknown entry '%s'", key);
			skip(r);
		}
	}
}

static void read_stream(struct reader *r)
{
	struct conf_origin at;

	/* STREAM-START, then DOCUMENT-START, or the end of an empty file. */
	if (!next(r) || !next(r) || r->event.type == YAML_STREAM_END_EVENT || !next(r))
		return;
	if (r->event.type == YAML_MAPPING_START_EVENT)
		read_top(r);
	else if (!is_null(r))
		refuse(r, top_level, "the file must be a mapping");
	/* DOCUMENT-END, then STREAM-END. */
	if (!next(r) || !next(r) || r->event.type == YAML_STREAM_END_EVENT)
		return;
	at = here(r);
	complain(r, &at, "Put it into a file of its own and include that.",
	    "a second document begins here: one file is one document");
}

int yaml_read(struct conf_build *build, const char *file, const char *text, size_t n)
{
	struct reader r = {.build = build, .file = file, .text = text, .n = n};

	if (yaml_parser_initialize(&r.parser) != 1)
		return build_complain(build, CONF_ERROR, NULL, NULL, NULL, "out of memory");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, n);
	r.scratch = arena_new(16384);
	r.names = names_new(r.scratch);
	read_stream(&r);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	arena_free(r.scratch);
	return r.failed ? -1 : 0;
}
