/*
 * stale: has a unix socket's path lost its owner?
 *
 * Runs in: master.
 */
#ifndef FPMX_MASTER_STALE_H
#define FPMX_MASTER_STALE_H

#include <stdbool.h>

/*
 * Does nobody listen at this path any more? Only a refusal says so: a full
 * queue, another kind of socket, or that we could not ask, do not.
 */
bool stale_path(const char *path);

#endif
