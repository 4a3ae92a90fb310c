/*
 * value: one value, from text into its field and back.
 *
 * Runs in: master, engine.
 * Pure.
 */
#include "conf/value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/must.h"

#define NOT_A_NUMBER "is not a valid number (greater or equal than zero)"

/* The longest duration that fits, in whole seconds: 49 days. */
#define DURATION_MAX_S (UINT32_MAX / 1000)

struct reading {
	const struct conf_row *row;
	void *field;
	struct arena *arena;
	const char *text;
	struct value_verdict *verdict;
};

static int refuse(struct reading *r, const char *reason)
{
	r->verdict->refusal = reason;
	return -1;
}

int value_bool(const char *text, bool *value)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {{"1", true}, {"yes", true}, {"true", true}, {"on", true}, {"0", false},
	    {"no", false}, {"none", false}, {"false", false}, {"off", false}, {"", false}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(words[i].word, text) == 0) {
			*value = words[i].value;
			return 0;
		}
	}
	return -1;
}

static int read_bool(struct reading *r)
{
	if (value_bool(r->text, r->field) != 0)
		return refuse(r, "invalid boolean value");
	return 0;
}

/* Digits behind at most one sign, as php-fpm has it; "" and "-" are 0. */
static int read_int32(struct reading *r, int32_t *value)
{
	const char *digits = r->text + (*r->text == '-');
	long long n;

	if (digits[strspn(digits, "0123456789")] != '\0')
		return refuse(r, NOT_A_NUMBER);
	errno = 0;
	n = strtoll(r->text, NULL, 10);
	if (errno != 0 || n < INT32_MIN || n > INT32_MAX)
		return refuse(r, "is not a valid number (too large)");
	*value = (int32_t)n;
	return 0;
}

static int read_int(struct reading *r)
{
	int32_t *value = r->field;

	if (read_int32(r, value) != 0)
		return -1;
	if (r->row->limits == LIMITS_WARN && (*value < r->row->low || *value > r->row->high))
		r->verdict->warning = arena_printf(r->arena,
		    "'%s' is hardly meant: a usual value of '%s' is at least %lld", r->text,
		    r->row->name, (long long)r->row->low);
	return 0;
}

static int read_core(struct reading *r)
{
	struct conf_core *core = r->field;
	int32_t bytes;

	if (strcasecmp(r->text, "unlimited") == 0) {
		*core = (struct conf_core){.unlimited = true};
		return 0;
	}
	if (read_int32(r, &bytes) != 0)
		return -1;
	if (bytes < 0)
		return refuse(r, "must be greater than zero or 'unlimited'");
	*core = (struct conf_core){.bytes = bytes};
	return 0;
}

static uint32_t unit_seconds(char suffix)
{
	switch (suffix) {
	case 'm':
		return 60;
	case 'h':
		return 60 * 60;
	case 'd':
		return 24 * 60 * 60;
	default:
		return 1;
	}
}

/*
 * php-fpm looks at the last character for the unit and takes the digits at the
 * front, whatever stands between: "5ms" is five seconds. Taken, but warned of.
 */
static int read_duration_fpm(struct reading *r)
{
	size_t n = strlen(r->text);
	uint32_t *ms = r->field;
	long long count;
	char *rest, last;

	if (n == 0)
		return refuse(r, "invalid time value");
	last = r->text[n - 1];
	if (strchr("smhd", last) == NULL && !isdigit((unsigned char)last))
		return refuse(r, "unknown suffix used in time value");
	count = strtoll(r->text, &rest, 10);
	rest += strspn(rest, " ");
	if (rest == r->text || (*rest != '\0' && rest[1] != '\0') || count < 0)
		r->verdict->warning =
		    arena_printf(r->arena, "the time '%s' is read as %lld%c, as php-fpm reads it",
			r->text, count < 0 ? 0 : count, isdigit((unsigned char)last) ? 's' : last);
	if (count < 0)
		count = 0;
	if (count > DURATION_MAX_S / unit_seconds(last)) {
		count = DURATION_MAX_S / unit_seconds(last);
		r->verdict->warning = arena_printf(
		    r->arena, "the time '%s' is read as 49 days, the longest there is", r->text);
	}
	*ms = (uint32_t)count * unit_seconds(last) * 1000;
	return 0;
}

/* Our own keys: a number, then ms, s, m, h or d; no unit is seconds. */
static int read_duration_own(struct reading *r)
{
	uint64_t unit_ms, count;
	uint32_t *ms = r->field;
	char *unit;

	if (!isdigit((unsigned char)*r->text))
		return refuse(r, "invalid time value");
	errno = 0;
	count = strtoull(r->text, &unit, 10);
	if (strcmp(unit, "ms") == 0)
		unit_ms = 1;
	else if (*unit == '\0' || (strchr("smhd", *unit) != NULL && unit[1] == '\0'))
		unit_ms = UINT64_C(1000) * unit_seconds(*unit);
	else
		return refuse(r, "unknown suffix used in time value");
	if (errno != 0 || count > UINT32_MAX / unit_ms)
		return refuse(r, "invalid time value (longer than 49 days)");
	*ms = (uint32_t)(count * unit_ms);
	return 0;
}

/*
 * php-fpm reads what it can as octal and gives the socket mode 0 when that is
 * nothing; nobody wants that.
 */
static int read_mode(struct reading *r)
{
	struct conf_mode *mode = r->field;
	unsigned long bits;

	errno = 0;
	bits = strtoul(r->text, NULL, 8);
	if (r->text[strspn(r->text, "01234567")] != '\0' || errno != 0 || bits > 07777)
		return refuse(r, "is not a mode in octal digits");
	*mode = (struct conf_mode){.bits = (uint32_t)bits, .text = arena_strdup(r->arena, r->text)};
	return 0;
}

static const char *word_refusal(const struct reading *r)
{
	struct strbuf text;
	const char *refusal;

	switch (r->row->type) {
	case TYPE_PM:
		return "invalid process manager (static, dynamic or ondemand)";
	case TYPE_LOG_LEVEL:
		return "invalid value for 'log_level'";
	case TYPE_FACILITY:
		return "invalid value";
	default:
		break;
	}
	strbuf_init(&text, 256);
	strbuf_adds(&text, "must be one of");
	for (const struct conf_word *w = keys_words(r->row->type); w->word != NULL; w++) {
		/* Not its aliases. */
		if (keys_word(r->row->type, w->value) == w->word)
			strbuf_printf(&text, "%s %s", w->value == 0 ? "" : ",", w->word);
	}
	refusal = arena_strdup(r->arena, strbuf_str(&text));
	strbuf_free(&text);
	return refusal;
}

/* Enums all have the size of int: keys.c fills words from the same rows. */
static int read_word(struct reading *r)
{
	_Static_assert(sizeof(enum conf_pm) == sizeof(int), "an enum field is read as an int");
	int *value = r->field;

	for (const struct conf_word *w = keys_words(r->row->type); w->word != NULL; w++) {
		if (strcasecmp(w->word, r->text) == 0) {
			*value = w->value;
			return 0;
		}
	}
	return refuse(r, word_refusal(r));
}

int value_read(const struct conf_row *row, void *record, struct arena *arena, const char *text,
    struct value_verdict *verdict)
{
	struct reading r = {.row = row,
	    .field = value_field(row, record),
	    .arena = arena,
	    .text = text,
	    .verdict = verdict};

	*verdict = (struct value_verdict){0};
	switch (row->type) {
	case TYPE_STRING:
	case TYPE_PATH:
		*(const char **)r.field = arena_strdup(arena, text);
		return 0;
	case TYPE_BOOL:
		return read_bool(&r);
	case TYPE_INT:
		return read_int(&r);
	case TYPE_DURATION:
		return row->maker == MAKER_FPM ? read_duration_fpm(&r) : read_duration_own(&r);
	case TYPE_MODE:
		return read_mode(&r);
	case TYPE_CORE_SIZE:
		return read_core(&r);
	case TYPE_PM:
	case TYPE_LOG_LEVEL:
	case TYPE_POOL_MODE:
	case TYPE_EXIT_POLICY:
	case TYPE_AFTERWARDS:
	case TYPE_FREEZE_AUDIT:
	case TYPE_OTHER_SCRIPTS:
	case TYPE_WIRE_INI:
	case TYPE_FACILITY:
		return read_word(&r);
	case TYPE_LIST:
	case TYPE_MAP:
	case TYPE_FLAGS:
	case TYPE_MAX:
		break;
	}
	must(!"a list or a map is not one value");
	return -1;
}

static bool print_string(const char *text, struct strbuf *out)
{
	if (text == NULL)
		return false;
	strbuf_adds(out, text);
	return true;
}

static void print_duration(uint32_t ms, struct strbuf *out)
{
	if (ms % 1000 == 0)
		strbuf_printf(out, "%us", ms / 1000);
	else
		strbuf_printf(out, "%ums", ms);
}

bool value_print(const struct conf_row *row, const void *record, struct strbuf *out)
{
	const void *field = value_field_const(row, record);
	const struct conf_core *core = field;

	switch (row->type) {
	case TYPE_STRING:
	case TYPE_PATH:
		return print_string(*(const char *const *)field, out);
	case TYPE_MODE:
		return print_string(((const struct conf_mode *)field)->text, out);
	case TYPE_BOOL:
		strbuf_adds(out, *(const bool *)field ? "yes" : "no");
		return true;
	case TYPE_INT:
		strbuf_printf(out, "%d", *(const int32_t *)field);
		return true;
	case TYPE_DURATION:
		print_duration(*(const uint32_t *)field, out);
		return true;
	case TYPE_CORE_SIZE:
		if (core->unlimited)
			strbuf_adds(out, "unlimited");
		else
			strbuf_printf(out, "%d", core->bytes);
		return true;
	case TYPE_PM:
	case TYPE_LOG_LEVEL:
	case TYPE_POOL_MODE:
	case TYPE_EXIT_POLICY:
	case TYPE_AFTERWARDS:
	case TYPE_FREEZE_AUDIT:
	case TYPE_OTHER_SCRIPTS:
	case TYPE_WIRE_INI:
	case TYPE_FACILITY:
		strbuf_adds(out, keys_word(row->type, *(const int *)field));
		return true;
	case TYPE_LIST:
	case TYPE_MAP:
	case TYPE_FLAGS:
	case TYPE_MAX:
		break;
	}
	return false;
}

void value_defaults(enum conf_scope scope, void *record, struct arena *arena)
{
	struct value_verdict verdict;

	for (size_t i = 0; i < KEY_MAX; i++) {
		const struct conf_row *row = &conf_rows[i];

		if (row->scope == scope && row->standard != NULL)
			must(value_read(row, record, arena, row->standard, &verdict) == 0);
	}
}

void list_add(struct conf_list *list, struct arena *arena, const char *item)
{
	list->items = arena_grow(arena, list->items, list->n, sizeof(*list->items));
	list->items[list->n++] = item;
}

void map_add(struct conf_map *map, struct arena *arena, const struct conf_pair *pair)
{
	map->pairs = arena_grow(arena, map->pairs, map->n, sizeof(*map->pairs));
	map->pairs[map->n++] = *pair;
}
