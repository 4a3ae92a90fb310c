/*
 * fd: file descriptors, through the few calls that everybody needs.
 *
 * Runs in: every process.
 */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/must.h"

void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd); /* never again on EINTR: Linux has closed it */
	*fd = -1;
	errno = saved;
}

int fd_nonblock(int fd, bool on, struct err *e)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return err_sys(e, "fcntl(%d, F_GETFL)", fd);
	flags = on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK;
	if (fcntl(fd, F_SETFL, flags) < 0)
		return err_sys(e, "fcntl(%d, F_SETFL)", fd);
	return 0;
}

int fd_cloexec(int fd, bool on, struct err *e)
{
	if (fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0) < 0)
		return err_sys(e, "fcntl(%d, F_SETFD)", fd);
	return 0;
}

int fd_read_all(int fd, void *bytes, size_t n, struct err *e)
{
	char *at = bytes;

	while (n > 0) {
		ssize_t got = read(fd, at, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return err_sys(e, "read");
		if (got == 0)
			return err_set(e, "read: ended %zu bytes early", n);
		at += got;
		n -= (size_t)got;
	}
	return 0;
}

int fd_write_all(int fd, const void *bytes, size_t n, struct err *e)
{
	const char *at = bytes;

	while (n > 0) {
		ssize_t put = write(fd, at, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return err_sys(e, "write");
		at += put;
		n -= (size_t)put;
	}
	return 0;
}

int fd_sealed(const char *name, const void *bytes, size_t n, struct err *e)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return err_sys(e, "memfd_create(%s)", name);
	if (fd_write_all(fd, bytes, n, e) < 0) {
		fd_close(&fd);
		return err_wrap(e, "memfd %s", name);
	}
	if (lseek(fd, 0, SEEK_SET) < 0 ||
	    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0) {
		err_sys(e, "sealing memfd %s", name);
		fd_close(&fd);
	}
	return fd;
}

int fd_slurp(int fd, size_t max, char **bytes, size_t *n, struct err *e)
{
	size_t room = 4096, len = 0;
	char *buf;

	must(max < SIZE_MAX / 2 - 1);
	if (room > max + 1)
		room = max + 1;
	buf = must_memory(malloc(room + 1));
	for (;;) {
		ssize_t got;

		if (len == room) { /* room never exceeds max + 1 */
			room = room * 2 < max + 1 ? room * 2 : max + 1;
			buf = must_memory(realloc(buf, room + 1));
		}
		got = read(fd, buf + len, room - len);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			err_sys(e, "read");
			break;
		}
		if (got == 0) {
			buf[len] = '\0';
			*bytes = buf;
			*n = len;
			return 0;
		}
		len += (size_t)got;
		if (len > max) {
			err_set(e, "longer than %zu bytes", max);
			break;
		}
	}
	free(buf);
	return -1;
}

int fd_raise(int fd, int floor, struct err *e)
{
	int flags, raised;

	if (fd >= floor)
		return fd;
	flags = fcntl(fd, F_GETFD);
	if (flags < 0)
		return err_sys(e, "fcntl(%d, F_GETFD)", fd);
	raised = fcntl(fd, flags & FD_CLOEXEC ? F_DUPFD_CLOEXEC : F_DUPFD, floor);
	if (raised < 0)
		return err_sys(e, "fcntl(%d, F_DUPFD)", fd);
	close(fd);
	return raised;
}

/* Closes first..last; on kernels without close_range one by one. */
static void close_span(unsigned first, unsigned last)
{
	struct rlimit limit;
	rlim_t end;

	if (first > last || syscall(SYS_close_range, first, last, 0) == 0)
		return;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur > 65536)
		end = 65536;
	else
		end = limit.rlim_cur;
	for (unsigned fd = first; fd <= last && fd < end; fd++)
		close((int)fd);
}

void fd_close_others(int first, const int *keep, size_t n)
{
	unsigned from = first < 0 ? 0 : (unsigned)first;

	/* Each round closes the gap below the lowest descriptor still kept. */
	for (;;) {
		unsigned lowest = UINT_MAX;

		for (size_t i = 0; i < n; i++)
			if (keep[i] >= 0 && (unsigned)keep[i] >= from && (unsigned)keep[i] < lowest)
				lowest = (unsigned)keep[i];
		if (lowest == UINT_MAX)
			break;
		if (lowest > from)
			close_span(from, lowest - 1);
		from = lowest + 1;
	}
	close_span(from, UINT_MAX);
}
