/* sink: waits once for a full pipe, and not again before it has taken a line. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/sink.h"
#include "unit.h"

static int ends[2];

static void setup(void)
{
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
}

static void teardown(void)
{
	close(ends[0]);
	close(ends[1]);
}

static struct sink full_sink(void)
{
	struct sink s = {.fd = ends[1]};

	while (sink_write(&s, "a line\n", 7))
		continue;
	ck_assert(!s.torn);
	return s;
}

/* Milliseconds that a line takes. */
static uint64_t write_ms(struct sink *s, uint32_t wait_ms, bool *whole)
{
	uint64_t began_us = clock_now_us();

	*whole = sink_write_within(s, "late\n", 5, wait_ms);
	return (clock_now_us() - began_us) / 1000;
}

START_TEST(a_pipe_that_nobody_reads_is_waited_for_once)
{
	struct sink s = full_sink();
	bool whole;

	ck_assert_uint_ge(write_ms(&s, 100, &whole), 90);
	ck_assert(!whole);
	for (int i = 0; i < 100; i++) {
		ck_assert_uint_lt(write_ms(&s, 60000, &whole), 30000);
		ck_assert(!whole);
	}
}
END_TEST

START_TEST(a_pipe_that_is_read_again_is_waited_for_again)
{
	static char all[1 << 16];
	struct sink s = full_sink();
	bool whole;

	(void)write_ms(&s, 10, &whole);
	ck_assert(s.stuck);
	ck_assert_int_gt(read(ends[0], all, sizeof(all)), 0);
	(void)write_ms(&s, 0, &whole);
	ck_assert(whole);
	ck_assert(!s.stuck);
}
END_TEST

static void *read_later(void *arg)
{
	static char all[1 << 16];

	(void)arg;
	usleep(50000);
	must(read(ends[0], all, sizeof(all)) > 0);
	return NULL;
}

START_TEST(a_slow_reader_loses_nothing)
{
	struct sink s = full_sink();
	pthread_t reader;
	bool whole;

	ck_assert_int_eq(pthread_create(&reader, NULL, read_later, NULL), 0);
	(void)write_ms(&s, 30000, &whole);
	ck_assert(whole);
	ck_assert(!s.stuck);
	pthread_join(reader, NULL);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_pipe_that_nobody_reads_is_waited_for_once);
	tcase_add_test(tc, a_pipe_that_is_read_again_is_waited_for_again);
	tcase_add_test(tc, a_slow_reader_loses_nothing);
}

UNIT_MAIN("sink", add)
