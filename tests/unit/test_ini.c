/*
 * Tests of conf/ini and conf/iniscan: what php-fpm's dialect makes of lines.
 * The table holds what php's own parse_ini_string() and php-fpm say of each.
 */
#include "conf/build.h"
#include "unit.h"

/* Stands in for the builder: writes down what it is told. */
struct conf_build {
	struct arena *arena;
	struct pool_conf *section;
	struct build_spelling spelling;
	struct strbuf told;
};

static struct conf_build b;
static struct pool_conf pool;

struct build_spelling *build_spelling(struct conf_build *build)
{
	return &build->spelling;
}

struct arena *build_arena(struct conf_build *build)
{
	return build->arena;
}

struct pool_conf *build_section(const struct conf_build *build)
{
	return build->section;
}

void build_enter_section(
    struct conf_build *build, struct pool_conf *entered, const struct conf_origin *at)
{
	(void)at;
	build->section = entered;
	if (entered == NULL)
		strbuf_adds(&build->told, "[global]");
}

struct pool_conf *build_pool(
    struct conf_build *build, const char *name, const struct conf_origin *at)
{
	(void)at;
	strbuf_printf(&build->told, "[%s]", name);
	return &pool;
}

int build_set(struct conf_build *build, struct pool_conf *to, const char *name, const char *element,
    const char *value, const struct conf_origin *at)
{
	(void)to, (void)at;
	if (element != NULL)
		strbuf_printf(&build->told, "%s{%s}=<%s>", name, element, value);
	else
		strbuf_printf(&build->told, "%s=<%s>", name, value);
	return 0;
}

int build_include(
    struct conf_build *build, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	(void)at;
	ck_assert(!from_yaml);
	strbuf_printf(&build->told, "include <%s>", pattern);
	return 0;
}

int build_complain(struct conf_build *build, enum conf_grade grade, const char *of,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
{
	va_list args;

	(void)of, (void)hint;
	strbuf_printf(
	    &build->told, "%c%u:%u ", grade >= CONF_ERROR ? '!' : '?', at->line, at->column);
	va_start(args, fmt);
	strbuf_vprintf(&build->told, fmt, args);
	va_end(args);
	return -1;
}

static void setup(void)
{
	b = (struct conf_build){.arena = arena_new(4096)};
	strbuf_init(&b.told, 1 << 20);
	setenv("HERE", "/home", 1);
	unsetenv("NOWHERE");
}

static void teardown(void)
{
	arena_free(b.arena);
	strbuf_free(&b.told);
}

static const char *read_bytes(const char *bytes, size_t n)
{
	strbuf_clear(&b.told);
	b.section = NULL;
	(void)ini_read(&b, "f", bytes, n);
	return strbuf_str(&b.told);
}

static const char *read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

#define NOT_CLOSED "expecting TC_DOLLAR_CURLY or TC_QUOTED_STRING or '\"'"

static const struct {
	const char *line, *told;
} lines[] = {
    /* names */
    {"a=b\n", "a=<b>"},
    {"  a b\t =\tb c  \n", "a b=<b c>"},
    {"\ta.b-c/d'e]f = x", "a.b-c/d'e]f=<x>"},
    {"#a=b\n", "#a=<b>"},
    {"a\n", "!1:1 value is NULL for a ZEND_INI_PARSER_ENTRY"},
    {"a!\n", "!1:1 value is NULL for a ZEND_INI_PARSER_ENTRY!1:2 syntax error, unexpected '!'"},
    {"=x\n", "!1:1 syntax error, unexpected '='"},
    {"\"a\"=x\n", "!1:1 syntax error, unexpected '\"'"},
    {"yes=x\n", "!1:1 syntax error, unexpected BOOL_TRUE"},
    {"yes[a]=x\n", "yes{a}=<x>"},
    {"yes no=x\n", "yes no=<x>"},
    /* comments and ends of lines */
    {"; a=b\n \t;c\n\n   \n", ""},
    {"a=b;c\n", "a=<b>"},
    {"a=\"b;c\" ; d\n", "a=<b;c>"},
    {"a=b\r\nc=d\r\n", "a=<b>c=<d>"},
    {"a=b\rc=d\n", "a=<b>c=<d>"},
    {"\xef\xbb\xbf[s]\na=b\n", "[s]a=<b>"},
    /* words */
    {"a=yes\nb=On \nc=TRUE;x\n", "a=<1>b=<1>c=<1>"},
    {"a=no\nb=Off\nc=none\nd=false\ne=null\nf=\n", "a=<>b=<>c=<>d=<>e=<>f=<>"},
    {"a=\"yes\"\nb='off'\n", "a=<yes>b=<off>"},
    {"a=yesterday\nb=yes.no\nc=none/x\n", "a=<yesterday>b=<yes.no>c=<none/x>"},
    {"a=yes x\n", "a=<1>!1:7 syntax error, unexpected TC_CONSTANT"},
    {"a=x yes\n", "a=<x >!1:5 syntax error, unexpected BOOL_TRUE"},
    {"a=yes|1\n", "a=<1>!1:6 syntax error, unexpected '|'"},
    /* quotes */
    {"a=\"b\" c \"d\"\n", "a=<bcd>"},
    {"a='b' 'c'\n", "a=<b c>"},
    {"a=x'y z'\"w\"\n", "a=<xy zw>"},
    {"a=\"b\\\"c\\\\d\\ne\\$f\"\n", "a=<b\"c\\d\\ne$f>"},
    {"a=\"b\\\"\n", "a=<b\\>"},
    {"a='b\\'\n", "a=<b\\>"},
    {"a='b\"c${HERE}'\n", "a=<b\"c${HERE}>"},
    {"a=''\n", "a=<>"},
    {"a=\"b\n", "!1:6 syntax error, unexpected end of file, " NOT_CLOSED},
    {"a='b\n", "!1:3 syntax error, unexpected end of file"},
    {"a=b'c\n",
	"a=<b>?1:4 nothing closes this quote: the rest of the line is left out, as php does"},
    /* variables */
    {"a=${HERE}/x\nb=x${HERE}${NOWHERE}\nc=\"${HERE}\"\n", "a=</home/x>b=<x/home>c=</home>"},
    {"a=${ HERE }\n", "a=</home>"},
    {"a=\"\\${HERE}\"\n", "a=<${HERE}>"},
    {"a=${\n", "!1:5 syntax error, unexpected end of file, expecting TC_VARNAME"},
    {"a=${}\n", "!1:5 syntax error, unexpected '}', expecting TC_VARNAME"},
    {"a=${HERE\n", "!1:9 syntax error, unexpected end of file, expecting '}'"},
    {"a=x$y\nb=$\nc=$;x\n", "a=<x$y>b=<$>c=<$;x>"},
    {"a=$\\$;b\n", "a=<$\\$;b>"},
    /* constants and expressions */
    {"a=E_ALL & ~E_NOTICE\n", "a=<32759>"},
    {"a=E_ALL x\nb=E_ALL-1\nc=e_all\nd=\"E_ALL\"\n", "a=<32767 x>b=<E_ALL-1>c=<e_all>d=<E_ALL>"},
    {"a=1|2&2\nb=7^2|1\nc=~1|2\nd=!1|!0\n", "a=<2>b=<5>c=<-2>d=<1>"},
    {"a=(1|2)\nb=((4))\nc=1|(2|4)\nd=!(0)\n", "a=<3>b=<4>c=<7>d=<1>"},
    {"a=9999999999|0\nb=0x1F|0\nc=12abc|0\n", "a=<1410065407>b=<0>c=<12>"},
    {"a=(1\n", "!1:5 syntax error, unexpected END_OF_LINE, expecting '^' or '|' or '&' or ')'"},
    {"a=1)\n", "a=<1>!1:4 syntax error, unexpected ')'"},
    {"a=1|\n", "!1:5 syntax error, unexpected END_OF_LINE"},
    {"a=!\nb=c\n", "!1:4 syntax error, unexpected END_OF_LINEb=<c>"},
    {"a=b=c\n", "a=<b>!1:4 syntax error, unexpected '='"},
    /* arrays */
    {"a[b]=c\na[] = d\na[b c]=e\n", "a{b}=<c>a{}=<d>a{b c}=<e>"},
    {"a['b']=c\na[\"b]\"]=c\na[x${HERE}]=c\n", "a{b}=<c>a{b]}=<c>a{x/home}=<c>"},
    {"a[b]\n", "!1:5 syntax error, unexpected END_OF_LINE, expecting '='"},
    {"a[b\n", "!1:4 syntax error, unexpected end of file, expecting ']'"},
    {"a[b]c=d\n", "!1:5 syntax error, unexpected TC_LABEL, expecting '='"},
    /* sections */
    {"[a]b=c\n", "[a]b=<c>"},
    {"[ a b ] ;c\n", "[ a b ]"},
    {"[\"a\"]\n['b']\n[c${HERE}]\n", "[a][b][c/home]"},
    {"[a]\n[GLOBAL]\n", "[a][global]"},
    {"[a\nb=c\n", "!1:3 syntax error, unexpected end of file, expecting ']'b=<c>"},
    {" [a]\n", "!1:5 syntax error, unexpected END_OF_LINE, expecting '='"},
    /* includes come after their line */
    {"include = x*.conf\na=b\n", "include <x*.conf>a=<b>"},
    {"Include=x\n", "Include=<x>"},
    {"include=x\rinclude=y\n", "!1:11 two includes at the same time !include <y>"},
};

START_TEST(lines_are_read_as_php_reads_them)
{
	ck_assert_str_eq(read_text(lines[_i].line), lines[_i].told);
}
END_TEST

START_TEST(a_bad_line_hides_no_other)
{
	ck_assert_str_eq(read_text("a=(\nb=1\n[c\nd=2\n"),
	    "!1:4 syntax error, unexpected END_OF_LINEb=<1>"
	    "!3:3 syntax error, unexpected end of file, expecting ']'d=<2>");
}
END_TEST

START_TEST(a_nul_byte_ends_the_file_with_an_error)
{
	ck_assert_str_eq(
	    read_bytes("a=1\nb=\0\nc=2\n", 12), "a=<1>!2:0 a NUL byte: this is no text file");
}
END_TEST

START_TEST(nesting_has_a_limit)
{
	char text[4096];

	text[0] = 'a';
	text[1] = '=';
	memset(text + 2, '(', sizeof(text) - 3);
	text[sizeof(text) - 1] = '\0';
	ck_assert_str_eq(
	    read_text(text), "!1:35 syntax error, unexpected '(', expecting less nesting");
}
END_TEST

START_TEST(every_short_line_is_survived)
{
	static const char letters[] = "a= \t\"'${}[]()|~!;\\\r";
	size_t n = sizeof(letters) - 1, tried = 0;
	char text[6];

	for (size_t code = 0; code < n * n * n * n; code++) {
		size_t rest = code, length = 0;

		for (; length < 4; length++, rest /= n)
			text[length] = letters[rest % n];
		text[length++] = '\n';
		(void)read_bytes(text, length);
		tried++;
		if (tried % 4096 == 0)
			arena_reset(b.arena);
	}
	ck_assert_uint_eq(tried, n * n * n * n);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, lines_are_read_as_php_reads_them, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_test(tc, a_bad_line_hides_no_other);
	tcase_add_test(tc, a_nul_byte_ends_the_file_with_an_error);
	tcase_add_test(tc, nesting_has_a_limit);
	tcase_add_test(tc, every_short_line_is_survived);
}

UNIT_MAIN("ini", add)
