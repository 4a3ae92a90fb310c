/*
 * bell: an eventfd and its watch.
 *
 * Runs in: master.
 */
#include "master/bell.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "base/fd.h"

int bell_open(struct bell *b, struct loop *loop, loop_io_fn *answer, void *ctx, struct err *e)
{
	b->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (b->fd < 0)
		return err_sys(e, "eventfd");
	return loop_watch(loop, b->fd, EPOLLIN | EPOLLET, answer, ctx, &b->watch, e);
}

void bell_close(struct bell *b, struct loop *loop)
{
	loop_forget(loop, &b->watch);
	fd_close(&b->fd);
}
