/*
 * trace: one slow log entry at a time.
 *
 * Runs in: master.
 * The worker is stopped, its template reads where it is and writes the entry,
 * and the worker goes on: docs/why/slow-log-without-ptrace.md.
 * Never: reads a worker's memory, waits for a worker or a template. A worker
 * that does not stop goes on, and so does one whose template takes too long; a
 * template that has died, or never knew the worker, leaves an entry without
 * frames.
 */
#ifndef FPMX_MASTER_TRACE_H
#define FPMX_MASTER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "conf/conf.h"
#include "master/slot.h"
#include "master/template.h"
#include "status/scoreboard.h"

enum trace_state {
	TRACE_NONE,
	TRACE_STOPPING, /* the worker was told to stop */
	TRACE_READING,  /* it stands still, and the template is to read */
	TRACE_LATE,     /* it goes on or has gone, and the answer is still to come */
	TRACE_STATE_MAX
};

struct trace {
	/* set once */
	const struct pool_conf *conf;
	struct loop *loop;
	struct board *board;
	struct template *template;
	void (*done)(void *ctx); /* the next may begin; not called out of trace_begin() */
	void *ctx;

	/* run-time state */
	enum trace_state state;
	struct slot *slot; /* of the worker that stands still; NULL in NONE and LATE */
	pid_t pid;
	uint32_t number;        /* of its slot */
	struct worker_view was; /* its page when the trace began */
	int log_fd;
	uint64_t began_at_ms;
	uint32_t look_after_ms;
	struct loop_handle timer;
};

struct trace_setup {
	const struct pool_conf *conf;
	struct loop *loop;
	struct board *board;
	struct template *template;
	void (*done)(void *ctx);
	void *ctx;
};
/* Makes the slow log of a pool that has one, so that it is there from the start (php-fpm). */
int trace_make_log(const struct pool_conf *, struct err *) __attribute__((warn_unused_result));

void trace_init(struct trace *, const struct trace_setup *);
/* A worker that stands still goes on. */
void trace_free(struct trace *);

/* Only in NONE. number: of the slot on the board, whose page now is *was. */
void trace_begin(struct trace *, struct slot *, uint32_t number, const struct worker_view *was);

/* From the template, and of it. */
void trace_answered(struct trace *, const struct msg_traced *);
void trace_template_gone(struct trace *);

/* The slot's worker has ended. */
void trace_slot_left(struct trace *, const struct slot *);

#endif
