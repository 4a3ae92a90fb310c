/*
 * info: one engine, run to its end.
 *
 * Runs in: fpmx before it would become a master.
 */
#include "master/info.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "proc/exits.h"
#include "proc/spawn.h"

static int spawn(const char *role, int engine_fd, int memfd, char *const *environ_now, int *pidfd,
    struct err *e)
{
	char number[16];
	const char *argv[] = {"fpmx-engine", role, number, NULL};
	sigset_t none;
	struct spawn_engine s = {
	    .engine_fd = engine_fd,
	    .argv = argv,
	    .envp = (const char *const *)environ_now,
	    .keep = &memfd,
	    .nkeep = 1,
	    .stdout_fd = STDOUT_FILENO,
	    .stderr_fd = STDERR_FILENO,
	    .mask = &none,
	};

	sigemptyset(&none);
	snprintf(number, sizeof(number), "%d", memfd);
	return spawn_engine(&s, pidfd, e) < 0 ? -1 : 0;
}

static int seal(const struct php_options *php, struct err *e)
{
	struct heritage h = {
	    .php = *php,
	    .master_pid = getpid(),
	    .channel_fd = -1,
	    .retire_fd = -1,
	    .wake_fd = -1,
	    .board_fd = -1,
	    .log_fd = -1,
	    .access_fd = -1,
	};
	int fd = heritage_seal(&h, e);

	return fd < 0 ? -1 : fd_raise(fd, 3, e);
}

static int wait_for(int pidfd)
{
	siginfo_t info = {0};

	while (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED) < 0)
		if (errno != EINTR)
			return EXIT_SOFTWARE;
	return info.si_code == CLD_EXITED ? info.si_status : EXIT_SOFTWARE;
}

int info_run(const char *role, const struct php_options *php, char *const *environ_now)
{
	struct err e;
	int engine_fd = spawn_open_engine(&e), memfd = -1, pidfd = -1, code = EXIT_SOFTWARE;

	if (engine_fd >= 0)
		memfd = seal(php, &e);
	if (memfd >= 0 && spawn(role, engine_fd, memfd, environ_now, &pidfd, &e) == 0)
		code = wait_for(pidfd);
	else
		log_error("%s", e.text);
	fd_close(&engine_fd);
	fd_close(&memfd);
	fd_close(&pidfd);
	return code;
}
