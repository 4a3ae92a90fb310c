/* title: ps shows it, and argv and environ stay what they were. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>

#include "proc/title.h"
#include "unit.h"

static char **kept_argv;

/* The command line as ps reads it; NULs at its end do not show. */
static const char *shown(void)
{
	static char text[65536];
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(fd, text, sizeof(text) - 1);

	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	for (ssize_t i = (ssize_t)strlen(text); i < n; i++)
		ck_assert_int_eq(text[i], '\0');
	close(fd);
	return text;
}

START_TEST(the_title_is_shown_whole)
{
	if (unit_on_valgrind())
		unit_skip("valgrind answers for /proc/self/cmdline");
	title_set("php-fpm: %s process (%s)", "master", "/etc/php/8.2/fpm/php-fpm.conf");
	ck_assert_str_eq(shown(), "php-fpm: master process (/etc/php/8.2/fpm/php-fpm.conf)");
	title_set("php-fpm: pool www");
	ck_assert_str_eq(shown(), "php-fpm: pool www");
}
END_TEST

START_TEST(a_long_title_is_cut_and_breaks_nothing)
{
	static char name[10000];

	memset(name, 'n', sizeof(name) - 1);
	title_set("%s", name);
	ck_assert_str_eq(getenv("FPMX_TEST_TITLE"), "a value");
	if (unit_on_valgrind())
		unit_skip("valgrind answers for /proc/self/cmdline");
	ck_assert_uint_gt(strlen(shown()), 20);
	ck_assert_uint_lt(strlen(shown()), sizeof(name) - 1);
	title_set("x");
	ck_assert_str_eq(shown(), "x");
}
END_TEST

START_TEST(the_process_has_the_name_too)
{
	char comm[16];

	title_set("php-fpm: pool %s", "shop");
	prctl(PR_GET_NAME, comm);
	ck_assert_str_eq(comm, "php-fpm: pool s");
}
END_TEST

START_TEST(argv_and_environ_stay_usable)
{
	title_set("php-fpm: pool www");
	ck_assert_ptr_nonnull(strstr(kept_argv[0], "test_title"));
	ck_assert_ptr_nonnull(strstr(program_invocation_name, "test_title"));
	ck_assert_ptr_null(strchr(program_invocation_short_name, '/'));
	ck_assert_str_eq(getenv("FPMX_TEST_TITLE"), "a value");
	ck_assert_int_eq(setenv("FPMX_TEST_TITLE", "another", 1), 0);
	ck_assert_int_eq(setenv("FPMX_TEST_NEW", "new", 1), 0);
	ck_assert_str_eq(getenv("FPMX_TEST_TITLE"), "another");
	ck_assert_str_eq(getenv("FPMX_TEST_NEW"), "new");
	ck_assert_int_eq(unsetenv("FPMX_TEST_TITLE"), 0);
	ck_assert_ptr_null(getenv("FPMX_TEST_TITLE"));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_title_is_shown_whole);
	tcase_add_test(tc, a_long_title_is_cut_and_breaks_nothing);
	tcase_add_test(tc, the_process_has_the_name_too);
	tcase_add_test(tc, argv_and_environ_stay_usable);
}

/* Runs itself once more, so that argv and environ are exec's own. */
int main(int argc, char **argv)
{
	if (!getenv("FPMX_TEST_TITLE")) {
		setenv("FPMX_TEST_TITLE", "a value", 1);
		if (!unit_on_valgrind()) {
			execv("/proc/self/exe", argv);
			return EXIT_FAILURE;
		}
	}
	title_init(argc, argv);
	kept_argv = argv;
	return unit_run("title", add);
}
