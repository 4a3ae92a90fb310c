/* notify: what is said, what waits, what the environment keeps. */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "master/notify.h"
#include "notifysocket.h"
#include "unit.h"

/* The other side: an abstract socket, so that there is nothing to clean up. */
static int other;

static void listen_for_it(void)
{
	other = notifysocket_open();
}

static void expect(const char *text)
{
	char got[1024] = "";
	ssize_t n = recv(other, got, sizeof(got) - 1, 0);

	ck_assert_int_gt(n, 0);
	ck_assert_str_eq(got, text);
}

static void expect_nothing(void)
{
	char got[1];

	ck_assert_int_eq(recv(other, got, sizeof(got), 0), -1);
}

/* Until nothing goes any more; how much did. */
static int fill(struct notify *n)
{
	int sent = 0;

	while (notify_say(n, "N=%d", sent) && n->nwaiting == 0)
		sent++;
	return sent;
}

START_TEST(the_environment_is_cleaned_and_restored)
{
	struct notify n;
	char name[64];
	char pid[16];

	listen_for_it();
	snprintf(name, sizeof(name), "%s", getenv("NOTIFY_SOCKET"));
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("WATCHDOG_USEC", "3000000", 1);
	setenv("WATCHDOG_PID", pid, 1);
	setenv("FDSTORE", "7", 1);
	notify_init(&n);
	ck_assert(notify_is_on(&n));
	ck_assert_uint_eq(n.watchdog_ms, 3000);
	ck_assert(n.stores);
	ck_assert_ptr_null(getenv("NOTIFY_SOCKET"));
	ck_assert_ptr_null(getenv("WATCHDOG_USEC"));
	ck_assert_ptr_null(getenv("WATCHDOG_PID"));
	ck_assert_ptr_null(getenv("FDSTORE"));
	ck_assert_int_eq(notify_restore(&n, NULL), 0);
	ck_assert_str_eq(getenv("NOTIFY_SOCKET"), name);
	ck_assert_str_eq(getenv("WATCHDOG_USEC"), "3000000");
	ck_assert_str_eq(getenv("WATCHDOG_PID"), pid);
	ck_assert_str_eq(getenv("FDSTORE"), "7");
	notify_free(&n);
}
END_TEST

static uint32_t watchdog_of(const char *usec, const char *pid)
{
	struct notify n;
	uint32_t ms;

	setenv("WATCHDOG_USEC", usec, 1);
	if (pid)
		setenv("WATCHDOG_PID", pid, 1);
	notify_init(&n);
	ms = n.watchdog_ms;
	notify_free(&n);
	return ms;
}

START_TEST(a_watchdog_is_ours_or_none)
{
	ck_assert_uint_eq(watchdog_of("2500000", NULL), 2500);
	ck_assert_uint_eq(watchdog_of("2500000", "1"), 0);
	ck_assert_uint_eq(watchdog_of("2500000", "x"), 0);
	ck_assert_uint_eq(watchdog_of("-1", NULL), 0);
	ck_assert_uint_eq(watchdog_of("", NULL), 0);
	ck_assert_uint_eq(watchdog_of("12 s", NULL), 0);
	ck_assert_uint_eq(watchdog_of("99999999999999999999", NULL), 0);
	ck_assert_uint_eq(watchdog_of("18446744073709551615", NULL), UINT32_MAX);
}
END_TEST

START_TEST(nobody_to_be_told_is_fine)
{
	struct notify n;

	unsetenv("NOTIFY_SOCKET");
	notify_init(&n);
	ck_assert(!notify_is_on(&n));
	ck_assert(notify_say(&n, "READY=1"));
	notify_hint(&n, "STATUS=x");
	notify_flush(&n);
	ck_assert(notify_store(&n, "x", 0));
	ck_assert(notify_unstore(&n, "x"));
	notify_free(&n);

	/* Somewhere that cannot be. */
	setenv("NOTIFY_SOCKET", "relative", 1);
	notify_init(&n);
	ck_assert(!notify_say(&n, "READY=1"));
	notify_free(&n);
	setenv("NOTIFY_SOCKET", "/nonexistent/notify", 1);
	notify_init(&n);
	ck_assert(!notify_say(&n, "READY=1"));
	ck_assert_uint_eq(n.nwaiting, 0);
	notify_free(&n);
}
END_TEST

START_TEST(states_wait_for_room_in_order)
{
	struct notify n;
	char text[32];
	int sent;

	listen_for_it();
	notify_init(&n);
	sent = fill(&n);
	ck_assert_int_gt(sent, 0);
	ck_assert(notify_say(&n, "READY=1"));
	notify_hint(&n, "STATUS=of no use later");
	ck_assert_uint_eq(n.nwaiting, 2);
	for (int i = 0; i < sent; i++) {
		snprintf(text, sizeof(text), "N=%d", i);
		expect(text);
	}
	expect_nothing();
	notify_hint(&n, "STATUS=now");
	snprintf(text, sizeof(text), "N=%d", sent);
	expect(text);
	expect("READY=1");
	expect("STATUS=now");
	expect_nothing();
	notify_free(&n);
}
END_TEST

START_TEST(an_end_is_still_told)
{
	struct notify n;
	int sent;

	listen_for_it();
	notify_init(&n);
	sent = fill(&n);
	ck_assert(notify_say(&n, "STOPPING=1"));
	for (int i = 0; i <= sent; i++) {
		char got[64];

		if (recv(other, got, sizeof(got), 0) < 0)
			break;
	}
	notify_free(&n);
	for (;;) {
		char got[64] = "";

		ck_assert_int_gt(recv(other, got, sizeof(got) - 1, 0), 0);
		if (strcmp(got, "STOPPING=1") == 0)
			break;
	}
	expect_nothing();
}
END_TEST

START_TEST(the_newest_states_are_kept)
{
	struct notify n;
	char text[32];
	int sent;

	listen_for_it();
	notify_init(&n);
	sent = fill(&n);
	for (int i = 0; i < NOTIFY_WAITING_MAX; i++)
		ck_assert(notify_say(&n, "STATE=%d", i));
	ck_assert_uint_eq(n.nwaiting, NOTIFY_WAITING_MAX);
	for (int i = 0; i < sent; i++) {
		char got[64];

		ck_assert_int_gt(recv(other, got, sizeof(got), 0), 0);
	}
	notify_flush(&n);
	for (int i = 0; i < NOTIFY_WAITING_MAX; i++) {
		snprintf(text, sizeof(text), "STATE=%d", i);
		expect(text);
	}
	expect_nothing();
	notify_free(&n);
}
END_TEST

START_TEST(a_descriptor_travels_with_its_name)
{
	char text[256] = "", control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = {.iov_base = text, .iov_len = sizeof(text) - 1};
	struct msghdr msg = {.msg_iov = &iov,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof(control)};
	struct notify n;
	int ends[2], copy;
	char byte;

	listen_for_it();
	notify_init(&n);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert(notify_store(&n, "a name", ends[1]));
	ck_assert_int_gt(recvmsg(other, &msg, 0), 0);
	ck_assert_str_eq(text, "FDSTORE=1\nFDPOLL=0\nFDNAME=a name");
	ck_assert_ptr_nonnull(CMSG_FIRSTHDR(&msg));
	memcpy(&copy, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(copy));
	ck_assert_int_eq(write(copy, "x", 1), 1);
	ck_assert_int_eq(read(ends[0], &byte, 1), 1);
	ck_assert(notify_unstore(&n, "a name"));
	expect("FDSTOREREMOVE=1\nFDNAME=a name");
	notify_free(&n);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_environment_is_cleaned_and_restored);
	tcase_add_test(tc, a_watchdog_is_ours_or_none);
	tcase_add_test(tc, nobody_to_be_told_is_fine);
	tcase_add_test(tc, states_wait_for_room_in_order);
	tcase_add_test(tc, an_end_is_still_told);
	tcase_add_test(tc, the_newest_states_are_kept);
	tcase_add_test(tc, a_descriptor_travels_with_its_name);
}

UNIT_MAIN("notify", add)
