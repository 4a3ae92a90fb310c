/*
 * script: which script a request is for, and what $_SERVER says of it. Expected
 * values are those of php-fpm 8.2 for the same parameters.
 */
#include "unit.h"
#include "worker/script.h"

/* What there is on this disk. */
static const char *const files[] = {
    "/w/a.php",
    "/w/b.php",
    "/w/sp ace.php",
    "/w/sub/a.php",
    "/w/up/a.jpg",
    "/w/100%25.php",
};
static const char *const folders[] = {"/w", "/w/sub", "/w/up", "/w/dir.php"};

static unsigned looks; /* how often the disk was asked */

static char fake_stat(const char *path)
{
	looks++;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		if (strcmp(files[i], path) == 0)
			return 'f';
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		if (strcmp(folders[i], path) == 0)
			return 'd';
	}
	return strcmp(path, "/w/fifo.php") == 0 ? 'o' : 0;
}

enum mode {
	FIX,    /* cgi.fix_pathinfo=1 */
	RAW,    /* cgi.fix_pathinfo=0 */
	DISCARD /* cgi.fix_pathinfo=0, cgi.discard_path=1 */
};

/*
 * Parameters are "NAME=VALUE|" each, oldest first. The expected ones are all of
 * them, newest first, as $_SERVER shows them; path "-" for none.
 */
struct row {
	const char *what;
	enum mode mode;
	const char *said;
	const char *path, *self;
	const char *server;
};

#include "script_rows.h"

static struct arena *arena;

static void setup(void)
{
	arena = arena_new(16384);
	looks = 0;
}

static void teardown(void)
{
	arena_free(arena);
}

static struct params *params_of(const char *pairs)
{
	struct params *p = params_new(arena);

	while (*pairs) {
		const char *value = strchr(pairs, '=') + 1;
		const char *end = strchr(pairs, '|');
		char *name = arena_strndup(arena, pairs, (size_t)(value - pairs - 1));

		params_set(p, name, value, (size_t)(end - value));
		pairs = end + 1;
	}
	ck_assert_int_eq(params_finish(p), PARAMS_OK);
	return p;
}

static const char *pairs_of(const struct params *p)
{
	char *text = arena_strdup(arena, "");
	const struct param *one;

	for (size_t i = 0; (one = params_at(p, i)); i++)
		text = arena_printf(arena, "%s%s=%s|", text, one->name, one->value);
	return text;
}

static struct script resolved(struct params *p, enum mode mode)
{
	struct engine_cgi cgi = {.fix_pathinfo = mode == FIX, .discard_path = mode == DISCARD};
	struct script s;

	script_resolve(p, &cgi, arena, fake_stat, &s);
	return s;
}

START_TEST(the_table_is_php_fpms)
{
	const struct row *row = &rows[_i];
	struct params *p = params_of(row->said);
	struct script s = resolved(p, row->mode);

	ck_assert_msg(strcmp(s.path ? s.path : "-", row->path) == 0, "%s: path %s, not %s",
	    row->what, s.path ? s.path : "-", row->path);
	ck_assert(!s.missing || (s.named && s.path == NULL));
	if (row->self)
		ck_assert_msg(strcmp(s.php_self, row->self) == 0, "%s: PHP_SELF %s, not %s",
		    row->what, s.php_self, row->self);
	if (row->server)
		ck_assert_msg(strcmp(pairs_of(p), row->server) == 0, "%s: %s not %s", row->what,
		    pairs_of(p), row->server);
}
END_TEST

START_TEST(what_was_named_and_what_is_not_there_are_told_apart)
{
	struct script none = resolved(params_of("SCRIPT_NAME=/a.php|QUERY_STRING=a=1|"), FIX);
	struct script gone = resolved(params_of("SCRIPT_FILENAME=/w/none.php|"), FIX);
	struct script climbs = resolved(params_of("SCRIPT_FILENAME=/w/../w/a.php|"), RAW);

	ck_assert(none.path == NULL && !none.named && !none.missing);
	ck_assert(gone.path == NULL && gone.named && gone.missing);
	ck_assert(climbs.path == NULL && climbs.named && !climbs.missing);
}
END_TEST

START_TEST(the_ini_document_root_stands_in)
{
	struct engine_cgi cgi = {.fix_pathinfo = true, .doc_root = "/w"};
	struct params *p = params_of("SCRIPT_FILENAME=/w/a.php/x|SCRIPT_NAME=/a.php|");
	struct script s;

	script_resolve(p, &cgi, arena, fake_stat, &s);
	ck_assert_str_eq(params_get(p, "DOCUMENT_ROOT"), "/w");
	ck_assert_str_eq(params_get(p, "PATH_TRANSLATED"), "/w");
}
END_TEST

START_TEST(one_look_is_enough_for_a_script_that_is_there)
{
	resolved(params_of("SCRIPT_FILENAME=/w/a.php|SCRIPT_NAME=/a.php|"), FIX);
	ck_assert_uint_eq(looks, 1);
	resolved(params_of("SCRIPT_FILENAME=/w/a.php|SCRIPT_NAME=/a.php|"), RAW);
	ck_assert_uint_eq(looks, 1);
}
END_TEST

START_TEST(what_is_no_regular_file_is_no_script_to_split_at)
{
	struct script s = resolved(
	    params_of("SCRIPT_FILENAME=/w/dir.php/x.php|SCRIPT_NAME=/dir.php/x.php|"), FIX);

	ck_assert_ptr_null(s.path);
	s = resolved(
	    params_of("SCRIPT_FILENAME=/w/fifo.php/x.php|SCRIPT_NAME=/fifo.php/x.php|"), FIX);
	ck_assert_ptr_null(s.path);
}
END_TEST

/* Lengths of PATH_INFO around that of what follows the script, all of them. */
START_TEST(no_length_of_path_info_goes_wrong)
{
	for (size_t n = 0; n < 40; n++) {
		char *info = arena_alloc(arena, n + 1, 1);
		struct params *p = params_of("SCRIPT_FILENAME=/w/a.php/0123456789|"
					     "SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");
		struct script s;

		memset(info, 'i', n);
		params_set(p, "PATH_INFO", info, n);
		s = resolved(p, FIX);
		ck_assert_str_eq(s.path, "/w/a.php");
		ck_assert_uint_eq(strlen(s.path_info), n > 11 ? 11 : n);
		ck_assert_uint_eq(
		    strlen(params_get(p, "SCRIPT_NAME")), n > 11 ? n - 11 : strlen("/a.php"));
	}
}
END_TEST

START_TEST(huge_values_are_only_long)
{
	const size_t n = 200000;
	char *path = arena_alloc(arena, n + 1, 1);
	struct params *p = params_of("SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");
	struct script s;

	memcpy(path, "/w/a.php", 8);
	for (size_t i = 8; i < n; i++)
		path[i] = i % 100 == 8 ? '/' : 'x';
	params_set(p, "SCRIPT_FILENAME", path, n);
	params_set(p, "PATH_INFO", path, n);
	s = resolved(p, FIX);
	ck_assert_str_eq(s.path, "/w/a.php");
	ck_assert_uint_eq(strlen(s.path_info), n - 8);
	ck_assert_str_eq(params_get(p, "SCRIPT_NAME"), "/w/a.php");
}
END_TEST

/* As many looks as there are slashes in what can be a path at all. */
START_TEST(a_path_of_slashes_costs_no_more_than_a_long_path)
{
	const size_t n = 200000;
	char *path = arena_alloc(arena, n + 1, 1);
	struct params *p = params_of("SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");

	for (size_t i = 0; i < n; i++)
		path[i] = i % 2 == 0 ? '/' : 'x';
	params_set(p, "SCRIPT_FILENAME", path, n);
	ck_assert_ptr_null(resolved(p, FIX).path);
	ck_assert_uint_le(looks, 4096 / 2 + 1);

	memcpy(path, "/w/a.php", 8);
	looks = 0;
	p = params_of("SCRIPT_NAME=/a.php|DOCUMENT_ROOT=/w|");
	params_set(p, "SCRIPT_FILENAME", path, n);
	ck_assert_str_eq(resolved(p, FIX).path, "/w/a.php");
	ck_assert_uint_le(looks, 4096 / 2 + 1);
}
END_TEST

START_TEST(extensions_are_compared_byte_by_byte_at_the_end)
{
	const char *list = ".php .phar";

	ck_assert(script_extension_allowed(list, "/w/a.php"));
	ck_assert(script_extension_allowed(list, "/w/a.phar"));
	ck_assert(script_extension_allowed(list, "/w/.php"));
	ck_assert(script_extension_allowed(" \t.php", "/w/a.php"));
	ck_assert(!script_extension_allowed(list, "/w/a.PHP"));
	ck_assert(!script_extension_allowed(list, "/w/a.php."));
	ck_assert(!script_extension_allowed(list, "/w/a.php7"));
	ck_assert(!script_extension_allowed(list, "/w/a.php\n"));
	ck_assert(!script_extension_allowed(list, "/w/a.php/"));
	ck_assert(!script_extension_allowed(list, "/w/a.jpg"));
	ck_assert(!script_extension_allowed(list, "php"));
	ck_assert(!script_extension_allowed(list, ""));
}
END_TEST

/* Letters that fold to others somewhere. */
START_TEST(look_alikes_are_other_letters)
{
	const char *list = ".php";

	ck_assert(!script_extension_allowed(list, "/w/a\xef\xbc\x8ephp"));
	ck_assert(!script_extension_allowed(list, "/w/a.\xe2\x93\x9f\xe2\x93\x97\xe2\x93\x9f"));
	ck_assert(!script_extension_allowed(list, "/w/a.ph\xc3\x9f"));
	ck_assert(!script_extension_allowed(list, "/w/a.\xd1\x80h\xd1\x80"));
}
END_TEST

START_TEST(an_empty_list_allows_all)
{
	ck_assert(script_extension_allowed("", "/w/a.jpg"));
	ck_assert(script_extension_allowed("  ", "/w/a"));
	ck_assert(script_extension_allowed(NULL, ""));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, the_table_is_php_fpms, 0, (int)(sizeof(rows) / sizeof(rows[0])));
	tcase_add_test(tc, what_was_named_and_what_is_not_there_are_told_apart);
	tcase_add_test(tc, the_ini_document_root_stands_in);
	tcase_add_test(tc, one_look_is_enough_for_a_script_that_is_there);
	tcase_add_test(tc, what_is_no_regular_file_is_no_script_to_split_at);
	tcase_add_test(tc, no_length_of_path_info_goes_wrong);
	tcase_add_test(tc, huge_values_are_only_long);
	tcase_add_test(tc, a_path_of_slashes_costs_no_more_than_a_long_path);
	tcase_add_test(tc, extensions_are_compared_byte_by_byte_at_the_end);
	tcase_add_test(tc, look_alikes_are_other_letters);
	tcase_add_test(tc, an_empty_list_allows_all);
}

UNIT_MAIN("script", add)
