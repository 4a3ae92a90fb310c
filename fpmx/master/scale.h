/*
 * scale: how many workers a pool should have.
 *
 * Runs in: master.
 * Pure: counts in, decision out. Never forks, logs, or reads a clock; pool.c
 * acts on the answer.
 * Keeps php-fpm's meaning of static, dynamic and ondemand, but answers when
 * something happens and not only each second: connections that wait get their
 * workers at once (at most pm.max_spawn_rate a second in a dynamic pool), while
 * spare workers are made at php-fpm's doubling rate.
 * Workers of mode isolated serve one request each: spares are made as they are
 * used up, and an ondemand pool keeps one after each request.
 */
#ifndef FPMX_MASTER_SCALE_H
#define FPMX_MASTER_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

struct scale_view {
	unsigned idle, busy, starting, retiring;
	unsigned waiting; /* connections in the listen queue; 0 if unknown */
	unsigned room;    /* workers that process.max still allows */
	unsigned rate;    /* dynamic: php-fpm's doubling rate, kept by the caller; at least 1 */
	unsigned spawned; /* dynamic: ordered since the last tick */
	unsigned lost;    /* dynamic, isolated: workers that ended unasked and were not made good */
	bool filling;     /* dynamic: pm.start_servers have not been reached yet */
	bool tick;        /* the pass of each second: shrinking happens only there */
	uint32_t longest_idle_ms; /* of the worker that has been idle longest */
};

struct scale_step {
	unsigned spawn, retire;
	unsigned rate; /* to be kept for the next call */
	bool at_limit; /* wanted a worker and has pm.max_children already */
	bool at_process_max;
	const char *why; /* static, for the debug log */
};

struct scale_step scale_next(const struct pool_conf *, const struct scale_view *)
    __attribute__((warn_unused_result));

#endif
