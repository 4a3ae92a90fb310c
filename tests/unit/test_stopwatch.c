/* stopwatch: which requests have taken too long. */
#include "master/stopwatch.h"
#include "unit.h"

#define SECOND_US 1000000u
#define NOW_US (100 * (uint64_t)SECOND_US)

static struct worker_view at(enum worker_state state, uint64_t elapsed_us)
{
	return (struct worker_view){.state = state, .request_started_us = NOW_US - elapsed_us};
}

START_TEST(looks_follow_the_smallest_timeout_of_all_pools)
{
	static const struct {
		uint32_t slow_ms, end_ms, other_end_ms, every_ms;
	} rows[] = {
	    {0, 0, 0, 0},
	    {9000, 0, 0, 3000},
	    {0, 3000, 0, 1000},
	    {9000, 30000, 0, 3000},
	    {9000, 30000, 6000, 2000},
	    {0, 0, 6000, 2000},
	    {1000, 0, 0, 333},
	    {1000, 0, 300, 130},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pool_conf a = {.request_slowlog_timeout_ms = rows[i].slow_ms,
		    .request_terminate_timeout_ms = rows[i].end_ms};
		struct pool_conf b = {.request_terminate_timeout_ms = rows[i].other_end_ms};
		struct pool_conf *pools[] = {&a, &b};
		struct conf conf = {.npools = 2, .pools = pools};

		ck_assert_uint_eq(stopwatch_every_ms(&conf), rows[i].every_ms);
		ck_assert_int_eq(stopwatch_is_wanted(&a), rows[i].slow_ms || rows[i].end_ms);
	}
}
END_TEST

START_TEST(only_running_scripts_are_slow)
{
	const struct pool_conf conf = {.request_slowlog_timeout_ms = 2000}, off = {0};

	for (enum worker_state state = 0; state < WORKER_STATE_MAX; state++) {
		struct worker_view w = at(state, 2 * SECOND_US);

		ck_assert_int_eq(stopwatch_is_slow(&conf, &w, NOW_US), state == WORKER_RUNNING);
		ck_assert(!stopwatch_is_slow(&off, &w, NOW_US));
		ck_assert(!stopwatch_is_over(&conf, &w, NOW_US));
		w = at(state, 2 * SECOND_US - 1);
		ck_assert(!stopwatch_is_slow(&conf, &w, NOW_US));
	}
}
END_TEST

START_TEST(requests_are_over_from_their_parameters_to_their_end)
{
	static const struct {
		enum worker_state state;
		bool over, over_if_tracked;
	} rows[] = {
	    {WORKER_GONE, false, false},
	    {WORKER_STARTING, false, false},
	    {WORKER_IDLE, false, false},
	    {WORKER_READING, false, false}, /* it ends that by itself */
	    {WORKER_SETUP, true, true},
	    {WORKER_RUNNING, true, true},
	    {WORKER_ENDING, false, true},
	    {WORKER_FINISHING, false, true},
	};
	struct pool_conf conf = {.request_terminate_timeout_ms = 2000};
	struct pool_conf tracked = conf;

	tracked.request_terminate_timeout_track_finished = true;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct worker_view w = at(rows[i].state, 2 * SECOND_US);

		ck_assert_int_eq(stopwatch_is_over(&conf, &w, NOW_US), rows[i].over);
		ck_assert_int_eq(stopwatch_is_over(&tracked, &w, NOW_US), rows[i].over_if_tracked);
		w = at(rows[i].state, 2 * SECOND_US - 1);
		ck_assert(!stopwatch_is_over(&tracked, &w, NOW_US));
	}
}
END_TEST

START_TEST(one_that_reads_much_longer_is_stuck)
{
	const struct pool_conf conf = {.request_terminate_timeout_ms = 2000};
	struct worker_view w = at(WORKER_READING, 3 * SECOND_US);

	ck_assert(stopwatch_is_over(&conf, &w, NOW_US));
}
END_TEST

START_TEST(a_start_that_cannot_be_is_now)
{
	const struct pool_conf conf = {
	    .request_slowlog_timeout_ms = 1, .request_terminate_timeout_ms = 1};
	struct worker_view w = {.state = WORKER_RUNNING, .request_started_us = UINT64_MAX};

	ck_assert_uint_eq(stopwatch_elapsed_us(&w, NOW_US), 0);
	ck_assert(!stopwatch_is_slow(&conf, &w, NOW_US) && !stopwatch_is_over(&conf, &w, NOW_US));
	w.request_started_us = 0; /* none was begun */
	ck_assert(!stopwatch_is_slow(&conf, &w, NOW_US) && !stopwatch_is_over(&conf, &w, NOW_US));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, looks_follow_the_smallest_timeout_of_all_pools);
	tcase_add_test(tc, only_running_scripts_are_slow);
	tcase_add_test(tc, requests_are_over_from_their_parameters_to_their_end);
	tcase_add_test(tc, one_that_reads_much_longer_is_stuck);
	tcase_add_test(tc, a_start_that_cannot_be_is_now);
}

UNIT_MAIN("stopwatch", add)
