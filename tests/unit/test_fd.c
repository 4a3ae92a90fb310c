/* fd: whole reads and writes, sealed files, and closing all but a few. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/fd.h"
#include "unit.h"

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

START_TEST(closing_keeps_errno_and_forgets_the_number)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), old = fd;

	errno = EDOM;
	fd_close(&fd);
	ck_assert_int_eq(fd, -1);
	ck_assert(!is_open(old));
	fd_close(&fd);
	errno = EDOM;
	fd = 999999;
	fd_close(&fd);
	ck_assert_int_eq(errno, EDOM);
}
END_TEST

START_TEST(flags_are_set_and_unset)
{
	int ends[2];
	struct err e;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(fd_nonblock(ends[0], true, &e), 0);
	ck_assert(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	ck_assert_int_eq(fd_nonblock(ends[0], false, &e), 0);
	ck_assert(!(fcntl(ends[0], F_GETFL) & O_NONBLOCK));
	ck_assert_int_eq(fd_cloexec(ends[0], true, &e), 0);
	ck_assert_int_eq(fcntl(ends[0], F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fd_cloexec(ends[0], false, &e), 0);
	ck_assert_int_eq(fcntl(ends[0], F_GETFD), 0);
	ck_assert_int_eq(fd_nonblock(999999, true, &e), -1);
	ck_assert_int_eq(e.sys, EBADF);
	ck_assert_int_eq(fd_cloexec(999999, true, &e), -1);
}
END_TEST

START_TEST(a_short_file_is_an_error)
{
	int ends[2];
	char got[8];
	struct err e;

	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(fd_write_all(ends[1], "abcdef", 6, &e), 0);
	ck_assert_int_eq(fd_read_all(ends[0], got, 4, &e), 0);
	ck_assert_int_eq(memcmp(got, "abcd", 4), 0);
	close(ends[1]);
	ck_assert_int_eq(fd_read_all(ends[0], got, 4, &e), -1);
	ck_assert_str_eq(e.text, "read: ended 2 bytes early");
}
END_TEST

START_TEST(sealed_bytes_cannot_be_changed)
{
	struct err e;
	char *text;
	size_t n;
	int fd = fd_sealed("test", "hello", 5, &e);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(write(fd, "x", 1), -1);
	ck_assert_int_eq(ftruncate(fd, 0), -1);
	ck_assert_int_eq(ftruncate(fd, 100), -1);
	ck_assert_int_eq(fd_slurp(fd, 5, &text, &n, &e), 0);
	ck_assert_uint_eq(n, 5);
	ck_assert_str_eq(text, "hello");
	free(text);
	close(fd);
}
END_TEST

START_TEST(slurp_takes_up_to_its_maximum)
{
	static char big[20000];
	struct err e;

	memset(big, 'z', sizeof(big));
	for (size_t n = 0; n <= sizeof(big); n += 2500) {
		char *text = NULL;
		size_t got = 0;
		int fd = fd_sealed("test", big, n, &e);

		ck_assert_int_eq(fd_slurp(fd, n, &text, &got, &e), 0);
		ck_assert_uint_eq(got, n);
		ck_assert_uint_eq(strlen(text), n);
		free(text);
		if (n > 0) {
			lseek(fd, 0, SEEK_SET);
			ck_assert_int_eq(fd_slurp(fd, n - 1, &text, &got, &e), -1);
		}
		close(fd);
	}
}
END_TEST

START_TEST(raising_keeps_close_on_exec_as_it_was)
{
	struct err e;
	int plain = open("/dev/null", O_RDONLY), marked = open("/dev/null", O_RDONLY | O_CLOEXEC);
	int a = fd_raise(plain, 100, &e), b = fd_raise(marked, 100, &e);

	ck_assert_int_ge(a, 100);
	ck_assert_int_ge(b, 100);
	ck_assert(!is_open(plain) && !is_open(marked));
	ck_assert_int_eq(fcntl(a, F_GETFD), 0);
	ck_assert_int_eq(fcntl(b, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fd_raise(a, 50, &e), a);
	ck_assert_int_eq(fd_raise(999999, 1000001, &e), -1);
}
END_TEST

START_TEST(all_but_the_kept_are_closed)
{
	int keep[] = {73, -1, 40, 55, 41, 73}; /* any order, gaps, twice, none */

	for (int fd = 30; fd < 90; fd++)
		ck_assert_int_eq(dup2(STDERR_FILENO, fd), fd);
	fd_close_others(35, keep, sizeof(keep) / sizeof(keep[0]));
	for (int fd = 0; fd < 3; fd++)
		ck_assert(is_open(fd));
	for (int fd = 30; fd < 90; fd++) {
		bool kept = fd < 35 || fd == 73 || fd == 40 || fd == 55 || fd == 41;

		ck_assert_msg(is_open(fd) == kept, "descriptor %d", fd);
	}
	fd_close_others(30, NULL, 0);
	for (int fd = 30; fd < 90; fd++)
		ck_assert(!is_open(fd));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, closing_keeps_errno_and_forgets_the_number);
	tcase_add_test(tc, flags_are_set_and_unset);
	tcase_add_test(tc, a_short_file_is_an_error);
	tcase_add_test(tc, sealed_bytes_cannot_be_changed);
	tcase_add_test(tc, slurp_takes_up_to_its_maximum);
	tcase_add_test(tc, raising_keeps_close_on_exec_as_it_was);
	tcase_add_test(tc, all_but_the_kept_are_closed);
}

UNIT_MAIN("fd", add)
