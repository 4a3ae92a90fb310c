/* Tests of status/escape: each writer against its format's rules. */
#include <string.h>

#include "status/escape.h"
#include "unit.h"

#define FFFD "\xEF\xBF\xBD"

static void expect(void (*escape)(struct strbuf *, const char *), const char *in, const char *out)
{
	struct strbuf s;

	strbuf_init(&s, 4096);
	escape(&s, in);
	ck_assert_str_eq(strbuf_str(&s), out);
	strbuf_free(&s);
}

START_TEST(plain_text_stays_on_its_line)
{
	expect(escape_plain, "", "");
	expect(escape_plain, "/a?b=<c>&\"'\\ \xC3\xA9\xFF", "/a?b=<c>&\"'\\ \xC3\xA9\xFF");
	expect(escape_plain, "a\nstate: Idle\r\x01\x7F", "a\\x0Astate: Idle\\x0D\\x01\\x7F");
}
END_TEST

START_TEST(markup_has_no_tags_and_no_bad_characters)
{
	expect(escape_markup, "<a href=\"x\">&amp;'</a>",
	    "&lt;a href=&quot;x&quot;&gt;&amp;amp;'&lt;/a&gt;");
	expect(escape_markup, "\t\n\r\x01\x0B\x1F\x7F", "\t\n\r" FFFD FFFD FFFD "\x7F");
	expect(escape_markup, "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80",
	    "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
	expect(escape_markup, "\xEF\xBF\xBE\xEF\xBF\xBF\xEF\xBF\xBD", FFFD FFFD FFFD);
}
END_TEST

START_TEST(json_is_ascii_as_php_writes_it)
{
	expect(escape_json, "/a\"\\", "\\/a\\\"\\\\");
	expect(escape_json, "\b\t\n\f\r\x01\x1F\x7F", "\\b\\t\\n\\f\\r\\u0001\\u001f\x7F");
	expect(escape_json, "<>&'\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xE2\x80\xA8",
	    "<>&'\\u00e9\\u20ac\\ud83d\\ude00\\u2028");
	expect(escape_json, "\xF4\x8F\xBF\xBF", "\\udbff\\udfff");
}
END_TEST

START_TEST(what_is_not_utf8_is_replaced_byte_by_byte)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
	    {"\xFFz", FFFD "z"},
	    {"\x80\xBFz", FFFD FFFD "z"},                   /* no start */
	    {"\xC0\x80z", FFFD FFFD "z"},                   /* too long for NUL */
	    {"\xC1\xBFz", FFFD FFFD "z"},                   /* too long */
	    {"\xE0\x9F\xBFz", FFFD FFFD FFFD "z"},          /* too long */
	    {"\xED\xA0\x80z", FFFD FFFD FFFD "z"},          /* a surrogate */
	    {"\xF0\x8F\xBF\xBFz", FFFD FFFD FFFD FFFD "z"}, /* too long */
	    {"\xF4\x90\x80\x80z", FFFD FFFD FFFD FFFD "z"}, /* over U+10FFFF */
	    {"\xF5\x80z", FFFD FFFD "z"},
	    {"\xC3<", FFFD "&lt;"}, /* a cut sequence must not swallow a tag */
	    {"\xE2\x82<", FFFD FFFD "&lt;"},
	    {"\xE2\x82", FFFD FFFD}, /* cut by the end */
	    {"\xF0", FFFD},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect(escape_markup, cases[i].in, cases[i].out);
	expect(escape_json, "\xE2\x82\"", "\\ufffd\\ufffd\\\"");
}
END_TEST

START_TEST(help_text_is_one_line)
{
	expect(escape_help, "a\\b\nc", "a\\\\b\\nc");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, plain_text_stays_on_its_line);
	tcase_add_test(tc, markup_has_no_tags_and_no_bad_characters);
	tcase_add_test(tc, json_is_ascii_as_php_writes_it);
	tcase_add_test(tc, what_is_not_utf8_is_replaced_byte_by_byte);
	tcase_add_test(tc, help_text_is_one_line);
}

UNIT_MAIN("escape", add)
