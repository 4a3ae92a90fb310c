/* chan: what is in the table passes; everything else closes the channel. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "proc/chan.h"
#include "unit.h"

#define MANY 8 /* more descriptors than any message may bring */

static struct err e;

static unsigned open_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int some_fd(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

/* A pair without the refusal of descriptors that newer kernels can do. */
static void raw_pair(int ends[2])
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
	ck_assert_int_eq(fd_nonblock(ends[0], true, &e), 0);
	ck_assert_int_eq(fd_nonblock(ends[1], true, &e), 0);
}

static enum msg_side sender_of(enum msg_type type)
{
	static const enum msg_side from[MSG_MAX] = {
#define MESSAGE(IDENT, side, payload, fds, doc) [MSG_##IDENT] = MSG_FROM_##side,
#include "proc/messages.def"
#undef MESSAGE
	};
	return from[type];
}

static size_t payload_bytes_of(enum msg_type type)
{
	static const size_t bytes[MSG_MAX] = {
#define MESSAGE(IDENT, side, payload, fds, doc) [MSG_##IDENT] = sizeof(struct msg_##payload),
#include "proc/messages.def"
#undef MESSAGE
	};
	return bytes[type];
}

static int fds_of(enum msg_type type)
{
	static const int most[MSG_MAX] = {
#define MESSAGE(IDENT, side, payload, fds, doc) [MSG_##IDENT] = fds,
#include "proc/messages.def"
#undef MESSAGE
	};
	return most[type];
}

static enum msg_side other(enum msg_side side)
{
	return side == MSG_FROM_MASTER ? MSG_FROM_TEMPLATE : MSG_FROM_MASTER;
}

/* A message as it is on the wire, got by listening to one that is right. */
struct wire {
	char bytes[2048];
	size_t n;
};

static struct wire wire_of(enum msg_type type)
{
	struct msg msg = {.type = type};
	struct wire w;
	int ends[2];
	ssize_t n;

	raw_pair(ends);
	ck_assert_int_eq(chan_send(ends[0], sender_of(type), &msg, &e), CHAN_OK);
	n = recv(ends[1], w.bytes, sizeof(w.bytes), 0);
	ck_assert_int_gt(n, 0);
	w.n = (size_t)n;
	close(ends[0]);
	close(ends[1]);
	return w;
}

/* Sends bytes and nfds descriptors as they are, and receives them as side. */
static enum chan_result deliver(const struct wire *w, int nfds, enum msg_side side, struct msg *msg)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * MANY)];
	} control = {.bytes = {0}};
	struct iovec iov = {.iov_base = (void *)(uintptr_t)w->bytes, .iov_len = w->n};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
	enum chan_result result;
	int ends[2], fds[MANY];

	raw_pair(ends);
	for (int i = 0; i < nfds; i++)
		fds[i] = some_fd();
	if (nfds > 0) {
		struct cmsghdr *c;

		m.msg_control = control.bytes;
		m.msg_controllen = CMSG_SPACE(sizeof(int) * (size_t)nfds);
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * (size_t)nfds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * (size_t)nfds);
	}
	ck_assert_int_eq(sendmsg(ends[1], &m, 0), (ssize_t)w->n);
	result = chan_recv(ends[0], side, msg, &e);
	for (int i = 0; i < nfds; i++)
		close(fds[i]);
	close(ends[0]);
	close(ends[1]);
	return result;
}

static void assert_abuse(const struct wire *w, int nfds, enum msg_side side)
{
	unsigned before = open_fds();
	struct msg msg;

	ck_assert_int_eq(deliver(w, nfds, side, &msg), CHAN_ABUSE);
	ck_assert_int_eq(msg.type, MSG_NONE);
	ck_assert_int_eq(msg.nfds, 0);
	ck_assert_int_eq(strncmp(e.text, "channel: ", 9), 0);
	ck_assert_uint_eq(open_fds(), before);
}

START_TEST(the_pair_is_close_on_exec_and_the_masters_end_never_blocks)
{
	int ends[2];
	struct msg msg;

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(fcntl(ends[i], F_GETFD), FD_CLOEXEC);
	ck_assert(fcntl(ends[0], F_GETFL) & O_NONBLOCK);
	ck_assert(!(fcntl(ends[1], F_GETFL) & O_NONBLOCK));
	ck_assert_int_eq(chan_recv(ends[0], MSG_FROM_MASTER, &msg, &e), CHAN_AGAIN);
}
END_TEST

START_TEST(every_message_arrives_as_it_was_sent)
{
	srand(3);
	for (int type = MSG_NONE + 1; type < MSG_MAX; type++) {
		enum msg_side from = sender_of((enum msg_type)type);
		struct msg sent = {.type = (enum msg_type)type}, got;
		int ends[2], master;

		ck_assert_int_eq(chan_pair(ends, &e), 0);
		master = from == MSG_FROM_MASTER;
		for (size_t i = 0; i < payload_bytes_of(sent.type); i++)
			((char *)&sent.u)[i] = (char)('!' + rand() % 90);
		if (type == MSG_FAILED)
			sent.u.failed.text[sizeof(sent.u.failed.text) - 1] = '\0';
		ck_assert_int_eq(chan_send(ends[!master], from, &sent, &e), CHAN_OK);
		ck_assert_int_eq(chan_recv(ends[master], other(from), &got, &e), CHAN_OK);
		ck_assert_int_eq(got.type, type);
		ck_assert_int_eq(memcmp(&got.u, &sent.u, payload_bytes_of(sent.type)), 0);
		ck_assert_int_eq(got.nfds, 0);
		close(ends[0]);
		close(ends[1]);
	}
}
END_TEST

START_TEST(allowed_descriptors_arrive_in_order_and_close_on_exec)
{
	int ends[2];
	struct msg sent = {.type = MSG_REOPEN, .nfds = 2, .fds = {STDERR_FILENO, some_fd()}}, got;
	struct stat a, b;

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	ck_assert_int_eq(chan_send(ends[0], MSG_FROM_MASTER, &sent, &e), CHAN_OK);
	ck_assert_int_eq(chan_recv(ends[1], MSG_FROM_TEMPLATE, &got, &e), CHAN_OK);
	ck_assert_int_eq(got.nfds, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(fcntl(got.fds[i], F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(fstat(sent.fds[i], &a), 0);
		ck_assert_int_eq(fstat(got.fds[i], &b), 0);
		ck_assert_uint_eq(a.st_ino, b.st_ino);
	}
}
END_TEST

START_TEST(unknown_types_are_abuse)
{
	static const uint32_t types[] = {MSG_NONE, MSG_MAX, MSG_MAX + 1, 1000, UINT32_MAX};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		struct wire w = wire_of(MSG_PONG);

		memcpy(w.bytes, &types[i], sizeof(types[i]));
		assert_abuse(&w, 0, MSG_FROM_MASTER);
		assert_abuse(&w, 2, MSG_FROM_MASTER);
	}
}
END_TEST

START_TEST(every_wrong_size_is_abuse)
{
	for (int type = MSG_NONE + 1; type < MSG_MAX; type++) {
		enum msg_side side = other(sender_of((enum msg_type)type));
		struct wire w = wire_of((enum msg_type)type);
		size_t right = w.n;

		memset(w.bytes + right, 0, sizeof(w.bytes) - right);
		for (w.n = 1; w.n < right; w.n++)
			assert_abuse(&w, 0, side);
		for (w.n = right + 1; w.n < right + 20; w.n++)
			assert_abuse(&w, 0, side);
		w.n = sizeof(w.bytes);
		assert_abuse(&w, 0, side);
	}
}
END_TEST

START_TEST(a_message_for_the_other_side_is_abuse)
{
	for (int type = MSG_NONE + 1; type < MSG_MAX; type++) {
		struct wire w = wire_of((enum msg_type)type);

		assert_abuse(&w, 0, sender_of((enum msg_type)type));
	}
}
END_TEST

START_TEST(surplus_descriptors_are_closed_and_abuse)
{
	for (int type = MSG_NONE + 1; type < MSG_MAX; type++) {
		enum msg_side side = other(sender_of((enum msg_type)type));
		struct wire w = wire_of((enum msg_type)type);

		for (int n = fds_of((enum msg_type)type) + 1; n <= MANY; n++)
			assert_abuse(&w, n, side);
	}
}
END_TEST

START_TEST(random_bytes_break_nothing)
{
	unsigned before = open_fds(), passed = 0;

	srand(11);
	for (int i = 0; i < 5000; i++) {
		struct wire w = wire_of((enum msg_type)(1 + rand() % (MSG_MAX - 1)));
		enum msg_side side = rand() % 2 ? MSG_FROM_MASTER : MSG_FROM_TEMPLATE;
		struct msg msg;
		enum chan_result result;

		for (int k = rand() % 3; k > 0; k--)
			w.bytes[rand() % 12] = (char)(rand() % 10);
		if (rand() % 4 == 0)
			w.n = (size_t)(1 + rand() % 600);
		result = deliver(&w, rand() % 4, side, &msg);
		ck_assert(result == CHAN_OK || result == CHAN_ABUSE);
		passed += result == CHAN_OK;
		while (msg.nfds > 0)
			close(msg.fds[--msg.nfds]);
	}
	ck_assert_uint_gt(passed, 100);
	ck_assert_uint_eq(open_fds(), before);
}
END_TEST

START_TEST(a_failure_text_is_one_line_with_an_end)
{
	struct msg sent = {.type = MSG_FAILED}, got;
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	memset(sent.u.failed.text, 'x', sizeof(sent.u.failed.text));
	memcpy(sent.u.failed.text, "a\nb\033c\177d\xc3\xa4", 9);
	ck_assert_int_eq(chan_send(ends[1], MSG_FROM_TEMPLATE, &sent, &e), CHAN_OK);
	ck_assert_int_eq(chan_recv(ends[0], MSG_FROM_MASTER, &got, &e), CHAN_OK);
	ck_assert_int_eq(strncmp(got.u.failed.text, "a b c d\xc3\xa4xx", 11), 0);
	ck_assert_uint_eq(strlen(got.u.failed.text), sizeof(got.u.failed.text) - 1);
}
END_TEST

START_TEST(a_full_channel_says_again)
{
	struct msg msg = {.type = MSG_PING};
	unsigned sent = 0, received = 0;
	enum chan_result result;
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	while ((result = chan_send(ends[0], MSG_FROM_MASTER, &msg, &e)) == CHAN_OK)
		msg.u.ping.number = ++sent;
	ck_assert_int_eq(result, CHAN_AGAIN);
	ck_assert_uint_gt(sent, 8);
	while (received < sent) {
		ck_assert_int_eq(chan_recv(ends[1], MSG_FROM_TEMPLATE, &msg, &e), CHAN_OK);
		ck_assert_uint_eq(msg.u.ping.number, received++);
	}
}
END_TEST

START_TEST(a_gone_peer_is_told)
{
	struct msg msg = {.type = MSG_PING};
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	close(ends[1]);
	ck_assert_int_eq(chan_recv(ends[0], MSG_FROM_MASTER, &msg, &e), CHAN_CLOSED);
	msg = (struct msg){.type = MSG_PING};
	ck_assert_int_eq(chan_send(ends[0], MSG_FROM_MASTER, &msg, &e), CHAN_CLOSED);
}
END_TEST

/* With orders unread the kernel reports a reset before what is still in the queue. */
START_TEST(the_last_words_of_a_gone_peer_are_heard)
{
	struct msg order = {.type = MSG_FORK};
	struct msg forked = {.type = MSG_FORKED, .u.forked = {.slot = 3, .order = 9, .pid = 77}};
	struct msg got;
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	ck_assert_int_eq(chan_send(ends[0], MSG_FROM_MASTER, &order, &e), CHAN_OK);
	ck_assert_int_eq(chan_send(ends[1], MSG_FROM_TEMPLATE, &forked, &e), CHAN_OK);
	close(ends[1]);
	ck_assert_int_eq(chan_recv(ends[0], MSG_FROM_MASTER, &got, &e), CHAN_OK);
	ck_assert_int_eq(got.type, MSG_FORKED);
	ck_assert_int_eq(got.u.forked.pid, 77);
	ck_assert_int_eq(chan_recv(ends[0], MSG_FROM_MASTER, &got, &e), CHAN_CLOSED);
}
END_TEST

START_TEST(sending_what_is_not_ours_is_a_panic)
{
	struct msg msg = {.type = MSG_READY};
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	(void)!chan_send(ends[0], MSG_FROM_MASTER, &msg, &e);
}
END_TEST

START_TEST(sending_too_many_descriptors_is_a_panic)
{
	struct msg msg = {.type = MSG_PING, .nfds = 1, .fds = {2}};
	int ends[2];

	ck_assert_int_eq(chan_pair(ends, &e), 0);
	(void)!chan_send(ends[0], MSG_FROM_MASTER, &msg, &e);
}
END_TEST

START_TEST(names_are_those_of_the_table)
{
	ck_assert_str_eq(msg_name(MSG_FORK), "FORK");
	ck_assert_str_eq(msg_name(MSG_PONG), "PONG");
	ck_assert_str_eq(msg_name(MSG_NONE), "unknown");
	ck_assert_str_eq(msg_name(MSG_MAX), "unknown");
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_pair_is_close_on_exec_and_the_masters_end_never_blocks);
	tcase_add_test(tc, every_message_arrives_as_it_was_sent);
	tcase_add_test(tc, allowed_descriptors_arrive_in_order_and_close_on_exec);
	tcase_add_test(tc, unknown_types_are_abuse);
	tcase_add_test(tc, every_wrong_size_is_abuse);
	tcase_add_test(tc, a_message_for_the_other_side_is_abuse);
	tcase_add_test(tc, surplus_descriptors_are_closed_and_abuse);
	tcase_add_test(tc, random_bytes_break_nothing);
	tcase_add_test(tc, a_failure_text_is_one_line_with_an_end);
	tcase_add_test(tc, a_full_channel_says_again);
	tcase_add_test(tc, a_gone_peer_is_told);
	tcase_add_test(tc, the_last_words_of_a_gone_peer_are_heard);
	tcase_add_test_raise_signal(tc, sending_what_is_not_ours_is_a_panic, SIGABRT);
	tcase_add_test_raise_signal(tc, sending_too_many_descriptors_is_a_panic, SIGABRT);
	tcase_add_test(tc, names_are_those_of_the_table);
}

UNIT_MAIN("chan", add)
