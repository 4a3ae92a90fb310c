/*
 * value: one value, from text into its field and back.
 *
 * Runs in: master, engine.
 * Pure. What a text means is decided by the row of keys.def alone, so INI,
 * YAML and the heritage read the same text the same way.
 */
#ifndef FPMX_CONF_VALUE_H
#define FPMX_CONF_VALUE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "conf/keys.h"

/* What value_read() thinks of a text. */
struct value_verdict {
	const char *refusal; /* php-fpm's reason, when -1 was returned */
	const char *warning; /* taken, but hardly meant; or NULL */
};

/*
 * Reads text into the field of row in record (a global_conf or a pool_conf);
 * not for lists and maps. Copies of text are made in the arena. 0 or -1.
 */
int value_read(const struct conf_row *, void *record, struct arena *, const char *text,
    struct value_verdict *) __attribute__((warn_unused_result));

/*
 * Appends the text that value_read() would make the same value of. Nothing is
 * appended, and false returned, for a string that is not set, a list or a map.
 */
bool value_print(const struct conf_row *, const void *record, struct strbuf *);

/* Every field of the scope that has a default gets it. */
void value_defaults(enum conf_scope, void *record, struct arena *);

/* php-fpm's booleans, any case: 1 yes true on, 0 no none false off, "". */
int value_bool(const char *text, bool *value) __attribute__((warn_unused_result));

void list_add(struct conf_list *, struct arena *, const char *item);
void map_add(struct conf_map *, struct arena *, const struct conf_pair *);

/* The field of row in record; the type of the row says what it points to. */
static inline void *value_field(const struct conf_row *row, void *record)
{
	return (char *)record + row->offset;
}

static inline const void *value_field_const(const struct conf_row *row, const void *record)
{
	return (const char *)record + row->offset;
}

#endif
