/*
 * spawn: the only file that makes processes.
 *
 * Runs in: master (all others), template (spawn_sibling).
 * Invariant: every process made here dies with the master (parent-death
 * signal), and everyone's parent is the master.
 */
#include "proc/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/sched.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/must.h"
#include "proc/exits.h"

/*
 * What comes between fork and exec takes about a millisecond; only a folder on a
 * file system that hangs can make it take this long.
 */
#define EXEC_WAIT_MS 5000

#define ENGINE_NAME "fpmx-engine"

/* --- the engine ---------------------------------------------------------- */

int spawn_open_engine(struct err *e)
{
	char path[PATH_MAX + sizeof(ENGINE_NAME)];
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
	char *slash;
	int fd;

	if (n < 0 || n == PATH_MAX)
		return err_sys(e, "readlink(/proc/self/exe)");
	path[n] = '\0';
	slash = strrchr(path, '/');
	must(slash);
	memcpy(slash + 1, ENGINE_NAME, sizeof(ENGINE_NAME));
	fd = open(path, O_PATH | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		fd = open(FPMX_LIBEXECDIR "/" ENGINE_NAME, O_PATH | O_CLOEXEC);
	if (fd < 0)
		err_sys(
		    e, "the engine is neither %s nor %s", path, FPMX_LIBEXECDIR "/" ENGINE_NAME);
	return fd;
}

/* exec keeps ignored signals ignored; the engine starts with none. */
static void reset_signals(void)
{
	const struct sigaction usual = {.sa_handler = SIG_DFL};

	for (int signo = 1; signo <= SIGRTMAX; signo++)
		sigaction(signo, &usual, NULL); /* KILL, STOP and libc's own fail */
}

/* A copy out of the way of 0, 1 and 2. */
static int dup_high(int fd, int otherwise, struct err *e)
{
	int copy = fcntl(fd >= 0 ? fd : otherwise, F_DUPFD_CLOEXEC, 3);

	return copy >= 0 ? copy : err_sys(e, "fcntl(F_DUPFD_CLOEXEC)");
}

static int set_stdio(int stdout_fd, int stderr_fd, struct err *e)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from[3];

	if (null < 0)
		return err_sys(e, "open(/dev/null)");
	from[0] = dup_high(null, -1, e);
	from[1] = dup_high(stdout_fd, null, e);
	from[2] = dup_high(stderr_fd, null, e);
	for (int i = 0; i < 3; i++)
		if (from[i] < 0 || (dup2(from[i], i) < 0 && err_sys(e, "dup2(%d)", i)))
			return -1;
	return 0;
}

/* What the child of spawn_engine knows besides. */
struct launch {
	int engine_fd, report_fd; /* both >= 3 */
	pid_t master;
	int *keep; /* room for all of the caller's and two more */
	sigset_t mask;
};

/* s->keep and our own two survive until exec, s->keep beyond it. */
static int keep_fds(const struct spawn_engine *s, struct launch *l, struct err *e)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nkeep; i++) {
		if (fd_cloexec(s->keep[i], false, e) < 0)
			return -1;
		l->keep[n++] = s->keep[i];
	}
	l->keep[n++] = l->engine_fd;
	l->keep[n++] = l->report_fd;
	fd_close_others(3, l->keep, n);
	return 0;
}

/* In the child. Returns only on failure. */
static int become_engine(const struct spawn_engine *s, struct launch *l, struct err *e)
{
	reset_signals();
	l->report_fd = fd_raise(l->report_fd, 3, e);
	l->engine_fd = fcntl(s->engine_fd, F_DUPFD_CLOEXEC, 3);
	if (l->report_fd < 0 || l->engine_fd < 0)
		return err_sys(e, "fcntl(F_DUPFD_CLOEXEC)");
	/*
	 * Before a limit of the pool's that the master's own descriptors exceed,
	 * and before its user can stop us while we hold those of other pools.
	 */
	if (set_stdio(s->stdout_fd, s->stderr_fd, e) < 0 || keep_fds(s, l, e) < 0)
		return -1;
	if (s->privs && privs_apply(s->privs, e) < 0)
		return -1;

	/* After the change of uid, which would take it away again. */
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		return err_sys(e, "prctl(PR_SET_PDEATHSIG)");
	if (getppid() != l->master)
		_exit(EXIT_ORPHANED);
	if (s->title)
		prctl(PR_SET_NAME, s->title);
	/* Last: what is open may be above the limit, what is opened may not. */
	if (s->files && setrlimit(RLIMIT_NOFILE, s->files) < 0)
		return err_sys(e, "setrlimit(RLIMIT_NOFILE)");
	sigprocmask(SIG_SETMASK, &l->mask, NULL);
	execveat(l->engine_fd, "", (char *const *)(uintptr_t)s->argv,
	    (char *const *)(uintptr_t)s->envp, AT_EMPTY_PATH);
	return err_sys(e, "execveat(%s)", ENGINE_NAME);
}

int spawn_report(int report_fd, struct err *e)
{
	struct err reason;
	ssize_t got;

	do
		got = read(report_fd, &reason, sizeof(reason));
	while (got < 0 && errno == EINTR);
	if (got == 0)
		return 0;
	if (got != (ssize_t)sizeof(reason))
		return err_set(e, "the new process failed before its exec");
	/* By then it may have been the pool's user, who can make it write anything. */
	err_tame(reason.text, sizeof(reason.text));
	if (e)
		*e = reason;
	return -1;
}

/*
 * Waits until exec closes the pipe or the child says why not. Returns 0 for
 * exec, else -1 with the reason in *e.
 */
static int await_exec(int report_fd, struct err *e)
{
	struct pollfd p = {.fd = report_fd, .events = POLLIN};
	uint64_t until_ms = clock_now_ms() + EXEC_WAIT_MS;
	int n;

	do
		n = poll(&p, 1, clock_until_ms(until_ms));
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return err_set(
		    e, "the new process did not come to its exec in %d ms", EXEC_WAIT_MS);
	return spawn_report(report_fd, e);
}

/* Ends a child that is not wanted; one that cannot die now is left to the reaper. */
static void put_down(pid_t pid, int *pidfd)
{
	struct pollfd p = {.fd = *pidfd, .events = POLLIN};

	kill(pid, SIGKILL);
	if (*pidfd < 0 || poll(&p, 1, 1000) == 1)
		waitpid(pid, NULL, 0);
	fd_close(pidfd);
}

/*
 * Without PR_GET_TID_ADDRESS templates fork twice, and the grandchild has to
 * come to us instead of to init.
 */
static void adopt_where_needed(void)
{
	int *tid;

	if (prctl(PR_GET_TID_ADDRESS, &tid) < 0)
		prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static _Noreturn void run_child(const struct spawn_engine *s, struct launch *l)
{
	struct err reason = {0};

	become_engine(s, l, &reason);
	if (fd_write_all(l->report_fd, &reason, sizeof(reason), NULL) < 0)
		_exit(EXIT_CONFIG);
	_exit(EXIT_SOFTWARE);
}

/* In the master: the child is ours when it has executed. */
static pid_t take_child(
    const struct spawn_engine *s, pid_t pid, int *report_fd, int *pidfd, struct err *e)
{
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd < 0)
		err_sys(e, "pidfd_open");
	else if (s->report_fd && fd_nonblock(*report_fd, true, e) == 0) {
		*s->report_fd = *report_fd;
		*report_fd = -1;
		return pid;
	} else if (!s->report_fd && await_exec(*report_fd, e) == 0)
		return pid;
	put_down(pid, pidfd);
	return -1;
}

pid_t spawn_engine(const struct spawn_engine *s, int *pidfd, struct err *e)
{
	struct launch l = {.master = getpid()};
	sigset_t all, before;
	int report[2];
	pid_t pid;

	*pidfd = -1;
	for (size_t i = 0; i < s->nkeep; i++)
		must(s->keep[i] >= 3);
	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe2");
	adopt_where_needed();
	l.report_fd = report[1];
	l.keep = must_memory(malloc(sizeof(*l.keep) * (s->nkeep + 2)));
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	l.mask = s->mask ? *s->mask : before;

	pid = fork();
	if (pid == 0)
		run_child(s, &l);
	if (pid < 0)
		err_sys(e, "fork");
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(l.keep);
	fd_close(&report[1]);
	if (pid > 0)
		pid = take_child(s, pid, &report[0], pidfd, e);
	fd_close(&report[0]);
	return pid;
}

/* --- other programs --------------------------------------------------------- */

/* In the child. Returns only on failure. */
static int become_program(const struct spawn_program *p, pid_t master, struct err *e)
{
	sigset_t none;

	reset_signals();
	if (set_stdio(p->output_fd, p->output_fd, e) < 0)
		return -1;
	if (p->keep_fd >= 0 && fd_cloexec(p->keep_fd, false, e) < 0)
		return -1;
	fd_close_others(3, &p->keep_fd, p->keep_fd >= 0 ? 1 : 0);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(e, "prctl(PR_SET_PDEATHSIG)");
	if (getppid() != master)
		_exit(EXIT_ORPHANED);
	if (p->files && setrlimit(RLIMIT_NOFILE, p->files) < 0)
		return err_sys(e, "setrlimit(RLIMIT_NOFILE)");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execvpe(p->argv[0], (char *const *)(uintptr_t)p->argv, (char *const *)(uintptr_t)p->envp);
	return err_sys(e, "cannot execute %s", p->argv[0]);
}

static _Noreturn void run_program(const struct spawn_program *p, pid_t master)
{
	struct err reason = {0};

	become_program(p, master, &reason);
	dprintf(STDERR_FILENO, "%s\n", reason.text);
	_exit(EXIT_SOFTWARE);
}

pid_t spawn_program(const struct spawn_program *p, int *pidfd, struct err *e)
{
	pid_t master = getpid(), pid;
	sigset_t all, before;

	*pidfd = -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0)
		run_program(p, master);
	if (pid < 0)
		err_sys(e, "fork");
	sigprocmask(SIG_SETMASK, &before, NULL);
	if (pid < 0)
		return -1;
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (*pidfd >= 0)
		return pid;
	err_sys(e, "pidfd_open");
	put_down(pid, pidfd);
	return -1;
}

pid_t spawn_fork(struct err *e)
{
	pid_t pid = fork();

	return pid >= 0 ? pid : err_sys(e, "fork");
}

/* --- siblings ------------------------------------------------------------ */

/* The order of clone's arguments is the architecture's. */
static pid_t raw_clone(unsigned long flags, int *ctid)
{
#if defined(__x86_64__)
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, ctid, 0UL);
#elif defined(__s390__)
	return (pid_t)syscall(SYS_clone, NULL, flags, NULL, ctid, 0UL);
#elif defined(__aarch64__) || defined(__arm__) || defined(__i386__) || defined(__riscv) || \
    defined(__powerpc__) || defined(__mips__) || defined(__loongarch__)
	return (pid_t)syscall(SYS_clone, flags, NULL, NULL, 0UL, ctid);
#else
	(void)flags;
	(void)ctid;
	errno = ENOSYS; /* fork twice there */
	return -1;
#endif
}

/*
 * As libc's fork, but for the parent: the thread id that libc keeps is set in
 * the child, and the kernel is told again of the list of robust mutexes.
 */
static pid_t clone_sibling(int *ctid)
{
	void *robust = NULL;
	size_t robust_bytes = 0;
	bool has_robust = syscall(SYS_get_robust_list, 0, &robust, &robust_bytes) == 0 && robust;
	pid_t pid =
	    raw_clone(CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, ctid);

	if (pid == 0 && has_robust)
		syscall(SYS_set_robust_list, robust, robust_bytes);
	return pid;
}

/* In the process between: makes the worker, tells its pid or -errno, leaves. */
static _Noreturn void leave_grandchild(int report_fd, pid_t grandchild)
{
	int32_t told = grandchild > 0 ? grandchild : -errno;

	_exit(fd_write_all(report_fd, &told, sizeof(told), NULL) < 0 ? EXIT_SOFTWARE : EXIT_DONE);
}

/* The way without PR_GET_TID_ADDRESS; the master is a child subreaper then. */
static pid_t fork_twice(struct err *e)
{
	int report[2], status;
	int32_t told = 0;
	pid_t middle;

	if (pipe2(report, O_CLOEXEC) < 0)
		return err_sys(e, "pipe2");
	middle = fork();
	if (middle == 0) {
		pid_t between = getpid(), grandchild = fork();

		if (grandchild != 0)
			leave_grandchild(report[1], grandchild);
		while (getppid() == between)
			nanosleep(&(struct timespec){.tv_nsec = 50 * 1000}, NULL);
		fd_close(&report[0]);
		fd_close(&report[1]);
		return 0;
	}
	fd_close(&report[1]);
	if (middle < 0)
		err_sys(e, "fork");
	else {
		if (fd_read_all(report[0], &told, sizeof(told), e) < 0)
			told = 0;
		while (waitpid(middle, &status, 0) < 0 && errno == EINTR)
			;
	}
	fd_close(&report[0]);
	if (told > 0)
		return told;
	if (told < 0) {
		errno = -told;
		err_sys(e, "fork");
	}
	return -1;
}

pid_t spawn_sibling(pid_t parent, struct err *e)
{
	int *ctid = NULL;
	pid_t pid = -1;

	if (prctl(PR_GET_TID_ADDRESS, &ctid) == 0 && ctid)
		pid = clone_sibling(ctid);
	else
		errno = ENOSYS;
	if (pid < 0 && errno == ENOSYS)
		pid = fork_twice(e);
	else if (pid < 0)
		return err_sys(e, "clone");
	if (pid != 0)
		return pid;

	if (prctl(PR_SET_PDEATHSIG, SIGQUIT) < 0 || getppid() != parent)
		_exit(EXIT_ORPHANED);
	return 0;
}
