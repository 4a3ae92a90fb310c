/* conn: clients that are slow, leave, or change their mind. */
#include "peer.h"

/* Runs until at most slack_ms after the limit. */
#define took(limit, call)                                         \
	do {                                                      \
		uint64_t took_begun_ms = clock_now_ms(), took_ms; \
		call;                                             \
		took_ms = clock_now_ms() - took_begun_ms;         \
		ck_assert_uint_ge(took_ms + 2, (limit));          \
		ck_assert_uint_le(took_ms, (limit) + 500);        \
	} while (0)

START_TEST(a_silent_client_has_a_limit)
{
	hasty();
	took(limits.first_byte_ms, ck_assert_int_eq(read_request(), CONN_LATE));
	ck_assert_str_eq(conn_why(c), "no request came");
}
END_TEST

START_TEST(half_a_header_has_a_limit)
{
	hasty();
	say("\1\1\0\1", 4);
	took(limits.header_ms, ck_assert_int_eq(read_request(), CONN_LATE));
	ck_assert_str_eq(conn_why(c), "the request came too slowly");
}
END_TEST

static void drip_padding(void)
{
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, 0);
	wire_padding(&w, 255);
	wire_record(&w, FCGI_PARAMS, 1, "", 0);
	for (size_t i = 1; i < w.n; i++) { /* the first byte is there */
		if (send(peer, w.bytes + i, 1, MSG_NOSIGNAL) != 1)
			_exit(0);
		usleep(10000);
	}
	_exit(1);
}

START_TEST(a_dripping_header_has_the_same_limit)
{
	pid_t pid;

	hasty();
	say("\1", 1);
	pid = other(drip_padding);
	took(limits.header_ms, ck_assert_int_eq(read_request(), CONN_LATE));
	conn_close(c);
	other_ended_well(pid);
}
END_TEST

START_TEST(a_body_that_stops_has_a_limit)
{
	struct wire w = {0};
	char bytes[100];
	size_t got;

	hasty();
	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_record(&w, FCGI_STDIN, 1, "half", 4);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_OK);
	ck_assert_uint_eq(got, 4);
	took(limits.body_ms,
	    ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_LATE));
	ck_assert_str_eq(conn_why(c), "the body came too slowly");
	ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_LATE);
	write_str("sorry");
	ck_assert(!conn_finish(c, true));
	hear_end(1, "oE", "sorry");
}
END_TEST

START_TEST(a_body_cut_short_is_told)
{
	struct wire w = {0};
	char bytes[100];
	size_t got;

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_record(&w, FCGI_STDIN, 1, "half", 4);
	say_wire(&w);
	ck_assert_int_eq(shutdown(peer, SHUT_WR), 0);
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_OK);
	ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_CLOSED);
	ck_assert_uint_eq(got, 0);
	ck_assert(!conn_body_ended(c));
	ck_assert(!conn_finish(c, true));
	hear_end(1, "E", "");
}
END_TEST

START_TEST(a_client_that_does_not_read_has_a_limit)
{
	size_t n = 16 << 20;
	void *bytes = calloc(1, n);

	hasty();
	say_request(1, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	took(limits.write_ms, ck_assert_int_eq(conn_write(c, bytes, n), CONN_LATE));
	ck_assert_int_eq(conn_write(c, "x", 1), CONN_LATE);
	ck_assert_int_eq(conn_flush(c), CONN_LATE);
	ck_assert(conn_peer_gone(c));
	ck_assert(!conn_finish(c, true));
	ck_assert_int_eq(conn_fd(c), -1);
	free(bytes);
}
END_TEST

START_TEST(a_client_that_only_stopped_sending_is_answered)
{
	say_request(1, 0, "");
	ck_assert_int_eq(shutdown(peer, SHUT_WR), 0);
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert(!conn_peer_gone(c));
	ck_assert(!conn_peer_gone(c));
	write_str("still there");
	ck_assert(!conn_finish(c, true));
	hear_end(1, "oE", "still there");
}
END_TEST

START_TEST(a_client_that_left_is_noticed)
{
	say_request(1, FCGI_KEEP_CONN, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert(!conn_peer_gone(c));
	close(peer);
	ck_assert(conn_peer_gone(c));
	ck_assert_int_eq(conn_write(c, "x", 1), CONN_OK); /* gathered, not sent */
	ck_assert_int_eq(conn_flush(c), CONN_CLOSED);
	ck_assert_int_eq(conn_write(c, "x", 1), CONN_CLOSED);
	ck_assert(!conn_finish(c, true));
	peer = -1;
}
END_TEST

START_TEST(a_client_that_left_with_its_body_unread_is_noticed)
{
	say_request(1, 0, "unread");
	ck_assert_int_eq(read_request(), CONN_OK);
	close(peer);
	peer = -1;
	ck_assert(conn_peer_gone(c));
}
END_TEST

static void abort_request(void)
{
	struct wire w = {0};

	wire_empty(&w, FCGI_ABORT_REQUEST, 1);
	say_wire(&w);
}

START_TEST(an_abort_among_the_parameters_is_answered_at_once)
{
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_record(&w, FCGI_PARAMS, 1, "\1\1AB", 4);
	say_wire(&w);
	abort_request();
	ck_assert_int_eq(read_request(), CONN_CLOSED);
	conn_close(c);
	hear_end(1, "E", "");
}
END_TEST

START_TEST(an_abort_that_came_with_the_request_runs_nothing)
{
	say_request(1, FCGI_KEEP_CONN, "");
	abort_request();
	ck_assert_int_eq(read_request(), CONN_CLOSED);
	conn_close(c);
	hear_end(1, "E", "");
}
END_TEST

START_TEST(an_abort_while_it_runs_looks_like_a_client_that_left)
{
	say_request(1, FCGI_KEEP_CONN, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	write_str("begun");
	ck_assert(!conn_peer_gone(c));
	abort_request();
	ck_assert(conn_peer_gone(c));
	ck_assert_int_eq(conn_write(c, "x", 1), CONN_CLOSED);
	ck_assert_int_eq(conn_flush(c), CONN_CLOSED);
	ck_assert(conn_finish(c, true));
	hear_end(1, "oE", "begun");
	say_request(2, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert(!conn_peer_gone(c));
}
END_TEST

START_TEST(a_script_that_flushes_learns_of_an_abort)
{
	int i = 0;

	say_request(1, FCGI_KEEP_CONN, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	abort_request();
	while (i < 100 && conn_write(c, "tick", 4) == CONN_OK && conn_flush(c) == CONN_OK) {
		usleep(10000);
		i++;
	}
	ck_assert_int_lt(i, 50);
	ck_assert(conn_finish(c, true));
}
END_TEST

START_TEST(an_abort_ends_the_body)
{
	struct wire w = {0};
	char bytes[10];
	size_t got;

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_record(&w, FCGI_STDIN, 1, "half", 4);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	abort_request();
	ck_assert_int_eq(conn_read_body(c, bytes, 10, &got), CONN_OK);
	ck_assert_int_eq(conn_read_body(c, bytes, 10, &got), CONN_CLOSED);
	ck_assert(!conn_finish(c, true));
	hear_end(1, "E", "");
}
END_TEST

START_TEST(values_are_answered_before_any_request)
{
	struct wire w = {0};
	uint8_t bytes[100];

	hasty();
	wire_record(&w, FCGI_GET_VALUES, 0, "\x0f\0FCGI_MPXS_CONNS", 17);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_LATE);
	ck_assert_int_eq(recv(peer, bytes, sizeof(bytes), MSG_DONTWAIT), FCGI_VALUES_BYTES);
}
END_TEST

START_TEST(a_client_that_never_closes_costs_nothing)
{
	uint64_t begun_ms;

	say_request(1, 0, "all of it");
	ck_assert_int_eq(read_request(), CONN_OK);
	begun_ms = clock_now_ms();
	ck_assert(!conn_finish(c, true));
	ck_assert_uint_lt(clock_now_ms() - begun_ms, 50);
	hear_end(1, "E", "");
	ck_assert(peer_sees_end());
}
END_TEST

START_TEST(lingering_has_a_limit)
{
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, 0);
	wire_empty(&w, FCGI_PARAMS, 1);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	took(200, ck_assert(!conn_finish(c, true)));
}
END_TEST

static void say_unread(void)
{
	static char body[1 << 20];
	struct wire w = {0};

	wire_request(&w, 1, FCGI_KEEP_CONN, body, 50000);
	say_wire(&w);
	usleep(30000);
	hear_end(1, "oE", "answer");
	if (!peer_sees_end())
		_exit(4);
}

START_TEST(over_tcp_no_reset_overtakes_the_answer)
{
	for (int i = 0; i < 20; i++) {
		pid_t pid;

		conn_close(c);
		close(peer);
		open_pair(AF_INET);
		pid = other(say_unread);
		ck_assert_int_eq(read_request(), CONN_OK);
		write_str("answer");
		conn_finish(c, false);
		other_ended_well(pid);
	}
}
END_TEST

START_TEST(looking_does_not_wait)
{
	int fd = conn_fd(c);
	struct sockaddr_storage nobody = {.ss_family = AF_UNIX};

	ck_assert_int_eq(conn_look(c), CONN_LATE);
	ck_assert_int_eq(conn_release(c), fd);
	ck_assert_int_eq(conn_fd(c), -1);
	conn_open(c, fd, &nobody, sizeof(sa_family_t));
	say_request(1, FCGI_KEEP_CONN, "body");
	ck_assert_int_eq(conn_look(c), CONN_OK);
	ck_assert_int_eq(conn_look(c), CONN_OK);
	ck_assert_int_eq(read_request(), CONN_OK);
	body_is("body");
	ck_assert(conn_finish(c, true));
	hear_end(1, "E", "");
	ck_assert_int_eq(conn_look(c), CONN_LATE);
	close(peer);
	peer = -1;
	ck_assert_int_eq(conn_look(c), CONN_EMPTY);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_silent_client_has_a_limit);
	tcase_add_test(tc, half_a_header_has_a_limit);
	tcase_add_test(tc, a_dripping_header_has_the_same_limit);
	tcase_add_test(tc, a_body_that_stops_has_a_limit);
	tcase_add_test(tc, a_body_cut_short_is_told);
	tcase_add_test(tc, a_client_that_does_not_read_has_a_limit);
	tcase_add_test(tc, a_client_that_only_stopped_sending_is_answered);
	tcase_add_test(tc, a_client_that_left_is_noticed);
	tcase_add_test(tc, a_client_that_left_with_its_body_unread_is_noticed);
	tcase_add_test(tc, an_abort_among_the_parameters_is_answered_at_once);
	tcase_add_test(tc, an_abort_that_came_with_the_request_runs_nothing);
	tcase_add_test(tc, an_abort_while_it_runs_looks_like_a_client_that_left);
	tcase_add_test(tc, a_script_that_flushes_learns_of_an_abort);
	tcase_add_test(tc, an_abort_ends_the_body);
	tcase_add_test(tc, values_are_answered_before_any_request);
	tcase_add_test(tc, a_client_that_never_closes_costs_nothing);
	tcase_add_test(tc, lingering_has_a_limit);
	tcase_add_test(tc, over_tcp_no_reset_overtakes_the_answer);
	tcase_add_test(tc, looking_does_not_wait);
}

UNIT_MAIN("conn_limits", add)
