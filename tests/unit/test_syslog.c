/* syslog: what the logger gets, and that nobody waits for it. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/syslog.h"
#include "unit.h"

static char dir[] = "/tmp/fpmx-test-syslog-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};

/* A logger at the path of the test. */
static int start_logger(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	unlink(address.sun_path);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static const char *received(int fd)
{
	static char text[8192];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

/* The message behind "<30>Nov 30 14:42:00 php-fpm[7]: ". */
static const char *message_of(const char *text)
{
	char want[64];
	const char *at;

	ck_assert_int_eq(text[0], '<');
	snprintf(want, sizeof(want), " php-fpm[%d]: ", (int)getpid());
	at = strstr(text, want);
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(at - strchr(text, '>'), (int)sizeof("Nov 30 14:42:00"));
	return at + strlen(want);
}

static void make(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/log", dir);
	syslog_open(address.sun_path, "php-fpm", LOG_DAEMON);
}

static void unmake(void)
{
	unlink(address.sun_path);
	rmdir(dir);
}

START_TEST(log_lines_arrive_with_their_gravity)
{
	struct log_setup s = {.fd = -1, .mirror_fd = -1, .level = LOG_LEVEL_DEBUG, .syslog = true};
	int logger = start_logger();
	const char *text;

	log_configure(&s);
	log_pool(LOG_LEVEL_WARNING, "www", "child %d exited", 7);
	text = received(logger);
	ck_assert_int_eq(strncmp(text, "<28>", 4), 0);
	ck_assert_str_eq(message_of(text), "[WARNING] [pool www] child 7 exited");
	log_alert("end");
	text = received(logger);
	ck_assert_int_eq(strncmp(text, "<25>", 4), 0);
	ck_assert_str_eq(message_of(text), "[ALERT] end");
	log_raw("caught\n", 7);
	ck_assert_str_eq(message_of(received(logger)), "caught");
	ck_assert_uint_eq(log_dropped(), 0);
}
END_TEST

START_TEST(a_logger_that_does_not_read_is_not_waited_for)
{
	int logger = start_logger();
	uint64_t start_ms = clock_now_ms();
	unsigned sent = 0;

	while (syslog_send(LOG_NOTICE, "text", 4))
		ck_assert_uint_lt(++sent, 100000);
	ck_assert_uint_ge(sent, 1);
	ck_assert_uint_lt(clock_now_ms() - start_ms, 20000);
	while (*received(logger))
		sent--;
	ck_assert_uint_eq(sent, 0);
	ck_assert(syslog_send(LOG_NOTICE, "again", 5));
	ck_assert_str_eq(message_of(received(logger)), "again");
}
END_TEST

START_TEST(a_logger_started_anew_is_found)
{
	int logger = start_logger();

	ck_assert(syslog_send(LOG_NOTICE, "one", 3));
	close(logger);
	errno = EDOM;
	ck_assert(!syslog_send(LOG_NOTICE, "two", 3));
	ck_assert_int_eq(errno, EDOM);
	logger = start_logger();
	ck_assert(syslog_send(LOG_NOTICE, "three", 5));
	ck_assert_str_eq(message_of(received(logger)), "three");
}
END_TEST

START_TEST(without_a_logger_lines_are_counted_as_dropped)
{
	struct log_setup s = {.fd = -1, .mirror_fd = -1, .syslog = true};

	log_configure(&s);
	log_notice("nobody hears this");
	ck_assert_uint_eq(log_dropped(), 1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, log_lines_arrive_with_their_gravity);
	tcase_add_test(tc, a_logger_that_does_not_read_is_not_waited_for);
	tcase_add_test(tc, a_logger_started_anew_is_found);
	tcase_add_test(tc, without_a_logger_lines_are_counted_as_dropped);
}

UNIT_MAIN("syslog", add)
