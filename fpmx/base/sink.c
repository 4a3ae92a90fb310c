/*
 * sink: which way to write to what.
 *
 * Runs in: every process.
 * Regular files are written plainly (the kernel's page cache takes a line),
 * pipes with RWF_NOWAIT, which speaks for one call only, sockets with
 * MSG_DONTWAIT, terminals through a description of our own for the one line,
 * and what knows none of these is asked by poll first.
 */
#include "base/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"

static enum sink_way way_of(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return SINK_POLL;
	if (S_ISREG(st.st_mode))
		return SINK_PLAIN;
	if (S_ISSOCK(st.st_mode))
		return SINK_SOCKET;
	if (isatty(fd))
		return SINK_REOPEN;
	return SINK_NOWAIT;
}

/* One piece by poll and write. A pipe that polls writable takes PIPE_BUF. */
static ssize_t write_polled(int fd, const char *text, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	if (poll(&p, 1, 0) != 1 || !(p.revents & POLLOUT)) {
		errno = EAGAIN;
		return -1;
	}
	return write(fd, text, n < PIPE_BUF ? n : PIPE_BUF);
}

/*
 * A terminal that polls writable may still have less room than the line needs,
 * and then blocks. Opened again it is a description of its own.
 */
static ssize_t write_reopened(int fd, const char *text, size_t n)
{
	char path[32];
	ssize_t put;
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (own < 0)
		return write_polled(fd, text, n);
	put = write(own, text, n);
	fd_close(&own);
	return put;
}

static ssize_t write_piece(struct sink *s, const char *text, size_t n)
{
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = n};
	ssize_t put;

	switch (s->way) {
	case SINK_PLAIN:
		return write(s->fd, text, n);
	case SINK_SOCKET:
		return send(s->fd, text, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	case SINK_REOPEN:
		return write_reopened(s->fd, text, n);
	case SINK_NOWAIT:
		put = pwritev2(s->fd, &iov, 1, -1, RWF_NOWAIT);
		if (put >= 0 || (errno != EOPNOTSUPP && errno != EINVAL && errno != ENOSYS))
			return put;
		s->way = SINK_POLL; /* a device, or an old kernel */
		return write_polled(s->fd, text, n);
	default:
		return write_polled(s->fd, text, n);
	}
}

/* Writes as much as goes at once; says whether that was all. */
static bool write_now(struct sink *s, const char *text, size_t n)
{
	while (n > 0) {
		ssize_t put = write_piece(s, text, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return false;
		s->torn = true;
		text += put;
		n -= (size_t)put;
	}
	s->torn = s->stuck = false;
	return true;
}

bool sink_write(struct sink *s, const char *text, size_t n)
{
	int saved = errno;
	bool whole;

	if (s->way == SINK_UNKNOWN)
		s->way = way_of(s->fd);
	whole = (!s->torn || write_now(s, "\n", 1)) && write_now(s, text, n);
	errno = saved;
	return whole;
}

bool sink_write_within(struct sink *s, const char *text, size_t n, uint32_t wait_ms)
{
	struct pollfd p = {.fd = s->fd, .events = POLLOUT};

	if (sink_write(s, text, n))
		return true;
	/* Part of it is there: the rest would be a line of its own. */
	if (s->torn || s->stuck || s->way == SINK_PLAIN)
		return false;
	s->stuck = true;
	return poll(&p, 1, (int)wait_ms) == 1 && sink_write(s, text, n);
}
