/*
 * yaml: the reader of YAML configuration.
 *
 * Runs in: master, engine.
 * Takes the events of the text one by one and calls the builder as it goes; no
 * tree is made, so a file costs what its settings cost. Names, types and
 * includes are the builder's.
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

#include "conf/base64.h"
#include "conf/build.h"
#include "conf/expand.h"
#include "conf/keys.h"
#include "conf/names.h"
#include "conf/yamlevent.h"

/* No directive has more than three parts; ini names in php_value some more. */
#define DEPTH_MAX 16

/* Of one value, with its variables in place. */
#define VALUE_BYTES_MAX 65536

struct reader {
	struct conf_build *build;
	struct yaml_events *events;
	const struct yaml_event *event; /* the current one */
	bool stop;                      /* the text is not YAML from here on */
	bool failed;                    /* something was complained about */
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

static struct conf_origin here(const struct reader *r)
{
	return r->event->at;
}

#define complain(r, at, hint, ...) \
	((r)->failed = true,       \
	    (void)build_complain((r)->build, CONF_ERROR, NULL, (at), (hint), __VA_ARGS__))

/* Makes the next event the current one; false at the end of what can be read. */
static bool next(struct reader *r)
{
	static const struct yaml_event nothing = {.kind = EVENT_NONE, .text = ""};
	const struct yaml_event *event;

	if (r->stop)
		return false;
	event = yaml_events_next(r->events, r->build);
	r->event = event != NULL ? event : &nothing;
	r->stop = event == NULL;
	r->failed |= r->stop;
	return !r->stop;
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
		switch (r->event->kind) {
		case EVENT_MAPPING:
		case EVENT_LIST:
			open++;
			break;
		case EVENT_MAPPING_END:
		case EVENT_LIST_END:
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

	if (r->event->kind != EVENT_ALIAS)
		return false;
	complain(r, &at, "Write the value out, or quote it if it is meant to begin with '*'.",
	    "aliases (*%s) are not supported", r->event->text);
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

/* False, with a complaint, for a node with a tag such as !include. */
static bool untagged(struct reader *r)
{
	struct conf_origin at = here(r);

	if (r->event->tag == NULL)
		return true;
	complain(r, &at, "Quote a value that is meant to begin with '!'.",
	    "tags (%s) are not supported", r->event->tag);
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

/*
 * The current scalar as it stands, or NULL with a complaint. Of all tags only
 * !!binary is taken: it is how YAML says bytes that are not UTF-8.
 */
static const char *scalar_text(struct reader *r, const char *what)
{
	static const char binary[] = "tag:yaml.org,2002:binary";
	const struct yaml_event *e = r->event;
	struct conf_origin at = here(r);
	const char *text = e->text;
	size_t n = e->n;

	if (e->tag != NULL && strcmp(e->tag, binary) == 0) {
		text = base64_decode(r->scratch, e->text, &n);
		if (text == NULL) {
			complain(r, &at, NULL, "%s tagged !!binary is not base64", what);
			return NULL;
		}
	} else if (!untagged(r)) {
		return NULL;
	}
	if (strlen(text) == n)
		return arena_strdup(r->scratch, text);
	complain(r, &at, NULL, "%s holds a NUL character", what);
	return NULL;
}

/* The current scalar as a key, or NULL with a complaint. */
static const char *key_text(struct reader *r, const struct conf_origin *at)
{
	if (r->event->quotes != QUOTES_NONE || r->event->tag != NULL ||
	    strcmp(r->event->text, "<<") != 0)
		return scalar_text(r, "a key");
	complain(r, at, "Write the settings out, or include a file.",
	    "merge keys (<<) are not supported");
	return NULL;
}

/* A mapping while it is walked through. */
struct mapping {
	uint32_t space; /* of its keys */
	const char *key;
	struct conf_origin at; /* of the key */
};

static bool deeper(struct reader *r)
{
	if (r->depth == DEPTH_MAX) {
		complain_depth(r);
		return false;
	}
	r->depth++;
	return true;
}

/* Into the current mapping; false, and it is skipped, if it cannot be read. */
static bool enter_mapping(struct reader *r, struct mapping *m)
{
	*m = (struct mapping){.space = ++r->spaces};
	if (untagged(r) && deeper(r))
		return true;
	skip(r);
	return false;
}

/*
 * On to its next key, with the value's first event current; false at the end.
 * Pairs without a usable key are complained about and skipped.
 */
static bool next_pair(struct reader *r, struct mapping *m)
{
	while (next(r) && r->event->kind != EVENT_MAPPING_END) {
		m->key = NULL;
		m->at = here(r);
		if (r->event->kind == EVENT_TEXT)
			m->key = key_text(r, &m->at);
		else
			refuse(r, NULL, "a key must be a word, not a list or mapping");
		if (!next(r))
			break;
		if (m->key != NULL && !doubled(r, m->space, m->key, &m->at))
			return true;
		skip(r);
	}
	r->depth--;
	return false;
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
	const char *text = scalar_text(r, "a value");
	struct conf_origin at = here(r);

	if (text == NULL || r->event->tag != NULL)
		return text;
	if (r->event->quotes == QUOTES_NONE) {
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
	if (r->event->quotes == QUOTES_SINGLE)
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

static const char *join(struct reader *r, const char *prefix, const char *key)
{
	return prefix[0] == '\0' ? key : arena_printf(r->scratch, "%s.%s", prefix, key);
}

/* null: a list, mapping or pool with nothing in it. */
static bool is_null(const struct reader *r)
{
	const char *text = r->event->text;

	return r->event->kind == EVENT_TEXT && r->event->quotes == QUOTES_NONE &&
	       r->event->tag == NULL &&
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
	while (next(r) && r->event->kind != EVENT_LIST_END) {
		if (r->event->kind != EVENT_TEXT) {
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
	struct mapping m;

	if (!enter_mapping(r, &m))
		return;
	while (next_pair(r, &m)) {
		const char *element = join(r, prefix, m.key);

		if (r->event->kind == EVENT_MAPPING)
			read_pairs(r, t, row, element);
		else if (r->event->kind != EVENT_TEXT)
			refuse(r, row->doc, "'%s' must be one value", element);
		else if (!doubled(r, t->space, full_name(r, row, element), &m.at))
			set(r, t, row, element);
	}
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
	enum yaml_kind type = r->event->kind;

	if (type == EVENT_MAPPING && !takes_pairs(row) && begins_directive(t, name)) {
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
		if (type == EVENT_MAPPING)
			read_pairs(r, t, row, "");
		else
			refuse(r, row->doc, "'%s' must be a mapping: 'NAME: value' on a line each",
			    name);
	} else if (type == EVENT_TEXT) {
		set(r, t, row, NULL);
	} else if (row->type == TYPE_LIST && type == EVENT_LIST) {
		read_items(r, t, row);
	} else if (row->type == TYPE_LIST) {
		refuse(r, row->doc, "'%s' must be a value or a list of values", name);
	} else {
		refuse(r, row->doc, "'%s' must be one value", name);
	}
}

static void read_settings(struct reader *r, const struct target *t, const char *prefix)
{
	struct mapping m;

	if (!enter_mapping(r, &m))
		return;
	while (next_pair(r, &m)) {
		if (strcasecmp(prefix, "pm") == 0 && strcasecmp(m.key, "mode") == 0)
			read_setting(r, t, "pm", &m.at);
		else
			read_setting(r, t, join(r, prefix, m.key), &m.at);
	}
}

static void read_global(struct reader *r)
{
	struct target t = {.pool = NULL, .space = ++r->spaces};

	if (r->event->kind == EVENT_MAPPING)
		read_settings(r, &t, "");
	else if (!is_null(r))
		refuse(r, NULL, "'global' must be a mapping of directives");
}

static void read_pools(struct reader *r)
{
	uint32_t names = ++r->spaces;
	struct pool_conf *last = NULL;
	struct mapping m;

	if (is_null(r))
		return;
	if (r->event->kind != EVENT_MAPPING) {
		refuse(r, NULL,
		    "'pools' must be a mapping: 'NAME:' and below it the pool's directives");
		return;
	}
	if (!enter_mapping(r, &m))
		return;
	while (next_pair(r, &m)) {
		struct target t = {.space = ++r->spaces};

		if (doubled(r, names, lower(r, m.key), &m.at)) {
			skip(r);
			continue;
		}
		t.pool = last = build_pool(r->build, m.key, &m.at);
		if (t.pool == NULL) {
			r->failed = true;
			skip(r);
		} else if (r->event->kind == EVENT_MAPPING) {
			read_settings(r, &t, "");
		} else if (!is_null(r)) {
			refuse(r, NULL, "'%s' must be a mapping of directives", m.key);
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

	if (r->event->kind == EVENT_TEXT) {
		include(r);
	} else if (r->event->kind != EVENT_LIST) {
		refuse(r, NULL, "%s", wanted);
	} else {
		while (next(r) && r->event->kind != EVENT_LIST_END) {
			if (r->event->kind == EVENT_TEXT)
				include(r);
			else
				refuse(r, NULL, "%s", wanted);
		}
	}
}

static const char top_level[] = "The top level has: global, include, pools.";

static void read_top(struct reader *r)
{
	struct mapping m;

	if (!enter_mapping(r, &m))
		return;
	while (next_pair(r, &m)) {
		if (strcmp(m.key, "global") == 0) {
			read_global(r);
		} else if (strcmp(m.key, "include") == 0) {
			read_include(r);
		} else if (strcmp(m.key, "pools") == 0) {
			read_pools(r);
		} else {
			complain(r, &m.at, top_level, "unknown entry '%s'", m.key);
			skip(r);
		}
	}
}

static void read_stream(struct reader *r)
{
	struct conf_origin at;

	/* STREAM-START, then DOCUMENT-START, or the end of an empty file. */
	if (!next(r) || !next(r) || r->event->kind == EVENT_STREAM_END || !next(r))
		return;
	if (r->event->kind == EVENT_MAPPING)
		read_top(r);
	else if (!is_null(r))
		refuse(r, top_level, "the file must be a mapping");
	/* DOCUMENT-END, then STREAM-END. */
	if (!next(r) || !next(r) || r->event->kind == EVENT_STREAM_END)
		return;
	at = here(r);
	complain(r, &at, "Put it into a file of its own and include that.",
	    "a second document begins here: one file is one document");
}

int yaml_read(struct conf_build *build, const char *file, const char *text, size_t n)
{
	struct reader r = {.build = build, .events = yaml_events_open(file, text, n)};

	if (r.events == NULL)
		return build_complain(build, CONF_ERROR, NULL, NULL, NULL, "out of memory");
	r.scratch = arena_new(16384);
	r.names = names_new(r.scratch);
	read_stream(&r);
	yaml_events_close(r.events);
	arena_free(r.scratch);
	return r.failed ? -1 : 0;
}
