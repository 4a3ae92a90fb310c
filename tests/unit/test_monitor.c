/* monitor: when signs of life are given, and the words of states and counts. */
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "master/monitor.h"
#include "notifysocket.h"
#include "unit.h"

static int other;
static struct notify notify;
static struct monitor monitor;
static struct loop *loop;
static struct monitor_view view;
static unsigned beats, beats_wanted;

static void look(void *ctx, struct monitor_view *v)
{
	(void)ctx;
	*v = view;
	if (++beats == beats_wanted)
		loop_stop(loop);
}

static void start(uint32_t interval_ms, const char *watchdog_usec)
{
	struct global_conf g = {.systemd_interval_ms = interval_ms};
	/* Its lines are the business of tests with the real program. */
	struct log_setup quiet = {.fd = 2, .mirror_fd = -1, .level = LOG_LEVEL_ALERT};

	log_configure(&quiet);
	other = notifysocket_open();
	if (watchdog_usec)
		setenv("WATCHDOG_USEC", watchdog_usec, 1);
	notify_init(&notify);
	loop = loop_new(NULL);
	ck_assert_ptr_nonnull(loop);
	monitor_init(&monitor, &notify, &g);
	view = (struct monitor_view){.passed_at_ms = clock_now_ms()};
	monitor_start(&monitor, loop, look, NULL);
}

static void turn(unsigned n)
{
	beats = 0;
	beats_wanted = n;
	loop_run(loop);
}

static const char *hear(void)
{
	static char got[512];
	ssize_t n = recv(other, got, sizeof(got) - 1, 0);

	if (n < 0)
		return "";
	got[n] = '\0';
	return got;
}

static void finish(void)
{
	loop_free(loop);
	notify_free(&notify);
	close(other);
}

START_TEST(states_are_told_in_these_words)
{
	char ready[128];

	start(10000, NULL);
	snprintf(ready, sizeof(ready), "READY=1\nSTATUS=Ready to handle connections\nMAINPID=%d",
	    (int)getpid());
	monitor_ready(&monitor);
	ck_assert_str_eq(hear(), ready);
	monitor_reloading(&monitor);
	ck_assert_int_eq(strncmp(hear(), "RELOADING=1\nMONOTONIC_USEC=", 27), 0);
	monitor_reload_failed(&monitor, "not this\nREADY=0");
	ck_assert_str_eq(hear(), "READY=1\nSTATUS=Reload failed: not this");
	monitor_stopping(&monitor, "Finishing");
	ck_assert_str_eq(hear(), "STOPPING=1\nSTATUS=Finishing");
	ck_assert_str_eq(hear(), "");
	finish();
}
END_TEST

START_TEST(counts_are_told_while_it_serves)
{
	start(10, NULL);
	monitor_ready(&monitor);
	hear();
	view.tally = (struct tally){.active = 1, .idle = 2, .requests = 30, .slow = 4};
	turn(1);
	ck_assert_int_eq(
	    strncmp(hear(),
		"STATUS=Processes active: 1, idle: 2, Requests: 30, slow: 4, Traffic: ", 67),
	    0);
	/* Fewer than before: a pool has gone. */
	view.tally.requests = 3;
	turn(1);
	ck_assert_str_eq(hear(),
	    "STATUS=Processes active: 1, idle: 2, Requests: 3, slow: 4, Traffic: 0.00req/sec");
	monitor_stopping(&monitor, "Terminating");
	hear();
	turn(2);
	ck_assert_str_eq(hear(), "");
	finish();
}
END_TEST

START_TEST(the_watchdog_is_fed_while_the_passes_come)
{
	start(10000, "40000");
	turn(1);
	ck_assert_str_eq(hear(), "WATCHDOG=1");
	monitor_ready(&monitor);
	hear();
	turn(1);
	ck_assert_int_eq(strncmp(hear(), "WATCHDOG=1\nSTATUS=", 18), 0);
	monitor_reloading(&monitor);
	hear();
	turn(1);
	ck_assert_str_eq(hear(), "WATCHDOG=1");
	finish();
}
END_TEST

START_TEST(a_loop_that_only_turns_starves_it)
{
	start(0, "40000");
	monitor_ready(&monitor);
	hear();
	view.passed_at_ms -= 5000;
	turn(2);
	ck_assert_int_eq(strncmp(hear(), "STATUS=", 7), 0);
	finish();
}
END_TEST

START_TEST(without_an_interval_there_is_silence)
{
	start(0, NULL);
	monitor_ready(&monitor);
	hear();
	ck_assert_uint_eq(monitor.timer.generation, 0);
	monitor_stopping(&monitor, "Terminating");
	ck_assert_str_eq(hear(), "STOPPING=1\nSTATUS=Terminating");
	finish();
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, states_are_told_in_these_words);
	tcase_add_test(tc, counts_are_told_while_it_serves);
	tcase_add_test(tc, the_watchdog_is_fed_while_the_passes_come);
	tcase_add_test(tc, a_loop_that_only_turns_starves_it);
	tcase_add_test(tc, without_an_interval_there_is_silence);
}

UNIT_MAIN("monitor", add)
