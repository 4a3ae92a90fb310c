/* stall: when connections wait for nobody. */
#include "master/scale.h"
#include "master/stall.h"
#include "unit.h"

static const struct scale_view all_well = {.idle = 2}, busy = {.waiting = 3},
			       odd = {.waiting = 1, .idle = 1};

START_TEST(two_looks_without_a_request_between_are_a_stall)
{
	struct stall s = {0};

	ck_assert(!stall_look(&s, &odd, 7));
	ck_assert(stall_look(&s, &odd, 7));
}
END_TEST

START_TEST(requests_that_begin_are_none)
{
	struct stall s = {0};

	for (uint64_t begun = 0; begun < 10; begun++)
		ck_assert(!stall_look(&s, &odd, begun));
}
END_TEST

START_TEST(neither_are_full_nor_idle_pools)
{
	struct stall s = {0};

	for (int i = 0; i < 4; i++) {
		ck_assert(!stall_look(&s, &all_well, 7));
		ck_assert(!stall_look(&s, &odd, 7));
		ck_assert(!stall_look(&s, &busy, 7));
	}
}
END_TEST

START_TEST(who_was_woken_gets_time)
{
	struct stall s = {0};
	unsigned woken = 0;

	for (int i = 0; i < 9; i++)
		woken += stall_look(&s, &odd, 7);
	ck_assert_uint_eq(woken, 4);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, two_looks_without_a_request_between_are_a_stall);
	tcase_add_test(tc, requests_that_begin_are_none);
	tcase_add_test(tc, neither_are_full_nor_idle_pools);
	tcase_add_test(tc, who_was_woken_gets_time);
}

UNIT_MAIN("stall", add)
