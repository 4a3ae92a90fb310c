/*
 * reload: the last moment of a master that makes way for its successor.
 *
 * Runs in: master, when its processes are gone.
 */
#ifndef FPMX_MASTER_RELOAD_H
#define FPMX_MASTER_RELOAD_H

#include "base/err.h"
#include "master/handover.h"

/*
 * Executes the program that lies where we were started from, with the same
 * words and environment and with what is handed over. Comes back only on
 * failure, with -1.
 */
int reload_exec(char *const *argv, const struct handover *, struct err *)
    __attribute__((warn_unused_result));

#endif
