/* scale: every branch of how many workers a pool should have. */
#include <limits.h>

#include "master/scale.h"
#include "unit.h"

static const struct pool_conf fixed = {.pm = PM_STATIC, .pm_max_children = 5};
static const struct pool_conf dynamic = {
    .pm = PM_DYNAMIC,
    .pm_max_children = 60,
    .pm_start_servers = 4,
    .pm_min_spare_servers = 2,
    .pm_max_spare_servers = 5,
    .pm_max_spawn_rate = 32,
};
static const struct pool_conf ondemand = {
    .pm = PM_ONDEMAND, .pm_max_children = 5, .pm_process_idle_timeout_ms = 10000};

static struct scale_step next(const struct pool_conf *conf, unsigned room, struct scale_view v)
{
	v.room = room;
	v.rate = v.rate ? v.rate : 1;
	return scale_next(conf, &v);
}

#define VIEW(...)                     \
	UINT_MAX, (struct scale_view) \
	{                             \
		__VA_ARGS__           \
	}
#define ROOM(n, ...)             \
	(n), (struct scale_view) \
	{                        \
		__VA_ARGS__      \
	}

/* One field of the next step. */
#define ck_next(field, wanted, conf, ...) ck_assert_uint_eq(next(conf, __VA_ARGS__).field, wanted)

START_TEST(static_fills_up_at_once)
{
	struct scale_step s = next(&fixed, VIEW(.idle = 0));

	ck_assert_uint_eq(s.spawn, 5);
	ck_assert_uint_eq(s.retire, 0);
	ck_assert(!s.at_limit && !s.at_process_max);
	ck_next(spawn, 1, &fixed, VIEW(.idle = 1, .busy = 1, .starting = 1, .retiring = 1));
}
END_TEST

START_TEST(static_never_shrinks_and_says_when_it_is_full)
{
	struct scale_step s = next(&fixed, VIEW(.idle = 5, .tick = true));

	ck_assert_uint_eq(s.spawn + s.retire, 0);
	ck_assert(!s.at_limit);
	s = next(&fixed, VIEW(.busy = 5, .waiting = 3, .tick = true));
	ck_assert_uint_eq(s.spawn, 0);
	ck_assert(s.at_limit);
	/* Who is idle takes them. */
	s = next(&fixed, VIEW(.busy = 2, .idle = 3, .waiting = 3));
	ck_assert(!s.at_limit);
}
END_TEST

START_TEST(process_max_holds_for_all)
{
	struct scale_step s = next(&fixed, ROOM(3, .idle = 0));

	ck_assert_uint_eq(s.spawn, 3);
	ck_assert(s.at_process_max);
	s = next(&ondemand, ROOM(0, .waiting = 2));
	ck_assert_uint_eq(s.spawn, 0);
	ck_assert(s.at_process_max);
	s = next(&fixed, ROOM(0, .idle = 5));
	ck_assert(!s.at_process_max);
}
END_TEST

START_TEST(dynamic_starts_its_servers)
{
	ck_next(spawn, 4, &dynamic, VIEW(.filling = true));
	ck_next(spawn, 3, &dynamic, VIEW(.filling = true, .starting = 1));
	ck_next(spawn, 0, &dynamic, VIEW(.filling = true, .idle = 4));
}
END_TEST

START_TEST(dynamic_doubles_while_spares_are_missing)
{
	struct pool_conf big = dynamic;
	struct scale_step s = {.rate = 1};
	unsigned rates[] = {1, 2, 4, 8, 16, 32, 32};

	big.pm_min_spare_servers = 50;
	big.pm_max_spare_servers = 55;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		ck_assert_uint_eq(s.rate, rates[i]);
		s = next(&big, VIEW(.busy = 10, .rate = s.rate, .tick = true));
		ck_assert_uint_eq(s.spawn, rates[i]);
	}
	/* Enough again: from the beginning. */
	s = next(&big, VIEW(.idle = 50, .rate = 32, .tick = true));
	ck_assert_uint_eq(s.spawn, 0);
	ck_assert_uint_eq(s.rate, 1);
}
END_TEST

START_TEST(dynamic_spares_of_a_second_are_the_rate)
{
	struct scale_step s = next(&dynamic, VIEW(.busy = 3, .idle = 1));

	ck_assert_uint_eq(s.spawn, 1);
	ck_assert_uint_eq(s.rate, 1);
	/* Between the ticks no more than the rate, however often we look. */
	ck_next(spawn, 0, &dynamic, VIEW(.busy = 4, .starting = 1, .spawned = 1));
	ck_next(spawn, 2, &dynamic, VIEW(.busy = 4, .starting = 0, .rate = 4, .spawned = 1));
}
END_TEST

START_TEST(dynamic_serves_a_burst_at_once)
{
	ck_next(spawn, 21, &dynamic,
	    VIEW(.busy = 2, .waiting = 20)); /* those that wait, and spares at the rate */
	ck_next(
	    spawn, 32, &dynamic, VIEW(.busy = 2, .waiting = 58)); /* pm.max_spawn_rate a second */
	ck_next(spawn, 0, &dynamic, VIEW(.busy = 2, .starting = 32, .waiting = 58, .spawned = 32));
	ck_next(spawn, 26, &dynamic,
	    VIEW(.busy = 34, .waiting = 26, .tick = true)); /* to pm.max_children */
}
END_TEST

START_TEST(dynamic_does_not_count_those_that_will_be_taken)
{
	ck_next(spawn, 1, &dynamic,
	    VIEW(.idle = 3, .waiting = 3)); /* no spare is left when they are taken */
	ck_next(spawn, 0, &dynamic, VIEW(.idle = 5, .waiting = 3));
}
END_TEST

START_TEST(dynamic_sends_one_surplus_worker_away_a_second)
{
	struct scale_step s = next(&dynamic, VIEW(.idle = 9, .rate = 8, .tick = true));

	ck_assert_uint_eq(s.retire, 1);
	ck_assert_uint_eq(s.rate, 1);
	ck_assert_uint_eq(s.spawn, 0);
	/* Those that a waiting connection is about to take are no surplus. */
	ck_next(retire, 0, &dynamic, VIEW(.idle = 9, .waiting = 6, .tick = true));
	ck_next(retire, 0, &dynamic, VIEW(.idle = 9));
	ck_next(retire, 0, &dynamic, VIEW(.idle = 5, .tick = true));
}
END_TEST

START_TEST(dynamic_replaces_who_has_died)
{
	ck_next(spawn, 2, &dynamic, VIEW(.idle = 4, .lost = 2));
}
END_TEST

START_TEST(dynamic_says_when_it_is_full)
{
	struct scale_step s = next(&dynamic, VIEW(.busy = 59, .idle = 1, .tick = true));

	ck_assert(s.at_limit);
	ck_assert_uint_eq(s.spawn, 0);
	s = next(&dynamic, VIEW(.busy = 58, .idle = 2, .tick = true));
	ck_assert(!s.at_limit);
	s = next(&dynamic, VIEW(.busy = 59, .tick = true));
	ck_assert(!s.at_limit);
	ck_assert_uint_eq(s.spawn, 1);
}
END_TEST

START_TEST(ondemand_forks_for_each_that_waits)
{
	struct scale_step s = next(&ondemand, VIEW(.waiting = 0));

	ck_assert_uint_eq(s.spawn, 0);
	ck_next(spawn, 3, &ondemand, VIEW(.waiting = 3));
	ck_next(spawn, 1, &ondemand, VIEW(.waiting = 3, .idle = 1, .starting = 1));
	ck_next(spawn, 5, &ondemand, VIEW(.waiting = 9));
	s = next(&ondemand, VIEW(.waiting = 1, .busy = 5));
	ck_assert_uint_eq(s.spawn, 0);
	ck_assert(s.at_limit);
}
END_TEST

START_TEST(ondemand_lets_idle_workers_go)
{
	ck_next(retire, 1, &ondemand, VIEW(.idle = 2, .longest_idle_ms = 10001, .tick = true));
	ck_next(retire, 0, &ondemand, VIEW(.idle = 2, .longest_idle_ms = 10000, .tick = true));
	ck_next(retire, 0, &ondemand, VIEW(.idle = 2, .longest_idle_ms = 10001));
	ck_next(retire, 0, &ondemand,
	    VIEW(.idle = 2, .longest_idle_ms = 10001, .waiting = 1, .tick = true));
	/* Who has died is not replaced: nobody waits. */
	ck_next(spawn, 0, &ondemand, VIEW(.lost = 3, .tick = true));
}
END_TEST

/* Each request uses one up, however many there are in a second. */
START_TEST(isolated_dynamic_makes_good_what_is_used_up)
{
	struct pool_conf conf = dynamic;

	conf.mode = POOL_MODE_ISOLATED;
	ck_next(spawn, 4, &conf, VIEW(.filling = true));
	ck_next(spawn, 1, &conf, VIEW(.idle = 1, .busy = 9, .spawned = 500));
	ck_next(spawn, 4, &conf, VIEW(.idle = 1, .busy = 9, .waiting = 3, .spawned = 500));
	/* Used up while enough are idle: none follows. */
	ck_next(spawn, 0, &conf, VIEW(.idle = 2, .lost = 1));
	ck_next(rate, 8, &conf, VIEW(.idle = 1, .rate = 8, .tick = true));
	ck_next(retire, 1, &conf, VIEW(.idle = 6, .tick = true));
}
END_TEST

START_TEST(isolated_ondemand_keeps_one_ahead)
{
	struct pool_conf conf = ondemand;
	struct scale_step s;

	conf.mode = POOL_MODE_ISOLATED;
	ck_next(spawn, 0, &conf, VIEW(.tick = true));
	ck_next(spawn, 2, &conf, VIEW(.waiting = 2));
	ck_next(spawn, 1, &conf, VIEW(.busy = 1));
	ck_next(spawn, 0, &conf, VIEW(.busy = 1, .idle = 1));
	ck_next(spawn, 1, &conf, VIEW(.lost = 1));
	s = next(&conf, VIEW(.busy = 5));
	ck_assert_uint_eq(s.spawn, 0);
	ck_assert(!s.at_limit);
	ck_next(retire, 1, &conf, VIEW(.idle = 2, .longest_idle_ms = 10001, .tick = true));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, isolated_dynamic_makes_good_what_is_used_up);
	tcase_add_test(tc, isolated_ondemand_keeps_one_ahead);
	tcase_add_test(tc, static_fills_up_at_once);
	tcase_add_test(tc, static_never_shrinks_and_says_when_it_is_full);
	tcase_add_test(tc, process_max_holds_for_all);
	tcase_add_test(tc, dynamic_starts_its_servers);
	tcase_add_test(tc, dynamic_doubles_while_spares_are_missing);
	tcase_add_test(tc, dynamic_spares_of_a_second_are_the_rate);
	tcase_add_test(tc, dynamic_serves_a_burst_at_once);
	tcase_add_test(tc, dynamic_does_not_count_those_that_will_be_taken);
	tcase_add_test(tc, dynamic_sends_one_surplus_worker_away_a_second);
	tcase_add_test(tc, dynamic_replaces_who_has_died);
	tcase_add_test(tc, dynamic_says_when_it_is_full);
	tcase_add_test(tc, ondemand_forks_for_each_that_waits);
	tcase_add_test(tc, ondemand_lets_idle_workers_go);
}

UNIT_MAIN("scale", add)
