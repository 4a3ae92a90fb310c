/*
 * lying-engine: stands where the engine should be and says what LIE (in the
 * pool's environment) tells it to. Linked with the real rooms, so that it can
 * say wrong things in the right form.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "proc/chan.h"
#include "proc/heritage.h"
#include "proc/spawn.h"
#include "status/scoreboard.h"

static struct heritage heritage;
static const char *lie;

static void say(const struct msg *m)
{
	struct err e;

	if (chan_send(heritage.channel_fd, MSG_FROM_TEMPLATE, m, &e) != CHAN_OK)
		_exit(1);
}

static void say_forked(const struct msg_fork *order, int pid)
{
	struct msg m = {.type = MSG_FORKED};

	m.u.forked = (struct msg_forked){.slot = order->slot, .order = order->order, .pid = pid};
	say(&m);
}

static void say_rubbish(void)
{
	uint32_t words[8] = {0x41414141, 0xffffffff};

	send(heritage.channel_fd, words, sizeof(words), 0);
}

static void say_with_descriptors(const struct msg_fork *order)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	uint32_t head[2] = {MSG_FORKED, sizeof(struct msg_forked)};
	struct msg_forked body = {.slot = order->slot, .order = order->order, .pid = getpid()};
	struct iovec iov[2] = {{head, sizeof(head)}, {&body, sizeof(body)}};
	struct msghdr m = {.msg_iov = iov,
	    .msg_iovlen = 2,
	    .msg_control = control.bytes,
	    .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &heritage.channel_fd, sizeof(int));
	sendmsg(heritage.channel_fd, &m, 0);
}

/* A real worker of ours, that does nothing. */
static int fork_real(void)
{
	struct err e;
	int pid = spawn_sibling(heritage.master_pid, &e);

	while (pid == 0)
		pause();
	return pid;
}

/* A worker that has put itself on the scoreboard before anybody could announce it. */
static void fork_registered(const struct msg_fork *order)
{
	struct err e;
	struct board *board = board_open(heritage.board_fd, heritage.nslots, &e);

	if (!board || spawn_sibling(heritage.master_pid, &e) != 0)
		return;
	board_begin(board, order->slot)->pid = getpid();
	board_end(board, order->slot);
	board_set_state(board, order->slot, WORKER_IDLE);
	for (;;)
		pause();
}

/* A worker that fills the whole scoreboard with noise, for ever. */
static void fork_noisy(const struct msg_fork *order)
{
	struct err e;
	struct stat st;
	uint32_t *map, x = 2463534242;
	int pid = spawn_sibling(heritage.master_pid, &e);

	if (pid > 0)
		say_forked(order, pid);
	if (pid != 0 || fstat(heritage.board_fd, &st) < 0)
		return;
	map = mmap(
	    NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, heritage.board_fd, 0);
	for (;;) {
		for (size_t i = 0; i < (size_t)st.st_size / sizeof(*map); i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			map[i] = x;
		}
		usleep(1000);
	}
}

static void answer(const struct msg_fork *order)
{
	struct msg_fork other = {.slot = order->slot + 1, .order = order->order + 7};
	struct msg_fork far = {.slot = UINT32_MAX, .order = order->order};
	int pid;

	if (strcmp(lie, "master") == 0)
		say_forked(order, heritage.master_pid);
	else if (strcmp(lie, "self") == 0)
		say_forked(order, getpid());
	else if (strncmp(lie, "pid=", 4) == 0)
		say_forked(order, (int)strtol(lie + 4, NULL, 10));
	else if (strcmp(lie, "other order") == 0)
		say_forked(&other, fork_real());
	else if (strcmp(lie, "far slot") == 0)
		say_forked(&far, fork_real());
	else if (strcmp(lie, "twice") == 0) {
		pid = fork_real();
		say_forked(order, pid);
		say_forked(order, pid);
	} else if (strcmp(lie, "rubbish") == 0)
		say_rubbish();
	else if (strcmp(lie, "descriptors") == 0)
		say_with_descriptors(order);
	else if (strcmp(lie, "silence") == 0)
		pause();
	else if (strcmp(lie, "death") == 0) {
		fork_real();
		_exit(0);
	} else if (strcmp(lie, "death of a mute") == 0) {
		fork_registered(order);
		_exit(0);
	}
}

int main(int argc, char **argv)
{
	struct arena *arena = arena_new(4096);
	struct msg m = {.type = MSG_READY, .u.ready = {.threads = 1}};
	struct err e;

	lie = getenv("LIE");
	if (argc != 3 || !lie ||
	    heritage_open((int)strtol(argv[2], NULL, 10), arena, &heritage, &e) < 0)
		return 1;
	if (strcmp(lie, "too early") == 0)
		say_forked(&(struct msg_fork){0}, getpid());
	say(&m);
	if (strcmp(lie, "ready twice") == 0)
		say(&m);
	while (chan_recv(heritage.channel_fd, MSG_FROM_TEMPLATE, &m, &e) == CHAN_OK) {
		if (m.type == MSG_FORK)
			answer(&m.u.fork);
		else if (m.type == MSG_PING) {
			m.type = MSG_PONG;
			say(&m);
		}
	}
	return 0;
}
