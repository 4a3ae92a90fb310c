/* err: texts come up whole, or cut where they must be. */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "unit.h"

START_TEST(set_formats_and_returns_failure)
{
	struct err e = {.sys = 5};

	ck_assert_int_eq(err_set(&e, "no %s of %d", "pool", 3), -1);
	ck_assert_str_eq(e.text, "no pool of 3");
	ck_assert_int_eq(e.sys, 0);
	ck_assert_int_eq(err_set(NULL, "nobody cares"), -1);
	ck_assert_int_eq(err_sys(NULL, "nobody cares"), -1);
	ck_assert_int_eq(err_wrap(NULL, "nobody cares"), -1);
}
END_TEST

START_TEST(sys_names_the_errno_as_php_fpm_does)
{
	struct err e;

	errno = EACCES;
	err_sys(&e, "open(%s)", "/x");
	ck_assert_str_eq(e.text, "open(/x): Permission denied (13)");
	ck_assert_int_eq(e.sys, EACCES);
	ck_assert_int_eq(errno, EACCES);
}
END_TEST

START_TEST(wrap_puts_context_in_front)
{
	struct err e;

	err_set(&e, "inner");
	err_wrap(&e, "middle %d", 2);
	err_wrap(&e, "outer");
	ck_assert_str_eq(e.text, "outer: middle 2: inner");
	err_wrap(&e, "[pool www]");
	ck_assert_str_eq(e.text, "[pool www] outer: middle 2: inner");
}
END_TEST

START_TEST(long_texts_are_cut_and_keep_the_reason)
{
	static char path[4 * ERR_TEXT_BYTES];
	static const char reason[] = ": No such file or directory (2)";
	struct err e;

	memset(path, 'p', sizeof(path) - 1);
	errno = ENOENT;
	err_sys(&e, "%s", path);
	ck_assert_uint_lt(strlen(e.text), ERR_TEXT_BYTES);
	ck_assert_str_eq(e.text + strlen(e.text) - strlen(reason), reason);

	err_wrap(&e, "context");
	ck_assert_uint_eq(strlen(e.text), strnlen(e.text, ERR_TEXT_BYTES - 1));
	ck_assert_int_eq(strncmp(e.text, "context: ppp", 12), 0);

	err_set(&e, "inner");
	err_wrap(&e, "%s", path);
	ck_assert_uint_lt(strlen(e.text), ERR_TEXT_BYTES);
	ck_assert_int_eq(strncmp(e.text, "ppp", 3), 0);
}
END_TEST

START_TEST(a_text_of_others_is_tamed_to_one_line)
{
	char text[] = {'a', '\n', 'b', '\x7f', '\xe4', 'c'};

	err_tame(text, sizeof(text));
	ck_assert_mem_eq(text, "a b \xe4", sizeof(text));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, set_formats_and_returns_failure);
	tcase_add_test(tc, sys_names_the_errno_as_php_fpm_does);
	tcase_add_test(tc, wrap_puts_context_in_front);
	tcase_add_test(tc, long_texts_are_cut_and_keep_the_reason);
	tcase_add_test(tc, a_text_of_others_is_tamed_to_one_line);
}

UNIT_MAIN("err", add)
