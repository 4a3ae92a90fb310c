/*
 * worker: serves requests, one at a time, until it is told to retire.
 *
 * Runs in: worker, forked from the template.
 */
#ifndef FPMX_WORKER_WORKER_H
#define FPMX_WORKER_WORKER_H

#include <stdint.h>

#include "proc/heritage.h"
#include "status/scoreboard.h"

/* What the template hands to the worker that it forks. */
struct worker_start {
	const struct heritage *heritage;
	struct board *board;
	const struct board *shown; /* of heritage->shown; NULL in a usual pool */
	uint32_t slot;
};

/* Runs to the end of the process; returns its exit code. */
int worker_run(const struct worker_start *);

#endif
