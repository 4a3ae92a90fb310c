/*
 * target: which path a converted file gets.
 *
 * Runs in: master, for --convert.
 * Paths below the folder of the main file keep their place below the output
 * folder; others get their whole path there. Patterns are treated as paths.
 */
#ifndef FPMX_CONF_TARGET_H
#define FPMX_CONF_TARGET_H

#include <stdbool.h>

#include "base/arena.h"

/* The path with all of its folders, as far as they have no wildcard. */
const char *target_absolute(struct arena *, const char *path);

/* Relative to the output folder. base: the absolute path of the main file. */
const char *target_of(struct arena *, const char *base, const char *path);

/* From the folder of one target to another target. */
const char *target_between(struct arena *, const char *from, const char *to);

#endif
