/*
 * memory: descriptors by which a template can read the memory of its workers.
 *
 * Runs in: template, and shortly in a worker.
 */
#include "template/memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"

/* Whose memory comes along. */
struct label {
	uint32_t slot, order;
};

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

void memory_init(struct memory *m)
{
	*m = (struct memory){.proc_fd = -1, .in = -1, .out = -1};
}

/* Half of what may be open: orders bring descriptors too, and must find room. */
static uint32_t most_held(uint32_t nslots)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur / 2 >= nslots)
		return nslots;
	return (uint32_t)(files.rlim_cur / 2);
}

int memory_open(struct memory *m, uint32_t nslots, struct err *e)
{
	int ends[2];

	must(m->proc_fd < 0);
	m->proc_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (m->proc_fd < 0)
		return err_sys(e, "failed to open /proc");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0) {
		err_sys(e, "socketpair");
		fd_close(&m->proc_fd);
		return -1;
	}
	m->in = ends[0];
	m->out = ends[1];
	m->n = nslots;
	m->most = most_held(nslots);
	m->places = must_memory(calloc(nslots, sizeof(*m->places)));
	for (uint32_t i = 0; i < nslots; i++)
		m->places[i].fd = -1;
	return 0;
}

/*
 * The files below /proc/self are root's where a process may not be dumped, the
 * process itself being no exception: so it may for the length of one call.
 */
static int open_own(const struct memory *m)
{
	int dumpable = prctl(PR_GET_DUMPABLE), fd;

	if (dumpable != 1 && prctl(PR_SET_DUMPABLE, 1) != 0)
		return -1;
	fd = openat(m->proc_fd, "self/mem", O_RDONLY | O_CLOEXEC);
	if (dumpable != 1)
		must(prctl(PR_SET_DUMPABLE, 0) == 0);
	return fd;
}

static void send_own(const struct memory *m, int fd, struct label label)
{
	union control control = {0};
	struct iovec bytes = {.iov_base = &label, .iov_len = sizeof(label)};
	struct msghdr msg = {
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	/* The template may have gone, or be too busy: then we cannot be read. */
	(void)!sendmsg(m->out, &msg, MSG_NOSIGNAL);
}

void memory_give(struct memory *m, uint32_t slot, uint32_t order)
{
	int fd;

	if (m->proc_fd < 0)
		return;
	fd = open_own(m);
	if (fd >= 0)
		send_own(m, fd, (struct label){.slot = slot, .order = order});
	fd_close(&fd);
	fd_close(&m->proc_fd);
	fd_close(&m->in);
	fd_close(&m->out);
	for (uint32_t i = 0; i < m->n; i++)
		fd_close(&m->places[i].fd);
	free(m->places);
	memory_init(m);
}

/* One message: a descriptor, or -1 for one that had none; false: there is no message. */
static bool receive(const struct memory *m, int *fd, struct label *label)
{
	union control control;
	struct iovec bytes = {.iov_base = label, .iov_len = sizeof(*label)};
	struct msghdr msg = {
	    .msg_iov = &bytes,
	    .msg_iovlen = 1,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes),
	};
	ssize_t got = recvmsg(m->in, &msg, MSG_CMSG_CLOEXEC);
	const struct cmsghdr *c;

	*fd = -1;
	if (got != (ssize_t)sizeof(*label))
		return false;
	c = CMSG_FIRSTHDR(&msg);
	if (c != NULL && c->cmsg_type == SCM_RIGHTS && c->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	return true;
}

/* A worker that was in the place before has gone. */
static void put(struct memory *m, int fd, struct label label)
{
	struct memory_place *place;

	must(label.slot < m->n);
	place = &m->places[label.slot];
	if (place->fd >= 0)
		m->held--;
	fd_close(&place->fd);
	if (m->held >= m->most) {
		fd_close(&fd);
		return;
	}
	*place = (struct memory_place){.fd = fd, .order = label.order};
	m->held++;
}

void memory_take(struct memory *m)
{
	struct label label;
	int fd;

	while (m->in >= 0 && receive(m, &fd, &label))
		if (fd >= 0)
			put(m, fd, label);
}

int memory_of(struct memory *m, uint32_t slot, uint32_t order)
{
	memory_take(m);
	if (slot >= m->n || m->places[slot].order != order)
		return -1;
	return m->places[slot].fd;
}
