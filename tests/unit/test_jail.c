/* jail: one capability comes along, is used once, and cannot be had back. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fd.h"
#include "proc/jail.h"
#include "proc/spawn.h"
#include "unit.h"

#define SOMEBODY 65534

static struct err e;
static char root[64], inside[80];

/* A folder that anybody may enter, and one in it. */
static void make(void)
{
	snprintf(root, sizeof(root), "/tmp/fpmx-test-jail-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(inside, sizeof(inside), "%s/inside", root);
	ck_assert_int_eq(chmod(root, 0755), 0);
	ck_assert_int_eq(mkdir(inside, 0755), 0);
}

static void unmake(void)
{
	rmdir(inside);
	rmdir(root);
}

static int run(int (*what)(void))
{
	int status;
	pid_t pid = spawn_fork(&e);

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		_exit(what());
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static bool become_somebody(void)
{
	return jail_keep(&e) == 0 && setresgid(SOMEBODY, SOMEBODY, SOMEBODY) == 0 &&
	       setresuid(SOMEBODY, SOMEBODY, SOMEBODY) == 0 && jail_arm(&e) == 0;
}

static int use_it(void)
{
	char cwd[64];

	if (!become_somebody())
		return 1;
	if (setuid(0) == 0 || chown("/", SOMEBODY, SOMEBODY) == 0)
		return 2; /* nothing but the one is left */
	if (jail_enter(root, "/inside", &e) < 0)
		return 3;
	if (!getcwd(cwd, sizeof(cwd)) || strcmp(cwd, "/inside") != 0 ||
	    access("/etc/passwd", F_OK) == 0)
		return 4;
	if (chroot("/inside") == 0 || errno != EPERM)
		return 5;
	return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, 18L /* CAP_SYS_CHROOT */, 0L, 0L);
}

START_TEST(one_capability_is_used_once)
{
	unit_needs_root();
	ck_assert_int_eq(run(use_it), 0);
}
END_TEST

static int go_to_the_top(void)
{
	char cwd[64];

	if (!become_somebody() || jail_enter(root, NULL, &e) < 0)
		return 1;
	return getcwd(cwd, sizeof(cwd)) && strcmp(cwd, "/") == 0 ? 0 : 2;
}

START_TEST(without_a_folder_it_is_the_top)
{
	unit_needs_root();
	ck_assert_int_eq(run(go_to_the_top), 0);
}
END_TEST

static int stay_root(void)
{
	return jail_enter(root, NULL, &e) == 0 && setuid(SOMEBODY) == 0 ? 0 : 1;
}

START_TEST(root_that_may_stay_root_stays_it)
{
	unit_needs_root();
	ck_assert_int_eq(run(stay_root), 0);
}
END_TEST

static int miss(void)
{
	if (!become_somebody())
		return 1;
	if (jail_enter("/nowhere", NULL, &e) == 0 ||
	    strcmp(e.text, "failed to chroot(/nowhere): No such file or directory (2)") != 0)
		return 2;
	if (jail_enter(root, "/nowhere", &e) == 0 ||
	    strcmp(e.text, "failed to chdir(/nowhere): No such file or directory (2)") != 0)
		return 3;
	return 0;
}

START_TEST(what_is_not_there_is_told_in_php_fpms_words)
{
	unit_needs_root();
	ck_assert_int_eq(run(miss), 0);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, one_capability_is_used_once);
	tcase_add_test(tc, without_a_folder_it_is_the_top);
	tcase_add_test(tc, root_that_may_stay_root_stays_it);
	tcase_add_test(tc, what_is_not_there_is_told_in_php_fpms_words);
}

UNIT_MAIN("jail", add)
