/*
 * listener: one listening socket for each address of a pool.
 *
 * Runs in: master.
 * Never: closes a socket that is configured, deletes a file that is not a
 * socket or is not ours, takes a path from a live owner. Each second sockets are
 * looked at: a unix socket whose path has vanished is bound again, and what a
 * worker has shut down listens again.
 */
#ifndef FPMX_MASTER_LISTENER_H
#define FPMX_MASTER_LISTENER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "conf/conf.h"
#include "master/address.h"
#include "master/inherit.h"
#include "master/sockdiag.h"

struct listener {
	/* configuration */
	const struct pool_conf *conf;
	const char *text; /* as configured */

	/* run-time state */
	int fd; /* non-blocking, close-on-exec; -1: not open */
	char key[ADDRESS_KEY_BYTES];
	const char *path; /* unix: the path bound, else NULL */
	dev_t dev;        /* unix: what we have bound */
	ino_t ino;
	const char *name; /* lent: what its owner calls it, or NULL */
	bool lent;        /* its path, owner and mode are somebody else's affair */
	bool complained;  /* the log knows that it cannot be mended */
};

/*
 * Takes the socket over from inherit (NULL: there is none to be had), else
 * binds and listens. Owner, mode and backlog are applied in both cases. A stale unix socket is
 * replaced, under a lock of its folder, so that of two masters that start at once exactly one gets
 * it. Words of failure are php-fpm's.
 */
int listener_open(struct listener *, const struct pool_conf *, const char *text,
    struct inherit *inherit, struct err *) __attribute__((warn_unused_result));

/* Closes the socket and, if asked, removes the path if it is still ours. */
void listener_close(struct listener *, bool unlink_path);

enum listener_look {
	LISTENER_SAME,   /* as it was */
	LISTENER_REBOUND /* fd is a new socket, *old_fd the one before */
};

/* Nobody can connect to it any more: a worker has called shutdown(). */
bool listener_is_shut(const struct listener *);

/* Mends what has become of the socket or of its path. */
enum listener_look listener_look(struct listener *, int *old_fd);

#endif
