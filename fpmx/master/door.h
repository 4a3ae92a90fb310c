/*
 * door: the listening sockets of a pool together.
 *
 * Runs in: master.
 */
#ifndef FPMX_MASTER_DOOR_H
#define FPMX_MASTER_DOOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/loop.h"
#include "conf/conf.h"
#include "master/handover.h"
#include "master/listener.h"
#include "master/sockdiag.h"

struct door {
	struct loop *loop;
	const char *pool;
	size_t n;
	struct listener *listeners;
	struct loop_handle *watches;
	int *fds; /* of the listeners, as last asked for */
};

struct door_setup {
	struct loop *loop;
	const struct pool_conf *conf;
	struct inherit *inherit; /* sockets to take over, or NULL */
	struct arena *arena;
};

/* Opens the addresses of the pool, all or none of use; door_close() in both cases. */
int door_open(struct door *, const struct door_setup *, struct err *)
    __attribute__((warn_unused_result));
void door_close(struct door *, bool unlink_paths);

/* Descriptors in the order of the configuration; valid until the next call. */
const int *door_fds(struct door *);

/* What waits in all queues together. */
struct sockdiag_queue door_queue(const struct door *, int netlink_fd);

/* Calls knock(ctx) while connections wait. */
void door_watch(struct door *, loop_io_fn *knock, void *ctx);
void door_unwatch(struct door *);

/* All sockets go on to another program. */
void door_hand_over(const struct door *, struct handover *);

/* Each second: have sockets been bound again? Their descriptors are new then. */
bool door_look(struct door *);

#endif
