/* statuspool: what pm.status_listen stands for, and that nobody sees it. */
#include <string.h>

#include "conftext.h"

#define TEXT                                                                        \
	"error_log = /dev/null\n"                                                   \
	"[one]\nlisten = /run/one.sock\nuser = root\nlisten.mode = 0600\n"          \
	"pm = static\npm.max_children = 9\npm.max_requests = 5\naccess.log = a\n"   \
	"pm.status_listen = status.sock\ncatch_workers_output = yes\nenv[A] = b\n"  \
	"php_admin_value[precision] = 3\nlisten.allowed_clients = 127.0.0.1\n"      \
	"[two]\nlisten = 9001\nuser = root\npm = ondemand\npm.max_children = 1\n"   \
	"[three]\nlisten = 9002\nuser = root\npm = ondemand\npm.max_children = 1\n" \
	"pm.status_listen = 127.0.0.1:9003\npm.status_path = /s\n"

START_TEST(each_follows_its_pool)
{
	static const char *const names[] = {"one", "one_status", "two", "three", "three_status"};

	conf_load_text(TEXT, true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_uint_eq(conf->npools, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_str_eq(conf->pools[i]->name, names[i]);
		ck_assert_ptr_eq(
		    conf->pools[i]->shows, strstr(names[i], "_status") ? conf->pools[i - 1] : NULL);
	}
	ck_assert_str_eq(conf->pools[4]->listen.items[0], "127.0.0.1:9003");
	ck_assert_str_eq(conf->pools[4]->pm_status_path, "/s");
}
END_TEST

static void check_one(const struct pool_conf *p)
{
	ck_assert_str_eq(p->name, "one_status");
	ck_assert_uint_eq(p->listen.n, 1);
	ck_assert_str_eq(p->listen.items[0], conf_path("status.sock"));
	ck_assert_str_eq(p->pm_status_path, "/");
	ck_assert_int_eq(p->pm, PM_ONDEMAND);
	ck_assert_int_eq(p->pm_max_children, 2);
	ck_assert_int_eq(p->pm_max_requests, 0);
	ck_assert_ptr_null(p->pm_status_listen);
	ck_assert_ptr_null(p->access_log);
	ck_assert(!p->catch_workers_output);
	/* what makes it look like its pool */
	ck_assert_str_eq(p->user, "root");
	ck_assert_uint_eq(p->listen_mode.bits, 0600);
	ck_assert_str_eq(p->listen_allowed_clients, "127.0.0.1");
	ck_assert_str_eq(p->php_admin_value.pairs[0].value, "3");
	ck_assert_str_eq(p->env.pairs[0].value, "b");
}

START_TEST(it_takes_from_its_pool_what_php_fpm_lets_it_take)
{
	struct strbuf text;
	struct err e;
	const struct pool_conf *again;

	conf_load_text(TEXT, true);
	check_one(conf->pools[1]);
	/* and is the same on the other side of the heritage */
	strbuf_init(&text, 1 << 20);
	pool_conf_dump(conf->pools[1], &text);
	again = pool_conf_parse(conf->arena, strbuf_str(&text), text.len, &e);
	ck_assert_msg(again != NULL, "%s", e.text);
	check_one(again);
	strbuf_free(&text);
}
END_TEST

static void no_status_pool(void *ctx, const char *line)
{
	(void)ctx;
	ck_assert_ptr_null(strstr(line, "_status]"));
}

START_TEST(a_dump_does_not_show_it)
{
	struct strbuf yaml;

	conf_load_text(TEXT, true);
	conf_dump_fpm(conf, no_status_pool, NULL);
	strbuf_init(&yaml, 1 << 20);
	conf_dump_yaml(conf, &yaml);
	ck_assert_ptr_nonnull(strstr(strbuf_str(&yaml), "status_listen"));
	ck_assert_ptr_null(strstr(strbuf_str(&yaml), "one_status"));
	strbuf_free(&yaml);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, conf_setup, conf_teardown);
	tcase_add_test(tc, each_follows_its_pool);
	tcase_add_test(tc, it_takes_from_its_pool_what_php_fpm_lets_it_take);
	tcase_add_test(tc, a_dump_does_not_show_it);
}

UNIT_MAIN("statuspool", add)
