/*
 * orphans: accepted connections that a worker hands on when it has to end before
 * it could serve them.
 *
 * Runs in: template (open), worker.
 */
#include "worker/orphans.h"

#include <string.h>
#include <sys/uio.h>

union room_for_one {
	struct cmsghdr head;
	char bytes[CMSG_SPACE(sizeof(int))];
};

int orphans_open(int ends[2], struct err *e)
{
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
		return err_sys(e, "failed to create a pair of sockets");
	return 0;
}

bool orphans_give(int end, int connection, const struct orphan *o)
{
	struct orphan copy = *o;
	union room_for_one room;
	struct iovec bytes = {.iov_base = &copy, .iov_len = sizeof(copy)};
	struct msghdr m = {
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = &room,
	    .msg_controllen = sizeof(room),
	};
	struct cmsghdr *c;

	memset(&room, 0, sizeof(room));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &connection, sizeof(connection));
	return sendmsg(end, &m, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(copy);
}

int orphans_take(int end, struct orphan *o)
{
	union room_for_one room;
	struct iovec bytes = {.iov_base = o, .iov_len = sizeof(*o)};
	struct msghdr m = {
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = &room,
	    .msg_controllen = sizeof(room),
	};
	const struct cmsghdr *c;
	int fd;

	if (recvmsg(end, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) != (ssize_t)sizeof(*o))
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (c == NULL || c->cmsg_type != SCM_RIGHTS || c->cmsg_len != CMSG_LEN(sizeof(int)))
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}
