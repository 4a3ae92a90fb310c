/*
 * arrive: how workers come and go: what the template answers to an order, and
 * the end of a process.
 *
 * Runs in: master.
 * A part of crew, which has the promises; crew_forked() and crew_refused() are
 * here too.
 */
#ifndef FPMX_MASTER_ARRIVE_H
#define FPMX_MASTER_ARRIVE_H

#include <sys/types.h>

#include "master/crew.h"

/* The slot's worker is the process behind pidfd, which is the slot's now. -1: not. */
int arrive_settle(struct crew *, struct slot *, pid_t, int pidfd)
    __attribute__((warn_unused_result));

/* The slot's worker came to nothing: others wait. */
void arrive_died_young(struct crew *, const struct slot *);

#endif
