/* throttle: delays that double, and forget. */
#include "master/throttle.h"
#include "unit.h"

START_TEST(delays_double_up_to_the_last)
{
	static const uint32_t delays[] = {
	    100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000};
	struct throttle t = {0};
	uint64_t now_ms = 1000;

	ck_assert(!throttle_is_on(&t));
	ck_assert_uint_eq(throttle_wait_ms(&t, now_ms), 0);
	for (size_t i = 0; i < sizeof(delays) / sizeof(delays[0]); i++) {
		throttle_failed(&t, now_ms, now_ms);
		ck_assert(throttle_is_on(&t));
		ck_assert_uint_eq(throttle_wait_ms(&t, now_ms), delays[i]);
		ck_assert_uint_eq(throttle_wait_ms(&t, now_ms + delays[i] - 1), 1);
		now_ms += delays[i];
		ck_assert_uint_eq(throttle_wait_ms(&t, now_ms), 0);
	}
}
END_TEST

START_TEST(a_minute_of_failures_is_few_tries)
{
	struct throttle t = {0};
	unsigned tries = 0;

	for (uint64_t now_ms = 1; now_ms <= 60000; now_ms++) {
		if (throttle_wait_ms(&t, now_ms) > 0)
			continue;
		tries++;
		throttle_failed(&t, now_ms, now_ms);
	}
	ck_assert_uint_le(tries, 12);
}
END_TEST

START_TEST(success_forgets)
{
	struct throttle t = {0};

	throttle_failed(&t, 10, 10);
	throttle_failed(&t, 110, 110);
	throttle_succeeded(&t);
	ck_assert(!throttle_is_on(&t));
	ck_assert_uint_eq(throttle_wait_ms(&t, 111), 0);
	throttle_failed(&t, 111, 111);
	ck_assert_uint_eq(throttle_wait_ms(&t, 111), 100);
}
END_TEST

START_TEST(tries_under_way_fail_together)
{
	struct throttle t = {0};

	/* Ten workers ordered at 5 that die one after the other. */
	for (uint64_t now_ms = 10; now_ms < 20; now_ms++)
		throttle_failed(&t, 5, now_ms);
	ck_assert_uint_eq(throttle_wait_ms(&t, 10), 100);
	/* The one that was ordered after the wait counts. */
	throttle_failed(&t, 110, 120);
	ck_assert_uint_eq(throttle_wait_ms(&t, 120), 200);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, delays_double_up_to_the_last);
	tcase_add_test(tc, a_minute_of_failures_is_few_tries);
	tcase_add_test(tc, success_forgets);
	tcase_add_test(tc, tries_under_way_fail_together);
}

UNIT_MAIN("throttle", add)
