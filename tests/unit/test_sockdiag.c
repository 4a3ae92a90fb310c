/* sockdiag: how many wait in a listening queue. */
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "master/sockdiag.h"
#include "unit.h"

static void expect(int netlink_fd, int listen_fd, unsigned waiting, unsigned room)
{
	struct sockdiag_queue q;

	ck_assert(sockdiag_queue(netlink_fd, listen_fd, &q));
	ck_assert_uint_eq(q.waiting, waiting);
	ck_assert_uint_eq(q.room, room);
}

static void fill_and_drain(int netlink_fd, struct sockaddr *sa, socklen_t n)
{
	int l = socket(sa->sa_family, SOCK_STREAM, 0), clients[3];

	ck_assert_int_eq(bind(l, sa, n), 0);
	ck_assert_int_eq(listen(l, 7), 0);
	ck_assert_int_eq(getsockname(l, sa, &n), 0);
	expect(netlink_fd, l, 0, 7);
	for (unsigned i = 0; i < 3; i++) {
		clients[i] = socket(sa->sa_family, SOCK_STREAM, 0);
		ck_assert_int_eq(connect(clients[i], sa, n), 0);
		usleep(20 * 1000);
		expect(netlink_fd, l, i + 1, 7);
	}
	close(accept(l, NULL, NULL));
	expect(netlink_fd, l, 2, 7);
	for (unsigned i = 0; i < 3; i++)
		close(clients[i]);
	close(l);
}

START_TEST(unix_queues_are_counted)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int netlink_fd = sockdiag_open();
	struct sockdiag_queue q;
	int probe = socket(AF_UNIX, SOCK_STREAM, 0);

	/* An abstract name: nothing to clean up. */
	snprintf(un.sun_path + 1, sizeof(un.sun_path) - 1, "fpmx-unit-%d", (int)getpid());
	if (!sockdiag_queue(netlink_fd, probe, &q))
		unit_skip("the kernel tells nothing of unix sockets here");
	fill_and_drain(netlink_fd, (struct sockaddr *)&un, sizeof(un));
}
END_TEST

START_TEST(tcp_queues_are_counted)
{
	struct sockaddr_in in = {.sin_family = AF_INET};

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	fill_and_drain(-1, (struct sockaddr *)&in, sizeof(in));
}
END_TEST

START_TEST(what_is_not_known_is_said)
{
	struct sockdiag_queue q;
	int l = socket(AF_UNIX, SOCK_STREAM, 0), pipe_fds[2];

	ck_assert(!sockdiag_queue(-1, l, &q));
	ck_assert_int_eq(pipe(pipe_fds), 0);
	ck_assert(!sockdiag_queue(-1, pipe_fds[0], &q));
	ck_assert_uint_eq(q.waiting, 0);
	close(l);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, unix_queues_are_counted);
	tcase_add_test(tc, tcp_queues_are_counted);
	tcase_add_test(tc, what_is_not_known_is_said);
}

UNIT_MAIN("sockdiag", add)
