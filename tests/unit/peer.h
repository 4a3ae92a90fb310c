/*
 * peer: the web server's end of a connection, and what the tests of conn share.
 */
#ifndef FPMX_TESTS_PEER_H
#define FPMX_TESTS_PEER_H

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/strbuf.h"
#include "fcgi/conn.h"
#include "fcgi/records.h"
#include "wire.h"

/* Nobody waits for these; the tests of limits are hasty(). */
static struct conn_limits limits = {
    .first_byte_ms = 10000, .header_ms = 10000, .body_ms = 10000, .write_ms = 10000};

static struct conn *c;
static struct arena *arena;
static struct conn_request r;
static int peer; /* the web server's end; blocking */

static inline void open_pair(int family)
{
	static const struct sockaddr_storage nobody = {.ss_family = AF_UNIX};
	struct sockaddr_in addr = {.sin_family = AF_INET};
	socklen_t len = sizeof(addr);
	int listener, fds[2];

	if (family == AF_UNIX) {
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
		ck_assert_int_eq(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
		conn_open(c, fds[0], &nobody, sizeof(sa_family_t));
		peer = fds[1];
		return;
	}
	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	listener = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(bind(listener, (struct sockaddr *)&addr, len), 0);
	ck_assert_int_eq(listen(listener, 1), 0);
	ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&addr, &len), 0);
	peer = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(peer, (struct sockaddr *)&addr, len), 0);
	{
		struct sockaddr_storage from;
		socklen_t from_len = sizeof(from);
		int fd = accept4(listener, (struct sockaddr *)&from, &from_len, SOCK_NONBLOCK);

		ck_assert_int_ge(fd, 0);
		conn_open(c, fd, &from, from_len);
	}
	close(listener);
}

static inline void setup(void)
{
	arena = arena_new(16384);
	c = conn_new(&limits);
	open_pair(AF_UNIX);
}

static inline void hasty(void)
{
	limits = (struct conn_limits){
	    .first_byte_ms = 60, .header_ms = 120, .body_ms = 100, .write_ms = 100};
	conn_close(c);
	close(peer);
	free(c);
	c = conn_new(&limits);
	open_pair(AF_UNIX);
}

static inline void teardown(void)
{
	conn_close(c);
	close(peer);
	free(c);
	arena_free(arena);
}

static inline void say(const void *bytes, size_t n)
{
	ck_assert_int_eq(send(peer, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

static inline void say_wire(struct wire *w)
{
	say(w->bytes, w->n);
	wire_free(w);
}

static inline void say_request(uint16_t id, uint8_t flags, const char *body)
{
	struct wire w = {0};

	wire_request(&w, id, flags, body, strlen(body));
	say_wire(&w);
}

/* What an application answered, read strictly: a wrong byte ends the test. */
struct answer {
	struct strbuf out, err;
	char order[64]; /* o, e, E(nd), V(alues), U(nknown), each time it changes */
	unsigned ends, largest;
	uint16_t end_id;
	uint8_t end_protocol;
};

static inline void answer_record(struct answer *a, const uint8_t *head, const uint8_t *body)
{
	static const char letters[] = "---E--oe--VU";
	size_t n = (size_t)head[4] << 8 | head[5], len = strlen(a->order);
	char letter = letters[head[1]];

	if ((letter != 'o' && letter != 'e') || len == 0 || a->order[len - 1] != letter) {
		ck_assert_uint_lt(len + 1, sizeof(a->order));
		a->order[len] = letter;
	}
	a->largest = n > a->largest ? (unsigned)n : a->largest;
	if (letter == 'o' || letter == 'e') {
		ck_assert_uint_gt(n, 0);
		strbuf_add(letter == 'o' ? &a->out : &a->err, body, n);
	}
	if (letter == 'E') {
		ck_assert_uint_eq(n, 8);
		ck_assert_mem_eq(body, "\0\0\0\0", 4);
		ck_assert_mem_eq(body + 5, "\0\0\0", 3);
		a->ends++;
		a->end_id = (uint16_t)(head[2] << 8 | head[3]);
		a->end_protocol = body[4];
	}
}

static inline bool read_all(int fd, void *bytes, size_t n)
{
	uint8_t *at = bytes;

	while (n > 0) {
		ssize_t got = read(fd, at, n);

		if (got == 0 && at == bytes)
			return false;
		if (got <= 0)
			ck_abort_msg("answer breaks off: %s", got < 0 ? strerror(errno) : "end");
		at += got;
		n -= (size_t)got;
	}
	return true;
}

/* Until the end of the connection, or until END_REQUEST. */
static inline void hear(struct answer *a, bool to_end_request)
{
	static uint8_t body[65535 + 255];
	uint8_t head[8];

	memset(a, 0, sizeof(*a));
	strbuf_init(&a->out, 1u << 24);
	strbuf_init(&a->err, 1u << 24);
	while (!(to_end_request && a->ends) && read_all(peer, head, 8)) {
		size_t n = (size_t)head[4] << 8 | head[5];

		ck_assert_uint_eq(head[0], 1);
		ck_assert_uint_lt(head[1], 12);
		ck_assert_uint_eq(head[7], 0);
		ck_assert_uint_eq((n + head[6]) % 8, 0);
		ck_assert_uint_lt(head[6], 8);
		if (n + head[6] > 0)
			ck_assert(read_all(peer, body, n + head[6]));
		for (size_t i = n; i < n + head[6]; i++)
			ck_assert_uint_eq(body[i], 0);
		answer_record(a, head, body);
	}
}

static inline void forget(struct answer *a)
{
	strbuf_free(&a->out);
	strbuf_free(&a->err);
}

static inline void hear_end(uint16_t id, const char *order, const char *out)
{
	struct answer a;

	hear(&a, true);
	ck_assert_str_eq(a.order, order);
	ck_assert_str_eq(strbuf_str(&a.out), out);
	ck_assert_uint_eq(a.end_id, id);
	ck_assert_uint_eq(a.end_protocol, FCGI_REQUEST_COMPLETE);
	forget(&a);
}

static inline enum conn_result read_request(void)
{
	return conn_read_request(c, arena, &r);
}

static inline void write_str(const char *text)
{
	ck_assert_int_eq(conn_write(c, text, strlen(text)), CONN_OK);
}

static inline bool peer_sees_end(void)
{
	char byte;

	return recv(peer, &byte, 1, MSG_DONTWAIT) == 0;
}

/* A web server in a process of its own; it ends with the function. */
static inline pid_t other(void (*behave)(void))
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		close(conn_fd(c));
		behave();
		_exit(0);
	}
	close(peer);
	peer = -1;
	return pid;
}

static inline void other_ended_well(pid_t pid)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

static inline void body_is(const char *text)
{
	char bytes[1000];
	size_t n = 0, got;

	do {
		ck_assert_int_eq(conn_read_body(c, bytes + n, 7, &got), CONN_OK);
		n += got;
	} while (got > 0);
	bytes[n] = '\0';
	ck_assert_str_eq(bytes, text);
	ck_assert(conn_body_ended(c));
}

#endif
