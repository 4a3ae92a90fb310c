/*
 * loop: the event loop of a process that waits for many things.
 *
 * Runs in: master, template (workers have their own, shorter wait).
 * Never: hands a raw pointer to the kernel. An event carries (slot,
 * generation); a handle that was removed in the same turn, even if its slot
 * was taken again, is skipped. php-fpm's epoll bugs of twelve years were all
 * of that one kind.
 * One turn does at most one callback per ready descriptor and due timer, so a
 * flood on one cannot starve signals or others.
 */
#ifndef FPMX_BASE_LOOP_H
#define FPMX_BASE_LOOP_H

#include <stdbool.h>
#include <stdint.h>
#include <signal.h>

#include "base/err.h"

struct loop;

/* Names one registration. The zero value names none. */
struct loop_handle {
	uint32_t slot;
	uint32_t generation;
};

/* events: EPOLLIN, EPOLLHUP, ... */
typedef void loop_io_fn(void *ctx, int fd, uint32_t events);
typedef void loop_timer_fn(void *ctx);
typedef void loop_signal_fn(void *ctx, int signo);

struct loop *loop_new(struct err *) __attribute__((warn_unused_result));
void loop_free(struct loop *);

/*
 * Watches fd (not owned) for events (epoll's flags, EPOLLET included).
 * Returns 0 and the handle, or -1.
 */
int loop_watch(struct loop *, int fd, uint32_t events, loop_io_fn *, void *ctx,
    struct loop_handle *, struct err *) __attribute__((warn_unused_result));

/*
 * Ends a watch or a timer. A stale or zero handle is fine; *h becomes zero.
 * Forget a watch before closing its descriptor: a child that holds a copy would
 * keep the kernel reporting it.
 */
void loop_forget(struct loop *, struct loop_handle *h);

/* Runs once, after_ms from now. Timers that are due run in order of time. */
void loop_timer(struct loop *, uint32_t after_ms, loop_timer_fn *, void *ctx, struct loop_handle *);

/* Runs each every_ms; turns missed while we were late are not made up for. */
void loop_every(struct loop *, uint32_t every_ms, loop_timer_fn *, void *ctx, struct loop_handle *);

/*
 * Takes delivery of these signals (blocks them, reads a signalfd). One call
 * per loop. The mask found before is what children should be given back:
 * loop_signal_mask().
 */
int loop_signals(struct loop *, const sigset_t *, loop_signal_fn *, void *ctx, struct err *)
    __attribute__((warn_unused_result));
const sigset_t *loop_signal_mask(const struct loop *);

/* Runs until loop_stop(); the turn in which it was called is finished. */
void loop_run(struct loop *);
void loop_stop(struct loop *);

/* Monotonic time at the start of this turn. */
uint64_t loop_now_ms(const struct loop *);

#endif
