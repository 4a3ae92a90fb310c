/* stop: the ladder, what overrides what, where it ends. */
#include <signal.h>

#include "base/clock.h"
#include "master/stop.h"
#include "unit.h"

static struct loop *loop;
static struct stop stop;
static struct err e;
static char seen[64]; /* a letter for each call */
static int survives;  /* so many signals */
static uint64_t began_ms, at_ms[16];
static size_t n;

static void note(char what)
{
	ck_assert_uint_lt(n, 16);
	at_ms[n] = clock_now_ms() - began_ms;
	seen[n++] = what;
}

static void drain(void *ctx)
{
	(void)ctx;
	note('d');
}

static void cut(void *ctx)
{
	(void)ctx;
	note('c');
}

static void gone(void *ctx)
{
	(void)ctx;
	stop_look(&stop);
}

static void send_signal(void *ctx, int signo)
{
	struct loop_handle h;

	(void)ctx;
	note(signo == SIGTERM ? 'T' : signo == SIGKILL ? 'K' : '?');
	if (survives-- == 0)
		loop_timer(loop, 0, gone, NULL, &h);
}

static bool is_over(void *ctx)
{
	(void)ctx;
	return survives < 0;
}

static const struct stop_calls calls = {
    .drain = drain,
    .cut = cut,
    .signal = send_signal,
    .is_over = is_over,
};

static void make(int signals)
{
	survives = signals;
	loop = loop_new(&e);
	stop_init(&stop, loop, &calls, NULL);
	began_ms = clock_now_ms();
}

START_TEST(who_leaves_at_once_needs_no_signal)
{
	make(-1);
	stop_begin(&stop, STOP_RELOAD, 0);
	loop_run(loop);
	ck_assert_str_eq(seen, "d");
	ck_assert_int_eq(stop.aim, STOP_RELOAD);
}
END_TEST

START_TEST(a_drain_has_its_limit_and_then_term_a_second)
{
	make(1);
	stop_begin(&stop, STOP_FINISH, 50);
	loop_run(loop);
	ck_assert_str_eq(seen, "ddcTK");
	ck_assert_uint_ge(at_ms[3], 50);
	ck_assert_uint_ge(at_ms[4] - at_ms[3], 1000);
}
END_TEST

START_TEST(term_has_the_limit_of_the_configuration)
{
	make(1);
	stop_begin(&stop, STOP_TERMINATE, 30);
	loop_run(loop);
	ck_assert_str_eq(seen, "dcTK");
	ck_assert_uint_ge(at_ms[3] - at_ms[2], 30);
}
END_TEST

START_TEST(only_what_is_stronger_overrides)
{
	make(0);
	ck_assert(!stop_may(&stop, STOP_NOT));
	stop_begin(&stop, STOP_RELOAD, 60000);
	ck_assert(!stop_may(&stop, STOP_RELOAD));
	ck_assert(stop_may(&stop, STOP_FINISH));
	stop_begin(&stop, STOP_FINISH, 60000);
	ck_assert(!stop_may(&stop, STOP_RELOAD) && !stop_may(&stop, STOP_FINISH));
	ck_assert_str_eq(seen, "dd");
	stop_begin(&stop, STOP_TERMINATE, 60000);
	ck_assert(!stop_may(&stop, STOP_FINISH) && !stop_may(&stop, STOP_TERMINATE));
	loop_run(loop);
	ck_assert_str_eq(seen, "dddcT");
	ck_assert_int_eq(stop.aim, STOP_TERMINATE);
}
END_TEST

static void quit_now(void *ctx)
{
	(void)ctx;
	stop_begin(&stop, STOP_FINISH, 60000);
}

/* A reload that is at TERM or KILL already goes on from there, and then it is a stop. */
START_TEST(a_late_stop_changes_the_end_and_no_step)
{
	struct loop_handle h;

	make(1);
	stop_begin(&stop, STOP_RELOAD, 20);
	loop_timer(loop, 300, quit_now, NULL, &h);
	loop_run(loop);
	ck_assert_str_eq(seen, "ddcTK");
	ck_assert_int_eq(stop.aim, STOP_FINISH);
}
END_TEST

static void end_now(void *ctx)
{
	(void)ctx;
	loop_stop(loop);
}

START_TEST(a_reload_that_is_given_up_sends_no_more_and_may_begin_anew)
{
	struct loop_handle h;

	make(0);
	stop_begin(&stop, STOP_RELOAD, 20);
	stop_cancel(&stop);
	ck_assert_int_eq(stop.aim, STOP_NOT);
	loop_timer(loop, 100, end_now, NULL, &h);
	loop_run(loop);
	ck_assert_str_eq(seen, "d");
	ck_assert(stop_may(&stop, STOP_RELOAD));
	stop_begin(&stop, STOP_RELOAD, 20);
	loop_run(loop);
	ck_assert_str_eq(seen, "dddcT");
}
END_TEST

START_TEST(an_end_that_has_to_wait_leads_to_no_signal)
{
	struct loop_handle h;

	make(0);
	stop_begin(&stop, STOP_RELOAD, 20);
	stop_hold(&stop);
	loop_timer(loop, 100, end_now, NULL, &h);
	loop_run(loop);
	ck_assert_str_eq(seen, "d");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, who_leaves_at_once_needs_no_signal);
	tcase_add_test(tc, a_drain_has_its_limit_and_then_term_a_second);
	tcase_add_test(tc, term_has_the_limit_of_the_configuration);
	tcase_add_test(tc, only_what_is_stronger_overrides);
	tcase_add_test(tc, a_late_stop_changes_the_end_and_no_step);
	tcase_add_test(tc, a_reload_that_is_given_up_sends_no_more_and_may_begin_anew);
	tcase_add_test(tc, an_end_that_has_to_wait_leads_to_no_signal);
}

UNIT_MAIN("stop", add)
