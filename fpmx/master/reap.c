/*
 * reap: pidfds and exit words.
 *
 * Runs in: master.
 */
#include "master/reap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"
#include "proc/exits.h"

/* Of one sweep: a flood of dead orphans must not keep the master from its work. */
#define STRANGERS_PER_SWEEP 1024

/*
 * The real uid of a process, from the line "Uid:" of its status; -1 where it
 * cannot be read. The owner of /proc/PID would not do: a process that is not
 * dumpable shows root there.
 */
static int64_t uid_of(pid_t pid)
{
	char path[64], text[2048], *line;
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, text, sizeof(text) - 1);
	fd_close(&fd);
	if (got <= 0)
		return -1;
	text[got] = '\0';
	line = strstr(text, "\nUid:");
	return line ? (int64_t)strtoul(line + 5, NULL, 10) : -1;
}

/* Is the process behind the pidfd a child of ours, ended or not? */
static bool is_child(int pidfd)
{
	siginfo_t info;

	return waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

enum reap_claim reap_claim(pid_t pid, uid_t uid, int *pidfd, struct err *e)
{
	int64_t real_uid;
	int fd;

	*pidfd = -1;
	if (pid <= 1 || pid == getpid()) {
		err_set(e, "%d is no process of a pool", (int)pid);
		return REAP_LIE;
	}
	fd = pidfd_open(pid, 0);
	if (fd < 0) {
		int saved = errno;

		err_sys(e, "pidfd_open(%d)", (int)pid);
		return saved == ESRCH ? REAP_GONE : REAP_ERROR;
	}
	if (!is_child(fd)) {
		fd_close(&fd);
		err_set(e, "%d is not our child", (int)pid);
		return REAP_LIE;
	}
	/* Our child, not waited for: the number cannot pass to another process now. */
	real_uid = uid_of(pid);
	if (real_uid != (int64_t)uid && !(real_uid < 0 && geteuid() != 0)) {
		fd_close(&fd);
		err_set(e, "%d runs as uid %lld, not %u", (int)pid, (long long)real_uid, uid);
		return REAP_LIE;
	}
	*pidfd = fd;
	return REAP_OURS;
}

static void end_from(const siginfo_t *info, struct reap_end *end)
{
	*end = (struct reap_end){
	    .by_signal = info->si_code != CLD_EXITED,
	    .core = info->si_code == CLD_DUMPED,
	    .code = info->si_status,
	};
}

int reap_collect(int pidfd, struct reap_end *end, struct err *e)
{
	siginfo_t info = {0};

	if (waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOHANG) < 0)
		return err_sys(e, "waitid");
	if (info.si_pid == 0)
		return 0;
	end_from(&info, end);
	return 1;
}

bool reap_is_stopped(int pidfd)
{
	siginfo_t info = {0};

	return waitid(P_PIDFD, (id_t)pidfd, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid != 0;
}

void reap_signal(int pidfd, int signo)
{
	/* ESRCH: it has ended, which is what most signals are for. */
	if (pidfd_send_signal(pidfd, signo, NULL, 0) < 0 && errno != ESRCH)
		log_warn("failed to send signal %d: %s (%d)", signo, strerror(errno), errno);
}

void reap_words(const struct reap_end *end, char words[REAP_WORDS_BYTES])
{
	const char *name = sigabbrev_np(end->code);

	if (!end->by_signal)
		snprintf(words, REAP_WORDS_BYTES, "exited with code %d", end->code);
	else
		snprintf(words, REAP_WORDS_BYTES, "exited on signal %d (%s%s%s)", end->code,
		    name ? "SIG" : "unknown signal", name ? name : "",
		    end->core ? " - core dumped" : "");
}

bool reap_is_served(const struct reap_end *end)
{
	return !end->by_signal && end->code == EXIT_SERVED;
}

enum log_level reap_level(const struct reap_end *end, bool stopping)
{
	if (stopping || reap_is_served(end))
		return LOG_LEVEL_DEBUG;
	if (end->by_signal)
		return end->code == SIGQUIT ? LOG_LEVEL_NOTICE : LOG_LEVEL_WARNING;
	return end->code == 0 ? LOG_LEVEL_NOTICE : LOG_LEVEL_WARNING;
}

void reap_strangers(bool (*is_known)(void *ctx, pid_t pid), void *ctx)
{
	for (int i = 0; i < STRANGERS_PER_SWEEP; i++) {
		siginfo_t info = {0};
		struct reap_end end;
		char words[REAP_WORDS_BYTES];

		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
			return;
		/* Its own pidfd is readable and collects it within this turn or the next. */
		if (is_known(ctx, info.si_pid))
			return;
		if (waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG) < 0)
			return;
		end_from(&info, &end);
		reap_words(&end, words);
		log_debug("unknown child (%d) %s", (int)info.si_pid, words);
	}
}
