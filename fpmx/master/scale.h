/*
 * scale: how many workers a pool should have.
 *
 * Runs in: master.
 * Pure: counts in, decision out. Never forks, logs, or reads a clock; pool.c
 * acts on the answer.
 * Keeps php-fpm's meaning of static, dynamic and ondemand.
 */
#ifndef FPMX_MASTER_SCALE_H
#define FPMX_MASTER_SCALE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

struct scale_view {
	unsigned idle, busy, starting, retiring;
	unsigned waiting;         /* connections seen waiting (ondemand, bursts); 0 if unknown */
	unsigned room;            /* workers that process.max still allows */
	unsigned rate;            /* dynamic: php-fpm's doubling rate, kept by the caller */
	bool tick;                /* the pass of each second: shrinking happens only there */
	uint32_t longest_idle_ms; /* of the worker that has been idle longest */
};

struct scale_step {
	unsigned spawn, retire;
	unsigned rate; /* to be kept for the next call */
	bool at_limit; /* wanted more than pm.max_children */
	bool at_process_max;
	const char *why; /* static, for the debug log */
};

struct scale_step scale_next(const struct pool_conf *, const struct scale_view *);

#endif
