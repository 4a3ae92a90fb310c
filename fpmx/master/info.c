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

static int spawn(
    const struct spawn_engine *how, const char *role, int memfd, int *pidfd, struct err *e)
{
	char number[16];
	const char *argv[] = {"fpmx-engine", role, number, NULL};
	struct spawn_engine s = *how;
	sigset_t none;

	sigemptyset(&none);
	snprintf(number, sizeof(number), "%d", memfd);
	s.argv = argv;
	s.keep = &memfd;
	s.nkeep = 1;
	s.mask = &none;
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
	    .shown = {.board_fd = -1},
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
	struct spawn_engine how = {
	    .engine_fd = spawn_open_engine(&e),
	    .envp = (const char *const *)environ_now,
	    .stdout_fd = STDOUT_FILENO,
	    .stderr_fd = STDERR_FILENO,
	};
	int memfd = -1, pidfd = -1, code = EXIT_SOFTWARE;

	if (how.engine_fd >= 0)
		memfd = seal(php, &e);
	if (memfd >= 0 && spawn(&how, role, memfd, &pidfd, &e) == 0)
		code = wait_for(pidfd);
	else
		log_error("%s", e.text);
	fd_close(&how.engine_fd);
	fd_close(&memfd);
	fd_close(&pidfd);
	return code;
}
