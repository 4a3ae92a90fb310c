/* slowentry: the form of an entry. */
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>

#include "proc/slowentry.h"
#include "unit.h"

static bool matches(const char *text, const char *pattern)
{
	regex_t r;
	bool found;

	ck_assert_int_eq(regcomp(&r, pattern, REG_EXTENDED | REG_NOSUB), 0);
	found = regexec(&r, text, 0, NULL, 0) == 0;
	regfree(&r);
	return found;
}

START_TEST(the_head_is_php_fpms)
{
	struct strbuf s;

	strbuf_init(&s, SLOWENTRY_MAX_BYTES);
	slowentry_begin(&s, "www", 42);
	slowentry_give_up(&s);
	ck_assert_msg(matches(strbuf_str(&s),
			  "^\n\\[[0-9]{2}-[A-Z][a-z]{2}-[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2}\\]"
			  "  \\[pool www\\] pid 42\n\\+\\+\\+ dump failed\n$"),
	    "%s", strbuf_str(&s));
	strbuf_free(&s);
}
END_TEST

START_TEST(a_full_pipe_is_no_place_to_wait)
{
	struct strbuf s;
	struct err e;
	int ends[2];

	strbuf_init(&s, 1u << 20);
	for (int i = 0; i < 100000; i++)
		strbuf_adds(&s, "0123456789");
	ck_assert_int_eq(pipe2(ends, O_NONBLOCK), 0);
	ck_assert_int_eq(slowentry_write(&s, ends[1], &e), -1);
	ck_assert_msg(strstr(e.text, "the slow log took 65536 of 1000000 bytes"), "%s", e.text);
	ck_assert_int_eq(slowentry_write(&s, ends[1], &e), -1);
	ck_assert_msg(strstr(e.text, "failed to write to the slow log"), "%s", e.text);
	strbuf_free(&s);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_head_is_php_fpms);
	tcase_add_test(tc, a_full_pipe_is_no_place_to_wait);
}

UNIT_MAIN("slowentry", add)
