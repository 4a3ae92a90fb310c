/*
 * chan: one datagram is one message; the table says what it must look like.
 *
 * Runs in: master, template.
 * Never: leaves a descriptor behind that the table did not allow, or hands a
 * payload on whose size is not the message's own.
 */
#include "proc/chan.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"

/* Kernels since 6.16: refuses descriptors before they reach us. */
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

struct row {
	const char *name;
	enum msg_side from;
	uint32_t payload_bytes;
	int fds_max;
};

static const struct row rows[MSG_MAX] = {
#define MESSAGE(IDENT, from, payload, fds, doc) \
	[MSG_##IDENT] = {#IDENT, MSG_FROM_##from, sizeof(struct msg_##payload), fds},
#include "proc/messages.def"
#undef MESSAGE
};

#define MESSAGE(IDENT, from, payload, fds, doc) \
	_Static_assert((fds) <= CHAN_FDS_MAX, #IDENT " carries more than CHAN_FDS_MAX");
#include "proc/messages.def"
#undef MESSAGE

/* What goes over the wire: the head, then payload_bytes of the row. */
struct head {
	uint32_t type;
	uint32_t payload_bytes;
};

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * CHAN_FDS_MAX)];
};

const char *msg_name(enum msg_type type)
{
	return type > MSG_NONE && type < MSG_MAX ? rows[type].name : "unknown";
}

int chan_pair(int ends[2], struct err *e)
{
	const int no = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return err_sys(e, "socketpair");
	if (fd_nonblock(ends[0], true, e) < 0) {
		fd_close(&ends[0]);
		fd_close(&ends[1]);
		return -1;
	}
	/*
	 * Nobody sends descriptors to the master. Closing one that somebody sends
	 * all the same can take as long as the sender likes (SO_LINGER), so where
	 * the kernel can it is told not to let them in at all.
	 */
	(void)setsockopt(ends[0], SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
	return 0;
}

static void attach_fds(struct msghdr *m, union control *control, const struct msg *msg)
{
	size_t n = sizeof(int) * (size_t)msg->nfds;
	struct cmsghdr *c;

	memset(control, 0, sizeof(*control));
	m->msg_control = control->bytes;
	m->msg_controllen = CMSG_SPACE(n);
	c = CMSG_FIRSTHDR(m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n);
	memcpy(CMSG_DATA(c), msg->fds, n);
}

static enum chan_result send_failed(struct err *e)
{
	switch (errno) {
	case EAGAIN:
	case ENOBUFS:
	case ENOMEM:
	case ETOOMANYREFS: /* descriptors of earlier messages are still under way */
		return CHAN_AGAIN;
	default:
		err_sys(e, "channel: sendmsg");
		return CHAN_CLOSED;
	}
}

enum chan_result chan_send(int fd, enum msg_side side, const struct msg *msg, struct err *e)
{
	struct head head = {.type = msg->type};
	struct iovec iov[2] = {
	    {.iov_base = &head, .iov_len = sizeof(head)},
	    {.iov_base = (void *)(uintptr_t)&msg->u},
	};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};
	const struct row *row;
	union control control;

	must(msg->type > MSG_NONE && msg->type < MSG_MAX);
	row = &rows[msg->type];
	head.payload_bytes = row->payload_bytes;
	iov[1].iov_len = row->payload_bytes;
	must(row->from == side);
	must(msg->nfds >= 0 && msg->nfds <= row->fds_max);
	if (msg->nfds > 0)
		attach_fds(&m, &control, msg);
	while (sendmsg(fd, &m, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return send_failed(e);
	return CHAN_OK;
}

/* Moves descriptors out of the control data; closes those there is no room for. */
static void detach_fds(struct msghdr *m, struct msg *msg, bool *surplus)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (msg->nfds < CHAN_FDS_MAX)
				msg->fds[msg->nfds++] = fd;
			else {
				fd_close(&fd);
				*surplus = true;
			}
		}
	}
}

/* What is wrong with a message by the table; NULL if nothing is. */
static const char *fault_of(
    const struct msg *msg, const struct head *head, size_t got, enum msg_side side)
{
	const struct row *row;

	if (got < sizeof(*head))
		return "is too short to be one";
	if (head->type == MSG_NONE || head->type >= MSG_MAX)
		return "is of an unknown type";
	row = &rows[head->type];
	if (row->from == side)
		return "is not for this side";
	if (head->payload_bytes != row->payload_bytes || got != sizeof(*head) + row->payload_bytes)
		return "is of the wrong size";
	if (msg->nfds > row->fds_max)
		return "brings descriptors that it may not";
	return NULL;
}

static enum chan_result refuse(
    struct msg *msg, const struct head *head, const char *fault, struct err *e)
{
	enum msg_type type = head->type < MSG_MAX ? (enum msg_type)head->type : MSG_NONE;

	while (msg->nfds > 0)
		fd_close(&msg->fds[--msg->nfds]);
	*msg = (struct msg){.type = MSG_NONE};
	err_set(
	    e, "channel: a message (%s, type %u) %s", msg_name(type), (unsigned)head->type, fault);
	return CHAN_ABUSE;
}

/*
 * A side that dies with messages unread is reported as a reset, once, before
 * what it had sent itself. That is still to be read.
 */
static ssize_t recv_over_resets(int fd, struct msghdr *m)
{
	bool was_reset = false;

	for (;;) {
		ssize_t got = recvmsg(fd, m, MSG_CMSG_CLOEXEC);

		if (got >= 0 || (errno != EINTR && (errno != ECONNRESET || was_reset)))
			return got;
		was_reset |= errno == ECONNRESET;
	}
}

static enum chan_result recv_failed(struct err *e)
{
	if (errno == EAGAIN)
		return CHAN_AGAIN;
	err_sys(e, "channel: recvmsg");
	return CHAN_CLOSED;
}

enum chan_result chan_recv(int fd, enum msg_side side, struct msg *msg, struct err *e)
{
	struct head head = {0};
	struct iovec iov[2] = {
	    {.iov_base = &head, .iov_len = sizeof(head)},
	    {.iov_base = &msg->u, .iov_len = sizeof(msg->u)},
	};
	union control control;
	struct msghdr m = {
	    .msg_iov = iov,
	    .msg_iovlen = 2,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes),
	};
	bool surplus = false;
	const char *fault;
	ssize_t got;

	*msg = (struct msg){.type = MSG_NONE};
	got = recv_over_resets(fd, &m);
	if (got < 0)
		return recv_failed(e);
	if (got == 0 && m.msg_controllen == 0 && !(m.msg_flags & (MSG_TRUNC | MSG_CTRUNC))) {
		err_set(e, "channel: the other side is gone");
		return CHAN_CLOSED;
	}

	/* What did not fit was closed by the kernel. */
	detach_fds(&m, msg, &surplus);
	fault = fault_of(msg, &head, (size_t)got, side);
	if (!fault && (m.msg_flags & MSG_TRUNC))
		fault = "is of the wrong size";
	if (!fault && (surplus || (m.msg_flags & MSG_CTRUNC)))
		fault = "brings descriptors that it may not";
	if (fault)
		return refuse(msg, &head, fault, e);
	msg->type = (enum msg_type)head.type;
	if (msg->type == MSG_FAILED)
		err_tame(msg->u.failed.text, sizeof(msg->u.failed.text));
	return CHAN_OK;
}
