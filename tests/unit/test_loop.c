/* loop: who is called, in what order, and who is not called any more. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/clock.h"
#include "base/loop.h"
#include "unit.h"

static struct loop *loop;
static struct err e;

static void make(void)
{
	loop = loop_new(&e);
	ck_assert_ptr_nonnull(loop);
}

static void unmake(void)
{
	loop_free(loop);
}

static void stop(void *ctx)
{
	(void)ctx;
	loop_stop(loop);
}

static void run_for(uint32_t ms)
{
	struct loop_handle h;

	loop_timer(loop, ms, stop, NULL, &h);
	loop_run(loop);
}

static void count_turn(void *ctx)
{
	unsigned *left = ctx;
	struct loop_handle h;

	if (--*left == 0)
		loop_stop(loop);
	else
		loop_timer(loop, 0, count_turn, left, &h);
}

/* So many turns, however slow the machine is; a turn is one call of each. */
static void run_turns(unsigned n)
{
	struct loop_handle h;

	loop_timer(loop, 0, count_turn, &n, &h);
	loop_run(loop);
}

/* --- descriptors --------------------------------------------------------- */

/* A pipe that is readable, watched by read_or_forget(). */
struct source {
	int ends[2];
	struct loop_handle handle;
	struct source *forgets; /* whom to forget when called */
	struct source *adds;    /* whom to watch then, in the slot set free */
	unsigned calls;
};

static void watch(struct source *);

static void on_readable(void *ctx, int fd, uint32_t events)
{
	struct source *s = ctx;

	ck_assert_int_eq(fd, s->ends[0]);
	ck_assert(events & EPOLLIN);
	s->calls++;
	if (s->forgets) {
		loop_forget(loop, &s->forgets->handle);
		s->forgets = NULL;
	}
	if (s->adds) {
		watch(s->adds);
		s->adds = NULL;
	}
	if (s->calls > 3)
		loop_forget(loop, &s->handle);
}

static void watch(struct source *s)
{
	ck_assert_int_eq(loop_watch(loop, s->ends[0], EPOLLIN, on_readable, s, &s->handle, &e), 0);
}

static struct source ready(void)
{
	struct source s = {0};

	ck_assert_int_eq(pipe2(s.ends, O_CLOEXEC | O_NONBLOCK), 0);
	ck_assert_int_eq(write(s.ends[1], "x", 1), 1);
	return s;
}

START_TEST(a_ready_descriptor_is_called_once_a_turn)
{
	struct source a = ready(), b = ready();

	watch(&a);
	watch(&b);
	loop_stop(loop); /* before the run: not one turn */
	loop_run(loop);
	ck_assert_uint_eq(a.calls + b.calls, 0);
	run_turns(10);
	ck_assert_uint_eq(a.calls, 4);
	ck_assert_uint_eq(b.calls, 4);
	ck_assert_uint_eq(a.handle.generation, 0);
}
END_TEST

START_TEST(one_removed_in_the_same_turn_is_not_called)
{
	struct source a = ready(), b = ready();

	/* Whichever the kernel reports first removes the other. */
	a.forgets = &b;
	b.forgets = &a;
	watch(&a);
	watch(&b);
	run_turns(10);
	ck_assert_uint_eq(a.calls + b.calls, 4);
	ck_assert(a.calls == 0 || b.calls == 0);
}
END_TEST

START_TEST(one_removed_is_not_called_even_if_its_slot_was_reused)
{
	struct source a = ready(), b = ready(), c = {0};
	struct loop_handle old_a, old_b;

	/* c is never readable: a call of c could only be meant for a or b. */
	ck_assert_int_eq(pipe2(c.ends, O_CLOEXEC | O_NONBLOCK), 0);
	a.forgets = &b;
	b.forgets = &a;
	a.adds = b.adds = &c;
	watch(&a);
	watch(&b);
	old_a = a.handle;
	old_b = b.handle;
	run_turns(10);
	ck_assert(a.calls == 0 || b.calls == 0);
	ck_assert_uint_eq(a.calls + b.calls, 4);
	ck_assert_uint_eq(c.calls, 0);
	/* And the slot was indeed the same. */
	ck_assert_uint_eq(c.handle.slot, a.calls ? old_b.slot : old_a.slot);
	ck_assert_uint_ne(c.handle.generation, a.calls ? old_b.generation : old_a.generation);
}
END_TEST

START_TEST(a_stale_handle_forgets_nobody)
{
	struct source a = ready(), b = ready();
	struct loop_handle stale, zero = {0};

	watch(&a);
	stale = a.handle;
	loop_forget(loop, &a.handle);
	watch(&b);
	ck_assert_uint_eq(b.handle.slot, stale.slot);
	loop_forget(loop, &stale);
	loop_forget(loop, &zero);
	ck_assert_uint_eq(stale.generation, 0);
	run_turns(10);
	ck_assert_uint_eq(a.calls, 0);
	ck_assert_uint_eq(b.calls, 4);
}
END_TEST

START_TEST(what_cannot_be_watched_is_an_error)
{
	struct loop_handle h = {7, 7};
	int fd = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

	ck_assert_int_eq(loop_watch(loop, fd, EPOLLIN, on_readable, NULL, &h, &e), -1);
	ck_assert_int_eq(e.sys, EPERM);
	ck_assert_uint_eq(h.generation, 0);
	close(fd);
}
END_TEST

START_TEST(all_of_many_ready_ones_get_their_turn)
{
	enum { N = 300 };
	static struct source sources[N];

	for (int i = 0; i < N; i++) {
		sources[i] = ready();
		watch(&sources[i]);
	}
	run_turns(60);
	for (int i = 0; i < N; i++)
		ck_assert_uint_eq(sources[i].calls, 4);
}
END_TEST

static void add_many(void *ctx, int fd, uint32_t events)
{
	struct source *s = ctx;

	(void)fd;
	(void)events;
	for (int i = 0; i < 200; i++) {
		static struct source more[200];

		more[i] = ready();
		watch(&more[i]);
	}
	s->calls++;
	loop_forget(loop, &s->handle);
}

START_TEST(a_callback_may_make_the_table_grow)
{
	struct source a = ready();

	ck_assert_int_eq(loop_watch(loop, a.ends[0], EPOLLIN, add_many, &a, &a.handle, &e), 0);
	run_turns(10);
	ck_assert_uint_eq(a.calls, 1);
}
END_TEST

/* --- timers -------------------------------------------------------------- */

/* The names of those that were called, one letter each. */
static char order[64];

static void note(void *ctx)
{
	size_t n = strlen(order);

	ck_assert_uint_lt(n, sizeof(order) - 1);
	order[n] = *(const char *)ctx;
}

START_TEST(timers_of_equal_delay_run_in_order_of_making)
{
	static const char names[] = "abcdefghij";
	struct loop_handle h;

	for (int i = 0; names[i]; i++)
		loop_timer(loop, 20, note, (void *)(uintptr_t)&names[i], &h);
	run_for(20); /* its own timer is the last of them */
	ck_assert_str_eq(order, names);
}
END_TEST

static struct loop_handle victim;

static void forget_victim(void *ctx)
{
	note(ctx);
	loop_forget(loop, &victim);
}

START_TEST(a_due_timer_forgotten_in_the_same_turn_does_not_run)
{
	struct loop_handle h;
	struct timespec nap = {.tv_nsec = 20 * 1000 * 1000};

	loop_timer(loop, 1, forget_victim, "a", &h);
	loop_timer(loop, 2, note, "v", &victim);
	loop_timer(loop, 3, note, "b", &h);
	nanosleep(&nap, NULL); /* all three are due at once */
	run_turns(2);
	ck_assert_str_eq(order, "ab");
}
END_TEST

static unsigned rearmed;

static void rearm(void *ctx)
{
	struct loop_handle h;

	rearmed++;
	loop_timer(loop, 0, rearm, ctx, &h);
}

START_TEST(a_timer_that_rearms_at_once_starves_nobody)
{
	struct source a = ready();
	struct loop_handle h;

	watch(&a);
	loop_timer(loop, 0, rearm, NULL, &h);
	run_turns(10);
	ck_assert_uint_ge(rearmed, 9);
	ck_assert_uint_le(rearmed, 10);
	ck_assert_uint_eq(a.calls, 4);
}
END_TEST

static unsigned ticks;
static struct loop_handle ticker;

static void tick_late(void *ctx)
{
	(void)ctx;
	if (++ticks == 1)
		nanosleep(&(struct timespec){.tv_nsec = 55 * 1000 * 1000}, NULL);
	if (ticks == 6)
		loop_stop(loop);
}

START_TEST(missed_turns_are_not_made_up_for)
{
	uint64_t start_ms = clock_now_ms();

	/* The first at 10 ms lasts until 65; made up for, the sixth came there. */
	loop_every(loop, 10, tick_late, NULL, &ticker);
	loop_run(loop);
	ck_assert_uint_ge(clock_now_ms() - start_ms, 100);
}
END_TEST

static void tick_three_times(void *ctx)
{
	struct loop_handle h;

	(void)ctx;
	if (++ticks == 3) {
		loop_forget(loop, &ticker);
		loop_timer(loop, 50, stop, NULL, &h);
	}
}

START_TEST(a_repeating_timer_can_end_itself)
{
	loop_every(loop, 5, tick_three_times, NULL, &ticker);
	loop_run(loop);
	ck_assert_uint_eq(ticks, 3);
	ck_assert_uint_eq(ticker.generation, 0);
}
END_TEST

/* When a timer was made to run: between these two, for the clock goes on. */
struct span {
	uint64_t low_ms, high_ms;
	struct loop_handle handle;
};
static uint64_t latest_low_ms;
static unsigned ran;

static void check_order(void *ctx)
{
	const struct span *span = ctx;

	ck_assert_uint_ge(span->high_ms, latest_low_ms);
	ck_assert_uint_ge(clock_now_ms(), span->low_ms);
	if (span->low_ms > latest_low_ms)
		latest_low_ms = span->low_ms;
	ran++;
}

START_TEST(random_timers_added_and_forgotten_keep_their_order)
{
	enum { N = 3000 };
	static struct span spans[N];
	unsigned forgotten = 0;

	srand(7);
	for (int i = 0; i < N; i++) {
		uint32_t after_ms = 100 + (uint32_t)(rand() % 200);
		struct span *span = &spans[i], *gone = &spans[rand() % (i + 1)];

		span->low_ms = clock_now_ms() + after_ms;
		loop_timer(loop, after_ms, check_order, span, &span->handle);
		span->high_ms = clock_now_ms() + after_ms;
		if (rand() % 3 == 0) {
			forgotten += gone->handle.generation != 0;
			loop_forget(loop, &gone->handle);
		}
	}
	run_for(400);
	ck_assert_uint_eq(ran, N - forgotten);
	ck_assert_uint_gt(forgotten, 100);
}
END_TEST

/* --- signals ------------------------------------------------------------- */

static void on_signal(void *ctx, int signo)
{
	(void)ctx;
	note(signo == SIGUSR1 ? "1" : signo == SIGUSR2 ? "2" : "?");
	if (strlen(order) == 2)
		loop_stop(loop);
}

START_TEST(signals_are_delivered_and_the_old_mask_is_kept)
{
	struct source flood = ready();
	sigset_t set, now;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	ck_assert_int_eq(loop_signals(loop, &set, on_signal, NULL, &e), 0);
	ck_assert_int_eq(sigprocmask(SIG_BLOCK, NULL, &now), 0);
	ck_assert_int_eq(sigismember(&now, SIGUSR1), 1);
	ck_assert_int_eq(sigismember(loop_signal_mask(loop), SIGUSR1), 0);
	watch(&flood);
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR2);
	loop_run(loop);
	ck_assert(strcmp(order, "12") == 0 || strcmp(order, "21") == 0);
}
END_TEST

START_TEST(the_turn_has_one_time)
{
	uint64_t before = clock_now_ms();

	run_for(20);
	ck_assert_uint_ge(loop_now_ms(loop), before + 19);
	ck_assert_uint_le(loop_now_ms(loop), clock_now_ms());
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, a_ready_descriptor_is_called_once_a_turn);
	tcase_add_test(tc, one_removed_in_the_same_turn_is_not_called);
	tcase_add_test(tc, one_removed_is_not_called_even_if_its_slot_was_reused);
	tcase_add_test(tc, a_stale_handle_forgets_nobody);
	tcase_add_test(tc, what_cannot_be_watched_is_an_error);
	tcase_add_test(tc, all_of_many_ready_ones_get_their_turn);
	tcase_add_test(tc, a_callback_may_make_the_table_grow);
	tcase_add_test(tc, timers_of_equal_delay_run_in_order_of_making);
	tcase_add_test(tc, a_due_timer_forgotten_in_the_same_turn_does_not_run);
	tcase_add_test(tc, a_timer_that_rearms_at_once_starves_nobody);
	tcase_add_test(tc, missed_turns_are_not_made_up_for);
	tcase_add_test(tc, a_repeating_timer_can_end_itself);
	tcase_add_test(tc, random_timers_added_and_forgotten_keep_their_order);
	tcase_add_test(tc, signals_are_delivered_and_the_old_mask_is_kept);
	tcase_add_test(tc, the_turn_has_one_time);
}

UNIT_MAIN("loop", add)
