/* orphans: connections handed from one worker to the next. */
#include "worker/orphans.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <unistd.h>

#include "unit.h"

static int ends[2];

static void setup(void)
{
	struct err e;

	ck_assert_int_eq(orphans_open(ends, &e), 0);
}

static void teardown(void)
{
	close(ends[0]);
	close(ends[1]);
}

START_TEST(a_connection_arrives_with_its_peer)
{
	struct orphan given = {.peer_len = sizeof(struct sockaddr_in)}, taken;
	struct sockaddr_in *from = (struct sockaddr_in *)&given.peer;
	int pair[2], fd;
	char byte = 0;

	from->sin_family = AF_INET;
	from->sin_port = 77;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	ck_assert(orphans_give(ends[1], pair[0], &given));
	close(pair[0]);
	fd = orphans_take(ends[0], &taken);
	ck_assert_int_ge(fd, 0);
	ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	ck_assert_int_eq(taken.peer_len, given.peer_len);
	ck_assert_int_eq(((struct sockaddr_in *)&taken.peer)->sin_port, 77);
	ck_assert_int_eq(write(pair[1], "x", 1), 1);
	ck_assert_int_eq(read(fd, &byte, 1), 1);
	ck_assert_int_eq(byte, 'x');
	close(fd);
	close(pair[1]);
}
END_TEST

START_TEST(nobody_waits_for_one)
{
	struct orphan taken;

	ck_assert_int_eq(orphans_take(ends[0], &taken), -1);
}
END_TEST

START_TEST(a_full_pair_is_told_of)
{
	struct orphan given = {.peer_len = 0}, taken;
	unsigned n = 0;
	int fd;

	while (orphans_give(ends[1], STDIN_FILENO, &given))
		ck_assert_uint_lt(++n, 100000);
	ck_assert_uint_ge(n, 10);
	while ((fd = orphans_take(ends[0], &taken)) >= 0) {
		close(fd);
		n--;
	}
	ck_assert_uint_eq(n, 0);
}
END_TEST

START_TEST(bytes_without_a_connection_are_none)
{
	struct orphan taken = {.peer_len = 0};

	ck_assert_int_eq(send(ends[1], &taken, sizeof(taken), 0), sizeof(taken));
	ck_assert_int_eq(orphans_take(ends[0], &taken), -1);
	ck_assert_int_eq(send(ends[1], "x", 1, 0), 1);
	ck_assert_int_eq(orphans_take(ends[0], &taken), -1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_connection_arrives_with_its_peer);
	tcase_add_test(tc, nobody_waits_for_one);
	tcase_add_test(tc, a_full_pair_is_told_of);
	tcase_add_test(tc, bytes_without_a_connection_are_none);
}

UNIT_MAIN("orphans", add)
