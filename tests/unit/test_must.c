/* must: a bug ends the process with one line that says where and who. */
#include <string.h>
#include <sys/wait.h>

#include "base/log.h"
#include "base/must.h"
#include "unit.h"

/* Runs body in a child whose stderr comes back in text; returns its status. */
static int child_says(void (*body)(void), char *text, size_t size)
{
	int ends[2], status;
	ssize_t got;
	pid_t pid;

	ck_assert_int_eq(pipe(ends), 0);
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[1]);
		body();
		_exit(0);
	}
	close(ends[1]);
	got = read(ends[0], text, size - 1);
	text[got > 0 ? got : 0] = '\0';
	close(ends[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

static void break_a_rule(void)
{
	must_whoami("worker 3 of pool www");
	must(1 + 1 == 3);
}

static void break_a_rule_under_a_long_name(void)
{
	char name[200];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	must_whoami(name);
	must(0);
}

static void run_out_of_memory(void)
{
	must_whoami("template of pool www");
	must_memory(NULL);
}

START_TEST(a_broken_rule_names_place_and_process)
{
	char text[1024];
	int status = child_says(break_a_rule, text, sizeof(text));

	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	ck_assert_ptr_nonnull(strstr(text, "] ALERT: worker 3 of pool www: panic: "));
	ck_assert_ptr_nonnull(strstr(text, "must(1 + 1 == 3) failed at "));
	ck_assert_ptr_nonnull(strstr(text, "test_must.c:"));
	ck_assert_ptr_eq(strchr(text, '\n'), text + strlen(text) - 1);
}
END_TEST

START_TEST(a_long_name_is_cut)
{
	char text[1024], want[80];
	int status = child_says(break_a_rule_under_a_long_name, text, sizeof(text));

	ck_assert(WIFSIGNALED(status));
	memset(want, 'n', 63);
	memcpy(want + 63, ": panic", 8);
	ck_assert_ptr_nonnull(strstr(text, want));
	ck_assert_ptr_null(
	    strstr(text, "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"));
}
END_TEST

START_TEST(no_memory_is_exit_70)
{
	char text[1024];
	int status = child_says(run_out_of_memory, text, sizeof(text));

	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 70);
	ck_assert_str_eq(text, "template of pool www: out of memory\n");
}
END_TEST

START_TEST(a_kept_rule_costs_nothing)
{
	int n = 0;

	must(++n == 1);
	ck_assert_int_eq(n, 1);
	ck_assert_ptr_eq(must_memory(&n), &n);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_broken_rule_names_place_and_process);
	tcase_add_test(tc, a_long_name_is_cut);
	tcase_add_test(tc, no_memory_is_exit_70);
	tcase_add_test(tc, a_kept_rule_costs_nothing);
}

UNIT_MAIN("must", add)
