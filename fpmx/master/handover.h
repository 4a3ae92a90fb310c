/*
 * handover: what a master leaves to the program that takes its place.
 *
 * Runs in: master, right before its exec and right after its start.
 * In the environment:
 *   FPM_SOCKETS, FPM_SOCKETS_1 ...  php-fpm's, so that either program can
 *       replace the other: "key=fd,key=fd", 128 in each.
 *   FPMX_HANDOVER=fd  our own, a sealed memfd with a version in its first
 *       line and one line for each thing handed over. It knows what the other
 *       cannot say: which file a socket was bound to, and whether it is ours.
 *   FPMX_PID_FILE=path  the pid file, if there is one: where the next program
 *       has another one, it removes this.
 * Never: trusts either. A record counts only for the process that has written
 * it, and a socket only if it is the very one that was recorded: php-fpm passes
 * on what it does not know, and by then the numbers may mean something else.
 */
#ifndef FPMX_MASTER_HANDOVER_H
#define FPMX_MASTER_HANDOVER_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "master/inherit.h"
#include "master/listener.h"

/* Takes all of it out of the environment and fills the table. */
void handover_read(struct inherit *);

/* Removes all of it from the environment, unread. */
void handover_forget(void);

/* What is going to be handed over; the zero value is empty. */
struct handover {
	size_t n, room;
	const struct listener **listeners;
	/*
	 * Lent sockets that no pool uses now, or NULL. They are in our record
	 * alone: php-fpm would remove their paths.
	 */
	const struct inherit *rest;
	const char *pid_path; /* or NULL */
};

void handover_add(struct handover *, const struct listener *);

/*
 * Puts all of it into the environment and lets the descriptors survive an
 * exec, blocking, as php-fpm wants them.
 */
int handover_write(const struct handover *, struct err *) __attribute__((warn_unused_result));

/* The kernel's number for a socket, never given twice; 0: it is none. */
uint64_t handover_cookie(int fd);

void handover_free(struct handover *);

#endif
