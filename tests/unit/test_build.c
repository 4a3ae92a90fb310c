/*
 * Tests of conf/build: names, values, files, and how both formats mean the same.
 */
#include "conftext.h"

static const struct {
	const char *text, *says; /* the lines of the report; "..." ends the comparison */
} refusals[] = {
    {"foo = 1\n", "E [@/main.conf:2] unknown entry 'foo'\n"},
    {"log_levle = debug\n", "E [@/main.conf:2] unknown entry 'log_levle'\n"
			    "N see @/main.conf:2:1: did you mean 'log_level'?\n"},
    {"pm = static\n", "E [@/main.conf:2] unknown entry 'pm'\n"
		      "N see @/main.conf:2:1: it belongs into a pool, not into [global]\n"},
    {POOL "max_children = 3\n", "E [@/main.conf:7] unknown entry 'max_children'\n"
				"N see @/main.conf:7:1: did you mean 'pm.max_children'?\n"},
    {POOL "pm.max_childern = 3\nuesr = x\n",
	"E [@/main.conf:7] unknown entry 'pm.max_childern'\n"
	"N see @/main.conf:7:1: did you mean 'pm.max_children'?\n"
	"E [@/main.conf:8] unknown entry 'uesr'\n"
	"N see @/main.conf:8:1: did you mean 'user'?\n"},
    {POOL "daemonize = no\n", "E [@/main.conf:7] unknown entry 'daemonize'\n"
			      "N see @/main.conf:7:1: it belongs into [global], not into a pool\n"},
    {POOL "Include = x\n", "E [@/main.conf:7] unknown entry 'Include'\n"
			   "N see @/main.conf:7:1: did you mean 'include'?\n"},
    {"env[A] = b\n", "E [@/main.conf:2] Array are not allowed in the global section\n"},
    {POOL "env[] = b\n", "E [@/main.conf:7] You must provide a key for field 'env'\n"},
    {POOL "env[A] =\n", "E [@/main.conf:7] empty value\n..."},
    {POOL "ENV[A] = b\n", "E [@/main.conf:7] unknown directive 'ENV'\n..."},
    {POOL "user[A] = b\n", "E [@/main.conf:7] unknown directive 'user'\n..."},
    {POOL "env = b\n", "E [@/main.conf:7] unknown entry 'env'\n..."},
    {POOL "php_flag[a] = x\n",
	"E [@/main.conf:7] error while parsing 'php_flag[a]' : invalid boolean value\n"},
    {POOL "access.suppress_path = /a\n",
	"E [@/main.conf:7] unknown entry 'access.suppress_path'\n..."},
    {POOL "access.suppress_path[x] = /a\n",
	"E [@/main.conf:7] Keys provided to field 'access.suppress_path' are ignored\n..."},
    {POOL "access.suppress_path[] = a\n", "E [@/main.conf:7] Values provided to field "
					  "'access.suppress_path' must begin with '/'\n..."},
    {"pid = /run/$pool\n",
	"E [@/main.conf:2] unable to parse value for entry 'pid': Can't use '$pool' when the pool "
	"is not defined\n..."},
    {POOL "pm = fast\n",
	"E [@/main.conf:7] unable to parse value for entry 'pm': invalid process manager (static, "
	"dynamic or ondemand)\n"
	"N see @/main.conf:7:1: pm: How the number of workers is chosen: static, dynamic or "
	"ondemand.\n"},
    {POOL "clear_env = maybe\n", "E [@/main.conf:7] unable to parse value for entry 'clear_env': "
				 "invalid boolean value\n..."},
    {POOL "pm.max_requests = 1k\n",
	"E [@/main.conf:7] unable to parse value for entry 'pm.max_requests': is not a valid "
	"number (greater or equal than zero)\n..."},
    {POOL "pm.max_requests = 99999999999\n",
	"E [@/main.conf:7] unable to parse value for entry 'pm.max_requests': is not a valid "
	"number (too large)\n..."},
    {POOL "request_terminate_timeout = 5w\n",
	"E [@/main.conf:7] unable to parse value for entry 'request_terminate_timeout': unknown "
	"suffix used in time value\n..."},
    {POOL "request_terminate_timeout =\n",
	"E [@/main.conf:7] unable to parse value for entry 'request_terminate_timeout': invalid "
	"time value\n..."},
    {POOL "rlimit_core = -4\n",
	"E [@/main.conf:7] unable to parse value for entry 'rlimit_core': must be greater than "
	"zero or 'unlimited'\n..."},
    {"syslog.facility = x\n",
	"E [@/main.conf:2] unable to parse value for entry 'syslog.facility': invalid value\n..."},
    {"log_level = loud\n",
	"E [@/main.conf:2] unable to parse value for entry 'log_level': invalid value for "
	"'log_level'\n..."},
    {POOL "wire_ini = all\n",
	"E [@/main.conf:7] unable to parse value for entry 'wire_ini': must be one of off, user, "
	"admin\n..."},
    {POOL "listen.mode = 9\n",
	"E [@/main.conf:7] unable to parse value for entry 'listen.mode': is not a mode in octal "
	"digits\n..."},
    {POOL "timeout.body = 1.5s\n",
	"E [@/main.conf:7] unable to parse value for entry 'timeout.body': unknown suffix used in "
	"time value\n..."},
    {POOL "timeout.body = 60d\n",
	"E [@/main.conf:7] unable to parse value for entry 'timeout.body': invalid time value "
	"(longer than 49 days)\n..."},
    {"include = @/nope/*\n",
	"E Unable to globalize '@/nope/*' (ret=2) from @/main.conf at line 2.\n..."},
    {"include = bad.conf\n" POOL, "E [@/bad.conf:2] unknown entry 'x'\n"
				  "E Unable to include @/bad.conf from @/main.conf at line 2\n..."},
    {"include = main.conf\n", "E failed to include more than 5 files recursively\n"
			      "E Unable to include @/main.conf from @/main.conf at line 2\n..."},
};

static void expect_said(const char *lines)
{
	const char *cut = strstr(lines, "...");

	if (cut != NULL)
		ck_assert_msg(strncmp(strbuf_str(&said), lines, (size_t)(cut - lines)) == 0, "%s",
		    strbuf_str(&said));
	else
		ck_assert_msg(
		    strncmp(strbuf_str(&said), lines, strlen(lines)) == 0 &&
			strncmp(strbuf_str(&said) + strlen(lines),
			    "E failed to load configuration file '@/main.conf'\n", 49) == 0,
		    "%s", strbuf_str(&said));
}

START_TEST(what_cannot_be_read_is_said_with_its_place)
{
	conf_write("bad.conf", "[www]\nx = 1\n");
	conf_load_text(with_dir(refusals[_i].text), true);
	ck_assert_ptr_null(conf);
	expect_said(refusals[_i].says);
}
END_TEST

static const char *dumped(const char *name)
{
	static char line[512];
	struct strbuf all;
	const char *at;
	char start[128];

	snprintf(start, sizeof(start), "\n%s\t", name);
	strbuf_init(&all, 1 << 20);
	pool_conf_dump(conf->pools[0], &all);
	at = strstr(strbuf_str(&all), start);
	if (at == NULL)
		snprintf(line, sizeof(line), "(none)");
	else
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(at + strlen(start), "\n"),
		    at + strlen(start));
	strbuf_free(&all);
	return line;
}

/* What a value becomes, as pool_conf_dump() shows it: element TAB value. */
static const struct {
	const char *text, *name, *value;
} values[] = {
    {"user = a\nuser = b\n", "user", "\tb"},
    {"LISTEN.Backlog = 7\n", "listen.backlog", "\t7"},
    {"listen.backlog =\n", "listen.backlog", "\t0"},
    {"catch_workers_output = on\n", "catch_workers_output", "\tyes"},
    {"request_terminate_timeout = 2m\n", "request_terminate_timeout", "\t120s"},
    {"request_terminate_timeout = 1d\n", "request_terminate_timeout", "\t86400s"},
    {"request_terminate_timeout = 3\n", "request_terminate_timeout", "\t3s"},
    {"request_terminate_timeout = 3 m\n", "request_terminate_timeout", "\t180s"},
    {"request_terminate_timeout = 5ms\n", "request_terminate_timeout", "\t5s"},
    {"request_terminate_timeout = -3m\n", "request_terminate_timeout", "\t0s"},
    {"request_terminate_timeout = 99999999999\n", "request_terminate_timeout", "\t4294967s"},
    {"timeout.body = 1500ms\n", "timeout.body", "\t1500ms"},
    {"timeout.body = 2h\n", "timeout.body", "\t7200s"},
    {"rlimit_core = Unlimited\n", "rlimit_core", "\tunlimited"},
    {"listen.mode = 0666\n", "listen.mode", "\t0666"},
    {"listen = /a\nlisten = /b\n", "listen", "\t/b"},
    {"listen = 9000\n", "listen", "\t9000"},
    {"access.log = $pool/$pool.log\nprefix = @\n", "access.log", "\t@/www/www.log"},
    {"php_value[a] = $pool\n", "php_value", "a\twww"},
    {"php_value[$pool] = a\n", "php_value", "$pool\ta"},
    {"php_flag[a] = on\n", "php_value", "a\t1"},
    {"php_admin_flag[a] = off\n", "php_admin_value", "a\t0"},
    {"env[A] = $HOME\n", "env", "A\t$HOME"},
    {"env[A] = 1\nenv[A] = 2\n", "env", "A\t1"},
    {"slowlog =\n", "slowlog", "(none)"},
    {"security.limit_extensions =\n", "security.limit_extensions", "\t"},
    {"php_value[error_log] = x\nprefix = @\n", "php_value", "error_log\t@/x"},
    {"php_value[error_log] = x\nchroot = @\n", "php_value", "error_log\tx"},
    {"php_admin_value[error_log] = syslog\n", "php_admin_value", "error_log\tsyslog"},
};

START_TEST(values_become_what_php_fpm_makes_of_them)
{
	struct strbuf text;

	strbuf_init(&text, 1 << 20);
	strbuf_printf(&text, "%s%s", POOL, with_dir(values[_i].text));
	if (strstr(values[_i].text, "access.log") != NULL)
		ck_assert_int_eq(mkdir(conf_path("www"), 0700), 0);
	conf_load_text(strbuf_str(&text), false);
	ck_assert_msg(
	    conf != NULL || strcmp(values[_i].name, "user") == 0, "%s", strbuf_str(&said));
	if (conf != NULL)
		ck_assert_str_eq(dumped(values[_i].name), with_dir(values[_i].value));
	strbuf_free(&text);
}
END_TEST

START_TEST(odd_times_are_taken_with_a_warning)
{
	conf_load_text(POOL "pm.process_idle_timeout = 5ms\n", true);
	ck_assert_ptr_nonnull(conf);
	ck_assert_str_eq(strbuf_str(&said),
	    "W [@/main.conf:7] pm.process_idle_timeout: the time '5ms' is read as 5s, as php-fpm "
	    "reads it\n");
}
END_TEST

START_TEST(a_section_lasts_from_file_to_file)
{
	conf_write("one.conf", "pm.max_requests = 9\n[two]\nuser = root\nlisten = /two\n");
	conf_load_text(POOL "include = one.conf\npm = static\npm.max_children = 4\n", true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_uint_eq(conf->npools, 2);
	ck_assert_int_eq(conf->pools[0]->pm_max_requests, 9);
	ck_assert_int_eq(conf->pools[1]->pm_max_children, 4);
}
END_TEST

START_TEST(includes_come_sorted_and_folders_are_skipped)
{
	conf_write("b.inc", "[b]\nuser=root\nlisten=/b\npm=static\npm.max_children=1\n");
	conf_write("a.inc", "[a]\nuser=root\nlisten=/a\npm=static\npm.max_children=1\n");
	ck_assert_int_eq(mkdir(conf_path("c.inc"), 0700), 0);
	conf_load_text("include = *.inc\ninclude = *.none\n", true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_uint_eq(conf->npools, 2);
	ck_assert_str_eq(conf->pools[0]->name, "a");
	ck_assert_str_eq(strbuf_str(&said),
	    "W Nothing matches the include pattern '@/*.none' from @/main.conf at line 3.\n");
}
END_TEST

START_TEST(pools_are_named_in_any_case)
{
	conf_load_text("[WWW]\nuser = root\n[Www]\nlisten = 9000\npm = static\n"
		       "[GLOBAL]\nlog_limit = 600\n[www]\npm.max_children = 1\n",
	    true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_uint_eq(conf->npools, 1);
	ck_assert_str_eq(conf->pools[0]->name, "WWW");
	ck_assert_int_eq(conf->global.log_limit, 600);
}
END_TEST

START_TEST(origins_name_file_line_and_column)
{
	conf_load_text(POOL "\n\tpm.max_requests = 5\n", true);
	ck_assert_ptr_nonnull(conf);
	ck_assert_str_eq(conf->pools[0]->origin[KEY_POOL_pm_max_requests].file, conf->path);
	ck_assert_uint_eq(conf->pools[0]->origin[KEY_POOL_pm_max_requests].line, 8);
	ck_assert_uint_eq(conf->pools[0]->origin[KEY_POOL_pm_max_requests].column, 2);
	ck_assert(!pool_is_set(conf->pools[0], listen_backlog));
	ck_assert_uint_eq(conf->pools[0]->declared.line, 2);
}
END_TEST

START_TEST(yaml_refuses_what_is_set_twice)
{
	conf_write("main.yaml",
	    "global: { error_log: error.log }\npools:\n  www:\n    pm.max_children: 1\n"
	    "    pm: { mode: static, max_children: 2 }\n");
	conf_load_named("main.yaml", true);
	ck_assert_ptr_null(conf);
	ck_assert_msg(strstr(strbuf_str(&said), "[@/main.yaml:5] ") != NULL &&
			  strstr(strbuf_str(&said), "4") != NULL,
	    "%s", strbuf_str(&said));
}
END_TEST

START_TEST(a_later_yaml_file_replaces_what_an_earlier_one_set)
{
	conf_write("main.yaml", "global:\n  error_log: error.log\ninclude: [a.conf, b.yaml]\n");
	conf_write("a.conf", POOL "php_value[x] = 1\nphp_value[y] = 2\nlisten[] = /two\n");
	conf_write("b.yaml", "pools:\n  www:\n    pm.max_children: 3\n    listen: [/c, /d]\n"
			     "    php_value: { x: 7 }\n");
	conf_load_named("main.yaml", true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_int_eq(conf->pools[0]->pm_max_children, 3);
	ck_assert_uint_eq(conf->pools[0]->listen.n, 2);
	ck_assert_str_eq(conf->pools[0]->listen.items[1], "/d");
	ck_assert_uint_eq(conf->pools[0]->php_value.n, 2);
	ck_assert_str_eq(conf->pools[0]->php_value.pairs[0].value, "7");
}
END_TEST

START_TEST(files_that_are_none_are_refused)
{
	conf_load_named("none.conf", true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E failed to open configuration file '@/none.conf': No such file or directory (2)\n"
	    "E failed to load configuration file '@/none.conf'\n");
	ck_assert_int_eq(mkdir(conf_path("folder"), 0700), 0);
	conf_load_named("folder", true);
	ck_assert_ptr_null(conf);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, conf_setup, conf_teardown);
	tcase_add_loop_test(tc, what_cannot_be_read_is_said_with_its_place, 0,
	    (int)(sizeof(refusals) / sizeof(refusals[0])));
	tcase_add_loop_test(tc, values_become_what_php_fpm_makes_of_them, 0,
	    (int)(sizeof(values) / sizeof(values[0])));
	tcase_add_test(tc, odd_times_are_taken_with_a_warning);
	tcase_add_test(tc, a_section_lasts_from_file_to_file);
	tcase_add_test(tc, includes_come_sorted_and_folders_are_skipped);
	tcase_add_test(tc, pools_are_named_in_any_case);
	tcase_add_test(tc, origins_name_file_line_and_column);
	tcase_add_test(tc, yaml_refuses_what_is_set_twice);
	tcase_add_test(tc, a_later_yaml_file_replaces_what_an_earlier_one_set);
	tcase_add_test(tc, files_that_are_none_are_refused);
}

UNIT_MAIN("build", add)
