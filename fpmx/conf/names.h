/*
 * names: which names were used already, and in which line.
 *
 * Runs in: master, engine.
 */
#ifndef FPMX_CONF_NAMES_H
#define FPMX_CONF_NAMES_H

#include <stdint.h>

#include "base/arena.h"

struct names;

/* Lives and dies with the arena. */
struct names *names_new(struct arena *) __attribute__((returns_nonnull));

/*
 * Notes that the name is used in that line (not 0). Returns 0, or the line of
 * the first use if there was one; nothing is noted then. The same name in two
 * spaces is two names.
 */
uint32_t names_add(struct names *, uint32_t space, const char *name, uint32_t line)
    __attribute__((warn_unused_result));

#endif
