/*
 * info: -v, -m and -i: the engine says it, without a pool.
 *
 * Runs in: fpmx before it would become a master.
 */
#ifndef FPMX_MASTER_INFO_H
#define FPMX_MASTER_INFO_H

#include "proc/heritage.h"

/* role: "version", "modules" or "info". Returns the exit code. */
int info_run(const char *role, const struct php_options *, char *const *environ_now);

#endif
