/* params: php-fpm's reading of pairs, within bounds. */
#include <time.h>

#include "fcgi/params.h"
#include "wire.h"

static struct arena *arena;

static void setup(void)
{
	arena = arena_new(16384);
}

static void teardown(void)
{
	arena_free(arena);
}

/* Feeds the stream in pieces of the given size; the result of the first failure. */
static enum params_result take(struct params *p, const struct wire *w, size_t size)
{
	for (size_t at = 0; at < w->n; at += size) {
		size_t part = w->n - at < size ? w->n - at : size;
		enum params_result result = params_feed(p, w->bytes + at, part);

		if (result != PARAMS_OK)
			return result;
	}
	return params_finish(p);
}

static struct params *taken(struct wire *w)
{
	struct params *p = params_new(arena);

	ck_assert_int_eq(take(p, w, SIZE_MAX / 2), PARAMS_OK);
	wire_free(w);
	return p;
}

/* "NEWEST=x OLDER=y" */
static const char *order_of(const struct params *p)
{
	char *text = arena_strdup(arena, "");
	const struct param *one;

	for (size_t i = 0; (one = params_at(p, i)); i++)
		text = arena_printf(arena, "%s%s%s=%s", text, i ? " " : "", one->name, one->value);
	return text;
}

START_TEST(nothing_is_no_parameters)
{
	struct wire w = {0};
	struct params *p = taken(&w);

	ck_assert_ptr_null(params_at(p, 0));
	ck_assert_ptr_null(params_find(p, "A"));
	ck_assert_ptr_null(params_get(p, ""));
}
END_TEST

START_TEST(names_are_exact)
{
	struct wire w = {0};
	struct params *p;

	wire_pair(&w, "NAME", "value");
	wire_pair(&w, "EMPTY", "");
	wire_pair(&w, "", "no name");
	wire_pair(&w, "A=B", "C=D");
	p = taken(&w);
	ck_assert_str_eq(params_get(p, "NAME"), "value");
	ck_assert_uint_eq(params_find(p, "NAME")->value_len, 5);
	ck_assert_str_eq(params_get(p, "EMPTY"), "");
	ck_assert_str_eq(params_get(p, ""), "no name");
	ck_assert_str_eq(params_get(p, "A=B"), "C=D");
	ck_assert_ptr_null(params_get(p, "name"));
	ck_assert_ptr_null(params_get(p, "NAM"));
	ck_assert_ptr_null(params_get(p, "NAMES"));
	ck_assert_ptr_null(params_get(p, "A"));
}
END_TEST

START_TEST(newest_first_and_the_last_value_in_the_first_place)
{
	struct wire w = {0};

	wire_pair(&w, "A", "1");
	wire_pair(&w, "B", "2");
	wire_pair(&w, "A", "3");
	wire_pair(&w, "C", "4");
	wire_pair(&w, "A", "");
	ck_assert_str_eq(order_of(taken(&w)), "C=4 B=2 A=");
}
END_TEST

START_TEST(set_and_remove)
{
	struct wire w = {0};
	struct params *p;
	const char *old;

	wire_pair(&w, "A", "1");
	wire_pair(&w, "B", "2");
	wire_pair(&w, "C", "3");
	p = taken(&w);
	old = params_get(p, "B");
	params_set(p, "B", "changed and cut", 7);
	params_set(p, "D", "new", 3);
	ck_assert_str_eq(order_of(p), "D=new C=3 B=changed A=1");
	ck_assert_str_eq(old, "2");
	params_remove(p, "A");
	params_remove(p, "A");
	params_remove(p, "NEVER");
	ck_assert_str_eq(order_of(p), "D=new C=3 B=changed");
	ck_assert_ptr_null(params_find(p, "A"));
	params_set(p, "A", "back", 4);
	ck_assert_str_eq(order_of(p), "A=back D=new C=3 B=changed");
	params_remove(p, "C");
	ck_assert_str_eq(order_of(p), "A=back D=new B=changed");
}
END_TEST

START_TEST(what_was_set_before_the_wire_is_oldest_and_yields)
{
	struct wire w = {0};
	struct params *p = params_new(arena);

	params_set(p, "FCGI_ROLE", "RESPONDER", 9);
	params_set(p, "X", "ours", 4);
	wire_pair(&w, "A", "1");
	wire_pair(&w, "X", "theirs");
	ck_assert_int_eq(take(p, &w, 1), PARAMS_OK);
	ck_assert_str_eq(order_of(p), "A=1 X=theirs FCGI_ROLE=RESPONDER");
	wire_free(&w);
}
END_TEST

START_TEST(pairs_may_be_split_anywhere)
{
	struct wire w = {0};
	char *name = arena_alloc(arena, 301, 1), *value = arena_alloc(arena, 70001, 1);

	memset(name, 'n', 300);
	memset(value, 'v', 70000);
	wire_pair(&w, "A", "1");
	wire_pair(&w, name, "2");
	wire_pair(&w, "B", value);
	wire_pair(&w, name, value);
	wire_pair(&w, "C", "");
	for (size_t size = 1; size < 3000; size = size * 3 + 1) {
		struct params *p = params_new(arena);

		ck_assert_int_eq(take(p, &w, size), PARAMS_OK);
		ck_assert_str_eq(params_get(p, "A"), "1");
		ck_assert_str_eq(params_get(p, name), value);
		ck_assert_str_eq(params_get(p, "B"), value);
		ck_assert_str_eq(params_at(p, 0)->name, "C");
		ck_assert_ptr_null(params_at(p, 4));
	}
	wire_free(&w);
}
END_TEST

START_TEST(a_long_form_of_a_short_length_is_the_same)
{
	struct wire w = {0};

	wire_add(&w, "\x80\0\0\1\x80\0\0\2Axy", 11);
	ck_assert_str_eq(order_of(taken(&w)), "A=xy");
}
END_TEST

START_TEST(a_stream_that_ends_within_a_pair_is_malformed)
{
	struct wire w = {0};
	char value[200];

	memset(value, 'v', sizeof(value));
	wire_pair(&w, "A", "1");
	wire_pair_n(&w, "NAME", 4, value, sizeof(value));
	for (size_t n = 0; n < w.n; n++) {
		struct params *p = params_new(arena);
		struct wire part = {.bytes = w.bytes, .n = n};

		ck_assert_int_eq(
		    take(p, &part, 7), n == 0 || n == 4 ? PARAMS_OK : PARAMS_MALFORMED);
	}
	wire_free(&w);
}
END_TEST

START_TEST(lengths_are_not_believed)
{
	static const struct {
		const char *bytes;
		size_t n;
	} cases[] = {
	    {"\xff\xff\xff\xff\xff\xff\xff\xff", 8},
	    {"\xff\xff\xff\xff\0", 5},
	    {"\0\xff\xff\xff\xff", 5},
	    {"\xff\xff\xff\xff\xff\xff\xff\xff"
	     "AB",
		10},
	    {"\1\xff\xff\xff\xff"
	     "A",
		6},
	    {"\x80\0\0\2\x80\0\0\0"
	     "A",
		9},
	    {"\2\0A", 3},
	    {"\1\1A", 3},
	    {"\x80", 1},
	    {"\x80\0\0", 3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wire w = {0};

		wire_add(&w, cases[i].bytes, cases[i].n);
		ck_assert_int_eq(take(params_new(arena), &w, 100), PARAMS_MALFORMED);
		wire_free(&w);
	}
}
END_TEST

START_TEST(nul_only_where_it_does_no_harm)
{
	static const struct {
		const char *name;
		size_t name_len;
		const char *value;
		size_t value_len;
		enum params_result result;
	} cases[] = {
	    {"A\0B", 3, "x", 1, PARAMS_NUL},
	    {"\0", 1, "x", 1, PARAMS_NUL},
	    {"A\0", 2, "", 0, PARAMS_NUL},
	    {"SCRIPT_FILENAME", 15, "/a.php\0.jpg", 11, PARAMS_NUL},
	    {"SCRIPT_NAME", 11, "\0", 1, PARAMS_NUL},
	    {"SCRIPT_", 7, "\0", 1, PARAMS_NUL},
	    {"PATH_INFO", 9, "/a\0", 3, PARAMS_NUL},
	    {"PATH_TRANSLATED", 15, "/a\0", 3, PARAMS_NUL},
	    {"DOCUMENT_ROOT", 13, "/\0", 2, PARAMS_NUL},
	    {"REQUEST_METHOD", 14, "GET\0", 4, PARAMS_NUL},
	    {"SCRIPT", 6, "\0", 1, PARAMS_OK},
	    {"PATH", 4, "a\0b", 3, PARAMS_OK},
	    {"HTTP_SCRIPT_NAME", 16, "a\0b", 3, PARAMS_OK},
	    {"DOCUMENT_ROOTS", 14, "a\0b", 3, PARAMS_OK},
	    {"QUERY_STRING", 12, "a\0b", 3, PARAMS_OK},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wire w = {0};
		struct params *p = params_new(arena);

		wire_pair_n(
		    &w, cases[i].name, cases[i].name_len, cases[i].value, cases[i].value_len);
		wire_pair(&w, "NEXT", "one");
		ck_assert_int_eq(take(p, &w, 1000), cases[i].result);
		if (cases[i].result == PARAMS_OK) {
			ck_assert_uint_eq(
			    params_find(p, cases[i].name)->value_len, cases[i].value_len);
			ck_assert_str_eq(params_get(p, "NEXT"), "one");
		}
		wire_free(&w);
	}
}
END_TEST

START_TEST(one_mebibyte_and_not_a_byte_more)
{
	struct wire w = {0};
	size_t value_len = PARAMS_MAX_BYTES - 6;
	char *value = calloc(1, value_len + 1);
	struct params *p;

	ck_assert_ptr_nonnull(value);
	memset(value, 'v', value_len);
	wire_pair(&w, "B", value);
	ck_assert_uint_eq(w.n, PARAMS_MAX_BYTES);
	p = params_new(arena);
	ck_assert_int_eq(take(p, &w, 65535), PARAMS_OK);
	ck_assert_str_eq(params_get(p, "B"), value);
	wire_add(&w, "", 1);
	ck_assert_int_eq(take(params_new(arena), &w, 65535), PARAMS_TOO_LARGE);
	ck_assert_int_eq(take(params_new(arena), &w, 1 << 21), PARAMS_TOO_LARGE);
	wire_free(&w);
	free(value);
}
END_TEST

START_TEST(pairs_are_counted_also_when_they_are_the_same)
{
	for (int same = 0; same < 2; same++) {
		struct wire w = {0};
		char name[20];

		for (unsigned i = 0; i < PARAMS_MAX_PAIRS; i++) {
			snprintf(name, sizeof(name), "N%u", same ? 0 : i);
			wire_pair(&w, name, "v");
		}
		ck_assert_int_eq(take(params_new(arena), &w, 65535), PARAMS_OK);
		wire_pair(&w, "N0", "w");
		ck_assert_int_eq(take(params_new(arena), &w, 65535), PARAMS_TOO_LARGE);
		wire_free(&w);
	}
}
END_TEST

START_TEST(all_of_2048_names_are_found)
{
	struct wire w = {0};
	struct params *p;
	char name[20], value[20];

	for (unsigned i = 0; i < PARAMS_MAX_PAIRS; i++) {
		snprintf(name, sizeof(name), "HTTP_X_%u", i);
		snprintf(value, sizeof(value), "%u", i * 7);
		wire_pair(&w, name, value);
	}
	p = taken(&w);
	for (unsigned i = 0; i < PARAMS_MAX_PAIRS; i++) {
		snprintf(name, sizeof(name), "HTTP_X_%u", i);
		snprintf(value, sizeof(value), "%u", i * 7);
		ck_assert_str_eq(params_get(p, name), value);
		ck_assert_str_eq(params_at(p, PARAMS_MAX_PAIRS - 1 - i)->name, name);
	}
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "OURS_%u", i);
		params_set(p, name, "x", 1);
	}
	ck_assert_str_eq(params_at(p, 0)->name, "OURS_999");
	ck_assert_str_eq(params_get(p, "OURS_0"), "x");
	ck_assert_ptr_null(params_at(p, PARAMS_MAX_PAIRS + 1000));
}
END_TEST

START_TEST(names_chosen_to_collide_in_php_fpm_cost_nothing)
{
	struct wire w = {0};
	clock_t begun;

	/* Same first bytes, same length, same last bytes: one chain of its table. */
	for (unsigned i = 0; i < 60000; i++) {
		char name[32];

		snprintf(name, sizeof(name), "HTTP_%07u_AAA", i);
		wire_pair(&w, name, "");
	}
	begun = clock(); /* CPU time: the machine may be busy */
	ck_assert_int_eq(take(params_new(arena), &w, 65535), PARAMS_TOO_LARGE);
	ck_assert_int_lt(clock() - begun, CLOCKS_PER_SEC / 20);
	wire_free(&w);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, nothing_is_no_parameters);
	tcase_add_test(tc, names_are_exact);
	tcase_add_test(tc, newest_first_and_the_last_value_in_the_first_place);
	tcase_add_test(tc, set_and_remove);
	tcase_add_test(tc, what_was_set_before_the_wire_is_oldest_and_yields);
	tcase_add_test(tc, pairs_may_be_split_anywhere);
	tcase_add_test(tc, a_long_form_of_a_short_length_is_the_same);
	tcase_add_test(tc, a_stream_that_ends_within_a_pair_is_malformed);
	tcase_add_test(tc, lengths_are_not_believed);
	tcase_add_test(tc, nul_only_where_it_does_no_harm);
	tcase_add_test(tc, one_mebibyte_and_not_a_byte_more);
	tcase_add_test(tc, pairs_are_counted_also_when_they_are_the_same);
	tcase_add_test(tc, all_of_2048_names_are_found);
	tcase_add_test(tc, names_chosen_to_collide_in_php_fpm_cost_nothing);
}

UNIT_MAIN("params", add)
