/*
 * slot: one place for a worker, as the master sees it.
 *
 * Runs in: master.
 * States are what the master knows from its own acts and from the kernel; what
 * the worker says of itself is on the scoreboard and is not trusted here.
 */
#ifndef FPMX_MASTER_SLOT_H
#define FPMX_MASTER_SLOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"

enum slot_state {
	SLOT_FREE,
	SLOT_ORDERED,  /* the template was asked to fork */
	SLOT_LOST,     /* the template died with the order: a worker may be there or not */
	SLOT_RUNNING,  /* a child of ours, by its pidfd */
	SLOT_RETIRING, /* told to leave after its request */
	SLOT_KILLED,   /* SIGKILL was sent */
	SLOT_STATE_MAX
};

extern const char *const slot_state_names[SLOT_STATE_MAX];

struct crew;
struct output;

struct slot {
	enum slot_state state;
	struct crew *crew;   /* whose slot it is */
	uint32_t order;      /* number of the fork order, never used twice */
	uint64_t generation; /* of the template that got the order */
	pid_t pid;           /* for people and logs; signals go through the pidfd */
	int pidfd;
	struct loop_handle watch;
	uint64_t since_ms;      /* of the state */
	uint64_t started_us;    /* of the worker, monotonic */
	uint64_t ordered_at_ms; /* of the order */
	uint64_t idle_at_ms;    /* of the first look in this state that found it idle; 0: none */
	struct output *output;  /* caught stdout and stderr, or NULL */
	uint64_t slow_us;       /* start of its request that was found slow; 0: none */
	bool trace_due;         /* that request is to be traced */
	uint64_t over_us;       /* start of its request that was told to end; 0: none */
	uint64_t over_at_ms;    /* when it was told first */
	bool surplus;           /* sent away because there were too many */
	bool replace;           /* when it has gone, another is to follow */
};

bool slot_may_move(enum slot_state from, enum slot_state to);

/* The only way to change the state; a move that is not in the table is our bug. */
void slot_move(struct slot *, enum slot_state to, uint64_t now_ms);

/* Is there, or may there be, a process? */
bool slot_is_taken(const struct slot *);

/* Is there a process that we hold by its pidfd? */
bool slot_has_process(const struct slot *);

#endif
