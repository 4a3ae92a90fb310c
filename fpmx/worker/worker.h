/*
 * worker: serves requests, one at a time, until it is told to retire.
 *
 * Runs in: worker, forked from the template.
 */
#ifndef FPMX_WORKER_WORKER_H
#define FPMX_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "proc/heritage.h"
#include "status/scoreboard.h"

/* What the template hands to the worker that it forks. */
struct worker_start {
	const struct heritage *heritage;
	struct board *board;
	const struct board *shown; /* of heritage->shown; NULL in a usual pool */
	uint32_t slot;
	int orphans[2]; /* of orphans_open(); -1 in a classic pool */
};

/* For the template: the pair that all its workers share. */
int worker_share(int orphans[2], struct err *) __attribute__((warn_unused_result));

struct worker;

/* How the script of a worker has ended. */
enum worker_end {
	WORKER_END_TOLD,  /* it was told to leave */
	WORKER_END_LEFT,  /* it has left the loop of itself */
	WORKER_END_BROKEN /* PHP's state is not to be trusted, or it could not start */
};

/* Sets one up in this process, which has just been forked. NULL: logged why. */
struct worker *worker_open(const struct worker_start *) __attribute__((warn_unused_result));

/* Serves to the end; returns the exit code of the process. */
int worker_run(struct worker *);

/*
 * The same step by step, for workers whose loop is a script's: it is ready; waits
 * for a request and serves it, false when it is to leave; has left the loop, by
 * itself or because it was told to.
 */
void worker_begin(struct worker *);
bool worker_next(struct worker *);

/* The script runs its last code: it has leave_timeout for that. */
void worker_leave_loop(struct worker *);

/*
 * The loop is over for good: who has been accepted and has sent something is told
 * so. Returns the exit code of the process.
 */
int worker_close(struct worker *, enum worker_end);

/* Runs the pool's worker script in this process, to its end. Returns the exit code. */
int worker_run_script(struct worker *, const struct pool_conf *);

#endif
