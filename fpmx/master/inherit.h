/*
 * inherit: listening sockets that this process was started with.
 *
 * Runs in: master.
 * One table, whoever fills it: FPM_SOCKETS and our own record (handover.c)
 * after a reload, and whoever opens sockets for us before the start. Listeners
 * take from it before they bind; what nobody has taken is closed.
 * Never: believes what it is told of a descriptor. An entry is made only for a
 * listening stream socket, and under the name that the kernel has for it.
 */
#ifndef FPMX_MASTER_INHERIT_H
#define FPMX_MASTER_INHERIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "conf/conf.h"
#include "master/address.h"

struct inherited {
	int fd;                      /* non-blocking, close-on-exec; -1: held, not here */
	char key[ADDRESS_KEY_BYTES]; /* address_key() of what it is bound to */
	bool is_unix;                /* with a path; "@name" has none */
	dev_t dev;                   /* unix: the file that was bound; ino 0: unknown */
	ino_t ino;
	/* Opened by somebody who keeps it: mode, owner and path are not ours to change. */
	bool lent;
	char *name; /* lent: what its owner calls it; owned by the table */
	bool taken;
	bool told; /* lent: the log knows that nobody uses it */
};

/* The zero value is empty. */
struct inherit {
	size_t n, room;
	struct inherited *items;
	bool reloaded;    /* a master whose place we take has left them, not who started us */
	char *pid_path;   /* the pid file of that master, or NULL */
	char *complaints; /* lines, or NULL: the table is filled before there is a log */
};

/*
 * Puts a descriptor into the table, as not taken and of unknown file. 0 and
 * the entry, valid until the next call (an fd that is in the table already
 * gives the old one); -1: it is no listening stream socket.
 */
int inherit_add(struct inherit *, int fd, struct inherited **entry, struct err *)
    __attribute__((warn_unused_result));

/* An entry for a socket that another process has, and that we do as if we had. */
struct inherited *inherit_hold(struct inherit *, const char *key, dev_t, ino_t);

/* Keeps a line for inherit_announce(). */
void inherit_complain(struct inherit *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* php-fpm's notice for each entry, and the complaints. */
void inherit_announce(const struct inherit *);

/* The entry of that address, now taken, or NULL. */
struct inherited *inherit_take(struct inherit *, const char *key);

/*
 * The entry whose file lies at path, now taken, or NULL: the same socket may
 * be configured by another name for its folder.
 */
struct inherited *inherit_take_file(struct inherit *, const char *path);

/*
 * The lent entry that is called as the pool or as the listen value text is, now
 * taken, or NULL. Not one whose address the pool has in its configuration.
 */
struct inherited *inherit_take_named(struct inherit *, const struct pool_conf *, const char *text);

/*
 * Closes what was not taken; unix paths without an owner are removed then. What is lent is
 * told of and kept: after a reload it may be wanted.
 */
void inherit_drop_rest(struct inherit *);

/* Is it lent, and nobody wants it now? */
bool inherit_is_left(const struct inherited *);

/* Closes nothing. */
void inherit_free(struct inherit *);

#endif
