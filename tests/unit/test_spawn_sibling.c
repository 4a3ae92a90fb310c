/* spawn_sibling: a copy of the template that is a child of the master. */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "proc/exits.h"
#include "proc/spawn.h"
#include "seccomp.h"
#include "unit.h"

static struct err e;

static void nap_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int exit_code_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "status %x", (unsigned)status);
	return WEXITSTATUS(status);
}

static void *say_done(void *arg)
{
	return arg;
}

/* In a sibling: 0, or the number of what does not hold. */
static int check_sibling(pid_t master)
{
	pthread_mutexattr_t attr;
	pthread_mutex_t mutex;
	pthread_t thread;
	void *done = NULL;
	char *argv[] = {"sh", "-c", "exit 3", NULL};
	int sig = 0, status;
	pid_t child;

	if (getppid() != master)
		return 1;
	if (gettid() != getpid())
		return 2;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&mutex, &attr);
	/* Knows its owner by libc's own record of the thread's id. */
	if (pthread_mutex_lock(&mutex) != 0 || mutex.__data.__owner != getpid())
		return 3;
	if (pthread_mutex_lock(&mutex) != EDEADLK || pthread_mutex_unlock(&mutex) != 0)
		return 4;
	if (pthread_create(&thread, NULL, say_done, &done) != 0 || pthread_join(thread, &done) != 0)
		return 5;
	if (done != &done)
		return 6;
	if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, environ) != 0)
		return 7;
	if (waitpid(child, &status, 0) != child || status != 3 << 8)
		return 8;
	if (prctl(PR_GET_PDEATHSIG, &sig) < 0 || sig != SIGQUIT)
		return 9;
	return 0;
}

/* In the template: asks for one sibling, tells its pid, leaves. */
static _Noreturn void be_template(pid_t master, int report_fd, bool lose)
{
	pid_t sibling;

	if (lose)
		ck_assert_int_eq(seccomp_lose_tid_address(), 0);
	sibling = spawn_sibling(master, &e);
	if (sibling == 0)
		_exit(check_sibling(master));
	if (write(report_fd, &sibling, sizeof(sibling)) != (ssize_t)sizeof(sibling))
		_exit(1);
	_exit(sibling > 0 ? 0 : 2);
}

static void assert_sibling_is_ours(bool lose)
{
	int report[2];
	pid_t template, sibling = 0, master = getpid();

	ck_assert_int_eq(pipe2(report, O_CLOEXEC), 0);
	template = spawn_fork(&e);
	if (template == 0)
		be_template(master, report[1], lose);
	ck_assert_int_eq(read(report[0], &sibling, sizeof(sibling)), (ssize_t)sizeof(sibling));
	ck_assert_int_gt(sibling, 0);
	ck_assert_int_ne(sibling, template);
	ck_assert_int_eq(exit_code_of(template), 0);
	/* The template is gone; its sibling is reaped by us all the same. */
	ck_assert_int_eq(exit_code_of(sibling), 0);
}

START_TEST(a_sibling_is_a_child_of_the_master_and_whole)
{
	assert_sibling_is_ours(false);
}
END_TEST

START_TEST(a_sibling_forked_twice_is_a_child_of_the_master_too)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_sibling_is_ours(true);
}
END_TEST

static void assert_many_siblings(unsigned count, bool lose)
{
	pid_t template, pid, master = getpid();
	unsigned seen[256] = {0}, siblings = 0;
	int status;

	template = spawn_fork(&e);
	if (template == 0) {
		if (lose)
			ck_assert_int_eq(seccomp_lose_tid_address(), 0);
		for (unsigned i = 0; i < count; i++) {
			pid = spawn_sibling(master, &e);
			if (pid == 0)
				_exit(getppid() == master ? (int)(i % 10) : 255);
			if (pid < 0)
				_exit(254);
		}
		_exit(0);
	}
	while ((pid = waitpid(-1, &status, 0)) > 0) {
		ck_assert(WIFEXITED(status));
		if (pid == template)
			ck_assert_int_eq(WEXITSTATUS(status), 0);
		else {
			seen[WEXITSTATUS(status)]++;
			siblings++;
		}
	}
	ck_assert_uint_eq(siblings, count);
	for (unsigned i = 0; i < 10; i++)
		ck_assert_uint_eq(seen[i], count / 10);
}

START_TEST(many_siblings_are_all_reaped_here)
{
	assert_many_siblings(unit_on_valgrind() ? 20 : 1000, false);
}
END_TEST

START_TEST(many_siblings_forked_twice_are_all_reaped_here)
{
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_many_siblings(unit_on_valgrind() ? 20 : 200, true);
}
END_TEST

START_TEST(a_sibling_of_a_gone_master_leaves_at_once)
{
	pid_t template = spawn_fork(&e), sibling;
	int status;

	if (template == 0) {
		sibling = spawn_sibling(1 << 30, &e);
		_exit(sibling > 0 ? 0 : 1);
	}
	ck_assert_int_eq(exit_code_of(template), 0);
	sibling = waitpid(-1, &status, 0);
	ck_assert_int_gt(sibling, 0);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), EXIT_ORPHANED);
}
END_TEST

/* A master with a template and a worker; tells the worker's pid and waits. */
static _Noreturn void be_family(int report_fd)
{
	pid_t master = getpid(), template = spawn_fork(&e), sibling;

	if (template == 0) {
		/* A worker handles it; a shell's background job has it ignored. */
		sigaction(SIGQUIT, &(struct sigaction){.sa_handler = SIG_DFL}, NULL);
		sibling = spawn_sibling(master, &e);
		if (sibling == 0)
			for (;;)
				pause();
		_exit(write(report_fd, &sibling, sizeof(sibling)) == (ssize_t)sizeof(sibling) ? 0
											      : 1);
	}
	for (;;)
		pause();
}

START_TEST(a_sibling_is_told_when_the_master_dies)
{
	int report[2], status;
	pid_t master, sibling;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe2(report, O_CLOEXEC), 0);
	master = spawn_fork(&e);
	if (master == 0)
		be_family(report[1]);
	ck_assert_int_eq(read(report[0], &sibling, sizeof(sibling)), (ssize_t)sizeof(sibling));
	nap_ms(50); /* the sibling has set its signal */
	ck_assert_int_eq(kill(master, SIGKILL), 0);
	ck_assert_int_eq(waitpid(master, &status, 0), master);
	ck_assert_int_eq(waitpid(sibling, &status, 0), sibling);
	ck_assert(WIFSIGNALED(status) || WIFEXITED(status));
	ck_assert(
	    WIFEXITED(status) ? WEXITSTATUS(status) == EXIT_ORPHANED : WTERMSIG(status) == SIGQUIT);
}
END_TEST

START_TEST(a_refused_fork_is_told)
{
	pid_t template;

	/* No process may be made any more, not even by root. */
	template = spawn_fork(&e);
	if (template == 0) {
		seccomp_refuse(SYS_clone,
		    CLONE_PARENT | CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, EAGAIN);
		if (spawn_sibling(getppid(), &e) != -1 || e.sys != EAGAIN)
			_exit(1);
		_exit(strcmp(e.text, "clone: Resource temporarily unavailable (11)") == 0 ? 0 : 2);
	}
	ck_assert_int_eq(exit_code_of(template), 0);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_sibling_is_a_child_of_the_master_and_whole);
	tcase_add_test(tc, a_sibling_forked_twice_is_a_child_of_the_master_too);
	tcase_add_test(tc, many_siblings_are_all_reaped_here);
	tcase_add_test(tc, many_siblings_forked_twice_are_all_reaped_here);
	tcase_add_test(tc, a_sibling_of_a_gone_master_leaves_at_once);
	tcase_add_test(tc, a_sibling_is_told_when_the_master_dies);
	tcase_add_test(tc, a_refused_fork_is_told);
}

UNIT_MAIN("spawn_sibling", add)
