/*
 * engine: PHP in this process, asked over a socket pair. What answers are like is
 * compared with php-fpm's in tests/run; here it is what the engine owes a worker,
 * where a memory checker can watch.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/arena.h"
#include "base/log.h"
#include "php/engine.h"
#include "wire.h"

static const struct conn_limits limits = {
    .first_byte_ms = 10000, .header_ms = 10000, .body_ms = 1000, .write_ms = 10000};

static struct conf_pair values[] = {
    {.name = "precision", .value = "13"}, {.name = "html_errors", .value = "0"}};
static struct conf_pair admin_values[] = {{.name = "memory_limit", .value = "64M"},
    {.name = "serialize_precision", .value = "9"}, {.name = "log_errors", .value = "1"}};
static struct pool_conf pool = {
    .name = "test",
    .wire_ini = WIRE_INI_ADMIN,
    .php_value = {2, values},
    .php_admin_value = {3, admin_values},
};

static char folder[] = "/tmp/fpmx-engine-XXXXXX";
static char script[PATH_MAX];
static struct arena *arena;
static struct conn *c;
static int client = -1; /* the web server's end */
static int ran;         /* calls of on_response */
static char text[1 << 20];

static void start_php(void)
{
	struct php_options options = {.no_ini = 1};
	struct log_setup log = {.fd = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    .mirror_fd = -1,
	    .level = LOG_LEVEL_NOTICE,
	    .form = LOG_FORM_PLAIN};
	struct err e;

	log_configure(&log);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(script, sizeof(script), "%s/eval.php", folder);
	ck_assert_msg(engine_start(&options, &pool, &e) == 0, "%s", e.text);
	ck_assert_msg(engine_enter_worker(&e) == 0, "%s", e.text);
	arena = arena_new(1 << 16);
	c = conn_new(&limits);
}

static void setup(void)
{
	FILE *f;

	start_php();
	f = fopen(script, "w");
	ck_assert_ptr_nonnull(f);
	fputs("<?php eval($_SERVER['CODE']);", f);
	fclose(f);
}

static void teardown(void)
{
	engine_stop();
	close(client);
	unlink(script);
	rmdir(folder);
}

static void open_connection(void)
{
	struct sockaddr_storage peer = {.ss_family = AF_UNIX};
	int fds[2];

	if (client >= 0)
		close(client);
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, fds), 0);
	client = fds[0];
	conn_open(c, fds[1], &peer, sizeof(sa_family_t));
}

static char header[64]; /* X-Foo of the last response, where the access log looks */

static void on_response(void *ctx, struct engine_request *r)
{
	const char *value = engine_response_header("X-Foo");

	(void)ctx;
	(void)r;
	snprintf(header, sizeof(header), "%s", value ? value : "none");
	ran++;
}

/* The answer, all records' contents in order, "|" before each of FCGI stderr. */
static const char *read_answer(void)
{
	static uint8_t bytes[1 << 20];
	size_t n = 0, out = 0;
	ssize_t got;

	while ((got = read(client, bytes + n, sizeof(bytes) - n)) > 0)
		n += (size_t)got;
	for (size_t at = 0; at + 8 <= n;) {
		size_t content = (size_t)bytes[at + 4] << 8 | bytes[at + 5];

		if (bytes[at + 1] == FCGI_STDERR)
			text[out++] = '|';
		if (bytes[at + 1] != FCGI_END_REQUEST) {
			memcpy(text + out, bytes + at + 8, content);
			out += content;
		}
		at += 8 + content + bytes[at + 6];
	}
	text[out] = '\0';
	return text;
}

struct ask {
	const char *method, *code;
	const char *name, *value; /* one more parameter */
	const char *body;
	enum engine_action action;
	const char *script; /* "" for none */
	bool may_keep;
	void (*make_page)(void *ctx, struct engine_page *);
	const char *ini; /* PHP_VALUE */
};

static enum engine_outcome outcome;
static int status;

static void send_request(const struct ask *ask)
{
	struct wire w = {0}, params = {0};
	const char *body = ask->body ? ask->body : "";
	char length[32];

	snprintf(length, sizeof(length), "%zu", strlen(body));
	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_pair(&params, "REQUEST_METHOD", ask->method ? ask->method : "GET");
	wire_pair(&params, "SCRIPT_FILENAME", script);
	if (ask->code)
		wire_pair(&params, "CODE", ask->code);
	if (ask->body)
		wire_pair(&params, "CONTENT_LENGTH", length);
	if (ask->name)
		wire_pair(&params, ask->name, ask->value);
	if (ask->ini)
		wire_pair(&params, "PHP_VALUE", ask->ini);
	wire_stream(&w, FCGI_PARAMS, 1, params.bytes, params.n);
	wire_stream(&w, FCGI_STDIN, 1, body, strlen(body));
	ck_assert_int_eq(write(client, w.bytes, w.n), (ssize_t)w.n);
	wire_free(&params);
	wire_free(&w);
}

/* One request on the connection that is open, or on a new one. */
static const char *serve(struct ask ask)
{
	struct conn_request fcgi;
	struct engine_request r = {.conn = c, .fcgi = &fcgi, .action = ask.action, .named = true};

	if (conn_fd(c) < 0)
		open_connection();
	send_request(&ask);
	ck_assert_int_eq(conn_read_request(c, arena, &fcgi), CONN_OK);
	r.may_keep = ask.may_keep;
	r.make_page = ask.make_page;
	r.script = ask.script ? (*ask.script ? ask.script : NULL) : script;
	r.script_name = r.php_self = "/eval.php";
	outcome = engine_serve(&r, on_response);
	status = r.http_status;
	arena_reset(arena);
	return read_answer();
}

static const char *run(const char *code)
{
	return serve((struct ask){.code = code});
}

static const char *body_of(const char *answer)
{
	const char *end = strstr(answer, "\r\n\r\n");

	ck_assert_ptr_nonnull(end);
	return end + 4;
}

START_TEST(a_script_answers)
{
	const char *answer = run("echo 'hello';");

	ck_assert_str_eq(body_of(answer), "hello");
	ck_assert_int_eq(outcome, ENGINE_SERVED);
	ck_assert_int_eq(status, 200);
	ck_assert_int_eq(ran, 1);
	ck_assert_int_lt(conn_fd(c), 0);
}
END_TEST

START_TEST(a_connection_is_kept_only_if_it_may)
{
	for (int i = 0; i < 3; i++) {
		serve((struct ask){.code = "echo 1;", .may_keep = true});
		ck_assert_int_ge(conn_fd(c), 0);
	}
	serve((struct ask){.code = "echo 1;"});
	ck_assert_int_lt(conn_fd(c), 0);
}
END_TEST

START_TEST(what_cannot_run_is_refused)
{
	ck_assert_str_eq(serve((struct ask){.action = ENGINE_NOT_FOUND, .script = ""}),
	    "|Primary script unknown"
	    "Status: 404 Not Found\r\nX-Powered-By: PHP/" FPMX_PHP_VERSION "\r\n"
	    "Content-type: text/html; charset=UTF-8\r\n\r\nFile not found.\n");
	ck_assert_int_eq(status, 404);
	ck_assert_ptr_nonnull(
	    strstr(serve((struct ask){.action = ENGINE_DENIED}), "403 Forbidden"));
	ck_assert_ptr_nonnull(strstr(text, "has been denied"));
	ck_assert_str_eq(body_of(serve((struct ask){.action = ENGINE_HEADERS_ONLY})), "");
	ck_assert_int_eq(status, 200);
	ck_assert_str_eq(body_of(serve((struct ask){.action = ENGINE_HEADERS_NOT_FOUND})), "");
	ck_assert_int_eq(status, 404);
	ck_assert_ptr_nonnull(strstr(serve((struct ask){.script = "/nowhere.php"}),
	    "Unable to open primary script: /nowhere.php (No such file or directory)"));
	ck_assert_int_eq(status, 404);
}
END_TEST

START_TEST(a_failed_script_spoils_nothing)
{
	static const char *const codes[] = {
	    "undefined_function();",
	    "$a = str_repeat('x', 200 << 20);",
	    "exit(3);",
	    "register_shutdown_function(function() { $a = str_repeat('x', 200 << 20); });",
	    "register_shutdown_function(function() { exit('x'); });",
	    "ob_start(function($s) { return undefined_function(); }); echo 1;",
	    "class A { function __destruct() { throw new Exception('x'); } } $a = new A;",
	    "(new Fiber(function() { exit; }))->start();",
	    "syntax error",
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		run(codes[i]);
		ck_assert_int_eq(outcome, ENGINE_SERVED);
		ck_assert_str_eq(body_of(run("echo ini_get('memory_limit');")), "64M");
	}
	ck_assert_int_eq(ran, 18);
}
END_TEST

START_TEST(settings_from_the_wire_hold_once)
{
	static const char show[] = "echo ini_get('precision'), ini_get('memory_limit');";

	ck_assert_str_eq(body_of(run(show)), "1364M");
	for (int i = 0; i < 3; i++) {
		const char *answer = serve((struct ask){.code = show,
		    .name = "PHP_ADMIN_VALUE",
		    .value = "precision=5\nmemory_limit=1G\nnonsense=1\nopen_basedir=/tmp"});

		ck_assert_str_eq(body_of(answer), "564M");
		ck_assert_ptr_nonnull(strstr(answer, "unable to set 'memory_limit'"));
		ck_assert_ptr_nonnull(strstr(answer, "unable to set 'nonsense'"));
		ck_assert_str_eq(body_of(run(show)), "1364M");
		ck_assert_int_eq(outcome, ENGINE_SERVED);
	}
}
END_TEST

START_TEST(what_cannot_be_undone_costs_the_worker)
{
	const char *answer = serve((struct ask){
	    .code = "var_dump(function_exists('phpinfo'), ini_get('disable_functions'));",
	    .name = "PHP_ADMIN_VALUE",
	    .value = "disable_functions=phpinfo"});

	ck_assert_str_eq(body_of(answer), "bool(false)\nstring(7) \"phpinfo\"\n");
	ck_assert_int_eq(outcome, ENGINE_UNSAFE);
}
END_TEST

START_TEST(the_response_ends_with_finish_request)
{
	const char *answer =
	    run("echo 'a'; var_dump(fastcgi_finish_request()); echo 'never'; error_log('never');");

	ck_assert_str_eq(body_of(answer), "a");
	ck_assert_int_eq(outcome, ENGINE_SERVED);
	ck_assert_int_eq(ran, 1);
}
END_TEST

START_TEST(a_body_is_read_as_far_as_it_goes)
{
	static const char show[] = "echo file_get_contents('php://input'), $_POST['a'] ?? '-';";
	static const char form[] = "application/x-www-form-urlencoded";
	struct ask ask = {.method = "POST", .code = show, .name = "CONTENT_TYPE", .value = form};

	ask.body = "a=1&b=2";
	ck_assert_str_eq(body_of(serve(ask)), "a=1&b=21");
	ask = (struct ask){.method = "PUT", .code = show, .body = "raw"};
	ck_assert_str_eq(body_of(serve(ask)), "raw-");
	ask = (struct ask){.method = "POST", .code = "echo 1;", .body = "unread"};
	ck_assert_str_eq(body_of(serve(ask)), "1");
	ask = (struct ask){
	    .method = "POST", .code = show, .body = "abc", .name = "CONTENT_LENGTH", .value = "9"};
	ck_assert_ptr_nonnull(strstr(serve(ask), "Status: 400 Bad Request"));
}
END_TEST

START_TEST(a_script_that_goes_on_after_its_client_is_ended)
{
	struct conn_request fcgi;
	struct engine_request r = {.named = true,
	    .conn = c,
	    .fcgi = &fcgi,
	    .script = script,
	    .script_name = "",
	    .php_self = ""};

	open_connection();
	send_request(&(struct ask){.code = "for (;;) { echo 'x'; flush(); }"});
	ck_assert_int_eq(conn_read_request(c, arena, &fcgi), CONN_OK);
	shutdown(client, SHUT_RDWR);
	ck_assert_int_eq(engine_serve(&r, on_response), ENGINE_SERVED);
	ck_assert_str_eq(body_of(run("echo 'next';")), "next");
}
END_TEST

static void make_page(void *ctx, struct engine_page *page)
{
	static const char *const headers[] = {"X-One: 1", "X-Two: 2", NULL};

	(void)ctx;
	*page = (struct engine_page){.status = 200,
	    .content_type = "text/plain",
	    .headers = headers,
	    .body = "page",
	    .body_len = 4};
}

START_TEST(a_page_is_sent_with_its_headers)
{
	struct conn_request fcgi;
	struct engine_request r = {.conn = c,
	    .named = true,
	    .fcgi = &fcgi,
	    .action = ENGINE_PAGE,
	    .script_name = "/status",
	    .php_self = "/status",
	    .make_page = make_page};

	open_connection();
	send_request(&(struct ask){.code = ""});
	ck_assert_int_eq(conn_read_request(c, arena, &fcgi), CONN_OK);
	ck_assert_int_eq(engine_serve(&r, on_response), ENGINE_SERVED);
	ck_assert_ptr_nonnull(strstr(read_answer(),
	    "X-One: 1\r\nX-Two: 2\r\nContent-type: text/plain;charset=UTF-8\r\n\r\npage"));
}
END_TEST

static char found[64]; /* the words that the query asks for */

static void look_at_query(void *ctx, struct engine_page *page)
{
	static const char *const words[] = {"full", "html", "json"};

	found[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (engine_query_asks(words[i]))
			snprintf(
			    found + strlen(found), sizeof(found) - strlen(found), "%s ", words[i]);
	make_page(ctx, page);
}

static const char *words_in(const char *query, const char *ini)
{
	serve((struct ask){.action = ENGINE_PAGE,
	    .make_page = look_at_query,
	    .name = "QUERY_STRING",
	    .value = query,
	    .ini = ini});
	return found;
}

START_TEST(a_page_is_asked_with_the_query_as_php_reads_it)
{
	static const struct {
		const char *query, *words;
	} cases[] = {
	    {"", ""},
	    {"full&json", "full json "},
	    {"full=1&json=0", "full json "}, /* a value does not matter */
	    {"&&f&h", "full html "},         /* a key that begins a word does */
	    {"Html&jsonx&=full&a=html", ""},
	    {"json;full", ""},
	    {"j%73on&+html", "html json "},
	    {"html[]=1&full[x]=1", "full html "},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_str_eq(words_in(cases[i].query, NULL), cases[i].words);
	ck_assert_str_eq(words_in("json;full", "arg_separator.input=\";\""), "full json ");
	ck_assert_str_eq(words_in("json&full", "arg_separator.input=\";\""), "");
	ck_assert_str_eq(words_in("json&full", "variables_order=S"), "");
}
END_TEST

START_TEST(headers_are_looked_up_by_exact_name)
{
	run("header('X-Foo: bar');");
	ck_assert_str_eq(header, "bar");
	run("header('X-Foo:  bar');");
	ck_assert_str_eq(header, " bar");
	run("header('X-Foo:bar');");
	ck_assert_str_eq(header, "none");
	run("header('X-Foo:bar'); header('X-Foo: second', false);");
	ck_assert_str_eq(header, "second");
	run("header('x-foo: bar'); header('X-Fooo: x');");
	ck_assert_str_eq(header, "none");
}
END_TEST

START_TEST(many_requests_leave_no_memory_behind)
{
	char code[200];
	long before, after;

	snprintf(code, sizeof(code),
	    "$a = range(1, 5000); preg_match('/%%d/', 'x'); ini_set('precision', 3); echo "
	    "count($a);");
	for (int i = 0; i < 50; i++)
		run(code);
	before = strtol(body_of(run("echo (int)(memory_get_usage(true) / 1024);")), NULL, 10);
	for (int i = 0; i < 200; i++)
		run(code);
	after = strtol(body_of(run("echo (int)(memory_get_usage(true) / 1024);")), NULL, 10);
	ck_assert_int_le(after, before);
}
END_TEST

START_TEST(the_version_is_that_of_the_library)
{
	uint32_t id = engine_php_version_id();
	char version[32];

	snprintf(version, sizeof(version), "%u.%u.%u", id / 10000, id / 100 % 100, id % 100);
	ck_assert_str_eq(version, FPMX_PHP_VERSION);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, the_version_is_that_of_the_library);
	tcase_add_test(tc, a_script_answers);
	tcase_add_test(tc, a_connection_is_kept_only_if_it_may);
	tcase_add_test(tc, what_cannot_run_is_refused);
	tcase_add_test(tc, a_failed_script_spoils_nothing);
	tcase_add_test(tc, settings_from_the_wire_hold_once);
	tcase_add_test(tc, what_cannot_be_undone_costs_the_worker);
	tcase_add_test(tc, the_response_ends_with_finish_request);
	tcase_add_test(tc, a_body_is_read_as_far_as_it_goes);
	tcase_add_test(tc, a_script_that_goes_on_after_its_client_is_ended);
	tcase_add_test(tc, a_page_is_sent_with_its_headers);
	tcase_add_test(tc, a_page_is_asked_with_the_query_as_php_reads_it);
	tcase_add_test(tc, headers_are_looked_up_by_exact_name);
	tcase_add_test(tc, many_requests_leave_no_memory_behind);
}

UNIT_MAIN("engine", add)
