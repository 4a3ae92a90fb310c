/*
 * stall: connections that wait although workers are idle.
 *
 * Runs in: master.
 * A connection wakes one idle worker. One that is killed in that very moment
 * takes the knowledge with it, and the connection would wait for the next one
 * to come. So, each second: where connections wait, workers are idle, and nobody
 * has begun a request since the second before, one idle worker is told to leave.
 * It looks at the listening sockets once more before it does, and has a
 * successor, which looks at them too.
 */
#ifndef FPMX_MASTER_STALL_H
#define FPMX_MASTER_STALL_H

#include <stdbool.h>
#include <stdint.h>

struct crew;
struct scale_view;

struct stall {
	bool suspected; /* at the look before */
	uint64_t begun; /* requests by then */
};

/*
 * One look. begun: requests that the pool has begun so far. True: somebody is to
 * be woken. Pure.
 */
bool stall_look(struct stall *, const struct scale_view *, uint64_t begun);

/* Each second: looks, and wakes. */
void stall_tick(struct crew *, const struct scale_view *);

#endif
