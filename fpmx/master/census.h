/*
 * census: a crew in numbers, for scale.
 *
 * Runs in: master.
 * Changes nothing. Who is idle is read from the scoreboard, clamped.
 */
#ifndef FPMX_MASTER_CENSUS_H
#define FPMX_MASTER_CENSUS_H

#include "master/crew.h"
#include "master/scale.h"

struct scale_view census_take(struct crew *, bool tick);

/* The worker that has been idle longest, and for how long; NULL: none is idle. */
struct slot *census_longest_idle(struct crew *, uint32_t *idle_for_ms);

/* How many workers process.max still allows. */
unsigned census_room(const struct crew_total *);

#endif
