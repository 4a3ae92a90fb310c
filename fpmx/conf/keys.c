/*
 * keys: the table of directives (keys.def) at run time.
 *
 * Runs in: master, engine.
 * Pure, constant.
 */
#include "conf/keys.h"

#include <string.h>
#include <strings.h>
#include <syslog.h>

#include "base/must.h"

/* A row is only as right as its field: each type names the member it fills. */
#define MEMBER_STRING(f) f
#define MEMBER_PATH(f) f
#define MEMBER_BOOL(f) f
#define MEMBER_INT(f) f
#define MEMBER_DURATION(f) f##_ms
#define MEMBER_MODE(f) f
#define MEMBER_LIST(f) f
#define MEMBER_MAP(f) f
#define MEMBER_FLAGS(f) name /* no field: the row before has it */
#define MEMBER_CORE_SIZE(f) f
#define MEMBER_FACILITY(f) f
#define MEMBER_PM(f) f
#define MEMBER_LOG_LEVEL(f) f
#define MEMBER_POOL_MODE(f) f
#define MEMBER_EXIT_POLICY(f) f
#define MEMBER_AFTERWARDS(f) f
#define MEMBER_FREEZE_AUDIT(f) f
#define MEMBER_OTHER_SCRIPTS(f) f
#define MEMBER_WIRE_INI(f) f

#define RECORD_GLOBAL struct global_conf
#define RECORD_POOL struct pool_conf

#define ANY LIMITS_NONE, 0, 0
#define RANGE(low, high) LIMITS_REFUSE, low, high
#define USUAL(low, high) LIMITS_WARN, low, high

const struct conf_row conf_rows[KEY_MAX] = {
#define KEY(scope, f, name, type, def, check, maker, change, state, doc)                    \
	[KEY_##scope##_##f] = {SCOPE_##scope, TYPE_##type, name, def, check, MAKER_##maker, \
	    CHANGE_##change, STATE_##state, doc, offsetof(RECORD_##scope, MEMBER_##type(f))},
#include "conf/keys.def"
#undef KEY
};

_Static_assert(KEY_POOL_php_flag == KEY_POOL_php_value + 1, "flags follow their values");
_Static_assert(
    KEY_POOL_php_admin_flag == KEY_POOL_php_admin_value + 1, "flags follow their values");

static const struct conf_word
#define ENUM_BEGIN(TYPE, type) type##_words[] = {
#define WORD(TYPE, ident, word) {word, TYPE##_##ident},
#define ALIAS(TYPE, ident, word) {word, TYPE##_##ident},
#define ENUM_END(TYPE)           \
	{                        \
		NULL, TYPE##_MAX \
	}                        \
	}                        \
	,
#include "conf/enums.def"
#undef ENUM_BEGIN
#undef WORD
#undef ALIAS
#undef ENUM_END
    facility_words[] = {{"auth", LOG_AUTH}, {"authpriv", LOG_AUTHPRIV}, {"cron", LOG_CRON},
	{"daemon", LOG_DAEMON}, {"ftp", LOG_FTP}, {"kern", LOG_KERN}, {"lpr", LOG_LPR},
	{"mail", LOG_MAIL}, {"news", LOG_NEWS}, {"syslog", LOG_SYSLOG}, {"user", LOG_USER},
	{"uucp", LOG_UUCP}, {"local0", LOG_LOCAL0}, {"local1", LOG_LOCAL1}, {"local2", LOG_LOCAL2},
	{"local3", LOG_LOCAL3}, {"local4", LOG_LOCAL4}, {"local5", LOG_LOCAL5},
	{"local6", LOG_LOCAL6}, {"local7", LOG_LOCAL7}, {NULL, 0}};

const struct conf_word *keys_words(enum conf_type type)
{
	switch (type) {
	case TYPE_PM:
		return pm_words;
	case TYPE_LOG_LEVEL:
		return log_level_words;
	case TYPE_POOL_MODE:
		return pool_mode_words;
	case TYPE_EXIT_POLICY:
		return exit_policy_words;
	case TYPE_AFTERWARDS:
		return afterwards_words;
	case TYPE_FREEZE_AUDIT:
		return freeze_audit_words;
	case TYPE_OTHER_SCRIPTS:
		return other_scripts_words;
	case TYPE_WIRE_INI:
		return wire_ini_words;
	case TYPE_FACILITY:
		return facility_words;
	default:
		return NULL;
	}
}

const char *keys_word(enum conf_type type, int value)
{
	const struct conf_word *w = keys_words(type);

	must(w != NULL);
	for (; w->word != NULL; w++) {
		if (w->value == value)
			return w->word;
	}
	return NULL;
}

const char *conf_pm_word(enum conf_pm pm)
{
	return keys_word(TYPE_PM, (int)pm);
}

const char *conf_pool_mode_word(enum conf_pool_mode mode)
{
	return keys_word(TYPE_POOL_MODE, (int)mode);
}

const struct conf_row *keys_find(enum conf_scope scope, const char *name)
{
	for (size_t i = 0; i < KEY_MAX; i++) {
		if (conf_rows[i].scope == scope && strcasecmp(conf_rows[i].name, name) == 0)
			return &conf_rows[i];
	}
	return NULL;
}

/* Longest name worth comparing; the longest directive has 40 letters. */
#define NEAR_BYTES 63

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Letters to insert, drop, change or swap with a neighbour, to make a of b. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[3][NEAR_BYTES + 1];
	size_t la = strlen(a), lb = strlen(b);

	if (la > NEAR_BYTES || lb > NEAR_BYTES)
		return NEAR_BYTES;
	for (size_t j = 0; j <= lb; j++)
		row[0][j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t *now = row[i % 3], *before = row[(i + 2) % 3], *earlier = row[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t change = strncasecmp(a + i - 1, b + j - 1, 1) != 0;

			now[j] = least(before[j] + 1, now[j - 1] + 1);
			now[j] = least(now[j], before[j - 1] + change);
			if (i > 1 && j > 1 && strncasecmp(a + i - 1, b + j - 2, 1) == 0 &&
			    strncasecmp(a + i - 2, b + j - 1, 1) == 0)
				now[j] = least(now[j], earlier[j - 2] + 1);
		}
	}
	return row[la % 3][lb];
}

/* People write underscores for dots, and leave the "pm." out. */
static size_t name_distance(const char *written, const char *name)
{
	const char *tail = strrchr(name, '.');
	size_t d = edit_distance(written, name);

	if (tail != NULL && strcasecmp(tail + 1, written) == 0)
		return 0;
	return d;
}

const char *keys_nearest(enum conf_scope scope, const char *name)
{
	/* A third of the letters wrong is not a slip any more. */
	size_t best = least(strlen(name) / 3, 4) + 1, d;
	const char *nearest = NULL;

	for (size_t i = 0; i < KEY_MAX; i++) {
		if (conf_rows[i].scope != scope)
			continue;
		d = name_distance(name, conf_rows[i].name);
		if (d < best) {
			best = d;
			nearest = conf_rows[i].name;
		}
	}
	if (edit_distance(name, "include") < best)
		return "include";
	return nearest;
}
