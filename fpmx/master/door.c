/*
 * door: what is done to every listener.
 *
 * Runs in: master.
 */
#include "master/door.h"

#include <poll.h>
#include <sys/epoll.h>

#include "base/fd.h"
#include "base/log.h"

int door_open(struct door *d, const struct door_setup *s, struct err *e)
{
	const struct conf_list *listen = &s->conf->listen;

	*d = (struct door){.loop = s->loop, .pool = s->conf->name};
	d->listeners = arena_alloc(s->arena, listen->n, sizeof(*d->listeners));
	d->watches = arena_alloc(s->arena, listen->n, sizeof(*d->watches));
	d->fds = arena_alloc(s->arena, listen->n, sizeof(*d->fds));
	for (; d->n < listen->n; d->n++)
		if (listener_open(
			&d->listeners[d->n], s->conf, listen->items[d->n], s->inherit, e) < 0)
			return -1;
	return 0;
}

void door_close(struct door *d, bool unlink_paths)
{
	door_unwatch(d);
	for (size_t i = 0; i < d->n; i++)
		listener_close(&d->listeners[i], unlink_paths);
	d->n = 0;
}

const int *door_fds(struct door *d)
{
	for (size_t i = 0; i < d->n; i++)
		d->fds[i] = d->listeners[i].fd;
	return d->fds;
}

struct sockdiag_queue door_queue(const struct door *d, int netlink_fd)
{
	struct sockdiag_queue sum = {0};

	for (size_t i = 0; i < d->n; i++) {
		struct pollfd readable = {.fd = d->listeners[i].fd, .events = POLLIN};
		struct sockdiag_queue q;

		/* Where the kernel does not count, poll() still tells none from some. */
		if (!sockdiag_queue(netlink_fd, readable.fd, &q))
			q.waiting = poll(&readable, 1, 0) == 1 ? 1 : 0;
		sum.waiting += q.waiting;
		sum.room += q.room;
	}
	return sum;
}

void door_watch(struct door *d, loop_io_fn *knock, void *ctx)
{
	for (size_t i = 0; i < d->n; i++) {
		struct err e;

		/* One that is shut down would knock for ever. */
		if (d->watches[i].generation == 0 && !listener_is_shut(&d->listeners[i]) &&
		    loop_watch(
			d->loop, d->listeners[i].fd, EPOLLIN, knock, ctx, &d->watches[i], &e) < 0)
			log_pool(LOG_LEVEL_ERROR, d->pool, "%s", e.text);
	}
}

void door_unwatch(struct door *d)
{
	for (size_t i = 0; i < d->n; i++)
		loop_forget(d->loop, &d->watches[i]);
}

void door_hand_over(const struct door *d, struct handover *h)
{
	for (size_t i = 0; i < d->n; i++)
		handover_add(h, &d->listeners[i]);
}

bool door_look(struct door *d)
{
	bool changed = false;

	for (size_t i = 0; i < d->n; i++) {
		int old_fd;

		if (listener_look(&d->listeners[i], &old_fd) == LISTENER_SAME)
			continue;
		loop_forget(d->loop, &d->watches[i]);
		fd_close(&old_fd);
		changed = true;
	}
	return changed;
}
