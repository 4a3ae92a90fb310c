/*
 * keys: the table of directives (keys.def) at run time.
 *
 * Runs in: master, engine.
 * Pure, constant. Readers, dumps, checks and the generators of documents walk
 * conf_rows; none of them has a list of directives of its own.
 */
#ifndef FPMX_CONF_KEYS_H
#define FPMX_CONF_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "conf/conf.h"

enum conf_scope { SCOPE_GLOBAL, SCOPE_POOL };

enum conf_type {
	TYPE_STRING,
	TYPE_PATH,
	TYPE_BOOL,
	TYPE_INT,
	TYPE_DURATION,
	TYPE_MODE,
	TYPE_LIST,
	TYPE_MAP,
	TYPE_FLAGS,
	TYPE_CORE_SIZE,
	TYPE_FACILITY,
	TYPE_PM,
	TYPE_LOG_LEVEL,
	TYPE_POOL_MODE,
	TYPE_EXIT_POLICY,
	TYPE_AFTERWARDS,
	TYPE_FREEZE_AUDIT,
	TYPE_OTHER_SCRIPTS,
	TYPE_WIRE_INI,
	TYPE_MAX
};

enum conf_limits { LIMITS_NONE, LIMITS_REFUSE, LIMITS_WARN };
enum conf_maker { MAKER_FPM, MAKER_OWN };
enum conf_change { CHANGE_RELOAD, CHANGE_RESTART };
enum conf_state { STATE_ACTED, STATE_PARSED };

/* One row of keys.def. */
struct conf_row {
	enum conf_scope scope;
	enum conf_type type;
	const char *name;
	const char *standard; /* the default as a user would write it, or NULL */
	enum conf_limits limits;
	int64_t low, high;
	enum conf_maker maker;
	enum conf_change change;
	enum conf_state state;
	const char *doc;
	size_t offset; /* of the field in struct global_conf or pool_conf */
};

/* By enum conf_key, which is also the order of the dump. */
extern const struct conf_row conf_rows[KEY_MAX];

#define key_of(row) ((enum conf_key)((row)-conf_rows))

/* The row of that name, any case; NULL if there is none. */
const struct conf_row *keys_find(enum conf_scope, const char *name);

/*
 * The name that was most likely meant, by the number of letters to change; NULL
 * if nothing is near. 'include' counts as a directive of both scopes.
 */
const char *keys_nearest(enum conf_scope, const char *name);

/* The words of an enum type, ending in one without word; NULL for other types. */
struct conf_word {
	const char *word;
	int value;
};
const struct conf_word *keys_words(enum conf_type);

/* The first word of a value, as it is dumped; NULL if it has none. */
const char *keys_word(enum conf_type, int value);

#endif
