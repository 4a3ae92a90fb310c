/* exits: one word for each code, and which of them are early deaths. */
#include "proc/exits.h"
#include "unit.h"

START_TEST(codes_have_words)
{
	ck_assert_str_eq(exit_word(0), "done");
	ck_assert_str_eq(exit_word(64), "usage");
	ck_assert_str_eq(exit_word(EXIT_SOFTWARE), "software");
	ck_assert_str_eq(exit_word(78), "config");
	ck_assert_str_eq(exit_word(EXIT_PHP_START), "php-start");
	ck_assert_str_eq(exit_word(1), "unknown");
	ck_assert_str_eq(exit_word(-1), "unknown");
}
END_TEST

START_TEST(only_breakage_counts_as_early)
{
	ck_assert(!exit_is_early(EXIT_DONE));
	ck_assert(!exit_is_early(EXIT_ORPHANED));
	ck_assert(exit_is_early(EXIT_SOFTWARE));
	ck_assert(exit_is_early(EXIT_PHP_START));
	ck_assert(exit_is_early(255));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, codes_have_words);
	tcase_add_test(tc, only_breakage_counts_as_early);
}

UNIT_MAIN("exits", add)
