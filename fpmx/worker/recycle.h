/*
 * recycle: when a worker leaves by policy, to be replaced.
 *
 * Runs in: worker.
 * Pure: counts in, decision out.
 */
#ifndef FPMX_WORKER_RECYCLE_H
#define FPMX_WORKER_RECYCLE_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"

enum recycle {
	RECYCLE_NO,
	RECYCLE_REQUESTS, /* pm.max_requests */
	RECYCLE_ASKED,    /* by the script, or because of what it did */
	RECYCLE_UNSAFE,   /* PHP's state cannot be trusted any more */
	RECYCLE_SPENT,    /* mode isolated: it has served its one request */
	RECYCLE_MAX
};

struct recycle_view {
	uint64_t served; /* requests of this process, the last one included */
	bool asked;      /* the last one wants the worker to be replaced */
	bool unsafe;     /* the last one left PHP in doubt */
	bool spent;      /* PHP was shut down after it */
};

enum recycle recycle_after(const struct pool_conf *, const struct recycle_view *);

/* What the process exits with: how the master is to understand it. */
int recycle_exit_code(enum recycle);

#endif
