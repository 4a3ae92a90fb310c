/* cli: php-fpm's command line. */
#include <string.h>

#include "master/cli.h"
#include "unit.h"

static struct arena *arena;

#define PARSE(...) parse((const char *const[]){"fpmx", __VA_ARGS__, NULL})

static struct cli parse(const char *const *words)
{
	struct cli c;
	int argc = 0;

	if (!arena)
		arena = arena_new(1024);
	while (words[argc])
		argc++;
	cli_parse(argc, (char **)(uintptr_t)words, arena, &c);
	return c;
}

START_TEST(short_options_take_values_in_three_ways)
{
	ck_assert_str_eq(PARSE("-y", "f").config, "f");
	ck_assert_str_eq(PARSE("-yf").config, "f");
	ck_assert_str_eq(PARSE("-y=f").config, "f");
	ck_assert_str_eq(PARSE("-p", "/p", "-g", "pid").pid_file, "pid");
	ck_assert_int_eq(PARSE("-y").action, CLI_WRONG);
}
END_TEST

START_TEST(long_options_take_values_in_two_ways)
{
	ck_assert_str_eq(PARSE("--fpm-config", "f").config, "f");
	ck_assert_str_eq(PARSE("--fpm-config=f").config, "f");
	ck_assert_str_eq(PARSE("--prefix=").prefix, "");
	ck_assert(PARSE("--allow-to-run-as-root").allow_root);
	ck_assert_int_eq(PARSE("--fpm-config").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("--test=1").action, CLI_WRONG);
}
END_TEST

START_TEST(letters_may_stand_together)
{
	struct cli c = PARSE("-RFO");

	ck_assert(c.allow_root && c.force_stderr);
	ck_assert_int_eq(c.daemon, CLI_FOREGROUND);
	c = PARSE("-tt", "-nD");
	ck_assert_int_eq(c.action, CLI_TEST);
	ck_assert(c.dump);
	ck_assert_int_eq((int)c.php.no_ini, 1);
	ck_assert_int_eq(c.daemon, CLI_DAEMONIZE);
}
END_TEST

START_TEST(test_twice_shows_the_configuration)
{
	ck_assert(!PARSE("-t").dump);
	ck_assert(PARSE("-t", "-t").dump);
	ck_assert(PARSE("--test", "--test-config").dump);
	ck_assert_int_eq(PARSE("--test-config").action, CLI_TEST);
}
END_TEST

START_TEST(defines_are_kept_in_order)
{
	struct cli c = PARSE("-d", "a=1", "-db", "--define", "c=x=y");

	ck_assert_uint_eq(c.php.defines.n, 3);
	ck_assert_str_eq(c.php.defines.items[0], "a=1");
	ck_assert_str_eq(c.php.defines.items[1], "b");
	ck_assert_str_eq(c.php.defines.items[2], "c=x=y");
	ck_assert_int_eq(PARSE("-dmemory-limit=1G", "-v").action, CLI_VERSION);
}
END_TEST

START_TEST(wrong_words_are_wrong)
{
	ck_assert_int_eq(PARSE("--memory-limit=1G").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("extra").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("-x").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("-").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("--").action, CLI_WRONG);
	ck_assert_int_eq(PARSE("--fpm").action, CLI_WRONG); /* no abbreviations */
	ck_assert_int_eq(PARSE("-t", "extra").action, CLI_WRONG);
}
END_TEST

START_TEST(what_is_wrong_is_said)
{
	static const struct {
		const char *words[5], *wrong, *why;
	} rows[] = {
	    {{"fpmx", "--memory-limit=1G"}, "--memory-limit=1G", "is no option of fpmx"},
	    {{"fpmx", "-F", "-Rx"}, "-Rx", "is no option of fpmx"},
	    {{"fpmx", "-R", "-y"}, "-y", "lacks its value"},
	    {{"fpmx", "--prefix"}, "--prefix", "lacks its value"},
	    {{"fpmx", "--test=1"}, "--test=1", "takes no value"},
	    {{"fpmx", "-n", "x"}, "x", "is no option, and fpmx takes nothing else"},
	    {{"fpmx", "-t", "--origins"}, "--origins", "goes with -tt only"},
	    {{"fpmx", "--output", "x"}, "--output", "goes with --convert only"},
	    {{"fpmx", "--convert", "x", "--overwrite"}, "--overwrite", "goes with --output only"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct cli c = parse(rows[i].words);

		ck_assert_int_eq(c.action, CLI_WRONG);
		ck_assert_str_eq(c.wrong, rows[i].wrong);
		ck_assert_str_eq(c.why, rows[i].why);
	}
	ck_assert_int_eq(PARSE("-v", "extra").action, CLI_VERSION);
}
END_TEST

START_TEST(options_of_ours_have_long_names_only)
{
	struct cli c = PARSE("--convert=a", "--output", "b", "--overwrite");

	ck_assert_int_eq(c.action, CLI_CONVERT);
	ck_assert_str_eq(c.convert, "a");
	ck_assert_str_eq(c.output, "b");
	ck_assert(c.overwrite);
	c = PARSE("-tt", "--origins");
	ck_assert(c.dump && c.origins);
	ck_assert_int_eq(PARSE("--fpmx-version").action, CLI_OWN_VERSION);
}
END_TEST

START_TEST(the_first_question_is_answered)
{
	ck_assert_int_eq(PARSE("-n", "-v").action, CLI_VERSION);
	ck_assert_int_eq(PARSE("-v", "-m").action, CLI_VERSION);
	ck_assert_int_eq(PARSE("-i").action, CLI_INFO);
	ck_assert_int_eq(PARSE("-m").action, CLI_MODULES);
	ck_assert_int_eq(PARSE("-h").action, CLI_HELP);
	ck_assert_int_eq(PARSE("-?").action, CLI_HELP);
	ck_assert_int_eq(PARSE("--usage").action, CLI_HELP);
	ck_assert_int_eq(PARSE("-t", "-h").action, CLI_HELP);
	ck_assert_int_eq(PARSE("-h", "extra").action, CLI_HELP);
	ck_assert_int_eq(PARSE("-c", "x", "-e").action, CLI_RUN);
}
END_TEST

START_TEST(the_usage_names_every_option)
{
	static const char *const names[] = {"-c path", "-n", "-d name", "-e", "-h", "-i", "-m",
	    "-v", "-p folder", "-g file", "-y file", "-t", "-D", "-F", "-O", "-R", "--test-config"};
	char text[8192] = "";
	FILE *out = fmemopen(text, sizeof(text) - 1, "w");

	cli_usage(out);
	fclose(out);
	ck_assert_int_eq(strncmp(text, "Usage: ", 7), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		ck_assert_msg(strstr(text, names[i]) != NULL, "%s", names[i]);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, short_options_take_values_in_three_ways);
	tcase_add_test(tc, long_options_take_values_in_two_ways);
	tcase_add_test(tc, letters_may_stand_together);
	tcase_add_test(tc, test_twice_shows_the_configuration);
	tcase_add_test(tc, defines_are_kept_in_order);
	tcase_add_test(tc, wrong_words_are_wrong);
	tcase_add_test(tc, what_is_wrong_is_said);
	tcase_add_test(tc, options_of_ours_have_long_names_only);
	tcase_add_test(tc, the_first_question_is_answered);
	tcase_add_test(tc, the_usage_names_every_option);
}

UNIT_MAIN("cli", add)
