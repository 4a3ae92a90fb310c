/*
 * wait: what an idle worker waits for, and how it comes to its next request.
 *
 * Runs in: worker.
 * Nobody holds the worker by being quiet: connections without a first byte and
 * kept connections between two requests are parked in the same epoll set as
 * the listening sockets, each with a deadline. One event is taken at a time;
 * the kernel puts what was taken at the end of its list, so whoever has bytes
 * comes next and nobody comes twice before the others. A worker that has parked
 * a silent connection leaves new ones to other idle workers for a moment.
 * Told to retire (end-of-file of the retire pipe, SIGQUIT, or wait_leave()),
 * it accepts nothing more, but whoever has been accepted or kept and has sent
 * something is served first.
 */
#ifndef FPMX_WORKER_WAIT_H
#define FPMX_WORKER_WAIT_H

#include <stdbool.h>

#include "base/err.h"
#include "fcgi/conn.h"
#include "proc/heritage.h"
#include "status/scoreboard.h"
#include "worker/clients.h"

struct wait;

enum wait_result {
	WAIT_NOTHING, /* never returned by wait_next() */
	WAIT_REQUEST, /* the connection has bytes of a request */
	WAIT_SHORT,   /* it has, but we are out of descriptors: answer 503 and close it */
	WAIT_LEAVE    /* retired, and nobody is left to serve */
};

/*
 * All arguments stay the caller's. Takes SIGQUIT, which must be blocked, and
 * unblocks it; to be called before PHP looks at the signal handlers.
 */
struct wait *wait_new(const struct heritage *, const struct board *, const struct clients *,
    struct err *) __attribute__((warn_unused_result));

/*
 * From now on connections that other workers hand on (worker/orphans.h) are taken
 * from ends[0], and those of this one can be given to ends[1].
 */
void wait_share_orphans(struct wait *, const int ends[2]);

/* Hands on what is parked, but for the connection in hand: this worker cannot serve it. */
void wait_give_away(struct wait *);

/*
 * Waits for the next request; the closed conn is opened with its connection.
 * Other deadlines than those of parked connections are conn's.
 */
enum wait_result wait_next(struct wait *, struct conn *);

/* May the connection in hand be kept after its request? */
bool wait_may_keep(const struct wait *);

/*
 * The request of wait_next() is over: a conn that is still open is parked as a
 * kept connection, and is closed for the caller. A kept connection whose request
 * had to wait for another one of ours while other workers are idle is ended:
 * its client connects anew, to one of those.
 */
void wait_done(struct wait *, struct conn *);

/*
 * In a process that a script has forked: closes what it holds of ours, so that
 * no client and no port waits for its end. Not to be waited with any more.
 */
void wait_abandon(struct wait *);

/* Retire. wait_next() goes on until it returns WAIT_LEAVE. */
void wait_leave(struct wait *);

#endif
