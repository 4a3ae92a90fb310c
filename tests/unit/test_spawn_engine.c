/* spawn_engine: an engine gets what it is given and nothing else. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "proc/spawn.h"
#include "seccomp.h"
#include "unit.h"

static struct err e;

static int exit_code_of(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status), "status %x", (unsigned)status);
	return WEXITSTATUS(status);
}

/* A shell stands in for the engine: it can tell what it was given. */
static int open_shell(void)
{
	int fd = open("/bin/sh", O_PATH | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* Runs script by spawn_engine; what it wrote to stdout is in text. */
static int run_script(struct spawn_engine *s, const char *script, char *text, size_t size)
{
	const char *argv[] = {"sh", "-c", script, NULL};
	size_t len = 0;
	int out[2], pidfd, code;
	struct pollfd p;
	ssize_t n;
	pid_t pid;

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	s->argv = argv;
	s->stdout_fd = out[1];
	pid = spawn_engine(s, &pidfd, &e);
	ck_assert_msg(pid > 0, "%s", e.text);
	ck_assert_int_eq(fcntl(pidfd, F_GETFD), FD_CLOEXEC);
	close(out[1]);
	while ((n = read(out[0], text + len, size - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	close(out[0]);
	p = (struct pollfd){.fd = pidfd, .events = POLLIN};
	ck_assert_int_eq(poll(&p, 1, 10000), 1);
	code = exit_code_of(pid);
	close(pidfd);
	return code;
}

static const char *const small_env[] = {"PATH=/usr/bin:/bin", "A=1", NULL};

static struct spawn_engine shell(void)
{
	return (struct spawn_engine){
	    .engine_fd = open_shell(), .envp = small_env, .stdout_fd = -1, .stderr_fd = -1};
}

START_TEST(an_engine_gets_its_environment_and_arguments)
{
	struct spawn_engine s = shell();
	char text[4096];

	ck_assert_int_eq(run_script(&s, "tr '\\0' '\\n' < /proc/$$/environ; echo $0; exit 3", text,
			     sizeof(text)),
	    3);
	ck_assert_str_eq(text, "PATH=/usr/bin:/bin\nA=1\nsh\n");
}
END_TEST

/* Asks number by number: reading the folder would open one more. */
static const char list_fds[] = "i=0; while [ $i -lt 1000 ]; do"
			       " [ -e /proc/$$/fd/$i ] && echo $i; i=$((i+1)); done; exit 0";

START_TEST(only_kept_descriptors_survive)
{
	struct spawn_engine s = shell();
	char text[4096], want[4096];
	int high = fcntl(STDERR_FILENO, F_DUPFD, 700), keep[2];

	for (int i = 0; i < 20; i++) /* neither of them close-on-exec */
		ck_assert_int_ge(dup(STDERR_FILENO), 0);
	keep[0] = high;
	keep[1] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	s.keep = keep;
	s.nkeep = 2;
	ck_assert_int_eq(run_script(&s, list_fds, text, sizeof(text)), 0);
	snprintf(want, sizeof(want), "0\n1\n2\n%d\n%d\n", keep[1], high);
	ck_assert_str_eq(text, want);
	/* The parent's own flags are as they were. */
	ck_assert_int_eq(fcntl(keep[1], F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fcntl(high, F_GETFD), 0);
}
END_TEST

START_TEST(stdin_and_what_is_not_given_are_dev_null)
{
	struct spawn_engine s = shell();
	char text[4096];

	ck_assert_int_eq(
	    run_script(&s, "readlink /proc/$$/fd/0; readlink /proc/$$/fd/2", text, sizeof(text)),
	    0);
	ck_assert_str_eq(text, "/dev/null\n/dev/null\n");
}
END_TEST

START_TEST(stdout_and_stderr_may_be_low_numbers)
{
	struct spawn_engine s = shell();
	char text[4096];

	/* 0 and 2 are closed, so pipes and copies land there. */
	close(STDIN_FILENO);
	s.stderr_fd = STDOUT_FILENO;
	ck_assert_int_eq(
	    run_script(&s, "test -p /proc/$$/fd/1 && readlink /proc/$$/fd/0", text, sizeof(text)),
	    0);
	ck_assert_str_eq(text, "/dev/null\n");
}
END_TEST

START_TEST(signals_start_at_their_defaults_with_the_mask_asked_for)
{
	struct spawn_engine s = shell();
	sigset_t mask, mine, now;
	char text[4096];

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR2); /* bit 11 */
	sigemptyset(&mine);
	sigaddset(&mine, SIGTERM);
	ck_assert_int_eq(sigprocmask(SIG_SETMASK, &mine, NULL), 0);
	ck_assert_int_eq(sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL), 0);
	s.mask = &mask;
	ck_assert_int_eq(run_script(&s, "while read k v; do echo $k $v; done < /proc/$$/status",
			     text, sizeof(text)),
	    0);
	ck_assert_ptr_nonnull(strstr(text, "SigBlk: 0000000000000800\n"));
	/* 32 and 33 are libc's own: nobody can set them. */
	ck_assert_ptr_nonnull(strstr(text, "SigIgn: "));
	ck_assert_uint_eq(strtoull(strstr(text, "SigIgn: ") + 8, NULL, 16) & ~(3ULL << 31), 0);
	ck_assert_int_eq(sigprocmask(SIG_SETMASK, NULL, &now), 0);
	ck_assert_int_eq(sigismember(&now, SIGTERM), 1);
	ck_assert_int_eq(sigismember(&now, SIGINT), 0);
}
END_TEST

/* After a failure: a pid was not given, and no child is left. */
static void assert_failed(struct spawn_engine *s, const char *text)
{
	const char *argv[] = {"sh", "-c", "exit 0", NULL};
	int pidfd = 7;

	s->argv = argv;
	ck_assert_int_eq(spawn_engine(s, &pidfd, &e), -1);
	ck_assert_int_eq(pidfd, -1);
	ck_assert_str_eq(e.text, text);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(a_failed_exec_is_told_and_reaped)
{
	struct spawn_engine s = shell();

	close(s.engine_fd);
	s.engine_fd = open("/etc/passwd", O_PATH | O_CLOEXEC);
	assert_failed(&s, "execveat(fpmx-engine): Permission denied (13)");
	ck_assert_int_eq(e.sys, EACCES);
}
END_TEST

START_TEST(a_reason_that_a_pools_user_made_up_is_one_line)
{
	struct err made_up;
	int report[2];

	memset(&made_up, '\n', sizeof(made_up));
	ck_assert_int_eq(pipe2(report, O_CLOEXEC), 0);
	ck_assert_int_eq(fd_write_all(report[1], &made_up, sizeof(made_up), &e), 0);
	ck_assert_int_eq(spawn_report(report[0], &e), -1);
	ck_assert_uint_eq(strnlen(e.text, sizeof(e.text)), sizeof(e.text) - 1);
	ck_assert_ptr_null(memchr(e.text, '\n', sizeof(e.text)));
	close(report[0]);
	close(report[1]);
}
END_TEST

START_TEST(a_failed_privilege_step_is_told_and_reaped)
{
	struct spawn_engine s = shell();
	struct privs privs = {.chdir_path = "/nonexistent"};

	s.privs = &privs;
	assert_failed(&s, "failed to chdir(/nonexistent): No such file or directory (2)");
}
END_TEST

/* A master of many workers, and a pool whose own limit is below that. */
START_TEST(a_limit_below_the_masters_descriptors_is_no_obstacle)
{
	struct spawn_engine s = shell();
	struct privs privs = {.rlimit_files = 32};
	char text[4096];

	for (int i = 0; i < 64; i++)
		ck_assert_int_ge(fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3), 0);
	s.privs = &privs;
	ck_assert_int_eq(run_script(&s, "ulimit -n", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "32\n");
}
END_TEST

START_TEST(a_kept_descriptor_that_is_closed_is_told)
{
	struct spawn_engine s = shell();
	int keep = 678;

	s.keep = &keep;
	s.nkeep = 1;
	assert_failed(&s, "fcntl(678, F_SETFD): Bad file descriptor (9)");
}
END_TEST

START_TEST(an_engine_takes_its_privileges_before_exec)
{
	struct spawn_engine s = shell();
	gid_t groups[] = {23456, 34567};
	struct privs privs = {
	    .change_user = true, .uid = 12345, .gid = 23456, .groups = groups, .ngroups = 2};
	char text[4096];

	unit_needs_root();
	s.privs = &privs;
	ck_assert_int_eq(run_script(&s, "id -u; id -g; id -G", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "12345\n23456\n23456 34567\n");
}
END_TEST

static void copy_shell(const char *path)
{
	int from = open("/bin/sh", O_RDONLY | O_CLOEXEC);
	int to = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);
	char *bytes;
	size_t n;

	ck_assert_int_eq(fd_slurp(from, 64 << 20, &bytes, &n, &e), 0);
	ck_assert_int_eq(fd_write_all(to, bytes, n, &e), 0);
	free(bytes);
	close(from);
	close(to);
}

START_TEST(an_engine_out_of_its_users_reach_by_path_still_runs)
{
	struct spawn_engine s = shell();
	gid_t groups[] = {23456};
	struct privs privs = {
	    .change_user = true, .uid = 12345, .gid = 23456, .groups = groups, .ngroups = 1};
	char dir[] = "/tmp/fpmx-test-spawn-XXXXXX", path[64], text[4096];

	unit_needs_root();
	ck_assert_ptr_nonnull(mkdtemp(dir)); /* mode 0700 */
	snprintf(path, sizeof(path), "%s/engine", dir);
	copy_shell(path);
	close(s.engine_fd);
	s.engine_fd = open(path, O_PATH | O_CLOEXEC);
	s.privs = &privs;
	ck_assert_int_eq(run_script(&s, "id -u", text, sizeof(text)), 0);
	ck_assert_str_eq(text, "12345\n");
	unlink(path);
	rmdir(dir);
}
END_TEST

/* A master that starts one engine and waits to be killed. */
static _Noreturn void be_master(const struct privs *privs, int report_fd)
{
	const char *argv[] = {"sh", "-c", "sleep 60 & wait", NULL};
	struct spawn_engine s = shell();
	int pidfd;
	pid_t pid;

	s.argv = argv;
	s.privs = privs;
	pid = spawn_engine(&s, &pidfd, &e);
	if (pid < 0 || write(report_fd, &pid, sizeof(pid)) != (ssize_t)sizeof(pid))
		_exit(1);
	for (;;)
		pause();
}

static void assert_dies_with_master(const struct privs *privs)
{
	int report[2], status;
	pid_t master, engine;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(pipe2(report, O_CLOEXEC), 0);
	master = spawn_fork(&e);
	if (master == 0)
		be_master(privs, report[1]);
	ck_assert_int_eq(read(report[0], &engine, sizeof(engine)), (ssize_t)sizeof(engine));
	ck_assert_int_eq(kill(master, SIGKILL), 0);
	ck_assert_int_eq(waitpid(master, &status, 0), master);
	ck_assert_int_eq(waitpid(engine, &status, 0), engine);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

START_TEST(an_engine_dies_with_the_master)
{
	assert_dies_with_master(NULL);
}
END_TEST

START_TEST(an_engine_of_another_user_dies_with_the_master)
{
	gid_t groups[] = {23456};
	struct privs privs = {
	    .change_user = true, .uid = 12345, .gid = 23456, .groups = groups, .ngroups = 1};

	unit_needs_root();
	assert_dies_with_master(&privs);
}
END_TEST

START_TEST(many_engines_leave_no_descriptor_behind)
{
	char text[64];
	int first = dup(0), last;

	close(first);
	for (int i = 0; i < 50; i++) {
		struct spawn_engine s = shell();

		ck_assert_int_eq(run_script(&s, "exit 5", text, sizeof(text)), 5);
		close(s.engine_fd);
	}
	last = dup(0);
	ck_assert_int_eq(last, first);
}
END_TEST

START_TEST(the_engine_is_found_beside_the_program)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 20);
	struct stat a, b;
	int fd;

	ck_assert_int_gt(n, 0);
	path[n] = '\0';
	memcpy(strrchr(path, '/') + 1, "fpmx-engine", 12);
	if (access(path, F_OK) == 0)
		unit_skip("an engine stands there already");
	ck_assert_int_eq(spawn_open_engine(&e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, path));
	fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);
	if (fd < 0)
		unit_skip("the folder of the test cannot be written");
	ck_assert_int_eq(fstat(fd, &a), 0);
	close(fd);
	fd = spawn_open_engine(&e);
	unlink(path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &b), 0);
	ck_assert_uint_eq(a.st_ino, b.st_ino);
	ck_assert(fcntl(fd, F_GETFL) & O_PATH);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}
END_TEST

START_TEST(a_master_adopts_where_templates_fork_twice)
{
	struct spawn_engine s = shell();
	char text[64];
	int is = 7;

	ck_assert_int_eq(run_script(&s, "exit 0", text, sizeof(text)), 0);
	ck_assert_int_eq(prctl(PR_GET_CHILD_SUBREAPER, &is), 0);
	ck_assert_int_eq(is, 0);
	ck_assert_int_eq(seccomp_lose_tid_address(), 0);
	ck_assert_int_eq(run_script(&s, "exit 0", text, sizeof(text)), 0);
	ck_assert_int_eq(prctl(PR_GET_CHILD_SUBREAPER, &is), 0);
	ck_assert_int_eq(is, 1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, an_engine_gets_its_environment_and_arguments);
	tcase_add_test(tc, only_kept_descriptors_survive);
	tcase_add_test(tc, stdin_and_what_is_not_given_are_dev_null);
	tcase_add_test(tc, stdout_and_stderr_may_be_low_numbers);
	tcase_add_test(tc, signals_start_at_their_defaults_with_the_mask_asked_for);
	tcase_add_test(tc, a_failed_exec_is_told_and_reaped);
	tcase_add_test(tc, a_reason_that_a_pools_user_made_up_is_one_line);
	tcase_add_test(tc, a_failed_privilege_step_is_told_and_reaped);
	tcase_add_test(tc, a_limit_below_the_masters_descriptors_is_no_obstacle);
	tcase_add_test(tc, a_kept_descriptor_that_is_closed_is_told);
	tcase_add_test(tc, an_engine_takes_its_privileges_before_exec);
	tcase_add_test(tc, an_engine_out_of_its_users_reach_by_path_still_runs);
	tcase_add_test(tc, an_engine_dies_with_the_master);
	tcase_add_test(tc, an_engine_of_another_user_dies_with_the_master);
	tcase_add_test(tc, many_engines_leave_no_descriptor_behind);
	tcase_add_test(tc, the_engine_is_found_beside_the_program);
	tcase_add_test(tc, a_master_adopts_where_templates_fork_twice);
}

int main(void)
{
	if (unit_on_valgrind()) {
		printf("SKIP spawn_engine: valgrind knows no pidfd_open\n");
		return 77;
	}
	return unit_run("spawn_engine", add);
}
