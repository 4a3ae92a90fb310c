/* reap: whose child a number is, and how it ended. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "master/reap.h"
#include "proc/exits.h"
#include "unit.h"

/* Tests may fork; what they test may not. */
static pid_t child(int signo, int code)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	if (signo == 0)
		_exit(code);
	if (signo > 0)
		raise(signo);
	for (;;)
		pause();
}

static void wait_for_end(int pidfd)
{
	siginfo_t info;

	ck_assert_int_eq(waitid(P_PIDFD, (id_t)pidfd, &info, WEXITED | WNOWAIT), 0);
}

START_TEST(own_children_are_proved)
{
	pid_t pid = child(-1, 0);
	struct reap_end end;
	struct err e;
	int pidfd;

	ck_assert_int_eq(reap_claim(pid, getuid(), &pidfd, &e), REAP_OURS);
	ck_assert_int_eq(reap_collect(pidfd, &end, &e), 0);
	reap_signal(pidfd, SIGKILL);
	wait_for_end(pidfd);
	/* Ended, not collected: still ours. */
	ck_assert_int_eq(reap_claim(pid, getuid(), &(int){-1}, &e), REAP_OURS);
	ck_assert_int_eq(reap_collect(pidfd, &end, &e), 1);
	ck_assert(end.by_signal && end.code == SIGKILL && !end.core);
	ck_assert_int_eq(reap_claim(pid, getuid(), &(int){-1}, &e), REAP_GONE);
	reap_signal(pidfd, SIGKILL); /* nothing happens */
	close(pidfd);
}
END_TEST

START_TEST(it_is_seen_when_one_stands_still)
{
	pid_t pid = child(-1, 0);
	struct err e;
	int pidfd;

	ck_assert_int_eq(reap_claim(pid, getuid(), &pidfd, &e), REAP_OURS);
	ck_assert(!reap_is_stopped(pidfd));
	reap_signal(pidfd, SIGSTOP);
	for (int i = 0; i < 5000 && !reap_is_stopped(pidfd); i++)
		usleep(1000);
	ck_assert(reap_is_stopped(pidfd) && reap_is_stopped(pidfd));
	reap_signal(pidfd, SIGCONT);
	ck_assert(!reap_is_stopped(pidfd));
	reap_signal(pidfd, SIGKILL);
	wait_for_end(pidfd);
	ck_assert(!reap_is_stopped(pidfd));
	ck_assert_int_eq(reap_collect(pidfd, &(struct reap_end){0}, &e), 1);
	close(pidfd);
}
END_TEST

START_TEST(lies_are_found)
{
	pid_t pid = child(-1, 0);
	struct err e;
	int pidfd;

	ck_assert_int_eq(reap_claim(getppid(), getuid(), &pidfd, &e), REAP_LIE);
	ck_assert_int_eq(pidfd, -1);
	ck_assert_int_eq(reap_claim(getpid(), getuid(), &pidfd, &e), REAP_LIE);
	ck_assert_int_eq(reap_claim(1, getuid(), &pidfd, &e), REAP_LIE);
	ck_assert_int_eq(reap_claim(0, getuid(), &pidfd, &e), REAP_LIE);
	ck_assert_int_eq(reap_claim(-1, getuid(), &pidfd, &e), REAP_LIE);
	ck_assert_int_eq(reap_claim(pid, getuid() + 1, &pidfd, &e), REAP_LIE);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}
END_TEST

START_TEST(ends_are_told_in_php_fpms_words)
{
	char words[REAP_WORDS_BYTES];

	reap_words(&(struct reap_end){.code = 70}, words);
	ck_assert_str_eq(words, "exited with code 70");
	reap_words(&(struct reap_end){.by_signal = true, .code = SIGKILL}, words);
	ck_assert_str_eq(words, "exited on signal 9 (SIGKILL)");
	reap_words(&(struct reap_end){.by_signal = true, .code = SIGSEGV, .core = true}, words);
	ck_assert_str_eq(words, "exited on signal 11 (SIGSEGV - core dumped)");
}
END_TEST

START_TEST(levels_are_php_fpms)
{
	struct reap_end done = {0}, failed = {.code = 1}, quit = {true, false, SIGQUIT},
			killed = {true, false, SIGKILL}, served = {.code = EXIT_SERVED};

	ck_assert_int_eq(reap_level(&served, false), LOG_LEVEL_DEBUG);
	ck_assert(reap_is_served(&served) && !reap_is_served(&done) && !reap_is_served(&killed));
	ck_assert_int_eq(reap_level(&done, false), LOG_LEVEL_NOTICE);
	ck_assert_int_eq(reap_level(&quit, false), LOG_LEVEL_NOTICE);
	ck_assert_int_eq(reap_level(&failed, false), LOG_LEVEL_WARNING);
	ck_assert_int_eq(reap_level(&killed, false), LOG_LEVEL_WARNING);
	ck_assert_int_eq(reap_level(&killed, true), LOG_LEVEL_DEBUG);
}
END_TEST

static pid_t known;

static bool is_known(void *ctx, pid_t pid)
{
	(void)ctx;
	return pid == known;
}

START_TEST(strangers_are_collected_and_others_left)
{
	struct err e;
	int pidfd = -1;

	for (int i = 0; i < 50; i++)
		child(0, 0);
	usleep(200 * 1000);
	reap_strangers(is_known, NULL);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);

	known = child(0, 3);
	ck_assert_int_eq(reap_claim(known, getuid(), &pidfd, &e), REAP_OURS);
	wait_for_end(pidfd);
	reap_strangers(is_known, NULL);
	ck_assert_int_eq(reap_collect(pidfd, &(struct reap_end){0}, &e), 1);
	close(pidfd);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, own_children_are_proved);
	tcase_add_test(tc, it_is_seen_when_one_stands_still);
	tcase_add_test(tc, lies_are_found);
	tcase_add_test(tc, ends_are_told_in_php_fpms_words);
	tcase_add_test(tc, levels_are_php_fpms);
	tcase_add_test(tc, strangers_are_collected_and_others_left);
}

int main(void)
{
	if (unit_on_valgrind()) {
		printf("SKIP reap: valgrind knows no pidfd_open\n");
		return 77;
	}
	return unit_run("reap", add);
}
