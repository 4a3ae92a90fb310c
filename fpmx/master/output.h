/*
 * output: what one worker or template writes to stdout and stderr, brought into
 * the log (catch_workers_output).
 *
 * Runs in: master.
 * Never: reads more than a little of a flood before others have their turn.
 */
#ifndef FPMX_MASTER_OUTPUT_H
#define FPMX_MASTER_OUTPUT_H

#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"
#include "conf/conf.h"

struct output;

/*
 * Makes two pipes; fds gets the ends for the worker's stdout and stderr, which
 * are the caller's. NULL on failure.
 */
struct output *output_open(struct loop *, const struct pool_conf *, uint32_t log_limit, int fds[2],
    struct err *) __attribute__((warn_unused_result));

/* The worker is there: begins to read. */
void output_start(struct output *, pid_t pid);

/*
 * Between the two what is said is kept, for a later place in the log; not more
 * than a little, and no longer than the output is open. NULL is fine to release.
 */
void output_hold(struct output *);
void output_release(struct output *);

/* The worker has gone: what is in the pipes is still said. NULL is fine. */
void output_close(struct output *);

#endif
