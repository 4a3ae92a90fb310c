/* clock: instants move forward, waits are what poll takes. */
#include <limits.h>
#include <time.h>

#include "base/clock.h"
#include "unit.h"

START_TEST(time_moves_forward_in_the_units_named)
{
	uint64_t us = clock_now_us(), ms = clock_now_ms();
	struct timespec nap = {.tv_nsec = 20 * 1000 * 1000};

	nanosleep(&nap, NULL);
	ck_assert_uint_ge(clock_now_us(), us + 20000);
	ck_assert_uint_ge(clock_now_ms(), ms + 19);
	ck_assert_uint_le(clock_now_us() / 1000, clock_now_ms());
}
END_TEST

START_TEST(the_wall_clock_is_the_systems)
{
	uint64_t before_s = (uint64_t)time(NULL), s = clock_wall_us() / 1000000;

	/* time() reads a coarser clock, which lags. */
	ck_assert_uint_ge(s, before_s);
	ck_assert_uint_le(s, (uint64_t)time(NULL) + 1);
}
END_TEST

START_TEST(waits_suit_poll)
{
	uint64_t now = clock_now_ms();
	int wait_ms = clock_until_ms(now + 5000);

	ck_assert_int_eq(clock_until_ms(CLOCK_NEVER), -1);
	ck_assert_int_eq(clock_until_ms(0), 0);
	ck_assert_int_eq(clock_until_ms(now), 0);
	ck_assert(wait_ms > 4000 && wait_ms <= 5000);
	ck_assert_int_eq(clock_until_ms(CLOCK_NEVER - 1), INT_MAX);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, time_moves_forward_in_the_units_named);
	tcase_add_test(tc, the_wall_clock_is_the_systems);
	tcase_add_test(tc, waits_suit_poll);
}

UNIT_MAIN("clock", add)
