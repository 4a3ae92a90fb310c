/*
 * loop: epoll, a heap of timers, a signalfd.
 *
 * Runs in: master, template.
 * Never: gives the kernel a pointer. epoll carries slot and generation; a slot
 * counts its generation up when it is given back, so an event that was already
 * fetched for a handle that is gone matches nothing.
 * Slots live in an array that may move while a callback runs: what a callback
 * needs is copied before it is called.
 */
#include "base/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/must.h"

#define EVENTS_PER_TURN 64
#define SIGNALS_PER_TURN 16
#define NOT_QUEUED UINT32_MAX

enum slot_kind { SLOT_FREE, SLOT_WATCH, SLOT_TIMER };

struct slot {
	enum slot_kind kind;
	uint32_t generation; /* of the registration that is or comes next; never 0 */
	void *ctx;
	union {
		loop_io_fn *io;
		loop_timer_fn *timer;
	} call;
	int fd;            /* watch */
	uint64_t at_ms;    /* timer */
	uint64_t seq;      /* timer: breaks ties, oldest first */
	uint32_t every_ms; /* timer: 0 runs once */
	uint32_t heap_at;  /* timer: where in the heap */
	uint32_t next_free;
};

struct loop {
	int epoll_fd;
	bool stopping;
	uint64_t now_ms;

	struct slot *slots;
	uint32_t nslots, slots_room;
	uint32_t first_free;

	uint32_t *heap; /* slot numbers, earliest timer first */
	uint32_t nheap, heap_room;
	uint64_t next_seq;

	int signal_fd;
	loop_signal_fn *signal_call;
	void *signal_ctx;
	sigset_t mask_before;
};

/* --- slots --------------------------------------------------------------- */

static uint32_t slot_take(struct loop *l, enum slot_kind kind)
{
	uint32_t i = l->first_free;

	if (i != NOT_QUEUED)
		l->first_free = l->slots[i].next_free;
	else {
		if (l->nslots == l->slots_room) {
			uint32_t room = l->slots_room ? l->slots_room * 2 : 32;

			must(room > l->slots_room);
			l->slots = must_memory(reallocarray(l->slots, room, sizeof(*l->slots)));
			l->slots_room = room;
		}
		i = l->nslots++;
		l->slots[i].generation = 1;
	}
	l->slots[i].kind = kind;
	l->slots[i].fd = -1;
	l->slots[i].heap_at = NOT_QUEUED;
	return i;
}

static void slot_give_back(struct loop *l, uint32_t i)
{
	struct slot *s = &l->slots[i];

	s->kind = SLOT_FREE;
	if (++s->generation == 0)
		s->generation = 1; /* the zero handle names none */
	s->next_free = l->first_free;
	l->first_free = i;
}

/* The slot that the pair names, or NULL when that registration is gone. */
static struct slot *slot_find(struct loop *l, uint32_t i, uint32_t generation)
{
	if (i >= l->nslots || l->slots[i].kind == SLOT_FREE)
		return NULL;
	return l->slots[i].generation == generation ? &l->slots[i] : NULL;
}

static struct loop_handle handle_of(const struct loop *l, uint32_t i)
{
	return (struct loop_handle){.slot = i, .generation = l->slots[i].generation};
}

/* --- heap of timers ------------------------------------------------------ */

static bool is_before(const struct loop *l, uint32_t a, uint32_t b)
{
	const struct slot *x = &l->slots[a], *y = &l->slots[b];

	return x->at_ms != y->at_ms ? x->at_ms < y->at_ms : x->seq < y->seq;
}

static void heap_put(struct loop *l, uint32_t at, uint32_t slot)
{
	l->heap[at] = slot;
	l->slots[slot].heap_at = at;
}

static void heap_up(struct loop *l, uint32_t at, uint32_t slot)
{
	while (at > 0 && is_before(l, slot, l->heap[(at - 1) / 2])) {
		heap_put(l, at, l->heap[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	heap_put(l, at, slot);
}

static void heap_down(struct loop *l, uint32_t at, uint32_t slot)
{
	for (;;) {
		uint32_t child = 2 * at + 1;

		if (child >= l->nheap)
			break;
		if (child + 1 < l->nheap && is_before(l, l->heap[child + 1], l->heap[child]))
			child++;
		if (!is_before(l, l->heap[child], slot))
			break;
		heap_put(l, at, l->heap[child]);
		at = child;
	}
	heap_put(l, at, slot);
}

static void heap_insert(struct loop *l, uint32_t slot)
{
	if (l->nheap == l->heap_room) {
		uint32_t room = l->heap_room ? l->heap_room * 2 : 16;

		must(room > l->heap_room);
		l->heap = must_memory(reallocarray(l->heap, room, sizeof(*l->heap)));
		l->heap_room = room;
	}
	l->slots[slot].seq = l->next_seq++;
	heap_up(l, l->nheap++, slot);
}

static void heap_remove(struct loop *l, uint32_t slot)
{
	uint32_t at = l->slots[slot].heap_at, last;

	must(at < l->nheap && l->heap[at] == slot);
	l->slots[slot].heap_at = NOT_QUEUED;
	last = l->heap[--l->nheap];
	if (last == slot)
		return;
	if (at > 0 && is_before(l, last, l->heap[(at - 1) / 2]))
		heap_up(l, at, last);
	else
		heap_down(l, at, last);
}

/* --- registering --------------------------------------------------------- */

struct loop *loop_new(struct err *e)
{
	struct loop *l = must_memory(calloc(1, sizeof(*l)));

	l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll_fd < 0) {
		err_sys(e, "epoll_create1");
		free(l);
		return NULL;
	}
	l->signal_fd = -1;
	l->first_free = NOT_QUEUED;
	l->now_ms = clock_now_ms();
	return l;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	fd_close(&l->signal_fd);
	fd_close(&l->epoll_fd);
	free(l->slots);
	free(l->heap);
	free(l);
}

int loop_watch(struct loop *l, int fd, uint32_t events, loop_io_fn *call, void *ctx,
    struct loop_handle *h, struct err *e)
{
	uint32_t i = slot_take(l, SLOT_WATCH);
	struct slot *s = &l->slots[i];
	struct epoll_event ev = {
	    .events = events,
	    .data.u64 = (uint64_t)s->generation << 32 | i,
	};

	if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, fd, &ev) < 0) {
		err_sys(e, "epoll_ctl(ADD, %d)", fd);
		slot_give_back(l, i);
		*h = (struct loop_handle){0};
		return -1;
	}
	s->fd = fd;
	s->ctx = ctx;
	s->call.io = call;
	*h = handle_of(l, i);
	return 0;
}

/* Queues a timer; every_ms 0 runs it once. */
static struct loop_handle add_timer(
    struct loop *l, uint64_t at_ms, uint32_t every_ms, loop_timer_fn *call, void *ctx)
{
	uint32_t i = slot_take(l, SLOT_TIMER);
	struct slot *s = &l->slots[i];

	s->ctx = ctx;
	s->call.timer = call;
	s->at_ms = at_ms;
	s->every_ms = every_ms;
	heap_insert(l, i);
	return handle_of(l, i);
}

void loop_timer(
    struct loop *l, uint32_t after_ms, loop_timer_fn *call, void *ctx, struct loop_handle *h)
{
	*h = add_timer(l, clock_now_ms() + after_ms, 0, call, ctx);
}

void loop_every(
    struct loop *l, uint32_t every_ms, loop_timer_fn *call, void *ctx, struct loop_handle *h)
{
	must(every_ms > 0);
	*h = add_timer(l, clock_now_ms() + every_ms, every_ms, call, ctx);
}

void loop_forget(struct loop *l, struct loop_handle *h)
{
	struct slot *s = slot_find(l, h->slot, h->generation);

	if (s) {
		/* Fails only where the descriptor was closed first, against the contract. */
		if (s->kind == SLOT_WATCH)
			epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, s->fd, NULL);
		else
			heap_remove(l, h->slot);
		slot_give_back(l, h->slot);
	}
	*h = (struct loop_handle){0};
}

/* --- signals ------------------------------------------------------------- */

static void take_signals(void *ctx, int fd, uint32_t events)
{
	struct signalfd_siginfo info[SIGNALS_PER_TURN];
	struct loop *l = ctx;
	ssize_t got = read(fd, info, sizeof(info));

	(void)events;
	for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(info[0]); i++)
		l->signal_call(l->signal_ctx, (int)info[i].ssi_signo);
}

int loop_signals(
    struct loop *l, const sigset_t *set, loop_signal_fn *call, void *ctx, struct err *e)
{
	struct loop_handle h;

	must(l->signal_fd < 0);
	l->signal_fd = signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (l->signal_fd < 0)
		return err_sys(e, "signalfd");
	l->signal_call = call;
	l->signal_ctx = ctx;
	if (loop_watch(l, l->signal_fd, EPOLLIN, take_signals, l, &h, e) < 0) {
		fd_close(&l->signal_fd);
		return -1;
	}
	must(sigprocmask(SIG_BLOCK, set, &l->mask_before) == 0);
	return 0;
}

const sigset_t *loop_signal_mask(const struct loop *l)
{
	must(l->signal_fd >= 0);
	return &l->mask_before;
}

/* --- running ------------------------------------------------------------- */

/* Queues the timer again or gives its slot back, and only then calls it. */
static void run_timer(struct loop *l, uint32_t i)
{
	struct slot *s = &l->slots[i];
	loop_timer_fn *call = s->call.timer;
	void *ctx = s->ctx;

	heap_remove(l, i);
	if (s->every_ms) {
		s->at_ms += s->every_ms * ((l->now_ms - s->at_ms) / s->every_ms + 1);
		heap_insert(l, i);
	} else
		slot_give_back(l, i);
	call(ctx);
}

/* Those that were queued before this turn; what they queue waits for the next. */
static void run_due_timers(struct loop *l)
{
	uint64_t first_new = l->next_seq;

	while (l->nheap > 0) {
		const struct slot *s = &l->slots[l->heap[0]];

		if (s->at_ms > l->now_ms || s->seq >= first_new)
			break;
		run_timer(l, l->heap[0]);
	}
}

static void run_event(struct loop *l, const struct epoll_event *ev)
{
	uint64_t key = ev->data.u64;
	struct slot *s = slot_find(l, (uint32_t)key, (uint32_t)(key >> 32));

	if (s)
		s->call.io(s->ctx, s->fd, ev->events);
}

static void turn(struct loop *l)
{
	struct epoll_event events[EVENTS_PER_TURN];
	int wait_ms = l->nheap ? clock_until_ms(l->slots[l->heap[0]].at_ms) : -1;
	int n = epoll_wait(l->epoll_fd, events, EVENTS_PER_TURN, wait_ms);

	must(n >= 0 || errno == EINTR);
	l->now_ms = clock_now_ms();
	for (int i = 0; i < n; i++)
		run_event(l, &events[i]);
	run_due_timers(l);
}

void loop_run(struct loop *l)
{
	while (!l->stopping)
		turn(l);
	l->stopping = false;
}

void loop_stop(struct loop *l)
{
	l->stopping = true;
}

uint64_t loop_now_ms(const struct loop *l)
{
	return l->now_ms;
}
