/* Tests of base/utf8: RFC 3629's table, and bytes that are not in it. */
#include <string.h>

#include "base/utf8.h"
#include "unit.h"

START_TEST(every_length_is_read)
{
	static const struct {
		const char *text;
		uint32_t character;
	} cases[] = {
	    {"\x01", 0x01},
	    {"\x7F", 0x7F},
	    {"\xC2\x80", 0x80},
	    {"\xDF\xBF", 0x7FF},
	    {"\xE0\xA0\x80", 0x800},
	    {"\xED\x9F\xBF", 0xD7FF},
	    {"\xEE\x80\x80", 0xE000},
	    {"\xEF\xBF\xBF", 0xFFFF},
	    {"\xF0\x90\x80\x80", 0x10000},
	    {"\xF4\x8F\xBF\xBF", 0x10FFFF},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *s = cases[i].text;

		ck_assert_uint_eq(utf8_next(&s), cases[i].character);
		ck_assert_ptr_eq(s, cases[i].text + strlen(cases[i].text));
	}
}
END_TEST

START_TEST(what_is_malformed_costs_one_byte)
{
	static const char *const cases[] = {
	    "\x80z",             /* no start */
	    "\xC1\xBFz",         /* longer than needed */
	    "\xE0\x9F\xBFz",     /* longer than needed */
	    "\xF0\x8F\xBF\xBFz", /* longer than needed */
	    "\xED\xA0\x80z",     /* a surrogate */
	    "\xF4\x90\x80\x80z", /* over U+10FFFF */
	    "\xF8\x88\x80\x80z", /* no start any more */
	    "\xC3z",             /* cut short by a letter */
	    "\xE2\x82",          /* cut short by the end */
	    "\xF0\x9F\x98",
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *s = cases[i];

		ck_assert_uint_eq(utf8_next(&s), UTF8_BAD);
		ck_assert_ptr_eq(s, cases[i] + 1);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, every_length_is_read);
	tcase_add_test(tc, what_is_malformed_costs_one_byte);
}

UNIT_MAIN("utf8", add)
