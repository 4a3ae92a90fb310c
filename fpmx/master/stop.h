/*
 * stop: the ladder from a polite order to SIGKILL, for a stop and for a reload.
 *
 * Runs in: master.
 * What is aimed at only gets stronger: a reload gives way to QUIT, everything
 * to TERM, and a repeated order changes nothing. With each new aim the ladder
 * begins anew, at its own first step.
 */
#ifndef FPMX_MASTER_STOP_H
#define FPMX_MASTER_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"

/* In order of strength. */
enum stop_aim {
	STOP_NOT,
	STOP_RELOAD,    /* USR2: requests may finish, then another program takes over */
	STOP_FINISH,    /* QUIT: requests may finish */
	STOP_TERMINATE, /* TERM */
	STOP_AIM_MAX
};

enum stop_step { STOP_STEP_NONE, STOP_STEP_DRAIN, STOP_STEP_TERM, STOP_STEP_KILL, STOP_STEP_MAX };

/* How the ladder reaches the processes. */
struct stop_calls {
	/* Nobody new; those that are there leave after their requests. */
	void (*drain)(void *ctx);
	/* Those that are still at a request are going to be cut off. */
	void (*cut)(void *ctx);
	void (*signal)(void *ctx, int signo);
	/* Are all gone, and is there nothing else to wait for? */
	bool (*is_over)(void *ctx);
};

struct stop {
	struct loop *loop;
	const struct stop_calls *calls;
	void *ctx;
	enum stop_aim aim;
	enum stop_step step;
	unsigned kills;
	struct loop_handle timer;
};

void stop_init(struct stop *, struct loop *, const struct stop_calls *, void *ctx);

/* Is this more than is under way? */
bool stop_may(const struct stop *, enum stop_aim);

/*
 * Begins; asked before with stop_may(). limit_ms: process_control_timeout, the
 * time between the first signal and the next; 0: ours. The loop is stopped when
 * all processes are gone or given up.
 */
void stop_begin(struct stop *, enum stop_aim, uint32_t limit_ms);

/* All are gone, but the end has to wait for something else: no further step. */
void stop_hold(struct stop *);

/* A reload is given up: there is no aim any more. */
void stop_cancel(struct stop *);

/* A process has ended. */
void stop_look(struct stop *);

#endif
