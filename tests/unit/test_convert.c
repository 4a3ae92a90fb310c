/*
 * Tests of conf/convert: YAML that means the same, whatever php-fpm's files say,
 * with their comments, and files that nobody loses.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "conf/convert.h"
#include "conftext.h"

static struct strbuf made; /* what convert() has written */
static struct err err;

static void setup(void)
{
	conf_setup();
	strbuf_init(&made, 64u << 20);
	setenv("FPMX_TEST_A", "one", 1);
	setenv("FPMX_TEST_N", "7", 1);
	unsetenv("FPMX_TEST_NONE");
}

static void teardown(void)
{
	strbuf_free(&made);
	conf_teardown();
}

static void hear_note(const char *line)
{
	conf_hear(NULL, CONF_NOTICE, line);
}

static int convert_to(const char *name, const char *folder, bool overwrite)
{
	struct convert_order order = {.path = conf_path(name),
	    .prefix = conf_dir,
	    .folder = folder,
	    .overwrite = overwrite,
	    .tell = hear_note};
	int status;

	conf_unload();
	strbuf_clear(&made);
	conf_report_init(&report);
	status = convert(&order, &report, &made, &err);
	conf_report_tell(&report, conf_hear, NULL);
	return status;
}

static void expect(const char *ini, const char *yaml)
{
	conf_write("a.conf", ini);
	ck_assert_msg(convert_to("a.conf", NULL, false) == 0, "%s%s", err.text, strbuf_str(&said));
	ck_assert_str_eq(strbuf_str(&made), yaml);
}

static char *content(const char *name)
{
	int fd = open(conf_path(name), O_RDONLY | O_CLOEXEC);
	char *text;
	size_t n;

	ck_assert_msg(fd >= 0, "%s", name);
	ck_assert_int_eq(fd_slurp(fd, 1 << 20, &text, &n, NULL), 0);
	fd_close(&fd);
	return text;
}

static void expect_file(const char *name, const char *yaml)
{
	char *text = content(name);

	ck_assert_str_eq(text, yaml);
	free(text);
}

static size_t count_entries(const char *name)
{
	DIR *d = opendir(conf_path(name));
	size_t n = 0;

	ck_assert_ptr_nonnull(d);
	for (const struct dirent *e = readdir(d); e != NULL; e = readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

/* ---- what becomes of statements ---- */

START_TEST(comments_stay_in_their_places)
{
	expect("; head\n\n[global]\n; about the log ;\nerror_log = /x ; behind it\n"
	       ";;;;\n\n; of www\n[www] ; also\n;pm.max_requests = 500\n; process.max = 1\n"
	       ";listen = 'a:b'; or so\n;user=\n;  prose = text\n;nothing = 1\nuser = u\n"
	       ";env[A] = $A\n;env[B] = off\n; the end\n",
	    "# head\n\nglobal:\n  # about the log #\n  error_log: /x  # behind it\n####\n\n"
	    "# of www\npools:\n  www:  # also\n    #pm.max_requests: 500\n    # process.max = 1\n"
	    "    #listen: a:b  # or so\n    #user: ''\n    #  prose = text\n    #nothing = 1\n"
	    "    user: u\n    #env:\n    #  A: '$A'\n    #  B: ''\n    # the end\n");
	/* Settings that are commented out stay in the section they were in. */
	expect("[global]\n;log_level = debug\n; of w\n[w]\nenv[A] = 1\n;env[B] = 2\nenv[C] = 3\n",
	    "global: {}\n  #log_level: debug\n# of w\npools:\n  w:\n    env:\n      A: 1\n"
	    "      #B: 2\n      C: 3\n");
	expect("; nothing else\n", "global: {}\n  # nothing else\n");
	expect("; caf\xE9 \x01\xE2\x80\xA8\n[w]\n", "# caf\xC3\xA9 ??\npools:\n  w: {}\n");
}
END_TEST

START_TEST(what_belongs_together_comes_together)
{
	expect("[A]\nuser = x\nenv[X] = 1\n[b]\nuser = y\n[a]\n; second\nenv[Y] = 2\ngroup = g\n"
	       "access.suppress_path[] = /p\naccess.suppress_path[] = \"/q r\"\n"
	       "listen = 1\nlisten[] = 2\n[GLOBAL]\ndaemonize = no\n",
	    "pools:\n  A:\n    user: x\n    env:\n      X: 1\n      # second\n      'Y': 2\n"
	    "    group: g\n    access.suppress_path:\n      - /p\n      - '/q r'\n"
	    "    listen:\n      - 1\n      - 2\n  b:\n    user: 'y'\n"
	    "global:\n  daemonize: no\n");
}
END_TEST

START_TEST(what_has_no_effect_becomes_a_comment)
{
	expect("[w]\nuser = x\nPM = static\nuser = y ; really\npm = dynamic\nenv[A] = 1\n"
	       "env[A] = 2\nphp_value[a] = 1\nphp_flag[a] = on\nlisten = 1\nlisten = 2\n",
	    "pools:\n  w:\n    #user: x  # replaced in line 4\n    #pm: static  # replaced in line "
	    "5\n"
	    "    user: 'y'  # really\n    pm: dynamic\n    env:\n      A: 1\n"
	    "      #A: 2  # the first of this name counts\n    php_value:\n      a: 1\n"
	    "    php_flag:\n      #a: on  # the first of this name counts\n    listen:\n"
	    "      #listen: 1  # replaced in line 11\n      - 2\n");
}
END_TEST

START_TEST(values_and_flags_keep_their_order)
{
	expect("[w]\nphp_value[a] = on\nphp_value[b] = 'on'\nphp_flag[c] = off\n",
	    "pools:\n  w:\n    php_value:\n      a: on\n      b: 'on'\n    php_flag:\n"
	    "      c: off\n");
	expect("[w]\nphp_flag[c] = off\nphp_value[a] = on\nphp_flag[d] = yes\n"
	       "php_admin_flag[e] = no\nphp_value[f] = x\n",
	    "pools:\n  w:\n    php_value:\n      c: 0\n      a: on\n      d: 1\n      f: x\n"
	    "    php_admin_flag:\n      e: no\n");
}
END_TEST

START_TEST(values_are_quoted_where_yaml_would_read_another)
{
	expect("[w]\nuser = off\ngroup = 'off'\nlisten = *:80\nlisten.mode = 0660\n"
	       "listen.owner = 1e3\nlisten.group = 0660\nlisten.backlog = -1\nprefix = \"null\"\n"
	       "ping.response = \"a: b #c \"\nchdir = '&x'\nslowlog = %x\naccess.log = '@x'\n"
	       "clear_env = On\nrlimit_core = unlimited\nwire_ini = off\nchroot = 'it'\"'\"'s'\n"
	       "access.format = \"%R \\\"%r\\\"\"\npm.status_path = ---\nscript = 2026-01-01\n"
	       "env[~] = \"~\"\nenv[\"a b\"] = on\nenv[<<] = 12:30\nenv[\xE9] = \xE9t\xE9\n"
	       "env[T] = \"a\tb\"\n",
	    "pools:\n  w:\n    user: ''\n    group: 'off'\n    listen: '*:80'\n"
	    "    listen.mode: 0660\n    listen.owner: '1e3'\n    listen.group: '0660'\n"
	    "    listen.backlog: -1\n    prefix: 'null'\n    ping.response: 'a: b #c '\n"
	    "    chdir: '&x'\n    slowlog: '%x'\n    access.log: '@x'\n    clear_env: on\n"
	    "    rlimit_core: unlimited\n    wire_ini: off\n    chroot: 'it''s'\n"
	    "    access.format: '%R \"%r\"'\n    pm.status_path: '---'\n"
	    "    script: '2026-01-01'\n    env:\n      '~': '~'\n      'a b': 1\n      '<<': "
	    "'12:30'\n"
	    "      !!binary \"6Q==\": !!binary \"6XTp\"\n      T: \"a\\x09b\"\n");
}
END_TEST

START_TEST(variables_and_computed_values_stay_readable)
{
	expect("[w]\nuser = ${FPMX_TEST_A}\ngroup = \"x${ FPMX_TEST_NONE }y\\${z}\"\n"
	       "listen = '${FPMX_TEST_A}'\npm.max_children = ${FPMX_TEST_N}\n"
	       "rlimit_files = ${FPMX_TEST_N} | 8 ; both\nchdir = /$pool\nenv[A] = $HOME\n"
	       "php_value[error_reporting] = E_ALL & ~E_NOTICE\nphp_value[x] = E_ERROR\n",
	    "pools:\n  w:\n    user: \"${FPMX_TEST_A}\"\n"
	    "    group: \"x${FPMX_TEST_NONE}y\\\\${z}\"\n    listen: '${FPMX_TEST_A}'\n"
	    "    pm.max_children: \"${FPMX_TEST_N}\"\n"
	    "    rlimit_files: 15  # ${FPMX_TEST_N} | 8  # both\n    chdir: '/$pool'\n"
	    "    env:\n      A: '$HOME'\n    php_value:\n"
	    "      error_reporting: 32759  # E_ALL & ~E_NOTICE\n      x: 1  # E_ERROR\n");
}
END_TEST

/* ---- includes ---- */

static void write_tree(void)
{
	ck_assert_int_eq(mkdir(conf_path("pool.d"), 0700), 0);
	conf_write("main.conf", "[global]\npid = /x\n; the pools\ninclude = pool.d/*.conf ; all\n");
	conf_write("pool.d/a.conf", "; of a\n[a]\nlisten = 1\ninclude = common.inc\n");
	conf_write("pool.d/b.conf", "[b]\nlisten = 2\ninclude = common.inc\n; last\n");
	conf_write("common.inc", "; for both\nuser = u\n");
}

START_TEST(includes_are_followed_in_their_places)
{
	write_tree();
	ck_assert_int_eq(convert_to("main.conf", NULL, false), 0);
	ck_assert_str_eq(strbuf_str(&made),
	    with_dir(
		"global:\n  pid: /x\n# the pools\n# From @/pool.d/a.conf:\n# of a\npools:\n  a:\n"
		"    listen: 1\n    # From @/common.inc:\n    # for both\n    user: u\n"
		"  # End of @/common.inc.\n  # End of @/pool.d/a.conf.\n"
		"  # From @/pool.d/b.conf:\n  b:\n    listen: 2\n"
		"    # From @/common.inc:\n    # for both\n    user: u\n"
		"    # End of @/common.inc.\n    # last\n    # End of @/pool.d/b.conf.\n"));
}
END_TEST

START_TEST(files_are_converted_beside_each_other)
{
	struct stat st;

	write_tree();
	ck_assert_int_eq(chmod(conf_path("pool.d/a.conf"), 0640), 0);
	ck_assert_msg(convert_to("main.conf", with_dir("@/out"), false) == 0, "%s", err.text);
	ck_assert_str_eq(strbuf_str(&said), "N @/main.conf became @/out/main.yaml\n"
					    "N @/pool.d/a.conf became @/out/pool.d/a.yaml\n"
					    "N @/pool.d/b.conf became @/out/pool.d/b.yaml\n");
	expect_file(
	    "out/main.yaml", "global:\n  pid: /x\n# the pools\ninclude: [pool.d/*.yaml]  # all\n");
	expect_file("out/pool.d/a.yaml",
	    with_dir("# of a\npools:\n  a:\n    listen: 1\n    # From @/common.inc:\n"
		     "    # for both\n    user: u\n    # End of @/common.inc.\n"));
	expect_file("out/pool.d/b.yaml",
	    with_dir("pools:\n  b:\n    listen: 2\n    # From @/common.inc:\n    # for both\n"
		     "    user: u\n    # End of @/common.inc.\n    # last\n"));
	ck_assert_int_eq(stat(conf_path("out/pool.d/a.yaml"), &st), 0);
	ck_assert_int_eq((int)(st.st_mode & 0777), 0640);
	ck_assert_uint_eq(count_entries("out"), 2);
	ck_assert_uint_eq(count_entries("out/pool.d"), 2);
}
END_TEST

START_TEST(no_file_is_overwritten_unasked)
{
	write_tree();
	ck_assert_int_eq(mkdir(conf_path("out"), 0700), 0);
	conf_write("out/main.yaml", "mine");
	ck_assert_int_eq(convert_to("main.conf", with_dir("@/out"), false), -1);
	ck_assert_msg(strstr(err.text, "/out/main.yaml' is there already: give another folder, or "
				       "--overwrite to replace it") != NULL,
	    "%s", err.text);
	expect_file("out/main.yaml", "mine");
	ck_assert_uint_eq(count_entries("out"), 1);
	ck_assert_int_eq(convert_to("main.conf", with_dir("@/out"), true), 0);
	ck_assert_int_eq(convert_to("main.conf", with_dir("@/out"), true), 0);
	ck_assert_uint_eq(count_entries("out"), 2);
	/* What else lies there must not be included. */
	conf_write("out/pool.d/c.yaml", "pools: {c: }");
	ck_assert_int_eq(convert_to("main.conf", with_dir("@/out"), true), -1);
	ck_assert_msg(strstr(err.text, "/out/pool.d/c.yaml' is there already and would be "
				       "included, too") != NULL,
	    "%s", err.text);
}
END_TEST

START_TEST(files_that_need_each_other_become_one)
{
	ck_assert_int_eq(mkdir(conf_path("p"), 0700), 0);
	conf_write("main.conf", "[a]\nuser = 1\ninclude = p/*.conf\n[c]\nuser = 3\n"
				"include = p/late\n[d]\nuser = 4\n");
	conf_write("p/b.conf", "[b]\nuser = 2\n");
	conf_write("p/late", "[e]\nuser = 5\n");
	ck_assert_msg(convert_to("main.conf", with_dir("@/out"), false) == 0, "%s", err.text);
	ck_assert_msg(
	    strstr(strbuf_str(&said), "one file is made of all") != NULL, "%s", strbuf_str(&said));
	ck_assert_uint_eq(count_entries("out"), 1);
}
END_TEST

START_TEST(includes_of_every_kind_find_their_files)
{
	static char yaml[5 * PATH_MAX];

	ck_assert_int_eq(mkdir(conf_path("conf"), 0700), 0);
	ck_assert_int_eq(mkdir(conf_path("conf/sub"), 0700), 0);
	ck_assert_int_eq(mkdir(conf_path("else"), 0700), 0);
	conf_write("conf/main.conf",
	    "include = else/no-ending\ninclude = none.inc\ninclude = conf/sub/*\n"
	    "include = none.d/*.conf\n[last]\n");
	ck_assert_int_eq(mkdir(conf_path("none.d"), 0700), 0);
	conf_write("else/no-ending", "[one]\nuser = 1\ninclude = else/two.ini\n");
	conf_write("else/two.ini", "[two]\nuser = 2\n");
	conf_write("conf/sub/y.yaml", "pools: {three: {user: 3}}\n");
	conf_write("conf/sub/z.conf", "[four]\n");
	ck_assert_msg(convert_to("conf/main.conf", with_dir("@/out"), false) == 0, "%s%s", err.text,
	    strbuf_str(&said));
	/* Files from elsewhere have their whole path below the folder. */
	snprintf(yaml, sizeof(yaml),
	    "include:\n  - %s/else/no-ending.yaml\n  - %s/none.yaml\n  - %s/conf/sub/y.yaml\n"
	    "  - sub/z.yaml\n  - %s/none.d/*.yaml\npools:\n  last: {}\n",
	    conf_dir + 1, conf_dir + 1, conf_dir, conf_dir + 1);
	expect_file("out/main.yaml", yaml);
}
END_TEST

START_TEST(faults_are_told_and_nothing_is_written)
{
	static const struct {
		const char *ini, *said, *err;
	} faults[] = {
	    {"[w]\npm.max_childs = 1\n",
		"E [@/a.conf:2] unknown entry 'pm.max_childs'\n"
		"N see @/a.conf:2:1: did you mean 'pm.max_children'?\n"
		"E failed to load configuration file '@/a.conf'\n",
		""},
	    {"[w]\npm = fast\n",
		"E [@/a.conf:2] unable to parse value for entry 'pm': invalid process manager "
		"(static, dynamic or ondemand)\n"
		"N see @/a.conf:2:1: pm: How the number of workers is chosen: static, dynamic or "
		"ondemand.\nE failed to load configuration file '@/a.conf'\n",
		""},
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		conf_write("a.conf", faults[i].ini);
		ck_assert_int_eq(convert_to("a.conf", with_dir("@/out"), false), -1);
		ck_assert_str_eq(strbuf_str(&said), faults[i].said);
		ck_assert_str_eq(err.text, faults[i].err);
		ck_assert_uint_eq(count_entries(""), 1);
	}
	conf_write("a.yaml", "pools:\n");
	ck_assert_int_eq(convert_to("a.yaml", NULL, false), -1);
	ck_assert_msg(strstr(err.text, "is YAML already") != NULL, "%s", err.text);
	ck_assert_int_eq(convert_to("none.conf", NULL, false), -1);
	conf_write("a.ini", "[a]\n");
	conf_write("main.conf", "include = a.ini\ninclude = a.conf\n");
	conf_write("a.conf", "[b]\n");
	ck_assert_int_eq(convert_to("main.conf", with_dir("@/out"), false), -1);
	ck_assert_msg(strstr(err.text, "would both become 'a.yaml'") != NULL, "%s", err.text);
}
END_TEST

START_TEST(elements_that_count_twice_are_refused)
{
	static const char pool[] = "[w]\nuser = x\nlisten = 1\npm = static\n";
	static const char *const twice[] = {
	    "php_admin_value[extension] = a\nphp_admin_value[extension] = b\n",
	    "php_value[disable_functions] = exec\nphp_value[disable_functions] = system\n",
	    "php_admin_value[disable_classes] = A\nphp_admin_value[disable_classes] = B\n",
	};
	char ini[512];

	for (size_t i = 0; i < sizeof(twice) / sizeof(twice[0]); i++) {
		snprintf(ini, sizeof(ini), "%s%s", pool, twice[i]);
		conf_write("a.conf", ini);
		ck_assert_int_eq(convert_to("a.conf", with_dir("@/out"), false), -1);
		ck_assert_msg(
		    strstr(err.text, "] is there twice and both count") != NULL, "%s", err.text);
		ck_assert_uint_eq(count_entries(""), 1);
	}
	/* The same once more adds nothing. */
	expect("[w]\nuser = x\nphp_value[extension] = a\nphp_value[extension] = a\n",
	    "pools:\n  w:\n    user: x\n    php_value:\n      extension: a\n"
	    "      #extension: a  # the first of this name counts\n");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, comments_stay_in_their_places);
	tcase_add_test(tc, what_belongs_together_comes_together);
	tcase_add_test(tc, what_has_no_effect_becomes_a_comment);
	tcase_add_test(tc, values_and_flags_keep_their_order);
	tcase_add_test(tc, elements_that_count_twice_are_refused);
	tcase_add_test(tc, values_are_quoted_where_yaml_would_read_another);
	tcase_add_test(tc, variables_and_computed_values_stay_readable);
	tcase_add_test(tc, includes_are_followed_in_their_places);
	tcase_add_test(tc, files_are_converted_beside_each_other);
	tcase_add_test(tc, no_file_is_overwritten_unasked);
	tcase_add_test(tc, files_that_need_each_other_become_one);
	tcase_add_test(tc, includes_of_every_kind_find_their_files);
	tcase_add_test(tc, faults_are_told_and_nothing_is_written);
}

UNIT_MAIN("convert", add)
