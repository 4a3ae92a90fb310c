/* strbuf: grows, and cuts at its maximum without losing count. */
#include <string.h>

#include "base/strbuf.h"
#include "unit.h"

START_TEST(an_unused_one_is_the_empty_string)
{
	struct strbuf s;

	strbuf_init(&s, 10);
	ck_assert_str_eq(strbuf_str(&s), "");
	strbuf_clear(&s);
	strbuf_eat(&s, 0);
	strbuf_free(&s);
}
END_TEST

START_TEST(appending_grows)
{
	struct strbuf s;

	strbuf_init(&s, 1 << 20);
	for (int i = 0; i < 10000; i++)
		strbuf_printf(&s, "%04d,", i);
	ck_assert_uint_eq(s.len, 50000);
	ck_assert(!s.truncated);
	ck_assert_int_eq(memcmp(s.bytes + 9999 * 5, "9999,", 6), 0);
	strbuf_free(&s);
}
END_TEST

START_TEST(bytes_may_be_nul)
{
	struct strbuf s;

	strbuf_init(&s, 100);
	strbuf_add(&s, "a\0b", 3);
	strbuf_addc(&s, '\0');
	strbuf_adds(&s, "c");
	ck_assert_uint_eq(s.len, 5);
	ck_assert_int_eq(memcmp(s.bytes, "a\0b\0c", 6), 0);
	strbuf_free(&s);
}
END_TEST

START_TEST(the_maximum_keeps_what_fits)
{
	struct strbuf s;

	for (size_t max = 0; max < 300; max++) {
		char want[301];

		strbuf_init(&s, max);
		strbuf_adds(&s, "0123456789");
		strbuf_printf(&s, "%0250d", 5);
		strbuf_addc(&s, '!');
		snprintf(want, sizeof(want), "0123456789%0250d!", 5);
		ck_assert_int_eq(s.truncated, max < 261);
		if (max < 261)
			want[max] = '\0';
		ck_assert_str_eq(strbuf_str(&s), want);
		ck_assert_uint_eq(s.len, strlen(want));
		strbuf_free(&s);
	}
}
END_TEST

START_TEST(printing_exactly_the_maximum_is_not_cut)
{
	struct strbuf s;

	strbuf_init(&s, 5);
	strbuf_printf(&s, "%s", "12345");
	ck_assert(!s.truncated);
	strbuf_printf(&s, "%s", "");
	ck_assert(!s.truncated);
	strbuf_printf(&s, "%s", "6");
	ck_assert(s.truncated);
	ck_assert_str_eq(strbuf_str(&s), "12345");
	strbuf_clear(&s);
	ck_assert(!s.truncated);
	ck_assert_str_eq(strbuf_str(&s), "");
	strbuf_free(&s);
}
END_TEST

START_TEST(eating_drops_the_front)
{
	struct strbuf s;

	strbuf_init(&s, 100);
	strbuf_adds(&s, "abcdef");
	strbuf_eat(&s, 2);
	ck_assert_str_eq(strbuf_str(&s), "cdef");
	strbuf_adds(&s, "g");
	strbuf_eat(&s, 5);
	ck_assert_str_eq(strbuf_str(&s), "");
	strbuf_free(&s);
}
END_TEST

START_TEST(eating_too_much_is_a_panic)
{
	struct strbuf s;

	strbuf_init(&s, 100);
	strbuf_adds(&s, "abc");
	strbuf_eat(&s, 4);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, an_unused_one_is_the_empty_string);
	tcase_add_test(tc, appending_grows);
	tcase_add_test(tc, bytes_may_be_nul);
	tcase_add_test(tc, the_maximum_keeps_what_fits);
	tcase_add_test(tc, printing_exactly_the_maximum_is_not_cut);
	tcase_add_test(tc, eating_drops_the_front);
	tcase_add_test_raise_signal(tc, eating_too_much_is_a_panic, SIGABRT);
}

UNIT_MAIN("strbuf", add)
