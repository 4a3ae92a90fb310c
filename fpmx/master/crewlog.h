/*
 * crewlog: what the log says about a crew, in php-fpm's words where it has any.
 *
 * Runs in: master.
 */
#ifndef FPMX_MASTER_CREWLOG_H
#define FPMX_MASTER_CREWLOG_H

#include "master/crew.h"
#include "master/reap.h"
#include "master/scale.h"

/* pm.max_children, process.max, "seems busy": each once until it has passed. */
void crewlog_limits(struct crew *, const struct scale_step *, const struct scale_view *);

/* A worker has ended; w is what its page said last. */
void crewlog_end(
    const struct crew *, const struct slot *, const struct reap_end *, const struct worker_view *w);

/* A request takes too long: elapsed_us, by the page *w. */
enum crewlog_overtime { CREWLOG_SLOW, CREWLOG_TERMINATE, CREWLOG_KILL, CREWLOG_OVERTIME_MAX };
void crewlog_overtime(const struct crew *, const struct slot *, const struct worker_view *w,
    uint64_t elapsed_us, enum crewlog_overtime);

/* Names each request that a stronger signal is about to cut. */
void crewlog_cut(const struct crew *);

#endif
