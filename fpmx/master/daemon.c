/*
 * daemon: fork, session, readiness pipe, pid file.
 *
 * Runs in: master.
 */
#include "master/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "proc/exits.h"
#include "proc/spawn.h"

#define REPORT_LIMIT_MS 10000

/* In the parent: the exit code that the child's report, or its end, stands for. */
static int wait_for_report(int fd)
{
	uint64_t end_ms = clock_now_ms() + REPORT_LIMIT_MS;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	uint32_t report = 0;
	int n;

	do
		n = poll(&p, 1, clock_until_ms(end_ms));
	while (n < 0 && errno == EINTR);
	if (n == 0) {
		log_error("the master process didn't say within %d s that it has started",
		    REPORT_LIMIT_MS / 1000);
		return EXIT_SOFTWARE;
	}
	if (read(fd, &report, sizeof(report)) != sizeof(report) || report != 1)
		return EXIT_SOFTWARE; /* it has said why itself */
	return EXIT_DONE;
}

int daemon_detach(int *report_fd, struct err *e)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "failed to create the readiness pipe");
	pid = spawn_fork(e);
	if (pid < 0) {
		fd_close(&ends[0]);
		fd_close(&ends[1]);
		return -1;
	}
	if (pid > 0) {
		fd_close(&ends[1]);
		_exit(wait_for_report(ends[0]));
	}
	fd_close(&ends[0]);
	*report_fd = ends[1];
	setsid();
	return 0;
}

void daemon_report(int *report_fd)
{
	uint32_t report = 1;
	struct err e;

	/* The parent may have given up; we go on all the same. */
	if (*report_fd >= 0 && fd_write_all(*report_fd, &report, sizeof(report), &e) < 0)
		log_debug("%s", e.text);
	fd_close(report_fd);
}

int daemon_close_stdio(struct err *e)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 || dup2(fd, STDOUT_FILENO) < 0) {
		fd_close(&fd);
		return err_sys(e, "failed to open /dev/null");
	}
	if (fd > STDERR_FILENO)
		fd_close(&fd);
	return 0;
}

int daemon_try_pid(const char *path, struct err *e)
{
	const int flags = O_WRONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
	int fd = open(path, flags);

	if (fd < 0 && errno == ENOENT) {
		fd = open(path, flags | O_CREAT | O_EXCL, 0644);
		if (fd >= 0)
			unlink(path);
	}
	if (fd < 0)
		return err_sys(e, "Unable to create the PID file (%s).", path);
	fd_close(&fd);
	return 0;
}

int daemon_write_pid(struct pid_file *f, const char *path, struct err *e)
{
	int fd =
	    open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644);
	struct stat st;
	char text[16];
	int n;

	*f = (struct pid_file){0};
	if (fd < 0)
		return err_sys(e, "Unable to create the PID file (%s).", path);
	n = snprintf(text, sizeof(text), "%d", (int)getpid());
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    fd_write_all(fd, text, (size_t)n, e) < 0) {
		fd_close(&fd);
		return err_set(e, "Unable to write to the PID file (%s).", path);
	}
	/* php-fpm's mode does not depend on the umask either. */
	if (fchmod(fd, 0644) < 0)
		log_debug("fchmod(%s): errno %d", path, errno);
	fd_close(&fd);
	*f = (struct pid_file){.path = path, .dev = st.st_dev, .ino = st.st_ino};
	return 0;
}

void daemon_remove_pid(const struct pid_file *f)
{
	struct stat st;

	if (f->path && lstat(f->path, &st) == 0 && st.st_dev == f->dev && st.st_ino == f->ino)
		unlink(f->path);
}

/* Is it a file that says that we are the master? */
static bool holds_our_pid(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char ours[16], text[16] = "";
	bool holds;

	snprintf(ours, sizeof(ours), "%d", (int)getpid());
	holds = fd >= 0 && fstat(fd, st) == 0 && S_ISREG(st->st_mode) &&
		read(fd, text, sizeof(text) - 1) > 0 && strcmp(text, ours) == 0;
	fd_close(&fd);
	return holds;
}

void daemon_drop_pid(const char *path, const struct pid_file *now)
{
	struct stat st;

	if (path && holds_our_pid(path, &st) &&
	    (!now->path || st.st_dev != now->dev || st.st_ino != now->ino))
		unlink(path);
}
