/*
 * Tests of status/render: the bytes are php-fpm 8.2's (golden pages, taken from
 * it with the numbers below), and no content breaks a page.
 */
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "status/render.h"
#include "unit.h"

static const char *const format_names[STATUS_FORMAT_MAX] = {
    "plain", "html", "xml", "json", "openmetrics"};

static struct worker_view workers[2] = {
    {.state = WORKER_IDLE,
	.pid = 23549,
	.started_wall_us = 1796057182500000,
	.requests = 4,
	.request_started_us = 5000000,
	.request_duration_us = 8452,
	.peak_memory_bytes = 2097152,
	.cpu_us = 10000,
	.method = "GET",
	.uri = "/a.php",
	.query = "x=<b>&\"q\"'\\a/\xC3\xA9",
	.user = "us<er\"",
	.script = "/srv/a.php"},
    {.state = WORKER_RUNNING,
	.pid = 23550,
	.started_wall_us = 1796057182500000,
	.requests = 5,
	.request_started_us = 9999705,
	.request_duration_us = 7, /* these three are of an earlier request */
	.peak_memory_bytes = 2097152,
	.cpu_us = 10000,
	.content_length = 12,
	.method = "POST",
	.uri = "/status"},
};

static const struct status_view view = {
    .pool = "www",
    .manager = "static",
    .start_wall = 1796057182,
    .start_since_s = 2,
    .accepted = 9,
    .listen_queue = 1,
    .listen_queue_max = 3,
    .listen_queue_len = 511,
    .idle = 1,
    .active = 1,
    .total = 2,
    .active_max = 1,
    .children_max_reached = 4,
    .slow = 6,
    .now_wall_us = 1796057184600000,
    .now_us = 10000000,
    .nworkers = 2,
    .workers = workers,
};

static void expect(enum status_format format, bool full, const char *golden)
{
	struct strbuf page;

	setenv("TZ", "UTC", 1);
	tzset();
	strbuf_init(&page, 1 << 20);
	status_render(&view, format, full, &page);
	ck_assert_str_eq(strbuf_str(&page), golden);
	strbuf_free(&page);
}

#define PLAIN                                                \
	"pool:                 www\n"                        \
	"process manager:      static\n"                     \
	"start time:           30/Nov/2026:16:46:22 +0000\n" \
	"start since:          2\n"                          \
	"accepted conn:        9\n"                          \
	"listen queue:         1\n"                          \
	"max listen queue:     3\n"                          \
	"listen queue len:     511\n"                        \
	"idle processes:       1\n"                          \
	"active processes:     1\n"                          \
	"total processes:      2\n"                          \
	"max active processes: 1\n"                          \
	"max children reached: 4\n"                          \
	"slow requests:        6\n"

START_TEST(plain_pages_are_php_fpms)
{
	expect(STATUS_PLAIN, false, PLAIN);
	expect(STATUS_PLAIN, true,
	    PLAIN "\n"
		  "************************\n"
		  "pid:                  23549\n"
		  "state:                Idle\n"
		  "start time:           30/Nov/2026:16:46:22 +0000\n"
		  "start since:          2\n"
		  "requests:             4\n"
		  "request duration:     8452\n"
		  "request method:       GET\n"
		  "request URI:          /a.php?x=<b>&\"q\"'\\a/\xC3\xA9\n"
		  "content length:       0\n"
		  "user:                 us<er\"\n"
		  "script:               /srv/a.php\n"
		  "last request cpu:     118.32\n"
		  "last request memory:  2097152\n"
		  "\n"
		  "************************\n"
		  "pid:                  23550\n"
		  "state:                Running\n"
		  "start time:           30/Nov/2026:16:46:22 +0000\n"
		  "start since:          2\n"
		  "requests:             5\n"
		  "request duration:     295\n"
		  "request method:       POST\n"
		  "request URI:          /status\n"
		  "content length:       12\n"
		  "user:                 -\n"
		  "script:               -\n"
		  "last request cpu:     0.00\n"
		  "last request memory:  0\n");
}
END_TEST

#define HTML                                                                          \
	"<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" "                 \
	"\"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n"                    \
	"<html xmlns=\"http://www.w3.org/1999/xhtml\" xml:lang=\"en\" lang=\"en\">\n" \
	"<head><title>PHP-FPM Status Page</title></head>\n"                           \
	"<body>\n"                                                                    \
	"<table>\n"                                                                   \
	"<tr><th>pool</th><td>www</td></tr>\n"                                        \
	"<tr><th>process manager</th><td>static</td></tr>\n"                          \
	"<tr><th>start time</th><td>30/Nov/2026:16:46:22 +0000</td></tr>\n"           \
	"<tr><th>start since</th><td>2</td></tr>\n"                                   \
	"<tr><th>accepted conn</th><td>9</td></tr>\n"                                 \
	"<tr><th>listen queue</th><td>1</td></tr>\n"                                  \
	"<tr><th>max listen queue</th><td>3</td></tr>\n"                              \
	"<tr><th>listen queue len</th><td>511</td></tr>\n"                            \
	"<tr><th>idle processes</th><td>1</td></tr>\n"                                \
	"<tr><th>active processes</th><td>1</td></tr>\n"                              \
	"<tr><th>total processes</th><td>2</td></tr>\n"                               \
	"<tr><th>max active processes</th><td>1</td></tr>\n"                          \
	"<tr><th>max children reached</th><td>4</td></tr>\n"                          \
	"<tr><th>slow requests</th><td>6</td></tr>\n"                                 \
	"</table>\n"

START_TEST(html_pages_are_php_fpms)
{
	expect(STATUS_HTML, false, HTML "</body></html>");
	expect(STATUS_HTML, true,
	    HTML
	    "<table border=\"1\">\n"
	    "<tr><th>pid</th><th>state</th><th>start time</th><th>start since</th>"
	    "<th>requests</th><th>request duration</th><th>request method</th>"
	    "<th>request uri</th><th>content length</th><th>user</th><th>script</th>"
	    "<th>last request cpu</th><th>last request memory</th></tr>\n"
	    "<tr><td>23549</td><td>Idle</td><td>30/Nov/2026:16:46:22 +0000</td><td>2</td>"
	    "<td>4</td><td>8452</td><td>GET</td>"
	    "<td>/a.php?x=&lt;b&gt;&amp;&quot;q&quot;'\\a/\xC3\xA9</td><td>0</td>"
	    "<td>us&lt;er&quot;</td><td>/srv/a.php</td><td>118.32</td><td>2097152</td></tr>\n"
	    "<tr><td>23550</td><td>Running</td><td>30/Nov/2026:16:46:22 +0000</td><td>2</td>"
	    "<td>5</td><td>295</td><td>POST</td><td>/status</td><td>12</td><td>-</td><td>-</td>"
	    "<td>0.00</td><td>0</td></tr>\n"
	    "</table></body></html>");
}
END_TEST

#define XML                                                \
	"<?xml version=\"1.0\" ?>\n"                       \
	"<status>\n"                                       \
	"<pool>www</pool>\n"                               \
	"<process-manager>static</process-manager>\n"      \
	"<start-time>1796057182</start-time>\n"            \
	"<start-since>2</start-since>\n"                   \
	"<accepted-conn>9</accepted-conn>\n"               \
	"<listen-queue>1</listen-queue>\n"                 \
	"<max-listen-queue>3</max-listen-queue>\n"         \
	"<listen-queue-len>511</listen-queue-len>\n"       \
	"<idle-processes>1</idle-processes>\n"             \
	"<active-processes>1</active-processes>\n"         \
	"<total-processes>2</total-processes>\n"           \
	"<max-active-processes>1</max-active-processes>\n" \
	"<max-children-reached>4</max-children-reached>\n" \
	"<slow-requests>6</slow-requests>\n"

START_TEST(xml_pages_are_php_fpms)
{
	expect(STATUS_XML, false, XML "</status>");
	expect(STATUS_XML, true,
	    XML
	    "<processes>\n"
	    "<process><pid>23549</pid><state>Idle</state><start-time>1796057182</start-time>"
	    "<start-since>2</start-since><requests>4</requests>"
	    "<request-duration>8452</request-duration><request-method>GET</request-method>"
	    "<request-uri>/a.php?x=&lt;b&gt;&amp;&quot;q&quot;'\\a/\xC3\xA9</request-uri>"
	    "<content-length>0</content-length><user>us&lt;er&quot;</user>"
	    "<script>/srv/a.php</script><last-request-cpu>118.32</last-request-cpu>"
	    "<last-request-memory>2097152</last-request-memory></process>\n"
	    "<process><pid>23550</pid><state>Running</state><start-time>1796057182</start-time>"
	    "<start-since>2</start-since><requests>5</requests>"
	    "<request-duration>295</request-duration><request-method>POST</request-method>"
	    "<request-uri>/status</request-uri><content-length>12</content-length><user>-</user>"
	    "<script>-</script><last-request-cpu>0.00</last-request-cpu>"
	    "<last-request-memory>0</last-request-memory></process>\n"
	    "</processes>\n"
	    "</status>");
}
END_TEST

#define JSON                                                                          \
	"{\"pool\":\"www\",\"process manager\":\"static\",\"start time\":1796057182," \
	"\"start since\":2,\"accepted conn\":9,\"listen queue\":1,"                   \
	"\"max listen queue\":3,\"listen queue len\":511,\"idle processes\":1,"       \
	"\"active processes\":1,\"total processes\":2,\"max active processes\":1,"    \
	"\"max children reached\":4,\"slow requests\":6"

START_TEST(json_pages_are_php_fpms)
{
	expect(STATUS_JSON, false, JSON "}");
	expect(STATUS_JSON, true,
	    JSON ", \"processes\":[{\"pid\":23549,\"state\":\"Idle\",\"start time\":1796057182,"
		 "\"start since\":2,\"requests\":4,\"request duration\":8452,"
		 "\"request method\":\"GET\","
		 "\"request uri\":\"\\/a.php?x=<b>&\\\"q\\\"'\\\\a\\/\\u00e9\","
		 "\"content length\":0,\"user\":\"us<er\\\"\",\"script\":\"\\/srv\\/a.php\","
		 "\"last request cpu\":118.32,\"last request memory\":2097152},"
		 "{\"pid\":23550,\"state\":\"Running\",\"start time\":1796057182,"
		 "\"start since\":2,\"requests\":5,\"request duration\":295,"
		 "\"request method\":\"POST\",\"request uri\":\"\\/status\","
		 "\"content length\":12,\"user\":\"-\",\"script\":\"-\","
		 "\"last request cpu\":0.00,\"last request memory\":0}]}");
}
END_TEST

static const char openmetrics[] =
    "# HELP phpfpm_up Could pool www using a static PM on PHP-FPM be reached?\n"
    "# TYPE phpfpm_up gauge\n"
    "phpfpm_up 1\n"
    "# HELP phpfpm_start_since The number of seconds since FPM has started.\n"
    "# TYPE phpfpm_start_since counter\n"
    "phpfpm_start_since 2\n"
    "# HELP phpfpm_accepted_connections The number of requests accepted by the pool.\n"
    "# TYPE phpfpm_accepted_connections counter\n"
    "phpfpm_accepted_connections 9\n"
    "# HELP phpfpm_listen_queue The number of requests in the queue of pending connections.\n"
    "# TYPE phpfpm_listen_queue gauge\n"
    "phpfpm_listen_queue 1\n"
    "# HELP phpfpm_max_listen_queue The maximum number of requests in the queue of pending "
    "connections since FPM has started.\n"
    "# TYPE phpfpm_max_listen_queue counter\n"
    "phpfpm_max_listen_queue 3\n"
    "# TYPE phpfpm_listen_queue_length gauge\n"
    "# HELP phpfpm_listen_queue_length The size of the socket queue of pending connections.\n"
    "phpfpm_listen_queue_length 511\n"
    "# HELP phpfpm_idle_processes The number of idle processes.\n"
    "# TYPE phpfpm_idle_processes gauge\n"
    "phpfpm_idle_processes 1\n"
    "# HELP phpfpm_active_processes The number of active processes.\n"
    "# TYPE phpfpm_active_processes gauge\n"
    "phpfpm_active_processes 1\n"
    "# HELP phpfpm_total_processes The number of idle + active processes.\n"
    "# TYPE phpfpm_total_processes gauge\n"
    "phpfpm_total_processes 2\n"
    "# HELP phpfpm_max_active_processes The maximum number of active processes since FPM has "
    "started.\n"
    "# TYPE phpfpm_max_active_processes counter\n"
    "phpfpm_max_active_processes 1\n"
    "# HELP phpfpm_max_children_reached The number of times, the process limit has been reached, "
    "when pm tries to start more children (works only for pm 'dynamic' and 'ondemand').\n"
    "# TYPE phpfpm_max_children_reached counter\n"
    "phpfpm_max_children_reached 4\n"
    "# HELP phpfpm_slow_requests The number of requests that exceeded your "
    "'request_slowlog_timeout' value.\n"
    "# TYPE phpfpm_slow_requests counter\n"
    "phpfpm_slow_requests 6\n"
    "# EOF\n";

START_TEST(openmetrics_has_no_workers)
{
	expect(STATUS_OPENMETRICS, false, openmetrics);
	expect(STATUS_OPENMETRICS, true, openmetrics);
}
END_TEST

static const char *asked;

static bool asks(const char *word)
{
	return strstr(asked, word) != NULL;
}

START_TEST(the_query_chooses_the_page)
{
	static const struct {
		const char *asked;
		enum status_format format;
	} cases[] = {
	    {"", STATUS_PLAIN},
	    {"full", STATUS_PLAIN},
	    {"html", STATUS_HTML},
	    {"xml", STATUS_XML},
	    {"json", STATUS_JSON},
	    {"openmetrics", STATUS_OPENMETRICS},
	    {"json html", STATUS_HTML}, /* by rank, not by place */
	    {"openmetrics xml", STATUS_XML},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		asked = cases[i].asked;
		ck_assert_msg(status_format_of(asks) == cases[i].format, "\"%s\"", asked);
	}
}
END_TEST

START_TEST(the_view_adds_up_the_board)
{
	struct pool_view p = {.start_wall_us = 1000000,
	    .accepted_before = 100,
	    .slow = 5,
	    .listen_queue = 1,
	    .listen_queue_max = 2,
	    .listen_queue_len = 3,
	    .active_max = 1,
	    .children_max_reached = 4};
	struct worker_view seen[4];
	struct board *b = board_new("www", 4, NULL);
	struct status_view v = {.pool = "www", .manager = "dynamic"};

	ck_assert_ptr_nonnull(b);
	board_set_pool(b, &p);
	for (uint32_t slot = 1; slot < 4; slot++) {
		struct worker_view *w = board_begin(b, slot);

		w->pid = (int32_t)slot;
		w->accepted = 10;
		board_end(b, slot);
	}
	board_set_state(b, 1, WORKER_IDLE);
	board_set_state(b, 2, WORKER_RUNNING);
	board_set_state(b, 3, WORKER_STARTING);
	(void)board_begin(b, 2); /* totals count a page that is being written, too */

	status_collect(b, &v, seen, true);
	ck_assert_uint_eq(v.accepted, 130);
	ck_assert_uint_eq(v.slow, 5);
	ck_assert_uint_eq(v.idle, 1);
	ck_assert_uint_eq(v.active, 2); /* a starting worker cannot take a request */
	ck_assert_uint_eq(v.total, 3);
	ck_assert_uint_eq(v.active_max, 2);
	ck_assert_uint_eq(v.listen_queue, 1);
	ck_assert_uint_eq(v.listen_queue_max, 2);
	ck_assert_uint_eq(v.listen_queue_len, 3);
	ck_assert_uint_eq(v.children_max_reached, 4);
	ck_assert_uint_eq(v.start_wall, 1);
	ck_assert_uint_eq(v.start_since_s, v.now_wall_us / 1000000 - 1);
	ck_assert_uint_eq(v.nworkers, 3); /* not the empty slot */
	ck_assert_int_eq(seen[0].pid, 1);
	ck_assert_int_eq(seen[2].pid, 3);

	status_collect(b, &v, NULL, false);
	ck_assert_uint_eq(v.nworkers, 0);
	ck_assert_uint_eq(v.accepted, 130);
	board_free(b);
}
END_TEST

/* Text that hurts: random bytes, rich in what formats treat specially. */
static void hurt(char *text, size_t room, unsigned *seed)
{
	static const char sharp[] =
	    "<>&\"'\\/\n\r\t\x01\x7F]]>&#0;\xC3\xE2\x82\xF0\xFF\xED\xA0\x80";
	size_t n = (size_t)rand_r(seed) % room;

	for (size_t i = 0; i < n; i++) {
		int r = rand_r(seed) >> 3;

		text[i] = r % 2 ? sharp[(size_t)r / 2 % (sizeof(sharp) - 1)] : (char)(r / 2);
	}
	text[n] = '\0';
}

static void write_pages(FILE *to, unsigned turns)
{
	unsigned seed = 1;
	struct strbuf page;

	strbuf_init(&page, 1 << 20);
	for (unsigned turn = 0; turn < turns; turn++) {
		struct worker_view w = {.state = turn % WORKER_STATE_MAX, .pid = 7};
		struct status_view v = view;
		uint64_t *numbers = &w.started_wall_us;

		for (size_t i = 0; i < 9; i++)
			numbers[i] = ((uint64_t)rand_r(&seed) << 34) ^ (uint64_t)rand_r(&seed);
		hurt(w.method, sizeof(w.method), &seed);
		hurt(w.uri, sizeof(w.uri), &seed);
		hurt(w.query, sizeof(w.query), &seed);
		hurt(w.user, sizeof(w.user), &seed);
		hurt(w.script, sizeof(w.script), &seed);
		v.workers = &w;
		v.nworkers = 1;
		for (int f = 0; f < STATUS_FORMAT_MAX; f++) {
			strbuf_clear(&page);
			status_render(&v, (enum status_format)f, true, &page);
			fprintf(to, "%s %zu\n", format_names[f], page.len);
			fwrite(page.bytes, 1, page.len, to);
		}
	}
	strbuf_free(&page);
}

/* Status of parse-pages with the file as its stdin. */
static int parse_pages(FILE *pages)
{
	const char *src = getenv("FPMX_SRC");
	char path[4096];
	int status = -1;
	pid_t pid;

	snprintf(path, sizeof(path), "%s/tests/unit/parse-pages", src ? src : ".");
	rewind(pages);
	pid = fork();
	if (pid == 0) {
		if (dup2(fileno(pages), STDIN_FILENO) >= 0)
			execl(path, path, (char *)NULL);
		_exit(127);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return status;
}

START_TEST(pages_parse_whatever_requests_said)
{
	FILE *pages = tmpfile();

	ck_assert_ptr_nonnull(pages);
	write_pages(pages, 2000);
	ck_assert_int_eq(parse_pages(pages), 0);
	fclose(pages);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, plain_pages_are_php_fpms);
	tcase_add_test(tc, html_pages_are_php_fpms);
	tcase_add_test(tc, xml_pages_are_php_fpms);
	tcase_add_test(tc, json_pages_are_php_fpms);
	tcase_add_test(tc, openmetrics_has_no_workers);
	tcase_add_test(tc, the_query_chooses_the_page);
	tcase_add_test(tc, the_view_adds_up_the_board);
	tcase_add_test(tc, pages_parse_whatever_requests_said);
}

UNIT_MAIN("render", add)
