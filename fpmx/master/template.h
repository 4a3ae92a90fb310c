/*
 * template: the process that forks a pool's workers, as the master sees it.
 *
 * Runs in: master. (The process itself is the room template/.)
 * Never: believes it. Every message is checked against the state that we are
 * in; what is ill-timed or malformed costs the template its life. A template
 * that does not come up in time, or does not answer, is killed.
 */
#ifndef FPMX_MASTER_TEMPLATE_H
#define FPMX_MASTER_TEMPLATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"
#include "proc/chan.h"
#include "proc/heritage.h"
#include "proc/privs.h"

enum template_state {
	TEMPLATE_NONE,     /* no process */
	TEMPLATE_STARTING, /* has not said that it is ready */
	TEMPLATE_READY,    /* forks workers */
	TEMPLATE_LEAVING,  /* told to leave, or killed: gets no more orders */
	TEMPLATE_STATE_MAX
};

extern const char *const template_state_names[TEMPLATE_STATE_MAX];

bool template_may_move(enum template_state from, enum template_state to);

struct output;

/* What it tells its pool. None of these may free the template. */
struct template_calls {
	void (*ready)(void *ctx);
	void (*forked)(void *ctx, const struct msg_forked *);
	void (*refused)(void *ctx, const struct msg_refused *);
	void (*traced)(void *ctx, const struct msg_traced *);
	/* The process has ended; the state is TEMPLATE_NONE. */
	void (*gone)(void *ctx, bool was_ready);
};

struct template
{
	/* set once */
	struct loop *loop;
	const char *pool;
	const struct template_calls *calls;
	void *ctx;

	/* run-time state */
	enum template_state state;
	uint64_t generation; /* counts the templates of this pool, from 1 */
	bool was_ready;
	bool told; /* to leave, by us */
	pid_t pid;
	int pidfd, channel;
	int report; /* of its exec; -1 once that is known */
	bool not_executed;
	uint64_t started_us, started_at_ms;
	uint64_t ping; /* number of the last one sent */
	uint64_t ping_at_ms;
	bool ping_open;        /* no answer yet */
	uint64_t trace;        /* number of the last one asked for */
	bool trace_open;       /* no answer yet */
	struct output *output; /* caught stdout and stderr, or NULL */
	struct loop_handle exit_watch, channel_watch, report_watch, timer;
};

void template_init(
    struct template *, struct loop *, const char *pool, const struct template_calls *, void *ctx);

/* How to start one. */
struct template_start {
	struct heritage *heritage; /* all but generation and channel_fd are set */
	int engine_fd;
	const char *const *envp;
	const struct privs *privs;
	uint32_t boot_timeout_ms;
	const struct rlimit *files; /* limit of open files to be given back; NULL: leave */
	bool hold_output;           /* until template_announced() */
};

/* Only in state NONE. Returns -1 with the state still NONE. */
int template_start(struct template *, const struct template_start *, struct err *)
    __attribute__((warn_unused_result));

/* Start-up has been announced in the log: what the template has said may follow. */
void template_announced(struct template *);

/* Asks it to leave; what it still says is heard. Killed if it does not go. */
void template_leave(struct template *);

/* At once; what it has said already is heard. */
void template_kill(struct template *, const char *why);

/* It broke the rules: killed, and nothing that it says is heard any more. */
void template_distrust(struct template *, const char *why);

/* Sends an order; false when there is no room or no ready template: try later. */
bool template_send(struct template *, const struct msg *);

/*
 * Asks for a slow log entry about a worker of this template, which stays the
 * only one until that has been answered or the template has gone. False: it
 * cannot be asked.
 */
bool template_trace(struct template *, struct msg_trace *, int log_fd);

/* Each second: sends a ping, kills a template that has not answered for 5 s. */
void template_tick(struct template *);

#endif
