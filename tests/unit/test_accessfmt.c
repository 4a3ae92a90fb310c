/* accessfmt: what php-fpm takes is taken, what it refuses is refused in its words. */
#include <string.h>

#include "conf/accessfmt.h"
#include "unit.h"

static struct arena *arena;
static struct access_format format;
static struct err err;

static void setup(void)
{
	arena = arena_new(4096);
	err.text[0] = '\0';
}

static void teardown(void)
{
	arena_free(arena);
}

static const char *const good[] = {"", "abc", "abc%", "%", "%%", "%{}d", "%{seconds}d",
    "%{SECONDS}d", "%{milli}d", "%{mili}d", "%{milliseconds}d", "%{miliseconds}d",
    "%{microseconds}d", "%{micro}d", "%d", "%C", "%{Total}C", "%{user}C", "%{system}C", "%M",
    "%{bytes}M", "%{kilo}M", "%{kilobytes}M", "%{mega}M", "%{megabytes}M", "%{A}e", "%{a{b}e",
    "%{X-Y}o", "%{}r", "%t", "%{}t", "%{%Y}T", "%f%l%m%n%p%P%q%Q%r%R%s%u"};

START_TEST(formats_of_php_fpm_are_taken)
{
	ck_assert_msg(access_format_compile(arena, good[_i], &format, &err) == 0, "%s: %s",
	    good[_i], err.text);
}
END_TEST

static const struct {
	const char *text, *refusal;
} bad[] = {
    {"%Z", "Invalid token in the access.format (%Z)"},
    {"a%xb", "Invalid token in the access.format (%x)"},
    {"%{x}d", "only 'seconds', 'milli', 'milliseconds', 'micro' or 'microseconds' are allowed "
	      "as a modifier for %d ('x')"},
    {"%{second}d", "only 'seconds', 'milli', 'milliseconds', 'micro' or 'microseconds' are "
		   "allowed as a modifier for %d ('second')"},
    {"%{x}C", "only 'total', 'user' or 'system' are allowed as a modifier for %C ('x')"},
    {"%{use}C", "only 'total', 'user' or 'system' are allowed as a modifier for %C ('use')"},
    {"%{totalx}C", "only 'total', 'user' or 'system' are allowed as a modifier for %C ('totalx')"},
    {"%{milli}M", "only 'bytes', 'kilo', 'kilobytes', 'mega' or 'megabytes' are allowed as a "
		  "modifier for %M ('milli')"},
    {"%e", "the name of the environment variable must be set between embraces for %e"},
    {"%{}e", "the name of the environment variable must be set between embraces for %e"},
    {"%o", "the name of the header must be set between embraces for %o"},
    {"%{X}r", "embrace is not allowed for modifier %r"},
    {"%{a}n", "embrace is not allowed for modifier %n"},
    {"%{a}%", "embrace is not allowed for modifier %%"},
    {"%{X", "missing closing embrace in the access.format"},
    {"%{X}", "missing closing embrace in the access.format"},
    {"x%{A}e%{B", "missing closing embrace in the access.format"},
};

START_TEST(refusals_are_php_fpm_s)
{
	ck_assert_int_eq(access_format_compile(arena, bad[_i].text, &format, &err), -1);
	ck_assert_str_eq(err.text, bad[_i].refusal);
}
END_TEST

START_TEST(items_say_token_unit_and_name)
{
	ck_assert_int_eq(
	    access_format_compile(arena, "a%%b%{kilo}M%d%{A b}e%t%{%H}T%", &format, &err), 0);
	ck_assert_uint_eq(format.n, 8);
	ck_assert_str_eq(format.items[0].name, "a");
	ck_assert_str_eq(format.items[1].name, "%");
	ck_assert_str_eq(format.items[2].name, "b");
	ck_assert_int_eq(format.items[3].token, ACCESS_MEMORY);
	ck_assert_int_eq(format.items[3].unit, ACCESS_KILOBYTES);
	ck_assert_int_eq(format.items[4].unit, ACCESS_SECONDS);
	ck_assert_int_eq(format.items[5].token, ACCESS_PARAMETER);
	ck_assert_str_eq(format.items[5].name, "A b");
	ck_assert_str_eq(format.items[6].name, "%d/%b/%Y:%H:%M:%S %z");
	ck_assert_str_eq(format.items[7].name, "%H");
}
END_TEST

START_TEST(long_modifiers_are_cut)
{
	char text[300], name[200];

	memset(name, 'A', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	snprintf(text, sizeof(text), "%%{%s}e", name);
	ck_assert_int_eq(access_format_compile(arena, text, &format, &err), 0);
	ck_assert_uint_eq(strlen(format.items[0].name), 127);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, formats_of_php_fpm_are_taken, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_loop_test(tc, refusals_are_php_fpm_s, 0, (int)(sizeof(bad) / sizeof(bad[0])));
	tcase_add_test(tc, items_say_token_unit_and_name);
	tcase_add_test(tc, long_modifiers_are_cut);
}

UNIT_MAIN("accessfmt", add)
