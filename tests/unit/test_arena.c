/* arena: memory is zeroed, aligned, apart, and freed whole. */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "unit.h"

START_TEST(memory_is_zeroed_and_aligned)
{
	struct arena *a = arena_new(1024);

	for (size_t n = 0; n < 3000; n = n * 2 + 1) {
		unsigned char *p = arena_alloc(a, n, 1);

		ck_assert_uint_eq((uintptr_t)p % _Alignof(max_align_t), 0);
		for (size_t i = 0; i < n; i++)
			ck_assert_uint_eq(p[i], 0);
		memset(p, 0xff, n);
	}
	arena_free(a);
}
END_TEST

START_TEST(pieces_do_not_overlap)
{
	enum { N = 2000 };
	static struct {
		unsigned char *p;
		size_t n;
	} pieces[N];
	struct arena *a = arena_new(512);

	srand(1);
	for (unsigned i = 0; i < N; i++) {
		pieces[i].n = (size_t)(rand() % 50 == 0 ? rand() % 5000 : rand() % 200);
		pieces[i].p = arena_alloc(a, pieces[i].n, 1);
		memset(pieces[i].p, (int)(i % 251), pieces[i].n);
	}
	for (unsigned i = 0; i < N; i++)
		for (size_t k = 0; k < pieces[i].n; k++)
			ck_assert_uint_eq(pieces[i].p[k], i % 251);
	arena_free(a);
}
END_TEST

START_TEST(reset_gives_the_first_block_again)
{
	struct arena *a = arena_new(1024);
	unsigned char *first = arena_alloc(a, 100, 1);

	memset(first, 0xff, 100);
	arena_alloc(a, 10000, 1);
	arena_alloc(a, 1000, 1);
	arena_reset(a);
	ck_assert_ptr_eq(arena_alloc(a, 100, 1), first);
	for (size_t i = 0; i < 100; i++)
		ck_assert_uint_eq(first[i], 0);
	arena_free(a);
}
END_TEST

START_TEST(a_large_piece_leaves_the_current_block_in_use)
{
	struct arena *a = arena_new(1024);
	char *before = arena_alloc(a, 16, 1), *after;

	arena_alloc(a, 100000, 1);
	after = arena_alloc(a, 16, 1);
	ck_assert_ptr_eq(after, before + 16);
	arena_free(a);
}
END_TEST

START_TEST(strings_are_copies_with_an_end)
{
	struct arena *a = arena_new(256);
	char source[] = "abc";
	char *dup = arena_strdup(a, source), *part = arena_strndup(a, source, 2);
	char *longer = arena_printf(a, "%0900d|%s", 7, source);

	source[0] = 'x';
	ck_assert_str_eq(dup, "abc");
	ck_assert_str_eq(part, "ab");
	ck_assert_uint_eq(strlen(longer), 904);
	ck_assert_str_eq(longer + 899, "7|abc");
	arena_free(a);
	arena_free(NULL);
}
END_TEST

START_TEST(an_overflowing_count_is_a_panic)
{
	static struct arena *volatile a;      /* found by the leak checkers */
	volatile size_t count = SIZE_MAX / 2; /* unknown to the compiler, which would warn */

	a = arena_new(256);
	arena_alloc(a, count, 4);
}
END_TEST

START_TEST(arrays_grow_one_by_one)
{
	struct arena *a = arena_new(64);
	int *items = NULL;

	for (int n = 0; n < 1000; n++) {
		items = arena_grow(a, items, (size_t)n, sizeof(*items));
		items[n] = n;
	}
	for (int n = 0; n < 1000; n++)
		ck_assert_int_eq(items[n], n);
	arena_free(a);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, arrays_grow_one_by_one);
	tcase_add_test(tc, memory_is_zeroed_and_aligned);
	tcase_add_test(tc, pieces_do_not_overlap);
	tcase_add_test(tc, reset_gives_the_first_block_again);
	tcase_add_test(tc, a_large_piece_leaves_the_current_block_in_use);
	tcase_add_test(tc, strings_are_copies_with_an_end);
	tcase_add_test_raise_signal(tc, an_overflowing_count_is_a_panic, SIGABRT);
}

UNIT_MAIN("arena", add)
