/*
 * chase: goes after what an event may have missed: workers that were told to
 * leave and have not, that never became idle, orders that nobody answers.
 *
 * Runs in: master, each second.
 * A part of crew.
 */
#ifndef FPMX_MASTER_CHASE_H
#define FPMX_MASTER_CHASE_H

#include "master/crew.h"

void chase_all(struct crew *);

/* The template that had this slot's order is dead. */
void chase_lose(struct crew *, struct slot *);

#endif
