/*
 * expand: variables of the environment in values.
 *
 * Runs in: master.
 */
#ifndef FPMX_CONF_EXPAND_H
#define FPMX_CONF_EXPAND_H

#include <stddef.h>

#include "base/arena.h"

/*
 * The text with each ${NAME} replaced by that variable of the environment, by
 * nothing when there is none, as php does in its ini files. What has no closing
 * brace stays, and \${ stands for ${. Returns text itself when there is nothing to replace, a copy
 * in the arena, or NULL when that would be longer than max.
 */
const char *expand_env(struct arena *, const char *text, size_t max);

#endif
