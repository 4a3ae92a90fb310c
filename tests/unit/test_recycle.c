/* recycle: every reason to leave, and what the master is told by it. */
#include "proc/exits.h"
#include "unit.h"
#include "worker/recycle.h"

START_TEST(without_a_limit_a_worker_stays)
{
	struct pool_conf pool = {0};
	struct recycle_view v = {.served = UINT64_MAX};

	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_NO);
}
END_TEST

START_TEST(the_limit_counts_the_last_request)
{
	struct pool_conf pool = {.pm_max_requests = 3};
	struct recycle_view v = {.served = 2};

	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_NO);
	v.served = 3;
	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_REQUESTS);
	v.served = 4;
	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_REQUESTS);
	ck_assert_int_eq(recycle_exit_code(RECYCLE_REQUESTS), EXIT_DONE);
}
END_TEST

START_TEST(doubt_about_php_comes_first)
{
	struct pool_conf pool = {.pm_max_requests = 1};
	struct recycle_view v = {.served = 1, .unsafe = true};

	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_UNSAFE);
	ck_assert_int_eq(recycle_exit_code(RECYCLE_UNSAFE), EXIT_BAILOUT);
	ck_assert_int_eq(recycle_exit_code(RECYCLE_NO), EXIT_DONE);
}
END_TEST

START_TEST(a_worker_that_asks_is_replaced)
{
	struct pool_conf pool = {0};
	struct recycle_view v = {.served = 1, .asked = true};

	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_ASKED);
	ck_assert_int_eq(recycle_exit_code(RECYCLE_ASKED), EXIT_DONE);
	v.unsafe = true;
	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_UNSAFE);
}
END_TEST

START_TEST(who_has_served_its_one_request_leaves)
{
	struct pool_conf pool = {.mode = POOL_MODE_ISOLATED};
	struct recycle_view v = {.served = 1, .spent = true, .unsafe = true};

	ck_assert_int_eq(recycle_after(&pool, &v), RECYCLE_SPENT);
	ck_assert_int_eq(recycle_exit_code(RECYCLE_SPENT), EXIT_SERVED);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, who_has_served_its_one_request_leaves);
	tcase_add_test(tc, a_worker_that_asks_is_replaced);
	tcase_add_test(tc, without_a_limit_a_worker_stays);
	tcase_add_test(tc, the_limit_counts_the_last_request);
	tcase_add_test(tc, doubt_about_php_comes_first);
}

UNIT_MAIN("recycle", add)
