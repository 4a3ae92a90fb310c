/*
 * yamlhint: where and what to do when text is not YAML.
 *
 * Runs in: master, engine.
 * Pure. The parser's own words name the state it was in; people need the slip
 * they made.
 */
#ifndef FPMX_CONF_YAMLHINT_H
#define FPMX_CONF_YAMLHINT_H

#include <stddef.h>

#include "conf/conf.h"

/* What libyaml says, and where in the text; line and column from 0, as its. */
struct yaml_slip {
	const char *context; /* may be NULL */
	const char *problem;
	const char *text;
	size_t n;
	size_t line, column; /* column in characters */
};

/* A sentence about it, or NULL when there is nothing to add. */
const char *yaml_hint(const struct yaml_slip *);

/* Line and column, from 1, of the byte at offset. */
void yaml_place(const char *text, size_t n, size_t offset, struct conf_origin *);

#endif
