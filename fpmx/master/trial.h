/*
 * trial: before a master gives way, the program that is to follow it reads the
 * configuration and says whether it is good.
 *
 * Runs in: master.
 * The program is what lies now where we were started from, so an upgrade, a
 * downgrade or php-fpm itself judges by its own rules: "PROGRAM -t" with our
 * own options, in a process beside us. fpmx rehearses the start, too
 * (rehearse.h).
 * Never: blocks; takes longer than its limit; lets its output grow without one.
 */
#ifndef FPMX_MASTER_TRIAL_H
#define FPMX_MASTER_TRIAL_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/loop.h"
#include "base/strbuf.h"

struct trial_setup {
	struct loop *loop;
	char *const *argv;          /* our own */
	const struct rlimit *files; /* limit of open files to be given back, or NULL */
	/* Makes the list for a rehearsal, a descriptor >= 3 that is the trial's then. */
	int (*list)(void *ctx, struct err *);
	/* Its end. What was wrong is in the log by then. */
	void (*done)(void *ctx, bool passed);
	void *ctx;
};

struct trial {
	struct trial_setup set;

	/* run-time state */
	pid_t pid; /* 0: none runs */
	int pidfd, output;
	bool passed;           /* the last one to end */
	uint64_t passed_at_ms; /* when it did */
	bool again;            /* the configuration may have changed since it was read */
	bool late;
	struct strbuf text;
	struct loop_handle exit_watch, output_watch, timer;
};

void trial_init(struct trial *, const struct trial_setup *);

/*
 * Begins one; done() is called later. Where one runs already it is repeated
 * after its end, and only the last one counts.
 */
int trial_start(struct trial *, struct err *) __attribute__((warn_unused_result));

/* Has one passed just now, and does none run? Then what was tested is what is there. */
bool trial_holds(const struct trial *);

/* Does one run? */
bool trial_runs(const struct trial *);

/* Ends one that runs; done() is not called. */
void trial_cancel(struct trial *);

/* Whose pid is that? */
bool trial_knows(const struct trial *, pid_t);

#endif
