/*
 * overtime: what is done about requests that take too long.
 *
 * Runs in: master.
 * request_slowlog_timeout: counted, told to the log, traced into the slow log;
 * once for each request. request_terminate_timeout: the worker gets SIGTERM at
 * each look, and SIGKILL where it is still there a second later: one that is
 * stopped, or whose script takes SIGTERM for something else, would stay for ever.
 */
#ifndef FPMX_MASTER_OVERTIME_H
#define FPMX_MASTER_OVERTIME_H

#include "master/crew.h"
#include "master/trace.h"

struct overtime {
	struct crew *crew;
	struct trace trace;
	struct loop_handle timer;
};

/* Looks each every_ms (stopwatch_every_ms()), where the pool has a timeout. */
void overtime_init(struct overtime *, struct crew *, uint32_t every_ms);
void overtime_free(struct overtime *);

#endif
