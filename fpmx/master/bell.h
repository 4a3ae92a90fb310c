/*
 * bell: an eventfd that all workers of a pool may write to, and the master
 * listens to: somebody is to look.
 *
 * Runs in: master; workers have the descriptor.
 * Never: read. Workers share the open file, and with it O_NONBLOCK and the count,
 * so a read might wait for ever. Each write is an edge, and the count has room
 * for more of them than there will be.
 */
#ifndef FPMX_MASTER_BELL_H
#define FPMX_MASTER_BELL_H

#include "base/err.h"
#include "base/loop.h"

struct bell {
	int fd; /* -1: not open */
	struct loop_handle watch;
};

/* Calls answer(ctx) after it was rung, once for many. bell_close() in any case. */
int bell_open(struct bell *, struct loop *, loop_io_fn *answer, void *ctx, struct err *)
    __attribute__((warn_unused_result));
void bell_close(struct bell *, struct loop *);

#endif
