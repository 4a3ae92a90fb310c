/* emergency: so many crashes within an interval, and no fewer. */
#include "master/emergency.h"
#include "unit.h"

static struct emergency y;

START_TEST(the_last_of_so_many_within_the_interval_counts)
{
	emergency_init(&y, 3, 1000);
	ck_assert(!emergency_count(&y, 100));
	ck_assert(!emergency_count(&y, 500));
	ck_assert(emergency_count(&y, 1100));
	/* It begins anew. */
	ck_assert(!emergency_count(&y, 1101));
	ck_assert(!emergency_count(&y, 1102));
	ck_assert(emergency_count(&y, 1103));
	emergency_free(&y);
}
END_TEST

START_TEST(slow_crashes_never_do)
{
	emergency_init(&y, 3, 1000);
	for (uint64_t at_ms = 1; at_ms < 100000; at_ms += 501)
		ck_assert(!emergency_count(&y, at_ms));
	emergency_free(&y);
	/* The window slides: two of the old ones and a new one may do. */
	emergency_init(&y, 3, 1000);
	ck_assert(!emergency_count(&y, 1));
	ck_assert(!emergency_count(&y, 900));
	ck_assert(!emergency_count(&y, 1500));
	ck_assert(emergency_count(&y, 1600));
	emergency_free(&y);
}
END_TEST

START_TEST(one_can_be_enough)
{
	emergency_init(&y, 1, 1);
	ck_assert(emergency_count(&y, 5));
	ck_assert(emergency_count(&y, 6));
	emergency_free(&y);
}
END_TEST

START_TEST(it_is_off_unless_both_are_set)
{
	emergency_init(&y, 0, 1000);
	ck_assert(!emergency_count(&y, 1));
	emergency_init(&y, 1, 0);
	ck_assert(!emergency_count(&y, 1));
	emergency_init(&y, -1, 1000);
	ck_assert(!emergency_count(&y, 1));
	emergency_init(&y, INT32_MAX, 1000);
	ck_assert(!emergency_count(&y, 1));
	emergency_free(&y);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_last_of_so_many_within_the_interval_counts);
	tcase_add_test(tc, slow_crashes_never_do);
	tcase_add_test(tc, one_can_be_enough);
	tcase_add_test(tc, it_is_off_unless_both_are_set);
}

UNIT_MAIN("emergency", add)
