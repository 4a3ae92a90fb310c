/*
 * orphans: accepted connections that a worker hands on when it has to end before
 * it could serve them.
 *
 * Runs in: template (open), worker.
 * Fatal errors end workers of a script that has booted. Who waits on a connection
 * that such a worker has accepted, or keeps, has done nothing: all workers of a
 * template share a pair of sockets beside the listening ones, and the next idle
 * worker takes the connection as if it had just been accepted.
 * Only connections of which nothing has been read.
 */
#ifndef FPMX_WORKER_ORPHANS_H
#define FPMX_WORKER_ORPHANS_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/err.h"

struct orphan {
	struct sockaddr_storage peer; /* as accept4() gave it */
	socklen_t peer_len;
};

/* ends[0] to take from, ends[1] to give to: non-blocking, close-on-exec. */
int orphans_open(int ends[2], struct err *) __attribute__((warn_unused_result));

/* False: there is no room. The connection stays the caller's to close. */
bool orphans_give(int end, int connection, const struct orphan *);

/* Its descriptor, or -1: another worker was quicker. */
int orphans_take(int end, struct orphan *);

#endif
