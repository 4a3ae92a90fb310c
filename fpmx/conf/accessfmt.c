/*
 * accessfmt: access.format, understood once.
 *
 * Runs in: master (to check a configuration), worker (to write lines).
 * Pure. One table says what each letter means and what may stand between the
 * braces before it.
 */
#include "conf/accessfmt.h"

#include <string.h>
#include <strings.h>

/* Longest text between braces; php-fpm cuts the rest off without a word. */
#define MODIFIER_MAX 127

/* What may stand between the braces. */
enum braces {
	BRACES_NONE, /* nothing */
	BRACES_UNIT, /* a word of units[] */
	BRACES_NAME, /* a name, and it has to */
	BRACES_TIME  /* a format of strftime */
};

static const struct letter {
	char letter;
	enum access_token token;
	enum braces braces;
	enum access_unit unit; /* without braces */
	const char *what;      /* for the refusal */
} letters[] = {
    {'C', ACCESS_CPU, BRACES_UNIT, ACCESS_CPU_TOTAL, "'total', 'user' or 'system'"},
    {'d', ACCESS_DURATION, BRACES_UNIT, ACCESS_SECONDS,
	"'seconds', 'milli', 'milliseconds', 'micro' or 'microseconds'"},
    {'e', ACCESS_PARAMETER, BRACES_NAME, ACCESS_UNIT_NONE, "environment variable"},
    {'f', ACCESS_SCRIPT, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'l', ACCESS_LENGTH, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'m', ACCESS_METHOD, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'M', ACCESS_MEMORY, BRACES_UNIT, ACCESS_BYTES,
	"'bytes', 'kilo', 'kilobytes', 'mega' or 'megabytes'"},
    {'n', ACCESS_POOL, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'o', ACCESS_HEADER, BRACES_NAME, ACCESS_UNIT_NONE, "header"},
    {'p', ACCESS_PID, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'P', ACCESS_PARENT_PID, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'q', ACCESS_QUERY, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'Q', ACCESS_QUERY_MARK, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'r', ACCESS_URI, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'R', ACCESS_PEER, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'s', ACCESS_STATUS, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
    {'t', ACCESS_STARTED, BRACES_TIME, ACCESS_UNIT_NONE, NULL},
    {'T', ACCESS_ENDED, BRACES_TIME, ACCESS_UNIT_NONE, NULL},
    {'u', ACCESS_USER, BRACES_NONE, ACCESS_UNIT_NONE, NULL},
};

/* "mili" and "miliseconds" are php-fpm's own slips, and taken by it. */
static const struct unit {
	enum access_token token;
	const char *word;
	enum access_unit unit;
} units[] = {
    {ACCESS_CPU, "total", ACCESS_CPU_TOTAL},
    {ACCESS_CPU, "user", ACCESS_CPU_USER},
    {ACCESS_CPU, "system", ACCESS_CPU_SYSTEM},
    {ACCESS_DURATION, "seconds", ACCESS_SECONDS},
    {ACCESS_DURATION, "milli", ACCESS_MILLISECONDS},
    {ACCESS_DURATION, "milliseconds", ACCESS_MILLISECONDS},
    {ACCESS_DURATION, "mili", ACCESS_MILLISECONDS},
    {ACCESS_DURATION, "miliseconds", ACCESS_MILLISECONDS},
    {ACCESS_DURATION, "micro", ACCESS_MICROSECONDS},
    {ACCESS_DURATION, "microseconds", ACCESS_MICROSECONDS},
    {ACCESS_MEMORY, "bytes", ACCESS_BYTES},
    {ACCESS_MEMORY, "kilo", ACCESS_KILOBYTES},
    {ACCESS_MEMORY, "kilobytes", ACCESS_KILOBYTES},
    {ACCESS_MEMORY, "mega", ACCESS_MEGABYTES},
    {ACCESS_MEMORY, "megabytes", ACCESS_MEGABYTES},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TIME_DEFAULT "%d/%b/%Y:%H:%M:%S %z"

/* A format being read, and the items that have come of it. */
struct reading {
	struct arena *arena;
	const char *at; /* next character */
	struct access_item *items;
	size_t n;
};

static void add_item(
    struct reading *r, enum access_token token, enum access_unit unit, const char *name)
{
	r->items[r->n++] = (struct access_item){.token = token, .unit = unit, .name = name};
}

/* "{text}": *modifier is the text, cut, or NULL when there are no braces. */
static int read_braces(struct reading *r, const char **modifier, struct err *e)
{
	const char *end;
	size_t n;

	*modifier = NULL;
	if (*r->at != '{')
		return 0;
	end = strchr(r->at, '}');
	if (end == NULL || end[1] == '\0')
		return err_set(e, "missing closing embrace in the access.format");
	n = (size_t)(end - r->at - 1);
	if (n > 0)
		*modifier = arena_strndup(r->arena, r->at + 1, n < MODIFIER_MAX ? n : MODIFIER_MAX);
	r->at = end + 1;
	return 0;
}

static int read_unit(
    const struct letter *l, const char *modifier, enum access_unit *unit, struct err *e)
{
	*unit = l->unit;
	if (modifier == NULL)
		return 0;
	for (size_t i = 0; i < COUNT(units); i++) {
		if (units[i].token == l->token && strcasecmp(units[i].word, modifier) == 0) {
			*unit = units[i].unit;
			return 0;
		}
	}
	return err_set(
	    e, "only %s are allowed as a modifier for %%%c ('%s')", l->what, l->letter, modifier);
}

static int add_token(struct reading *r, const struct letter *l, const char *modifier, struct err *e)
{
	enum access_unit unit = ACCESS_UNIT_NONE;

	switch (l->braces) {
	case BRACES_NONE:
		if (modifier != NULL)
			return err_set(e, "embrace is not allowed for modifier %%%c", l->letter);
		break;
	case BRACES_UNIT:
		if (read_unit(l, modifier, &unit, e) != 0)
			return -1;
		modifier = NULL;
		break;
	case BRACES_NAME:
		if (modifier == NULL)
			return err_set(e,
			    "the name of the %s must be set between embraces for %%%c", l->what,
			    l->letter);
		break;
	case BRACES_TIME:
		if (modifier == NULL)
			modifier = TIME_DEFAULT;
		break;
	}
	add_item(r, l->token, unit, modifier != NULL ? modifier : "");
	return 0;
}

/* What comes after a "%". */
static int read_token(struct reading *r, struct err *e)
{
	const char *modifier;

	if (read_braces(r, &modifier, e) != 0)
		return -1;
	if (*r->at == '\0')
		return 0;
	if (*r->at == '%') {
		if (modifier != NULL)
			return err_set(e, "embrace is not allowed for modifier %%%%");
		r->at++;
		add_item(r, ACCESS_TEXT, ACCESS_UNIT_NONE, "%");
		return 0;
	}
	for (size_t i = 0; i < COUNT(letters); i++) {
		if (letters[i].letter == *r->at) {
			r->at++;
			return add_token(r, &letters[i], modifier, e);
		}
	}
	return err_set(e, "Invalid token in the access.format (%%%c)", *r->at);
}

int access_format_compile(
    struct arena *arena, const char *text, struct access_format *format, struct err *e)
{
	struct reading r = {.arena = arena, .at = text};
	size_t n;

	/* Every item takes at least one character. */
	r.items = arena_alloc(arena, strlen(text) + 1, sizeof(*r.items));
	while (*r.at != '\0') {
		if (*r.at == '%') {
			r.at++;
			if (read_token(&r, e) != 0)
				return -1;
			continue;
		}
		n = strcspn(r.at, "%");
		add_item(&r, ACCESS_TEXT, ACCESS_UNIT_NONE, arena_strndup(arena, r.at, n));
		r.at += n;
	}
	*format = (struct access_format){.n = r.n, .items = r.items};
	return 0;
}
