/* log: php-fpm's form, its limits, and never a wait. */
#include <errno.h>
#include <fcntl.h>
#include <regex.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"
#include "unit.h"

#define STAMP "^\\[[0-3][0-9]-[A-Z][a-z][a-z]-2[0-9]{3} [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\] "
#define STAMP_US \
	"^\\[[0-3][0-9]-[A-Z][a-z][a-z]-2[0-9]{3} [0-2][0-9]:[0-5][0-9]:[0-6][0-9]\\.[0-9]{6}\\] "

static void assert_matches(const char *text, const char *pattern)
{
	regex_t re;

	ck_assert_int_eq(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	ck_assert_msg(regexec(&re, text, 0, NULL, 0) == 0, "'%s' is not like '%s'", text, pattern);
	regfree(&re);
}

/* A log file of the test, and everything in it so far. */
static int open_file(void)
{
	char path[] = "/tmp/fpmx-test-log-XXXXXX";
	int fd = mkostemp(path, O_APPEND | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	unlink(path);
	return fd;
}

static char *text_of(int fd)
{
	static char text[65536];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);

	ck_assert_int_ge(n, 0);
	text[n] = '\0';
	return text;
}

static struct log_setup to(int fd)
{
	return (struct log_setup){.fd = fd, .mirror_fd = -1, .level = LOG_LEVEL_NOTICE};
}

START_TEST(a_line_is_stamped)
{
	struct log_setup s = to(open_file());

	log_configure(&s);
	log_notice("fpm is running, pid %d", 42);
	assert_matches(text_of(s.fd), STAMP "NOTICE: fpm is running, pid 42\n$");
}
END_TEST

START_TEST(a_pool_is_named_before_the_text)
{
	struct log_setup s = to(open_file());

	log_configure(&s);
	log_pool(LOG_LEVEL_WARNING, "www", "child %d exited", 7);
	assert_matches(text_of(s.fd), STAMP "WARNING: \\[pool www\\] child 7 exited\n$");
}
END_TEST

START_TEST(level_debug_says_microseconds_pid_function_and_line)
{
	struct log_setup s = to(open_file());

	s.level = LOG_LEVEL_DEBUG;
	log_configure(&s);
	log_error("text");
	assert_matches(text_of(s.fd),
	    STAMP_US "ERROR: pid [0-9]+, level_debug_[a-z_]+\\(\\), line [0-9]+: text\n$");
}
END_TEST

START_TEST(a_worker_line_is_plain)
{
	struct log_setup s = to(open_file());

	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	log_alert("text");
	ck_assert_str_eq(text_of(s.fd), "ALERT: text\n");

	s = to(open_file());
	s.form = LOG_FORM_PLAIN;
	s.level = LOG_LEVEL_DEBUG;
	log_configure(&s);
	log_alert("text");
	assert_matches(
	    text_of(s.fd), "^ALERT: a_worker_line_is_plain[a-z_]*\\(\\), line [0-9]+: text\n$");
}
END_TEST

START_TEST(lesser_levels_are_left_out)
{
	struct log_setup s = to(open_file());

	s.form = LOG_FORM_PLAIN;
	for (int level = 0; level < LOG_LEVEL_MAX; level++) {
		ck_assert_int_eq(ftruncate(s.fd, 0), 0);
		s.level = (enum log_level)level;
		log_configure(&s);
		for (int line = 0; line < LOG_LEVEL_MAX; line++)
			log_at((enum log_level)line, NULL, "%d", line);
		for (int line = 0; line < LOG_LEVEL_MAX; line++)
			ck_assert_int_eq(
			    strstr(text_of(s.fd), log_level_names[line]) != NULL, line >= level);
	}
}
END_TEST

START_TEST(the_mirror_gets_notices_and_above)
{
	struct log_setup s = to(open_file());

	s.mirror_fd = open_file();
	s.level = LOG_LEVEL_DEBUG;
	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	log_debug("one");
	log_notice("two");
	assert_matches(text_of(s.fd), "^DEBUG: .*: one\nNOTICE: .*: two\n$");
	assert_matches(text_of(s.mirror_fd), "^NOTICE: .*: two\n$");
	s.mirror_level = LOG_LEVEL_ERROR;
	log_configure(&s);
	log_warn("three");
	log_error("four");
	assert_matches(text_of(s.mirror_fd), "^NOTICE: .*: two\nERROR: .*: four\n$");
}
END_TEST

static size_t line_bytes(enum log_form form, uint32_t limit, size_t text_bytes)
{
	struct log_setup s = to(open_file());
	char *text = malloc(text_bytes + 1), *line;
	size_t n;

	memset(text, 't', text_bytes);
	text[text_bytes] = '\0';
	s.form = form;
	s.limit_bytes = limit;
	log_configure(&s);
	log_notice("%s", text);
	free(text);
	line = text_of(s.fd);
	n = strlen(line);
	ck_assert_int_eq(line[n - 1], '\n');
	ck_assert_ptr_eq(strchr(line, '\n'), line + n - 1);
	if (n - 1 < strlen("NOTICE: ") + text_bytes)
		ck_assert_str_eq(line + n - 5, "t...\n");
	else
		ck_assert_int_eq(line[n - 2], 't');
	close(s.fd);
	return n;
}

START_TEST(long_lines_are_cut_to_the_limit)
{
	static const size_t stamp = sizeof("[30-Nov-2026 14:42:00] ") - 1;
	static const size_t level = sizeof("NOTICE: ") - 1;

	ck_assert_uint_eq(line_bytes(LOG_FORM_STAMPED, 0, 4000), 1024);
	ck_assert_uint_eq(line_bytes(LOG_FORM_STAMPED, 512, 4000), 512);
	ck_assert_uint_eq(line_bytes(LOG_FORM_STAMPED, 8192, 4000), 2048); /* php-fpm's ceiling */
	ck_assert_uint_eq(line_bytes(LOG_FORM_STAMPED, 1024, 100), stamp + level + 101);
	ck_assert_uint_eq(line_bytes(LOG_FORM_PLAIN, 1024, 4000), 1024);
	ck_assert_uint_eq(line_bytes(LOG_FORM_PLAIN, 8192, 4000), level + 4001);
	ck_assert_uint_eq(line_bytes(LOG_FORM_PLAIN, 2048, 4000), 2048);

	/* The longest text that is not cut, and one byte more. */
	ck_assert_uint_eq(line_bytes(LOG_FORM_PLAIN, 1024, 1024 - level - 1), 1024);
	ck_assert_uint_eq(line_bytes(LOG_FORM_PLAIN, 1024, 1024 - level), 1024);
}
END_TEST

START_TEST(raw_text_goes_out_as_it_is)
{
	struct log_setup s = to(open_file());

	s.level = LOG_LEVEL_ALERT;
	log_configure(&s);
	log_raw("caught\0text\n", 12);
	ck_assert_int_eq(memcmp(text_of(s.fd), "caught\0text\n", 13), 0);
}
END_TEST

/* Writes lines until one is dropped; each takes no time. */
static unsigned fill(void)
{
	unsigned lines = 0;
	uint64_t start_ms = clock_now_ms();

	while (log_dropped() == 0) {
		log_notice("line %05u %0100d", lines++, 0);
		ck_assert_uint_lt(lines, 100000);
	}
	ck_assert_uint_lt(clock_now_ms() - start_ms, 20000);
	return lines - 1;
}

/* Everything that waits in fd; it must be whole lines. */
static unsigned drain(int fd)
{
	static char text[1 << 20];
	size_t len = 0;
	unsigned lines = 0;
	ssize_t n;

	ck_assert_int_eq(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	while ((n = read(fd, text + len, sizeof(text) - 1 - len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1, lines++) {
		*end = '\0';
		assert_matches(p, "^NOTICE: line [0-9]{5} (0{100})?$");
	}
	return lines;
}

START_TEST(a_full_pipe_drops_and_does_not_wait)
{
	int ends[2];
	struct log_setup s;
	unsigned written;

	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	s = to(ends[1]);
	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	written = fill();
	ck_assert_uint_gt(written, 100);
	log_notice("line 00000 dropped");
	ck_assert_uint_eq(log_dropped(), 2);
	/* Others share this description: it must still block for them. */
	ck_assert_int_eq(fcntl(ends[1], F_GETFL) & O_NONBLOCK, 0);
	ck_assert_uint_eq(drain(ends[0]), written);
	log_notice("line %05u ", 7);
	ck_assert_uint_eq(drain(ends[0]), 1);
	ck_assert_uint_eq(log_dropped(), 2);
}
END_TEST

START_TEST(a_full_socket_drops_and_does_not_wait)
{
	int ends[2];
	struct log_setup s;
	unsigned written;

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends), 0);
	s = to(ends[1]);
	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	written = fill();
	ck_assert_uint_ge(written, 1);
	ck_assert_uint_eq(drain(ends[0]), written);
}
END_TEST

START_TEST(a_line_cut_off_in_a_pipe_is_ended_before_the_next)
{
	static char big[65536], rest[65536];
	int ends[2];
	struct log_setup s;
	ssize_t n;

	/* One page of the pipe is free: 4096 of the 8000 bytes go out. */
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	ck_assert_int_eq(write(ends[1], big, sizeof(big) - 4096), (ssize_t)sizeof(big) - 4096);
	memset(big, 'b', sizeof(big));
	s = to(ends[1]);
	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	log_raw(big, 8000);
	ck_assert_uint_eq(log_dropped(), 1);
	ck_assert_int_eq(read(ends[0], rest, sizeof(rest)), (ssize_t)sizeof(rest));
	log_notice("next");
	n = read(ends[0], rest, sizeof(rest) - 1);
	ck_assert_int_gt(n, 0);
	rest[n] = '\0';
	ck_assert_str_eq(rest, "\nNOTICE: next\n");
	ck_assert_uint_eq(log_dropped(), 1);
}
END_TEST

START_TEST(a_full_disk_and_a_gone_reader_are_counted)
{
	struct log_setup s = to(open("/dev/full", O_WRONLY | O_CLOEXEC));
	int ends[2];

	ck_assert_int_ge(s.fd, 0);
	log_configure(&s);
	errno = EDOM;
	log_notice("text");
	ck_assert_int_eq(errno, EDOM);
	ck_assert_uint_eq(log_dropped(), 1);

	ck_assert_int_eq(sigaction(SIGPIPE, &(struct sigaction){.sa_handler = SIG_IGN}, NULL), 0);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	close(ends[0]);
	s = to(ends[1]);
	log_configure(&s);
	log_notice("text");
	ck_assert_uint_eq(log_dropped(), 2);

	s = to(-1);
	log_configure(&s);
	log_notice("nowhere by intention");
	ck_assert_uint_eq(log_dropped(), 2);
}
END_TEST

START_TEST(a_terminal_is_written_and_left_blocking)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;
	char text[256];
	struct log_setup s;
	ssize_t n;

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		unit_skip("no pseudo terminals here");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	ck_assert_int_ge(slave, 0);
	s = to(slave);
	s.form = LOG_FORM_PLAIN;
	log_configure(&s);
	log_notice("hello");
	n = read(master, text, sizeof(text) - 1);
	ck_assert_int_gt(n, 0);
	text[n] = '\0';
	ck_assert_str_eq(text, "NOTICE: hello\r\n");
	ck_assert_int_eq(fcntl(slave, F_GETFL) & O_NONBLOCK, 0);
	fill(); /* nobody reads any more */
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_line_is_stamped);
	tcase_add_test(tc, a_pool_is_named_before_the_text);
	tcase_add_test(tc, level_debug_says_microseconds_pid_function_and_line);
	tcase_add_test(tc, a_worker_line_is_plain);
	tcase_add_test(tc, lesser_levels_are_left_out);
	tcase_add_test(tc, the_mirror_gets_notices_and_above);
	tcase_add_test(tc, long_lines_are_cut_to_the_limit);
	tcase_add_test(tc, raw_text_goes_out_as_it_is);
	tcase_add_test(tc, a_full_pipe_drops_and_does_not_wait);
	tcase_add_test(tc, a_full_socket_drops_and_does_not_wait);
	tcase_add_test(tc, a_line_cut_off_in_a_pipe_is_ended_before_the_next);
	tcase_add_test(tc, a_full_disk_and_a_gone_reader_are_counted);
	tcase_add_test(tc, a_terminal_is_written_and_left_blocking);
}

UNIT_MAIN("log", add)
