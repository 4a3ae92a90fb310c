/*
 * Tests of conf/dump and of the lines that a pool is handed on in: what they
 * say, that reading and writing them again changes nothing, and that nothing
 * broken is read.
 */
#include "base/arena.h"
#include "conf/keys.h"
#include "conf/value.h"
#include "conftext.h"

static void add_line(void *ctx, const char *line)
{
	strbuf_adds(ctx, line);
	strbuf_addc(ctx, '\n');
}

/* As php-fpm8.2 -tt has shown it, but for the folder in error_log. */
static const char plain[] = "[global]\n\tpid = undefined\n\terror_log = /dev/null\n"
			    "\tsyslog.ident = php-fpm\n\tsyslog.facility = 24\n"
			    "\tlog_buffering = yes\n\tlog_level = unknown value\n"
			    "\tlog_limit = 1024\n\temergency_restart_interval = 0s\n"
			    "\temergency_restart_threshold = 0\n\tprocess_control_timeout = 0s\n"
			    "\tprocess.max = 0\n\tprocess.priority = undefined\n"
			    "\tdaemonize = yes\n\trlimit_files = 0\n\trlimit_core = 0\n"
			    "\tevents.mechanism = epoll\n\tsystemd_interval = 10s\n \n[www]\n"
			    "\tprefix = undefined\n\tuser = root\n\tgroup = undefined\n"
			    "\tlisten = /run/www.sock\n\tlisten.backlog = -1\n"
			    "\tlisten.acl_users = undefined\n\tlisten.acl_groups = undefined\n"
			    "\tlisten.owner = undefined\n\tlisten.group = undefined\n"
			    "\tlisten.mode = undefined\n\tlisten.allowed_clients = undefined\n"
			    "\tprocess.priority = undefined\n\tprocess.dumpable = no\n"
			    "\tpm = static\n\tpm.max_children = 2\n\tpm.start_servers = 0\n"
			    "\tpm.min_spare_servers = 0\n\tpm.max_spare_servers = 0\n"
			    "\tpm.max_spawn_rate = 32\n\tpm.process_idle_timeout = 10\n"
			    "\tpm.max_requests = 0\n\tpm.status_path = undefined\n"
			    "\tpm.status_listen = undefined\n\tping.path = undefined\n"
			    "\tping.response = undefined\n\taccess.log = undefined\n"
			    "\taccess.format = undefined\n\tslowlog = undefined\n"
			    "\trequest_slowlog_timeout = 0s\n"
			    "\trequest_slowlog_trace_depth = 20\n"
			    "\trequest_terminate_timeout = 0s\n"
			    "\trequest_terminate_timeout_track_finished = no\n"
			    "\trlimit_files = 0\n\trlimit_core = 0\n\tchroot = undefined\n"
			    "\tchdir = undefined\n\tcatch_workers_output = no\n"
			    "\tdecorate_workers_output = yes\n\tclear_env = yes\n"
			    "\tsecurity.limit_extensions = .php .phar\n \n";

static const char *dumped(const char *text)
{
	conf_load_text(text, true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	strbuf_clear(&said);
	conf_dump_fpm(conf, add_line, &said);
	return strbuf_str(&said);
}

START_TEST(a_plain_pool_is_dumped_as_php_fpm_does)
{
	ck_assert_str_eq(dumped(POOL), plain);
}
END_TEST

/* Line and its dump, seen of php-fpm8.2 -tt. */
static const struct {
	const char *text, *line;
} lines[] = {
    {POOL "listen.mode = 660\n", "\n\tlisten.mode = 660\n"},
    {POOL "listen.mode =\n", "\n\tlisten.mode = \n"},
    {POOL "group =\n", "\n\tgroup = \n"},
    {POOL "rlimit_core = unlimited\n", "\n\trlimit_core = -1\n"},
    {POOL "process.priority = 0\n", "\n\tprocess.priority = 0\n"},
    {POOL "pm.process_idle_timeout = 2m\n", "\n\tpm.process_idle_timeout = 120\n"},
    {POOL "request_terminate_timeout = 1h\n", "\n\trequest_terminate_timeout = 3600s\n"},
    {POOL "ping.path = /p\n", "\n\tping.path = /p\n\tping.response = pong\n"},
    {POOL "ping.response = x\n", "\n\tping.response = undefined\n"},
    {POOL "pm.status_listen = y\n", "\n\tpm.status_path = /\n\tpm.status_listen = y\n"},
    {POOL "access.log = /dev/null\n", "\n\taccess.format = %R - %u %t \"%m %r\" %s\n"},
    {POOL "request_slowlog_trace_depth = 0\n", "\n\trequest_slowlog_trace_depth = 20\n"},
    {POOL "env[A] = 1\nenv[A] = 2\n", "\n\tenv[A] = 2\n\tenv[A] = 1\n"},
    {POOL "php_value[a] = 1\nphp_flag[b] = on\nphp_value[c] = 3\n",
	"\n\tphp_value[c] = 3\n\tphp_value[b] = 1\n\tphp_value[a] = 1\n"},
    {POOL "access.suppress_path[] = /a\naccess.suppress_path[] = /b\n",
	"\n\taccess.suppress_path[] = /b\n\taccess.suppress_path[] = /a\n"},
    {POOL "listen[] = /b\n", "\n\tlisten[] = /run/www.sock\n\tlisten[] = /b\n"},
    {POOL "timeout.body = 90s\n", "\n\ttimeout.body = 90s\n"},
    {"log_level = WARN\n" POOL, "\n\tlog_level = WARNING\n"},
    {"syslog.facility = LOCAL7\n" POOL, "\n\tsyslog.facility = 184\n"},
    {"events.mechanism = EPOLL\n" POOL, "\n\tevents.mechanism = epoll\n"},
    {"pid =\n" POOL, "\n\tpid = @/\n"},
};

START_TEST(values_are_dumped_as_php_fpm_does)
{
	const char *dump = dumped(lines[_i].text);
	char want[PATH_MAX + 64];

	if (strchr(lines[_i].line, '@') != NULL)
		snprintf(want, sizeof(want), "\n\tpid = %s/\n", conf_dir);
	else
		snprintf(want, sizeof(want), "%s", lines[_i].line);
	ck_assert_msg(strstr(dump, want) != NULL, "%s\nis not in\n%s", want, dump);
}
END_TEST

/* ---- the lines of one pool ---- */

static struct arena *arena;
static struct err err;

static void arena_setup(void)
{
	arena = arena_new(4096);
}

static void arena_teardown(void)
{
	arena_free(arena);
}

static struct pool_conf *parse(const char *text)
{
	return pool_conf_parse(arena, text, strlen(text), &err);
}

static uint64_t seed;

static uint64_t random_number(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A text of anything but NUL, tabs and newlines and backslashes among it. */
static const char *random_text(void)
{
	static char text[40];
	size_t n = random_number() % (sizeof(text) - 1);

	for (size_t i = 0; i < n; i++)
		text[i] = "\t\n\\tn ab\xff\x01=[];"[random_number() % 15];
	text[n] = '\0';
	return arena_strdup(arena, text);
}

/* A value that the row takes, as a user could write it. */
static const char *random_value(const struct conf_row *row)
{
	const struct conf_word *words = keys_words(row->type);
	size_t n = 0;

	switch (row->type) {
	case TYPE_BOOL:
		return random_number() % 2 ? "yes" : "off";
	case TYPE_INT:
		return arena_printf(arena, "%d", (int32_t)random_number());
	case TYPE_CORE_SIZE:
		return random_number() % 4 == 0
			   ? "unlimited"
			   : arena_printf(arena, "%d", (int32_t)(random_number() >> 33));
	case TYPE_DURATION:
		return arena_printf(arena, "%u%s", (unsigned)(random_number() % 40),
		    row->maker == MAKER_OWN && random_number() % 2 ? "ms" : "h");
	case TYPE_MODE:
		return arena_printf(arena, "%o", (unsigned)(random_number() % 010000));
	case TYPE_STRING:
	case TYPE_PATH:
		return random_text();
	default:
		while (words[n].word != NULL)
			n++;
		return words[random_number() % n].word;
	}
}

static void randomize(struct pool_conf *p, const struct conf_row *row)
{
	struct conf_origin at = {.file = "test", .line = 1};
	struct conf_pair pair = {.at = at};
	struct value_verdict verdict;

	if (row->type == TYPE_FLAGS || random_number() % 2 == 0)
		return;
	p->origin[key_of(row)] = at;
	if (row->type == TYPE_LIST || row->type == TYPE_MAP) {
		for (size_t i = 1 + random_number() % 9; i > 0; i--) {
			pair.name = random_text();
			pair.value = random_text();
			if (row->type == TYPE_LIST)
				list_add(value_field(row, p), arena, pair.value);
			else
				map_add(value_field(row, p), arena, &pair);
		}
		return;
	}
	ck_assert_int_eq(value_read(row, p, arena, random_value(row), &verdict), 0);
}

START_TEST(any_pool_is_a_fixed_point)
{
	struct pool_conf *p = arena_new_of(arena, struct pool_conf), *q;
	struct strbuf once, again;

	seed = 88172645463325252u + (unsigned)_i;
	value_defaults(SCOPE_POOL, p, arena);
	p->name = random_text();
	for (size_t i = 0; i < KEY_MAX; i++) {
		if (conf_rows[i].scope == SCOPE_POOL)
			randomize(p, &conf_rows[i]);
	}
	strbuf_init(&once, 1 << 20);
	strbuf_init(&again, 1 << 20);
	pool_conf_dump(p, &once);
	q = pool_conf_parse(arena, once.bytes, once.len, &err);
	ck_assert_msg(q != NULL, "%s", err.text);
	pool_conf_dump(q, &again);
	ck_assert_str_eq(strbuf_str(&again), strbuf_str(&once));
	ck_assert_str_eq(q->name, p->name);
	for (size_t i = 0; i < KEY_MAX; i++)
		ck_assert_msg((p->origin[i].file == NULL) == (q->origin[i].file == NULL) ||
				  conf_rows[i].type == TYPE_FLAGS,
		    "%s", conf_rows[i].name);
	strbuf_free(&once);
	strbuf_free(&again);
}
END_TEST

START_TEST(what_was_completed_is_handed_on)
{
	struct strbuf text;
	struct pool_conf *p;

	(void)dumped("[www]\nuser = root\nlisten = w.sock\npm = dynamic\npm.max_children = 9\n"
		     "pm.min_spare_servers = 2\npm.max_spare_servers = 6\nping.path = /p\n"
		     "process.priority = 0\n");
	strbuf_init(&text, 1 << 20);
	pool_conf_dump(conf->pools[0], &text);
	p = pool_conf_parse(arena, text.bytes, text.len, &err);
	ck_assert_ptr_nonnull(p);
	ck_assert_int_eq(p->pm, PM_DYNAMIC);
	ck_assert_int_eq(p->pm_start_servers, 4);
	ck_assert_str_eq(p->ping_response, "pong");
	ck_assert(pool_is_set(p, process_priority));
	ck_assert_str_eq(p->listen.items[0], conf->pools[0]->listen.items[0]);
	ck_assert_str_eq(p->security_limit_extensions, ".php .phar");
	ck_assert(p->clear_env);
	ck_assert_uint_eq(p->timeout_header_ms, 10000);
	strbuf_free(&text);
}
END_TEST

START_TEST(every_cut_text_is_refused)
{
	static const char text[] = "fpmx-pool-1\t\twww\nuser\t\tro\\\\ot\nenv\tA\tb\nend\t\t\n";

	for (size_t n = 0; n < sizeof(text) - 1; n++)
		ck_assert_ptr_null(pool_conf_parse(arena, text, n, &err));
	ck_assert_ptr_nonnull(pool_conf_parse(arena, text, sizeof(text) - 1, &err));
}
END_TEST

static const struct {
	const char *text, *why;
} broken[] = {
    {"fpmx-pool-2\t\twww\nend\t\t\n", "not of this version"},
    {"fpmx-pool-1\t\twww\nnope\t\tx\nend\t\t\n", "unknown key 'nope'"},
    {"fpmx-pool-1\t\twww\nphp_flag\ta\t1\nend\t\t\n", "unknown key 'php_flag'"},
    {"fpmx-pool-1\t\twww\npm\t\tfast\nend\t\t\n", "invalid process manager"},
    {"fpmx-pool-1\t\twww\nuser\t\ta\\qb\nend\t\t\n", "line 2 is broken or cut"},
    {"fpmx-pool-1\t\twww\nuser\ta\nend\t\t\n", "line 2 is broken or cut"},
    {"fpmx-pool-1\t\twww\nend\t\t\nuser\t\ta\n", "something behind its end"},
};

START_TEST(broken_texts_are_refused_with_a_reason)
{
	ck_assert_ptr_null(parse(broken[_i].text));
	ck_assert_msg(strstr(err.text, broken[_i].why) != NULL, "%s", err.text);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, conf_setup, conf_teardown);
	tcase_add_checked_fixture(tc, arena_setup, arena_teardown);
	tcase_add_test(tc, a_plain_pool_is_dumped_as_php_fpm_does);
	tcase_add_loop_test(
	    tc, values_are_dumped_as_php_fpm_does, 0, (int)(sizeof(lines) / sizeof(lines[0])));
	tcase_add_loop_test(tc, any_pool_is_a_fixed_point, 0, 100);
	tcase_add_test(tc, what_was_completed_is_handed_on);
	tcase_add_test(tc, every_cut_text_is_refused);
	tcase_add_loop_test(tc, broken_texts_are_refused_with_a_reason, 0,
	    (int)(sizeof(broken) / sizeof(broken[0])));
}

UNIT_MAIN("dump", add)
