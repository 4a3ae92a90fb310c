/*
 * crew: the workers of a pool: their slots, how many there are, what happens
 * when one ends.
 *
 * Runs in: master.
 * Never: takes a worker's word for what decides about processes. Which process
 * is in a slot is proved by its pidfd; the scoreboard says who is idle, which
 * can only hurt the pool that writes it.
 * Converges: whatever an event has missed, the pass of each second makes good.
 */
#ifndef FPMX_MASTER_CREW_H
#define FPMX_MASTER_CREW_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "conf/conf.h"
#include "master/bulletin.h"
#include "master/slot.h"
#include "master/stall.h"
#include "master/template.h"
#include "master/throttle.h"
#include "status/scoreboard.h"

/* Workers of all pools together, against process.max. */
struct crew_total {
	unsigned workers;
	unsigned max; /* 0: no limit */
	bool warned;
};

/* What the crew asks of its pool. */
struct crew_calls {
	/* A worker is wanted and there is no template to fork it. */
	void (*need_template)(void *ctx);
	/* Connections in the queues of all listeners; 0 if unknown. tick: each second's count. */
	unsigned (*waiting)(void *ctx, bool tick);
	/* Fills descriptors that go along with a fork order; how many, or -1. */
	int (*outputs)(void *ctx, struct slot *, int fds[CHAN_FDS_MAX]);
	/* The ordered worker is there. */
	void (*arrived)(void *ctx, struct slot *);
	/* A slot has become free, or its order was not sent. */
	void (*left)(void *ctx, struct slot *);
	/* A worker has died of SIGSEGV or SIGBUS. */
	void (*crashed)(void *ctx);
	/* Shall the pool itself watch its listening sockets? */
	void (*attend)(void *ctx, bool watch);
};

struct crew_setup {
	const struct pool_conf *conf;
	struct loop *loop;
	struct board *board;
	struct template *template;
	struct crew_total *total;
	const struct crew_calls *calls;
	void *ctx;
	uid_t uid; /* that workers must have */
};

struct crew {
	struct crew_setup set;

	/* run-time state */
	struct slot *slots;
	uint32_t nslots;
	uint32_t high; /* slots from here on have never been used */
	uint32_t taken;
	uint32_t next_order;
	uint64_t first_kept; /* workers of generations before it were told to leave */
	bool stopping;       /* no more orders */
	bool filling;        /* dynamic: pm.start_servers are not there yet */
	bool proven;         /* a worker of this template has become idle */
	unsigned rate, spawned, lost;
	unsigned replacing; /* ends whose successor's start is worth a line */
	bool at_limit;
	uint64_t passed_at_ms; /* the last pass of each second */
	struct throttle throttle;
	struct stall stall;
	struct loop_handle retry_timer, prove_timer;
	uint32_t prove_after_ms;
	struct bulletin bulletin;
};

/* crew_free() gives back what this takes. What the setup points to outlives the crew. */
void crew_init(struct crew *, const struct crew_setup *);
void crew_free(struct crew *);

/* Compares wanted with actual and acts. tick: the pass of each second. */
void crew_look(struct crew *, bool tick);

/* From the template. */
void crew_template_ready(struct crew *);
void crew_template_gone(struct crew *);
void crew_forked(struct crew *, const struct msg_forked *);
void crew_refused(struct crew *, const struct msg_refused *);

/* Marks workers of templates before that generation: their pipe has told them to leave. */
void crew_retire_before(struct crew *, uint64_t generation);

/* Tells all workers to leave after their request and be replaced (SIGQUIT). */
void crew_replace_all(struct crew *);

/* No more orders from here on. */
void crew_stop(struct crew *);
/* It is not to stop after all. Who was told to leave goes all the same. */
void crew_resume(struct crew *);

/* To every worker that is there. */
void crew_signal(struct crew *, int signo);

bool crew_knows(const struct crew *, pid_t);

/* The slot's process is gone, or never was: it is free for another order. */
void crew_release(struct crew *, struct slot *);

/* The slot's number on the scoreboard. */
uint32_t crew_number_of(const struct slot *);

#endif
