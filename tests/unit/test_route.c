/* route: php-fpm's order of ping, status, missing and denied. */
#include "unit.h"
#include "worker/route.h"

static struct pool_conf pool;
static struct script script;

static void setup(void)
{
	pool = (struct pool_conf){
	    .ping_path = "/ping",
	    .pm_status_path = "/status",
	    .security_limit_extensions = ".php .phar",
	};
	script = (struct script){.path = "/www/a.php", .name = "/a.php"};
}

START_TEST(a_script_runs)
{
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	ck_assert_int_eq(route_request(&pool, &script, ""), ROUTE_SCRIPT);
	ck_assert_int_eq(route_action(ROUTE_SCRIPT), ENGINE_RUN);
}
END_TEST

START_TEST(without_a_method_there_are_headers_only)
{
	script.name = "/ping";
	ck_assert_int_eq(route_request(&pool, &script, NULL), ROUTE_NO_METHOD);
	ck_assert_int_eq(route_action(ROUTE_NO_METHOD), ENGINE_HEADERS_ONLY);
	script.missing = true;
	ck_assert_int_eq(route_request(&pool, &script, NULL), ROUTE_NO_METHOD_MISSING);
	ck_assert_int_eq(route_action(ROUTE_NO_METHOD_MISSING), ENGINE_HEADERS_NOT_FOUND);
	script = (struct script){0};
	ck_assert_int_eq(route_request(&pool, &script, NULL), ROUTE_NO_METHOD);
}
END_TEST

START_TEST(ping_and_status_come_before_the_file)
{
	script = (struct script){.name = "/ping", .missing = true};
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_PING);
	script.name = "/status";
	ck_assert_int_eq(route_request(&pool, &script, "HEAD"), ROUTE_STATUS);
	ck_assert_int_eq(route_action(ROUTE_PING), ENGINE_PAGE);
	ck_assert_int_eq(route_action(ROUTE_STATUS), ENGINE_PAGE);
}
END_TEST

START_TEST(ping_wins_over_status)
{
	pool.pm_status_path = "/ping";
	script.name = "/ping";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_PING);
}
END_TEST

START_TEST(paths_are_compared_whole_and_may_be_unset)
{
	script.name = "/ping/";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	script.name = "/Ping";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	script.name = NULL;
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	pool.ping_path = pool.pm_status_path = NULL;
	script.name = "/ping";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
}
END_TEST

START_TEST(what_is_missing_is_not_denied)
{
	script.missing = true;
	script.path = "/www/a.txt";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_MISSING);
	script.missing = false;
	script.path = NULL;
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_MISSING);
	ck_assert_int_eq(route_action(ROUTE_MISSING), ENGINE_NOT_FOUND);
}
END_TEST

START_TEST(endings_are_limited)
{
	script.path = "/www/a.txt";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_DENIED);
	ck_assert_int_eq(route_action(ROUTE_DENIED), ENGINE_DENIED);
	pool.security_limit_extensions = "";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
}
END_TEST

START_TEST(a_status_address_has_no_scripts)
{
	ck_assert_int_eq(route_pages_only(ROUTE_PING), ROUTE_PING);
	ck_assert_int_eq(route_pages_only(ROUTE_STATUS), ROUTE_STATUS);
	ck_assert_int_eq(route_pages_only(ROUTE_NO_METHOD), ROUTE_NO_METHOD);
	ck_assert_int_eq(route_pages_only(ROUTE_MISSING), ROUTE_MISSING);
	ck_assert_int_eq(route_pages_only(ROUTE_SCRIPT), ROUTE_MISSING);
	ck_assert_int_eq(route_pages_only(ROUTE_DENIED), ROUTE_MISSING);
}
END_TEST

START_TEST(a_worker_script_serves_any_name)
{
	pool.mode = POOL_MODE_WORKER;
	script = (struct script){.name = "/x.txt", .missing = true};
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	script.name = "/ping";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_PING);
}
END_TEST

START_TEST(a_front_controller_is_the_one_script)
{
	pool.mode = POOL_MODE_WORKER;
	pool.front_controller = "/www/a.php";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_SCRIPT);
	script.path = "/www/b.php";
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_MISSING);
	pool.other_scripts = OTHER_SCRIPTS_FRONT;
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_FRONT);
	script = (struct script){.name = "/c.php", .missing = true};
	ck_assert_int_eq(route_request(&pool, &script, "GET"), ROUTE_FRONT);
	ck_assert_int_eq(route_action(ROUTE_FRONT), ENGINE_RUN);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, a_script_runs);
	tcase_add_test(tc, a_worker_script_serves_any_name);
	tcase_add_test(tc, a_front_controller_is_the_one_script);
	tcase_add_test(tc, without_a_method_there_are_headers_only);
	tcase_add_test(tc, ping_and_status_come_before_the_file);
	tcase_add_test(tc, ping_wins_over_status);
	tcase_add_test(tc, paths_are_compared_whole_and_may_be_unset);
	tcase_add_test(tc, what_is_missing_is_not_denied);
	tcase_add_test(tc, endings_are_limited);
	tcase_add_test(tc, a_status_address_has_no_scripts);
}

UNIT_MAIN("route", add)
