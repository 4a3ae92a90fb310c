/* conn: what may follow on a kept connection. */
#include "peer.h"

START_TEST(a_second_request_beside_the_first_is_turned_away)
{
	struct wire w = {0};
	struct answer a;

	wire_request(&w, 1, FCGI_KEEP_CONN, "", 0);
	wire_request(&w, 2, FCGI_KEEP_CONN, "", 0);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_uint_eq(r.id, 1);
	hear(&a, true);
	ck_assert_uint_eq(a.end_id, 2);
	ck_assert_uint_eq(a.end_protocol, FCGI_CANT_MPX_CONN);
	forget(&a);
	write_str("first");
	ck_assert(!conn_finish(c, true));
	hear_end(1, "oE", "first");
	ck_assert(peer_sees_end());
}
END_TEST

/*
 * What may be reused. Each body holds a whole request of its own: it must never
 * be run. The rows say how much of the first request arrives, and what is done
 * with it.
 */
enum { READ_NOTHING, READ_PART, READ_ALL };

static const struct {
	const char *name;
	bool body;     /* the embedded request as body */
	bool body_end; /* the empty STDIN comes */
	bool trailing; /* the embedded request once more, behind everything */
	bool keep, may_keep;
	bool kept;
} reuse[] = {
    {"plain", false, true, false, true, true, true},
    {"keep not asked", false, true, false, false, true, false},
    {"keep not allowed", false, true, false, true, false, false},
    {"body complete", true, true, false, true, true, true},
    {"body without end", true, false, false, true, true, false},
    {"no body and no end", false, false, false, true, true, false},
    {"bytes behind the end", false, true, true, true, true, false},
    {"bytes behind the body", true, true, true, true, true, false},
};

static void say_reuse(size_t i)
{
	struct wire w = {0}, embedded = {0};

	wire_request(&embedded, 1, FCGI_KEEP_CONN, "evil", 4);
	wire_begin(&w, 1, FCGI_RESPONDER, reuse[i].keep ? FCGI_KEEP_CONN : 0);
	wire_stream(&w, FCGI_PARAMS, 1, "\4\5NAMEVALUE", 11);
	if (reuse[i].body)
		wire_record(&w, FCGI_STDIN, 1, embedded.bytes, embedded.n);
	if (reuse[i].body_end)
		wire_empty(&w, FCGI_STDIN, 1);
	if (reuse[i].trailing)
		wire_add(&w, embedded.bytes, embedded.n);
	wire_free(&embedded);
	say_wire(&w);
}

START_TEST(only_a_clean_stream_is_reused)
{
	char bytes[1000];
	size_t got;

	hasty();
	for (size_t i = 0; i < sizeof(reuse) / sizeof(reuse[0]); i++) {
		for (int how = READ_NOTHING; how <= READ_ALL; how++) {
			say_reuse(i);
			ck_assert_int_eq(read_request(), CONN_OK);
			if (how == READ_PART)
				ck_assert_int_ne(conn_read_body(c, bytes, 3, &got), CONN_EMPTY);
			while (how == READ_ALL &&
			       conn_read_body(c, bytes, sizeof(bytes), &got) == CONN_OK && got > 0)
				;
			write_str("answer");
			if (conn_finish(c, reuse[i].may_keep) != reuse[i].kept)
				ck_abort_msg("%s, %d", reuse[i].name, how);
			hear_end(1, "oE", "answer");
			if (reuse[i].kept) {
				ck_assert_int_eq(conn_look(c), CONN_LATE);
				conn_close(c);
			}
			ck_assert_int_eq(conn_fd(c), -1);
			ck_assert(peer_sees_end());
			close(peer);
			open_pair(AF_UNIX);
		}
	}
}
END_TEST

/* The end of the first request is the last byte that one read can bring. */
static void say_aligned(void)
{
	static uint8_t body[65536];
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_record(&w, FCGI_STDIN, 1, body, 65536 - w.n - 16);
	wire_empty(&w, FCGI_STDIN, 1);
	ck_assert_uint_eq(w.n, 65536);
	wire_request(&w, 1, FCGI_KEEP_CONN, "", 0);
	say_wire(&w);
	hear_end(1, "oE", "answer");
}

START_TEST(bytes_that_one_read_left_in_the_socket_are_not_a_request)
{
	pid_t pid = other(say_aligned);
	struct pollfd p = {.fd = conn_fd(c), .events = POLLIN};
	int waiting = 0;

	while (waiting <= 65536) {
		ck_assert_int_eq(poll(&p, 1, 1000), 1);
		ck_assert_int_eq(recv(conn_fd(c), (char[70000]){0}, 70000, MSG_PEEK) > 0, 1);
		waiting = (int)recv(conn_fd(c), (char[70000]){0}, 70000, MSG_PEEK);
	}
	ck_assert_int_eq(read_request(), CONN_OK);
	write_str("answer");
	ck_assert(!conn_finish(c, true));
	other_ended_well(pid);
}
END_TEST

START_TEST(many_requests_on_one_connection)
{
	for (uint16_t id = 1; id < 500; id++) {
		say_request(id, FCGI_KEEP_CONN, "x");
		ck_assert_int_eq(read_request(), CONN_OK);
		ck_assert_uint_eq(r.id, id);
		write_str("y");
		ck_assert(conn_finish(c, true));
		hear_end(id, "oE", "y");
		arena_reset(arena);
	}
	ck_assert_int_eq(shutdown(peer, SHUT_WR), 0);
	ck_assert_int_eq(read_request(), CONN_EMPTY);
}
END_TEST

START_TEST(a_half_closed_connection_is_not_kept)
{
	struct wire w = {0};

	/* The body's end comes late, together with the end of everything. */
	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_int_eq(shutdown(peer, SHUT_WR), 0);
	ck_assert(!conn_finish(c, true));
}
END_TEST

START_TEST(the_end_of_a_body_that_came_late_is_taken)
{
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	wire_empty(&w, FCGI_STDIN, 1);
	say_wire(&w);
	ck_assert(conn_finish(c, true));
}
END_TEST

START_TEST(finishing_twice_says_the_same)
{
	char byte;
	size_t got;

	for (int keep = 0; keep < 2; keep++) {
		say_request(1, FCGI_KEEP_CONN, "body");
		ck_assert_int_eq(read_request(), CONN_OK);
		ck_assert(conn_finish(c, keep) == keep);
		ck_assert(conn_is_finished(c));
		ck_assert_int_eq(conn_write(c, "late", 4), CONN_CLOSED);
		ck_assert_int_eq(conn_write_err(c, "late", 4), CONN_CLOSED);
		ck_assert_int_eq(conn_flush(c), CONN_CLOSED);
		ck_assert_int_eq(conn_read_body(c, &byte, 1, &got), CONN_CLOSED);
		ck_assert(conn_peer_gone(c));
		ck_assert(conn_finish(c, true) == keep);
		hear_end(1, "E", "");
		if (keep == 0) {
			close(peer);
			open_pair(AF_UNIX);
		}
	}
	say_request(2, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert(!conn_is_finished(c));
	conn_close(c);
	ck_assert_int_eq(conn_write(c, "late", 4), CONN_CLOSED);
	ck_assert(!conn_finish(c, true));
}
END_TEST

START_TEST(a_kept_tcp_connection_does_not_delay)
{
	int on = 0;
	socklen_t len = sizeof(on);

	conn_close(c);
	close(peer);
	open_pair(AF_INET);
	ck_assert_str_eq(conn_peer(c), "127.0.0.1");
	say_request(1, FCGI_KEEP_CONN, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_int_eq(getsockopt(conn_fd(c), IPPROTO_TCP, TCP_NODELAY, &on, &len), 0);
	ck_assert_int_eq(on, 1);
	ck_assert(conn_finish(c, true));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_second_request_beside_the_first_is_turned_away);
	tcase_add_test(tc, only_a_clean_stream_is_reused);
	tcase_add_test(tc, bytes_that_one_read_left_in_the_socket_are_not_a_request);
	tcase_add_test(tc, many_requests_on_one_connection);
	tcase_add_test(tc, a_half_closed_connection_is_not_kept);
	tcase_add_test(tc, the_end_of_a_body_that_came_late_is_taken);
	tcase_add_test(tc, finishing_twice_says_the_same);
	tcase_add_test(tc, a_kept_tcp_connection_does_not_delay);
}

UNIT_MAIN("conn_reuse", add)
