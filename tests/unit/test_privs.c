/* privs: who a pool's processes become, and what is said when they cannot. */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/log.h"
#include "proc/privs.h"
#include "proc/spawn.h"
#include "unit.h"

static struct arena *arena;
static struct pool_conf pool;
static struct privs privs;
static struct err e;

static void make(void)
{
	arena = arena_new(4096);
	pool = (struct pool_conf){.name = "www"};
}

static void unmake(void)
{
	arena_free(arena);
}

/* Runs check in a child after privs_apply(); returns what check returned. */
static int in_child(int (*check)(void))
{
	int status;
	pid_t pid = spawn_fork(&e);

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		if (privs_apply(&privs, &e) < 0) {
			fprintf(stderr, "%s\n", e.text);
			_exit(99);
		}
		_exit(check());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* --- resolving ----------------------------------------------------------- */

START_TEST(unknown_names_are_told_in_php_fpms_words)
{
	pool.user = "nosuchuser";
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), -1);
	ck_assert_str_eq(e.text, "cannot get uid for user 'nosuchuser'");
	pool.user = "nobody";
	pool.group = "nosuchgroup";
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), -1);
	ck_assert_str_eq(e.text, "cannot get gid for group 'nosuchgroup'");
	pool.user = "4294967295"; /* would mean "leave it" to the kernel */
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), -1);
	ck_assert_str_eq(e.text, "cannot get uid for user '4294967295'");
}
END_TEST

START_TEST(a_user_brings_group_groups_and_home)
{
	const struct passwd *pw = getpwnam("nobody");
	gid_t groups[64];
	int n = 64;

	ck_assert_ptr_nonnull(pw);
	ck_assert_int_ge(getgrouplist("nobody", pw->pw_gid, groups, &n), 0);
	pool.user = "nobody";
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), 0);
	ck_assert(privs.change_user);
	ck_assert_uint_eq(privs.uid, pw->pw_uid);
	ck_assert_uint_eq(privs.gid, pw->pw_gid);
	ck_assert_uint_eq(privs.ngroups, (unsigned)n);
	ck_assert_int_eq(memcmp(privs.groups, groups, sizeof(gid_t) * (size_t)n), 0);
	ck_assert_str_eq(privs.user, "nobody");
	ck_assert_str_eq(privs.home, pw->pw_dir);
}
END_TEST

START_TEST(a_group_of_its_own_replaces_the_users)
{
	pool.user = "nobody";
	pool.group = "daemon";
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), 0);
	ck_assert_uint_eq(privs.gid, getgrnam("daemon")->gr_gid);
	ck_assert_uint_eq(privs.groups[0], privs.gid);
}
END_TEST

START_TEST(numbers_bring_no_user_and_home)
{
	pool.user = "12345";
	pool.group = "23456";
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), 0);
	ck_assert_uint_eq(privs.uid, 12345);
	ck_assert_uint_eq(privs.gid, 23456);
	ck_assert_uint_eq(privs.ngroups, 1);
	ck_assert_uint_eq(privs.groups[0], 23456);
	ck_assert_ptr_null(privs.user);
	ck_assert_ptr_null(privs.home);
	pool.group = NULL;
	ck_assert_int_eq(privs_resolve(&pool, true, arena, &privs, &e), 0);
	ck_assert_uint_eq(privs.gid, 0);
}
END_TEST

START_TEST(without_root_nothing_changes_but_user_and_home_are_known)
{
	const struct passwd *pw = getpwuid(geteuid());

	pool.user = "nosuchuser";
	pool.process_priority = -5;
	pool.origin[KEY_POOL_process_priority].file = "x.conf";
	ck_assert_int_eq(privs_resolve(&pool, false, arena, &privs, &e), 0);
	ck_assert(!privs.change_user);
	ck_assert(!privs.has_nice);
	ck_assert_uint_eq(privs.uid, geteuid());
	if (pw)
		ck_assert_str_eq(privs.user, pw->pw_name);
	else
		ck_assert_ptr_null(privs.user);
}
END_TEST

/* --- applying ------------------------------------------------------------ */

static int check_changed(void)
{
	uid_t r, eff, s;
	gid_t groups[8];
	int n = getgroups(8, groups);

	if (getresuid(&r, &eff, &s) < 0 || r != 12345 || eff != 12345 || s != 12345)
		return 1;
	if (getresgid(&r, &eff, &s) < 0 || r != 23456 || eff != 23456 || s != 23456)
		return 2;
	if (n != 2 || groups[0] + groups[1] != 23456 + 34567)
		return 3;
	if (getpriority(PRIO_PROCESS, 0) != 7)
		return 4;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 || prctl(PR_GET_DUMPABLE) != 0)
		return 5;
	return setuid(0) == 0 || setgid(0) == 0 ? 6 : 0;
}

START_TEST(the_change_is_complete_and_final)
{
	gid_t groups[] = {34567, 23456};

	unit_needs_root();
	privs = (struct privs){.change_user = true,
	    .uid = 12345,
	    .gid = 23456,
	    .groups = groups,
	    .ngroups = 2,
	    .has_nice = true,
	    .nice = 7,
	    .no_new_privs = true};
	ck_assert_int_eq(in_child(check_changed), 0);
}
END_TEST

static int check_many_groups(void)
{
	return getgroups(0, NULL) == 300 ? 0 : 1;
}

START_TEST(more_groups_than_usual_are_taken_too)
{
	static gid_t groups[300];

	unit_needs_root();
	for (unsigned i = 0; i < 300; i++)
		groups[i] = 40000 + i;
	privs = (struct privs){
	    .change_user = true, .uid = 12345, .gid = 23456, .groups = groups, .ngroups = 300};
	ck_assert_int_eq(in_child(check_many_groups), 0);
}
END_TEST

static int check_root_kept(void)
{
	return getuid() == 0 && getgid() == 23456 ? 0 : 1;
}

START_TEST(root_may_stay_root_where_it_was_allowed)
{
	gid_t groups[] = {23456};

	unit_needs_root();
	privs = (struct privs){
	    .change_user = true, .uid = 0, .gid = 23456, .groups = groups, .ngroups = 1};
	ck_assert_int_eq(in_child(check_root_kept), 0);
}
END_TEST

START_TEST(without_root_a_change_fails_and_says_which_step)
{
	gid_t groups[] = {23456};

	if (geteuid() == 0)
		unit_skip("needs not to be root");
	privs = (struct privs){
	    .change_user = true, .uid = 12345, .gid = 23456, .groups = groups, .ngroups = 1};
	ck_assert_int_eq(privs_apply(&privs, &e), -1);
	ck_assert_str_eq(e.text, "failed to setgid(23456): Operation not permitted (1)");
}
END_TEST

static int check_limits(void)
{
	struct rlimit files, core;
	char cwd[PATH_MAX];

	if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur != 99 || files.rlim_max != 99)
		return 1;
	if (getrlimit(RLIMIT_CORE, &core) < 0 || core.rlim_cur != 0 || core.rlim_max != 0)
		return 2;
	if (!getcwd(cwd, sizeof(cwd)) || strcmp(cwd, "/usr") != 0)
		return 3;
	return prctl(PR_GET_DUMPABLE) == 1 ? 0 : 4;
}

START_TEST(limits_and_folder_are_set)
{
	const struct rlimit none = {0, 0};

	if (unit_on_valgrind())
		unit_skip("valgrind has a limit of files of its own");
	ck_assert_int_eq(setrlimit(RLIMIT_CORE, &none), 0);
	privs = (struct privs){.rlimit_files = 99, .chdir_path = "/usr", .dumpable = true};
	ck_assert_int_eq(in_child(check_limits), 0);
}
END_TEST

static int check_nothing(void)
{
	return 0;
}

START_TEST(a_limit_that_cannot_be_set_is_logged_and_no_more)
{
	char path[] = "/tmp/fpmx-test-privs-XXXXXX", text[1024];
	int fd = mkstemp(path);
	struct log_setup log = {
	    .fd = fd, .mirror_fd = -1, .level = LOG_LEVEL_NOTICE, .form = LOG_FORM_PLAIN};
	ssize_t n;

	unlink(path);
	log_configure(&log);
	privs = (struct privs){.pool = "www", .rlimit_files = INT32_MAX}; /* over fs.nr_open */
	ck_assert_int_eq(in_child(check_nothing), 0);
	n = pread(fd, text, sizeof(text) - 1, 0);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_str_eq(text,
	    "ERROR: [pool www] failed to set rlimit_files for this pool. Please check your system "
	    "limits or decrease rlimit_files. setrlimit(RLIMIT_NOFILE, 2147483647): Operation not "
	    "permitted (1)\n");
	ck_assert_int_eq(privs_limit_self(INT32_MAX, (struct conf_core){0}, &e), -1);
	ck_assert_int_eq(e.sys, EPERM);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_a_failure)
{
	privs = (struct privs){.chdir_path = "/nonexistent"};
	ck_assert_int_eq(privs_apply(&privs, &e), -1);
	ck_assert_str_eq(e.text, "failed to chdir(/nonexistent): No such file or directory (2)");
}
END_TEST

START_TEST(settling_sets_what_exec_forgot)
{
	ck_assert_int_eq(privs_settle(false, &e), 0);
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE), 0);
	ck_assert_int_eq(privs_settle(true, &e), 0);
	ck_assert_int_eq(prctl(PR_GET_DUMPABLE), 1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, unknown_names_are_told_in_php_fpms_words);
	tcase_add_test(tc, a_user_brings_group_groups_and_home);
	tcase_add_test(tc, a_group_of_its_own_replaces_the_users);
	tcase_add_test(tc, numbers_bring_no_user_and_home);
	tcase_add_test(tc, without_root_nothing_changes_but_user_and_home_are_known);
	tcase_add_test(tc, the_change_is_complete_and_final);
	tcase_add_test(tc, more_groups_than_usual_are_taken_too);
	tcase_add_test(tc, root_may_stay_root_where_it_was_allowed);
	tcase_add_test(tc, without_root_a_change_fails_and_says_which_step);
	tcase_add_test(tc, limits_and_folder_are_set);
	tcase_add_test(tc, a_limit_that_cannot_be_set_is_logged_and_no_more);
	tcase_add_test(tc, a_folder_that_is_not_there_is_a_failure);
	tcase_add_test(tc, settling_sets_what_exec_forgot);
}

UNIT_MAIN("privs", add)
