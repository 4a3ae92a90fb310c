/*
 * accesslog: lines equal those of php-fpm 8.2.36 for the same request; what is
 * expected here was written by it, but for the times and numbers given.
 */
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "base/must.h"
#include "unit.h"
#include "worker/accesslog.h"

static struct arena *arena;
static struct worker_view view;
static struct access_facts facts;

static const char *header(const char *name)
{
	if (strcmp(name, "X-Foo") == 0)
		return "bar";
	if (strcmp(name, "X-Empty") == 0)
		return "";
	return NULL;
}

static struct params *make_params(void)
{
	static const uint8_t stream[] = "\x0b\x0a"
					"REQUEST_URI/a.php/uri"
					"\x05\x00"
					"EMPTY"
					"\x04\x06"
					"EVIL\"\n\x01\x7f\\b";
	struct params *p = params_new(arena);

	must(params_feed(p, stream, sizeof(stream) - 1) == PARAMS_OK);
	must(params_finish(p) == PARAMS_OK);
	return p;
}

static void setup(void)
{
	must(setenv("TZ", "UTC", 1) == 0);
	tzset();
	arena = arena_new(4096);
	view = (struct worker_view){
	    .pid = 4321,
	    .request_started_wall_us = 1796057569u * 1000000ull,
	    .request_duration_us = 2703,
	    .peak_memory_bytes = 2097152,
	    .method = "GET",
	    .uri = "/a.php",
	    .script = "/tmp/www/a.php",
	};
	facts = (struct access_facts){
	    .pool = "p4",
	    .view = &view,
	    .peer = "127.0.0.1",
	    .params = make_params(),
	    .header = header,
	    .status = 200,
	    .parent_pid = 99,
	    .ended_wall_us = 1796057570u * 1000000ull,
	};
}

static void teardown(void)
{
	arena_free(arena);
}

static const char *line_of(const char *text)
{
	static struct access_line line;
	static char out[sizeof(line.text) + 1];
	struct access_format format;
	struct err err;

	must(access_format_compile(arena, text, &format, &err) == 0);
	access_line(&format, &facts, &line);
	memcpy(out, line.text, line.n);
	out[line.n] = '\0';
	return out;
}

static const struct {
	const char *format, *line;
} plain[] = {
    {ACCESS_FORMAT_DEFAULT, "127.0.0.1 -  30/Nov/2026:16:52:49 +0000 \"GET /a.php\" 200\n"},
    {"a%%b|%C|%{user}C|%{system}C", "a%b|0.00|0.00|0.00\n"},
    {"%d|%{milliseconds}d|%{micro}d", "0.003|2.703|2703\n"},
    {"%{REQUEST_URI}e|%{NOPE}e|%{EMPTY}e", "/a.php/uri|-|\n"},
    {"%f|%l|%m|%n", "/tmp/www/a.php|0|GET|p4\n"},
    {"%M|%{kilo}M|%{mega}M", "2097152|2048|2\n"},
    {"%{X-Foo}o|%{x-foo}o|%{X-Empty}o", "bar|-|-\n"},
    {"%q|%Q|%r|%R|%s|%u", "||/a.php|127.0.0.1|200|\n"},
    {"%{%Y}t|%{%s}T|%{}t|x", "2026|1796057570|30/Nov/2026:16:52:49 +0000|x\n"},
    {"%{%%}t|%T", "%|30/Nov/2026:16:52:50 +0000\n"},
    {"%p|%P", "4321|99\n"},
    {"tail%", "tail\n"},
};

START_TEST(a_plain_request)
{
	ck_assert_str_eq(line_of(plain[_i].format), plain[_i].line);
}
END_TEST

START_TEST(what_is_missing)
{
	view.method[0] = view.uri[0] = view.script[0] = '\0';
	facts.status = 404;
	ck_assert_str_eq(line_of("%f|%l|%m"), "-|0|-\n");
	ck_assert_str_eq(line_of("%q|%Q|%r|%s"), "|||404\n");
	ck_assert_str_eq(line_of("%r%Q%q"), "");
}
END_TEST

START_TEST(a_script_may_say_any_status)
{
	facts.status = -1;
	ck_assert_str_eq(line_of("%s"), "-1\n");
}
END_TEST

START_TEST(a_query_and_a_body)
{
	strcpy(view.query, "x=1&y=2");
	strcpy(view.method, "POST");
	strcpy(view.user, "joe");
	view.content_length = 5;
	ck_assert_str_eq(line_of("%r%Q%q|%m|%l|%u"), "/a.php?x=1&y=2|POST|5|joe\n");
	view.content_length = (uint64_t)-5;
	ck_assert_str_eq(line_of("%l"), "18446744073709551611\n");
}
END_TEST

START_TEST(cpu_is_a_share_of_the_duration)
{
	view.request_duration_us = 300000;
	facts.cpu_user_us = 150000;
	facts.cpu_system_us = 30000;
	ck_assert_str_eq(line_of("%C|%{user}C|%{system}C"), "60.00|50.00|10.00\n");
}
END_TEST

START_TEST(control_characters_cannot_forge_a_line)
{
	strcpy(view.uri, "/a\n\x01\"\\b.php");
	ck_assert_str_eq(line_of("%r"), "/a\\x0a\\x01\"\\b.php\n");
	ck_assert_str_eq(line_of("%{EVIL}e"), "\"\\x0a\\x01\\x7f\\b\n");
}
END_TEST

/* A format of n letters A, then more. */
static const char *after(size_t n, const char *more)
{
	static char text[2048];

	memset(text, 'A', n);
	strcpy(text + n, more);
	return text;
}

/* Lengths as php-fpm's, which has one NUL more where a value was cut. */
static const struct {
	size_t letters;
	const char *more;
	size_t n;
	const char *end;
} cuts[] = {
    {1000, "%r", 1007, "A/a.php\n"},
    {1016, "%r", 1023, "A/a.php\n"},
    {1017, "%r", 1024, "A/a.php\n"},
    {1018, "%r", 1024, "A/a.ph\n"},
    {1019, "%r", 1024, "A/a.p\n"},
    {1022, "%m", 1024, "AG\n"},
    {1023, "%m", 1024, "AA\n"},
    {1024, "", 1025, "AA\n"},
    {1024, "%m", 1025, "AA\n"},
    {1030, "", 1025, "AA\n"},
};

START_TEST(long_lines_are_cut)
{
	const char *line = line_of(after(cuts[_i].letters, cuts[_i].more));

	ck_assert_uint_eq(strlen(line), cuts[_i].n);
	ck_assert_str_eq(line + strlen(line) - strlen(cuts[_i].end), cuts[_i].end);
}
END_TEST

START_TEST(nothing_follows_a_cut)
{
	ck_assert_uint_eq(strlen(line_of(after(1022, "%m%r%s"))), 1024);
}
END_TEST

START_TEST(suppression_wants_all_its_conditions)
{
	const char *items[] = {"/ping", "/a.php"};
	const struct conf_list paths = {.n = 2, .items = items}, none = {0};

	ck_assert(access_suppressed(&paths, &facts));
	ck_assert(!access_suppressed(&none, &facts));
	strcpy(view.method, "HEAD");
	ck_assert(access_suppressed(&paths, &facts));
	strcpy(view.method, "POST");
	ck_assert(!access_suppressed(&paths, &facts));
	strcpy(view.method, "GET");
	strcpy(view.query, "x");
	ck_assert(!access_suppressed(&paths, &facts));
	view.query[0] = '\0';
	view.content_length = 1;
	ck_assert(!access_suppressed(&paths, &facts));
	view.content_length = 0;
	facts.status = 404;
	ck_assert(!access_suppressed(&paths, &facts));
	facts.status = 204;
	ck_assert(access_suppressed(&paths, &facts));
	strcpy(view.uri, "/a.phpx");
	ck_assert(!access_suppressed(&paths, &facts));
}
END_TEST

START_TEST(a_line_is_one_record_of_a_pipe)
{
	const char *items[] = {"/quiet"};
	const struct conf_list paths = {.n = 1, .items = items};
	struct access_format format;
	char got[64] = "";
	struct err err;
	struct sink log;
	int ends[2];

	/* A packet pipe keeps writes apart. */
	must(pipe2(ends, O_DIRECT | O_NONBLOCK) == 0);
	log = (struct sink){.fd = ends[1]};
	must(access_format_compile(arena, "%m %r %s", &format, &err) == 0);
	access_write(&log, &format, &paths, &facts);
	ck_assert_int_eq(read(ends[0], got, sizeof(got) - 1), 15);
	ck_assert_str_eq(got, "GET /a.php 200\n");
	strcpy(view.uri, "/quiet");
	access_write(&log, &format, &paths, &facts);
	ck_assert_int_eq(read(ends[0], got, sizeof(got)), -1);
	close(ends[0]);
	close(ends[1]);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, a_plain_request, 0, (int)(sizeof(plain) / sizeof(plain[0])));
	tcase_add_test(tc, what_is_missing);
	tcase_add_test(tc, a_script_may_say_any_status);
	tcase_add_test(tc, a_query_and_a_body);
	tcase_add_test(tc, cpu_is_a_share_of_the_duration);
	tcase_add_test(tc, control_characters_cannot_forge_a_line);
	tcase_add_loop_test(tc, long_lines_are_cut, 0, (int)(sizeof(cuts) / sizeof(cuts[0])));
	tcase_add_test(tc, nothing_follows_a_cut);
	tcase_add_test(tc, suppression_wants_all_its_conditions);
	tcase_add_test(tc, a_line_is_one_record_of_a_pipe);
}

UNIT_MAIN("accesslog", add)
