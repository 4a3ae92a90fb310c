/*
 * environ: the environment of a pool's template and workers.
 *
 * Runs in: master.
 * Pure but for its reading of the environment that it is given.
 */
#ifndef FPMX_MASTER_ENVIRON_H
#define FPMX_MASTER_ENVIRON_H

#include "base/arena.h"
#include "conf/conf.h"

/*
 * php-fpm's: env[] in reverse order, then USER and HOME (NULL: none) unless
 * env[] sets them; without clear_env the master's environment comes first, where
 * what the pool sets takes the place of what was there. A value $NAME is the
 * master's NAME, "" if it has none. Of two equal names in env[] the first wins.
 * NULL-terminated, in the arena.
 */
const char *const *environ_for_pool(const struct pool_conf *, const char *user, const char *home,
    char *const *master_env, struct arena *) __attribute__((warn_unused_result));

/* The whole environment as a list; its strings are not copied. */
struct conf_list environ_list(char *const *env, struct arena *);

#endif
