/*
 * notify: datagrams to the service manager that has started us.
 *
 * Runs in: master.
 * Speaks systemd's notification protocol: lines NAME=VALUE to the socket that
 * $NOTIFY_SOCKET names. It is spoken here and not by libsystemd, whose
 * sd_notify() waits while the other side's queue is full; docs/why/notify.md.
 * Never: blocks; leaves a word of this in the environment that children get.
 */
#ifndef FPMX_MASTER_NOTIFY_H
#define FPMX_MASTER_NOTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Those of $NOTIFY_SOCKET and its like that are kept for a later exec. */
#define NOTIFY_NAMES 4
/* What has to arrive and could not be sent yet. */
#define NOTIFY_WAITING_MAX 8

struct notify {
	int fd;               /* connected; -1: nobody asks */
	uint32_t watchdog_ms; /* ends us when it hears nothing for so long; 0: it does not */
	bool stores;          /* keeps descriptors for the next start */
	char *saved[NOTIFY_NAMES];
	char *waiting[NOTIFY_WAITING_MAX]; /* oldest first */
	size_t nwaiting;
	bool complained; /* the log knows that nobody hears */
};

/* Takes it all out of the environment. Nobody to be told is no error. */
void notify_init(struct notify *);

/* Tries once more to send what waits, then forgets everything. */
void notify_free(struct notify *);

/* Puts it back into the environment, for an exec that replaces this process. */
int notify_restore(const struct notify *, struct err *) __attribute__((warn_unused_result));

bool notify_is_on(const struct notify *);

/*
 * For what has to arrive, in order: where there is no room in the queue of the
 * other side it waits until notify_flush(). false: there will be none.
 */
bool notify_say(struct notify *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For what is out of date soon: sent now or never. */
void notify_hint(struct notify *, const char *text);

/* Sends what waits, as far as there is room. */
void notify_flush(struct notify *);

/* Hands over a copy of the descriptor under that name. false: try again later. */
bool notify_store(struct notify *, const char *name, int fd) __attribute__((warn_unused_result));
/* The copies of that name are closed. false: try again later. */
bool notify_unstore(struct notify *, const char *name) __attribute__((warn_unused_result));

#endif
