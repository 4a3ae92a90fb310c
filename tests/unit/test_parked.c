/* parked: places, tenants, deadlines. */
#include "unit.h"
#include "worker/parked.h"

static struct parked p;
static const struct sockaddr_storage nobody;

static uint32_t park(int fd, uint64_t until_ms)
{
	return parked_add(&p, fd, &nobody, sizeof(nobody), until_ms);
}

static void setup(void)
{
	parked_init(&p);
}

START_TEST(an_empty_table_has_nobody)
{
	ck_assert_uint_eq(parked_earliest(&p), PARKED_NONE);
	ck_assert_uint_eq(parked_earliest_silent(&p), PARKED_NONE);
	ck_assert_uint_eq(parked_find(&p, 0, 0), PARKED_NONE);
	ck_assert_uint_eq(parked_find(&p, PARKED_MAX, 1), PARKED_NONE);
}
END_TEST

START_TEST(a_new_tenant_is_not_the_old_one)
{
	uint32_t a = park(7, 100), generation = p.places[a].generation;

	ck_assert_uint_eq(parked_find(&p, a, generation), a);
	parked_remove(&p, a);
	ck_assert_uint_eq(parked_find(&p, a, generation), PARKED_NONE);
	ck_assert_uint_eq(park(7, 100), a);
	ck_assert_uint_eq(parked_find(&p, a, generation), PARKED_NONE);
	ck_assert_uint_eq(parked_find(&p, a, p.places[a].generation), a);
	/* 0 names what is never parked. */
	ck_assert_uint_ne(generation, 0);
}
END_TEST

START_TEST(deadlines_are_found_in_order)
{
	uint32_t a = park(3, 300), b = park(4, 100), c = park(5, 200);

	ck_assert_uint_eq(parked_earliest(&p), b);
	parked_keep(&p, b, 400);
	ck_assert_uint_eq(parked_earliest(&p), c);
	parked_keep(&p, c, 50);
	ck_assert_uint_eq(parked_earliest(&p), c);
	ck_assert_uint_eq(parked_earliest_silent(&p), a);
}
END_TEST

START_TEST(counts_follow)
{
	uint32_t a = park(3, 1), b = park(4, 1);

	parked_keep(&p, a, 2);
	parked_keep(&p, a, 3);
	ck_assert_uint_eq(p.n, 2);
	ck_assert_uint_eq(p.nkept, 1);
	parked_remove(&p, a);
	parked_remove(&p, b);
	ck_assert_uint_eq(p.n, 0);
	ck_assert_uint_eq(p.nkept, 0);
}
END_TEST

START_TEST(a_full_table_has_a_silent_one_to_go)
{
	for (int i = 0; i < PARKED_MAX; i++)
		ck_assert_uint_ne(park(3 + i, 100), PARKED_NONE);
	for (uint32_t i = 0; i < KEPT_MAX; i++)
		parked_keep(&p, i, 100);
	ck_assert_uint_eq(park(999, 100), PARKED_NONE);
	ck_assert_uint_ge(parked_earliest_silent(&p), KEPT_MAX);
	parked_remove(&p, parked_earliest_silent(&p));
	ck_assert_uint_ne(park(999, 100), PARKED_NONE);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, an_empty_table_has_nobody);
	tcase_add_test(tc, a_new_tenant_is_not_the_old_one);
	tcase_add_test(tc, deadlines_are_found_in_order);
	tcase_add_test(tc, counts_follow);
	tcase_add_test(tc, a_full_table_has_a_silent_one_to_go);
}

UNIT_MAIN("parked", add)
