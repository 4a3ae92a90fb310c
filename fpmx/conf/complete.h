/*
 * complete: what a configuration means beyond its words.
 *
 * Runs in: master, after everything is read and before it is checked.
 * Pure: absolute paths, and values that follow from others.
 */
#ifndef FPMX_CONF_COMPLETE_H
#define FPMX_CONF_COMPLETE_H

#include "conf/conf.h"

/* root is the directory that error_log and pid start from: -p, else localstatedir. */
void complete_conf(struct conf *, const char *root);

/*
 * Once the checks are over: strings that were set to nothing become unset, so
 * that nobody else has to know of empty ones. Their place keeps its line, which
 * is how the dump tells them from those never set.
 */
void complete_empty(struct conf *);

#endif
