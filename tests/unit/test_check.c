/*
 * Tests of conf/check and conf/advice: php-fpm's findings with its texts, its
 * grades and in its order, and what is said beyond them.
 */
#include "conftext.h"

#define DYNAMIC "[www]\nuser = root\nlisten = /run/www.sock\npm = dynamic\npm.max_children = 5\n"
#define ONDEMAND "[www]\nuser = root\nlisten = /run/www.sock\npm = ondemand\npm.max_children = 5\n"
#define SECOND "[two]\nuser = root\nlisten = /run/two.sock\npm = static\npm.max_children = 1\n"

/* The first line is php-fpm's own, seen of php-fpm8.2 -t. */
static const struct {
	const char *text, *first;
} wrong[] = {
    {"", "E No pool defined. at least one pool section must be specified in config file"},
    {"log_limit = 511\n" POOL, "E log_limit must be greater than 512"},
    {"process.max = -1\n" POOL, "E process_max can't be negative"},
    {"process.priority = 21\n" POOL, "E process.priority must be included into [-19,20]"},
    {"process.priority = -20\n" POOL, "E process.priority must be included into [-19,20]"},
    {"events.mechanism = kqueue\n" POOL,
	"E event mechanism 'kqueue' is not available on this system"},
    {"error_log = /nope/x\n" POOL,
	"E failed to open error_log (/nope/x): No such file or directory (2)"},
    {"error_log = @\n" POOL, "E failed to open error_log (@): Is a directory (21)"},
    {"[www]\nlisten = 9000\npm = static\npm.max_children = 1\n",
	"A [pool www] user has not been defined"},
    {"[www]\nuser = root\npm = static\npm.max_children = 1\n",
	"A [pool www] no listen address have been defined!"},
    {POOL "listen =\n", "A [pool www] no listen address have been defined!"},
    {"[www]\nuser = root\nlisten = 9000\npm.max_children = 1\n",
	"A [pool www] the process manager is missing (static, dynamic or ondemand)"},
    {POOL "pm.max_children = 0\n", "A [pool www] pm.max_children must be a positive value"},
    {DYNAMIC, "A [pool www] pm.min_spare_servers(0) must be a positive value"},
    {DYNAMIC "pm.min_spare_servers = 1\n",
	"A [pool www] pm.max_spare_servers(0) must be a positive value"},
    {DYNAMIC "pm.min_spare_servers = 1\npm.max_spare_servers = 6\n",
	"A [pool www] pm.min_spare_servers(1) and pm.max_spare_servers(6) cannot be greater than "
	"pm.max_children(5)"},
    {DYNAMIC "pm.min_spare_servers = 3\npm.max_spare_servers = 2\n",
	"A [pool www] pm.max_spare_servers(2) must not be less than pm.min_spare_servers(3)"},
    {DYNAMIC "pm.min_spare_servers = 2\npm.max_spare_servers = 3\npm.start_servers = 1\n",
	"A [pool www] pm.start_servers(1) must not be less than pm.min_spare_servers(2) and not "
	"greater than pm.max_spare_servers(3)"},
    {DYNAMIC "pm.min_spare_servers = 2\npm.max_spare_servers = 3\npm.start_servers = 2\n"
	     "pm.max_spawn_rate = 0\n",
	"A [pool www] pm.max_spawn_rate must be a positive value"},
    {"events.mechanism = poll\n" ONDEMAND,
	"A [pool www] ondemand process manager can ONLY be used when events.mechanism is either "
	"epoll (Linux) or kqueue (*BSD)."},
    {ONDEMAND "pm.process_idle_timeout = 0\n",
	"A [pool www] pm.process_idle_timeout(0s) must be greater than 0s"},
    {POOL "pm.status_path = s\n", "E [pool www] the status path 's' must start with a '/'"},
    {POOL "pm.status_path = /\n", "E [pool www] the status path '/' is not long enough"},
    {POOL "pm.status_path = /a?b\n",
	"E [pool www] the status path '/a?b' must contain only the following characters "
	"'[alphanum]/_-.~'"},
    {POOL "ping.path = /\n", "E [pool www] the ping path '/' is not long enough"},
    {POOL "ping.path = /p\nping.response = \"\"\n",
	"E [pool www] the ping response page '' is not long enough"},
    {POOL "request_slowlog_timeout = 1\n",
	"E [pool www] 'slowlog' must be specified for use with 'request_slowlog_timeout'"},
    {POOL "request_slowlog_timeout = 1\nslowlog = /nope/s\n",
	"E Unable to create or open slowlog(/nope/s): No such file or directory (2)"},
    {POOL "request_slowlog_timeout = 5\nslowlog = s\nrequest_terminate_timeout = 3\n",
	"E [pool www] 'request_slowlog_timeout' (5) can't be greater than "
	"'request_terminate_timeout' (3)"},
    {POOL "request_slowlog_timeout = 5\nslowlog = s\nrequest_slowlog_trace_depth = -5\n",
	"E [pool www] 'request_slowlog_trace_depth' (-5) must be a positive value"},
    {POOL "prefix = /nope\n",
	"E [pool www] the prefix '/nope' does not exist or is not a directory"},
    {POOL "chroot = /nope\n",
	"E [pool www] the chroot path '/nope' does not exist or is not a directory"},
    {POOL "chdir = nope\n",
	"E [pool www] the chdir path '@/nope' does not exist or is not a directory"},
    {POOL "chroot = @\nchdir = /nope\n",
	"E [pool www] the chdir path '/nope' within the chroot path '@' ('@//nope') does not exist "
	"or is not a directory"},
    {POOL "process.priority = 21\n",
	"E [pool www] process.priority must be included into [-19,20]"},
    {POOL "access.log = /nope/a\n",
	"E failed to open access log (/nope/a): No such file or directory (2)"},
    {POOL "access.log =\n", "E failed to open access log (): No such file or directory (2)"},
    {POOL "access.log = a\naccess.format = %Z\n", "W Invalid token in the access.format (%Z)"},
    {POOL "user = no-such-user\n", "E [pool www] cannot get uid for user 'no-such-user'"},
    {POOL "group = no-such-group\n", "E [pool www] cannot get gid for group 'no-such-group'"},
    {POOL "listen.owner = no-such-user\n",
	"E [pool www] cannot get uid for user 'no-such-user': Success (0)"},
    {POOL "listen.group = no-such-group\n",
	"E [pool www] cannot get gid for group 'no-such-group': Success (0)"},
    {POOL SECOND "listen = /run/www.sock\n",
	"E [pool two] unable to set listen address as it's already used in another pool 'www'"},
    {POOL "pm.status_listen = /run/www.sock\n",
	"E [pool www_status] unable to set listen address as it's already used in another pool "
	"'www'"},
    /* two at once: the order is php-fpm's */
    {"process.max = -1\nlog_limit = 1\n" POOL, "E log_limit must be greater than 512"},
    {POOL "user = no-such-user\npm.max_children = 0\npm.status_path = x\n",
	"A [pool www] pm.max_children must be a positive value"},
    {POOL "access.log = /nope/a\n" SECOND "prefix = /nope\n",
	"E [pool two] the prefix '/nope' does not exist or is not a directory"},
    {POOL "chdir = /nope\n" SECOND "pm.max_children = 0\n",
	"E [pool www] the chdir path '/nope' does not exist or is not a directory"},
    {POOL "user = no-such-user\n" SECOND "access.log = /nope/a\n",
	"E failed to open access log (/nope/a): No such file or directory (2)"},
    /* ours: php-fpm finds these when it starts, or not at all */
    {POOL "mode = worker\n", "E [pool www] mode worker needs a script: the file with the loop on "
			     "fpmx_handle_request() (@/main.conf:7)"},
    {POOL "mode = isolated\n",
	"E [pool www] mode isolated needs a script: the file that boots the application "
	"(@/main.conf:7)"},
    {POOL "mode = isolated\nscript = /b.php\ncow = no\n",
	"E [pool www] mode isolated forks from what has booted: cow cannot be no (@/main.conf:9)"},
    {POOL "listen = 127.0.0.1:x\n", "E invalid port value 'x'"},
    {POOL "listen = 99999999\n", "E invalid port value '99999999'"},
    {POOL "listen = [::1]:0\n", "E invalid port value '0'"},
};

START_TEST(a_slip_in_yaml_makes_nothing_else_wrong)
{
	conf_write("slip.yaml", "global: { error_log: /dev/null }\n"
				"pools:\n"
				"  www:\n"
				"    listen: /run/a.sock\n"
				"   user: root\n"
				"    pm: static\n");
	conf_load_named("slip.yaml", true);
	ck_assert_ptr_null(conf);
	ck_assert_msg(strstr(strbuf_str(&said), "not YAML") != NULL, "%s", strbuf_str(&said));
	ck_assert_msg(strstr(strbuf_str(&said), "defined") == NULL, "%s", strbuf_str(&said));
}
END_TEST

START_TEST(the_first_line_is_php_fpm_s)
{
	size_t n = strlen(wrong[_i].first);

	conf_load_text(with_dir(wrong[_i].text), true);
	ck_assert_ptr_null(conf);
	ck_assert_msg(
	    strncmp(strbuf_str(&said), wrong[_i].first, n) == 0 && strbuf_str(&said)[n] == '\n',
	    "%s\nis not first of:\n%s", wrong[_i].first, strbuf_str(&said));
}
END_TEST

START_TEST(all_findings_of_a_run_are_said)
{
	conf_load_text("log_limit = 1\nprocess.max = -1\n" POOL "pm.max_children = 0\n"
		       "pm.status_path = x\n" SECOND "user = no-such-user\nchdir = /nope\n",
	    true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E log_limit must be greater than 512\n"
	    "N see @/main.conf:2:1\n"
	    "E process_max can't be negative\n"
	    "N see @/main.conf:3:1\n"
	    "A [pool www] pm.max_children must be a positive value\n"
	    "N see @/main.conf:9:1\n"
	    "E [pool www] the status path 'x' must start with a '/'\n"
	    "N see @/main.conf:10:1\n"
	    "E [pool two] the chdir path '/nope' does not exist or is not a directory\n"
	    "N see @/main.conf:17:1\n"
	    "E [pool two] cannot get uid for user 'no-such-user'\n"
	    "N see @/main.conf:16:1: no user has this name: 'getent passwd' lists them; a number "
	    "will do, too\n"
	    "E failed to post process the configuration\n");
}
END_TEST

START_TEST(pools_that_could_be_read_are_checked_all_the_same)
{
	conf_load_text(POOL "foo = 1\npm.max_children = 0\n" SECOND "pm.max_children = 0\n", true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E [@/main.conf:7] unknown entry 'foo'\n"
	    "A [pool two] pm.max_children must be a positive value\n"
	    "N see @/main.conf:14:1\n"
	    "E failed to load configuration file '@/main.conf'\n");
}
END_TEST

/* php-fpm's closing line depends on where it stopped; one stage has none. */
START_TEST(unknown_names_end_without_a_closing_line)
{
	conf_load_text(POOL "group = no-such-group\n", true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E [pool www] cannot get gid for group 'no-such-group'\n"
	    "N see @/main.conf:7:1: no group has this name: 'getent group' lists them; a number "
	    "will do, too\n");
	/* Tools compare -tt. */
	strbuf_clear(&said);
	report.bare_names = true;
	conf_report_tell(&report, conf_hear, NULL);
	ck_assert_str_eq(
	    strbuf_str(&said), "E [pool www] cannot get gid for group 'no-such-group'\n");
}
END_TEST

START_TEST(a_log_without_a_folder_has_a_remedy)
{
	conf_load_text("error_log = /nope/x\n" POOL, true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E failed to open error_log (/nope/x): No such file or directory (2)\n"
	    "N see @/main.conf:2:1: error_log: make its folder, or set it to another file or to "
	    "syslog\nE failed to post process the configuration\n");
	conf_write("main.conf", POOL);
	conf_load_named("main.conf", true);
	ck_assert_str_eq(strbuf_str(&said),
	    "E failed to open error_log (@/log/php-fpm.log): No such file or directory (2)\n"
	    "N see @/main.conf: error_log is not set, and this is its default: make that folder, "
	    "or set error_log in [global] to another file or to syslog\n"
	    "E failed to post process the configuration\n");
}
END_TEST

/* Taken by php-fpm without a word, or with these. */
static const struct {
	const char *text, *says;
} good[] = {
    {POOL, ""},
    {DYNAMIC "pm.min_spare_servers = 1\npm.max_spare_servers = 4\n",
	"N [pool www] pm.start_servers is not set. It's been set to 2.\n"},
    {POOL "user = 4711\ngroup = 4712\nlisten.owner = 1\nlisten.group = 1\n", ""},
    {POOL "listen.owner =\nlisten.mode =\ngroup =\nslowlog =\nchroot =\nchdir =\nprefix =\n", ""},
    {POOL "ping.path = /ping\npm.status_path = /status\n", ""},
    {POOL SECOND "listen = //run/www.sock\n", ""},
    {"process.priority = -19\n" POOL "process.priority = 20\n", ""},
    {POOL "listen.backlog = -5\n",
	"W [@/main.conf:7] listen.backlog: '-5' is hardly meant: a usual value of "
	"'listen.backlog' is at least -1\n"},
    {POOL "listen.allowed_clients = 127.0.0.1, ::1,localhost\n",
	"W [pool www] Wrong IP address 'localhost' in listen.allowed_clients (@/main.conf:7)\n"},
    {POOL "php_admin_value[memory_limit] = 128MB\nphp_value[post_max_size] = 8M\n",
	"W [pool www] php_admin_value[memory_limit]: '128MB' is no size: a number, and K, M or G "
	"behind it (@/main.conf:7)\n"},
    {"process.max = 1\n" POOL,
	"W process.max (1) is less than the 2 workers that the pools start with (@/main.conf:2)\n"},
    {POOL "freeze_audit = warn\n",
	"N [pool www] 'freeze_audit' is read, but this version does not act "
	"on it yet (@/main.conf:7)\n"},
};

START_TEST(what_php_fpm_takes_is_taken)
{
	conf_load_text(good[_i].text, true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_str_eq(strbuf_str(&said), good[_i].says);
}
END_TEST

START_TEST(empty_strings_are_unset_afterwards)
{
	conf_load_text(POOL "group =\nlisten.mode =\nchdir =\n", true);
	ck_assert_ptr_nonnull(conf);
	ck_assert_ptr_null(conf->pools[0]->group);
	ck_assert_ptr_null(conf->pools[0]->chdir);
	ck_assert(!pool_is_set(conf->pools[0], listen_mode));
	ck_assert(!pool_is_set(conf->pools[0], chdir));
}
END_TEST

START_TEST(nothing_is_made_by_checking)
{
	conf_load_text("error_log = error.log\n" POOL
		       "access.log = access.log\nslowlog = slow.log\n"
		       "request_slowlog_timeout = 1\nlisten = www.sock\n",
	    true);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_int_eq(access(conf_path("error.log"), F_OK), -1);
	ck_assert_int_eq(access(conf_path("access.log"), F_OK), -1);
	ck_assert_int_eq(access(conf_path("slow.log"), F_OK), -1);
	ck_assert_int_eq(access(conf_path("www.sock"), F_OK), -1);
}
END_TEST

START_TEST(a_user_is_not_needed_without_root)
{
	conf_load_text("[www]\nlisten = 9000\npm = static\npm.max_children = 1\n", false);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_str_eq(strbuf_str(&said), "");
}
END_TEST

START_TEST(what_only_root_can_do_is_said_at_a_start)
{
	struct conf_source source = {.path = conf_path("main.conf"), .start = true};

	conf_write("main.conf", "error_log = /dev/null\nprocess.priority = 4\n" POOL
				"group = root\nchroot = /\nprocess.priority = 3\n");
	conf_report_init(&report);
	conf = conf_load(&source, &report);
	conf_report_tell(&report, conf_hear, NULL);
	ck_assert_msg(conf != NULL, "%s", strbuf_str(&said));
	ck_assert_ptr_nonnull(strstr(strbuf_str(&said),
	    "N 'process.priority' directive is ignored when FPM is not running as root\n"));
	ck_assert_ptr_nonnull(strstr(strbuf_str(&said),
	    "N [pool www] 'user' directive is ignored when FPM is not running as root\n"
	    "N [pool www] 'group' directive is ignored when FPM is not running as root\n"
	    "N [pool www] 'chroot' directive is ignored when FPM is not running as root\n"
	    "N [pool www] 'process.priority' directive is ignored when FPM is not running as "
	    "root\n"));
}
END_TEST

/* As php-fpm: the test of a configuration asks for names, such a start does not. */
START_TEST(names_count_where_they_are_used)
{
	struct conf_source source = {.path = conf_path("main.conf"), .start = true};

	conf_write("main.conf", "error_log = /dev/null\n[www]\nlisten = 9000\npm = static\n"
				"pm.max_children = 1\nuser = no-such-user\n"
				"group = no-such-group\n");
	conf_report_init(&report);
	conf = conf_load(&source, &report);
	ck_assert_ptr_nonnull(conf);
	conf_free(conf);
	conf_report_free(&report);
	source.start = false;
	conf_report_init(&report);
	conf = conf_load(&source, &report);
	ck_assert_ptr_null(conf);
}
END_TEST

START_TEST(control_characters_stay_out_of_log_lines)
{
	conf_load_text("foo\x1b = 1\n", true);
	ck_assert_ptr_null(strchr(strbuf_str(&said), '\x1b'));
	ck_assert_ptr_nonnull(strstr(strbuf_str(&said), "'foo?'"));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, conf_setup, conf_teardown);
	tcase_add_test(tc, a_slip_in_yaml_makes_nothing_else_wrong);
	tcase_add_loop_test(
	    tc, the_first_line_is_php_fpm_s, 0, (int)(sizeof(wrong) / sizeof(wrong[0])));
	tcase_add_loop_test(
	    tc, what_php_fpm_takes_is_taken, 0, (int)(sizeof(good) / sizeof(good[0])));
	tcase_add_test(tc, all_findings_of_a_run_are_said);
	tcase_add_test(tc, pools_that_could_be_read_are_checked_all_the_same);
	tcase_add_test(tc, unknown_names_end_without_a_closing_line);
	tcase_add_test(tc, a_log_without_a_folder_has_a_remedy);
	tcase_add_test(tc, empty_strings_are_unset_afterwards);
	tcase_add_test(tc, nothing_is_made_by_checking);
	tcase_add_test(tc, a_user_is_not_needed_without_root);
	tcase_add_test(tc, what_only_root_can_do_is_said_at_a_start);
	tcase_add_test(tc, names_count_where_they_are_used);
	tcase_add_test(tc, control_characters_stay_out_of_log_lines);
}

UNIT_MAIN("check", add)
