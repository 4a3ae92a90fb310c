/* conn: requests and answers over real sockets. */
#include "peer.h"

START_TEST(a_request_and_its_answer)
{
	say_request(300, 0, "the body");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert_uint_eq(r.id, 300);
	ck_assert_uint_eq(r.role, FCGI_RESPONDER);
	ck_assert(!r.keep);
	ck_assert_str_eq(params_get(r.params, "NAME"), "VALUE");
	ck_assert_str_eq(params_at(r.params, 1)->name, "FCGI_ROLE");
	ck_assert_str_eq(params_at(r.params, 1)->value, "RESPONDER");
	body_is("the body");
	write_str("hel");
	write_str("lo");
	ck_assert_int_eq(conn_write(c, "", 0), CONN_OK);
	ck_assert(!conn_is_finished(c));
	ck_assert(!conn_finish(c, true));
	ck_assert(conn_is_finished(c));
	ck_assert_int_eq(conn_fd(c), -1);
	hear_end(300, "oE", "hello");
	ck_assert(peer_sees_end());
}
END_TEST

START_TEST(an_empty_answer_is_one_end_request)
{
	say_request(1, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	ck_assert(conn_body_ended(c));
	ck_assert(!conn_finish(c, true));
	hear_end(1, "E", "");
}
END_TEST

START_TEST(each_role_is_named)
{
	static const char *const names[] = {"", "RESPONDER", "AUTHORIZER", "FILTER"};

	for (uint16_t role = 1; role <= 3; role++) {
		struct wire w = {0};

		wire_begin(&w, role, role, FCGI_KEEP_CONN);
		wire_empty(&w, FCGI_PARAMS, role);
		wire_empty(&w, FCGI_STDIN, role);
		say_wire(&w);
		ck_assert_int_eq(read_request(), CONN_OK);
		ck_assert_str_eq(params_get(r.params, "FCGI_ROLE"), names[role]);
		ck_assert(conn_finish(c, true) == (role != FCGI_FILTER));
		hear_end(role, "E", "");
	}
}
END_TEST

START_TEST(stdout_and_stderr_keep_their_order)
{
	struct answer a;

	say_request(1, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	write_str("1");
	ck_assert_int_eq(conn_write_err(c, "a", 1), CONN_OK);
	ck_assert_int_eq(conn_write_err(c, "b", 1), CONN_OK);
	write_str("2");
	ck_assert_int_eq(conn_flush(c), CONN_OK);
	ck_assert_int_eq(conn_flush(c), CONN_OK);
	ck_assert_int_eq(conn_write_err(c, "c", 1), CONN_OK);
	conn_finish(c, false);
	hear(&a, false);
	ck_assert_str_eq(a.order, "oeoeE");
	ck_assert_str_eq(strbuf_str(&a.out), "12");
	ck_assert_str_eq(strbuf_str(&a.err), "abc");
	forget(&a);
}
END_TEST

START_TEST(nothing_goes_out_before_it_must)
{
	struct pollfd p;

	say_request(1, 0, "");
	ck_assert_int_eq(read_request(), CONN_OK);
	for (int i = 0; i < 8; i++)
		write_str("0123456789");
	p = (struct pollfd){.fd = peer, .events = POLLIN};
	ck_assert_int_eq(poll(&p, 1, 0), 0);
	ck_assert_int_eq(conn_flush(c), CONN_OK);
	ck_assert_int_eq(poll(&p, 1, 0), 1);
}
END_TEST

/* A cut of the request's first n bytes, then the end of the connection. */
START_TEST(a_cut_request_is_never_given_out)
{
	struct wire w = {0};
	size_t complete;

	wire_begin(&w, 1, FCGI_RESPONDER, 0);
	wire_padding(&w, 5);
	wire_record(&w, FCGI_PARAMS, 1, "\4\5NAMEVALUE", 11);
	wire_padding(&w, 8);
	wire_record(&w, FCGI_PARAMS, 1, NULL, 0);
	complete = w.n;
	wire_empty(&w, FCGI_STDIN, 1);
	for (size_t n = 0; n <= w.n; n++) {
		conn_close(c);
		close(peer);
		open_pair(AF_UNIX);
		if (n > 0)
			say(w.bytes, n);
		ck_assert_int_eq(shutdown(peer, SHUT_WR), 0);
		ck_assert_int_eq(read_request(), n == 0         ? CONN_EMPTY
						 : n < complete ? CONN_CLOSED
								: CONN_OK);
	}
	wire_free(&w);
}
END_TEST

static void say_bytewise(void)
{
	struct wire w = {0};
	int on = 1;

	setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	wire_request(&w, 1, FCGI_KEEP_CONN, "body", 4);
	for (int times = 0; times < 3; times++) {
		for (size_t i = 0; i < w.n; i++) {
			say(w.bytes + i, 1);
			usleep(200);
		}
		hear_end(1, "oE", "body");
	}
}

START_TEST(bytes_one_by_one_are_the_same_request)
{
	pid_t pid = other(say_bytewise);

	for (int times = 0; times < 3; times++) {
		char body[8];
		size_t got, n = 0;

		ck_assert_int_eq(read_request(), CONN_OK);
		ck_assert_str_eq(params_get(r.params, "NAME"), "VALUE");
		do {
			ck_assert_int_eq(conn_read_body(c, body + n, 8 - n, &got), CONN_OK);
			n += got;
		} while (got > 0);
		ck_assert_uint_eq(n, 4);
		ck_assert_int_eq(conn_write(c, body, n), CONN_OK);
		ck_assert(conn_finish(c, true));
	}
	other_ended_well(pid);
}
END_TEST

#define BIG (10u << 20)

/* Not from the heap: a process forked off would seem to have lost it. */
static uint8_t big[BIG];

static uint8_t pattern(size_t i)
{
	return (uint8_t)(i * 2654435761u >> 13);
}

static void hear_big(void)
{
	struct answer a;

	hear(&a, false);
	for (size_t i = 0; i < BIG; i++)
		if ((uint8_t)a.out.bytes[i] != pattern(i))
			_exit(2);
	if (a.out.len != BIG || strcmp(a.order, "oE") != 0 || a.largest != FCGI_CONTENT_MAX)
		_exit(3);
}

START_TEST(a_big_answer_comes_whole)
{
	static const size_t sizes[] = {1, 7, 100, 2047, 2048, 8183, 8184, 8185, 70000, BIG};
	size_t at = 0;
	pid_t pid;

	for (size_t i = 0; i < BIG; i++)
		big[i] = pattern(i);
	say_request(1, 0, "");
	pid = other(hear_big);
	ck_assert_int_eq(read_request(), CONN_OK);
	for (int round = 0; at < BIG; round++) {
		size_t n = sizes[round < 300 ? round % 9 : 9];

		n = n < BIG - at ? n : BIG - at;
		ck_assert_int_eq(conn_write(c, big + at, n), CONN_OK);
		at += n;
	}
	ck_assert(!conn_finish(c, false));
	other_ended_well(pid);
}
END_TEST

static void say_big(void)
{
	struct wire w = {0};

	for (size_t i = 0; i < BIG; i++)
		big[i] = pattern(i);
	wire_request(&w, 1, FCGI_KEEP_CONN, big, BIG);
	say_wire(&w);
	hear_end(1, "oE", "got it");
}

START_TEST(a_big_body_comes_whole)
{
	pid_t pid = other(say_big);
	static uint8_t bytes[16384];
	size_t total = 0, got;

	ck_assert_int_eq(read_request(), CONN_OK);
	do {
		ck_assert_int_eq(conn_read_body(c, bytes, sizeof(bytes), &got), CONN_OK);
		for (size_t i = 0; i < got; i++)
			if (bytes[i] != pattern(total + i))
				ck_abort_msg("byte %zu is wrong", total + i);
		total += got;
	} while (got > 0);
	ck_assert_uint_eq(total, BIG);
	write_str("got it");
	ck_assert(conn_finish(c, true));
	other_ended_well(pid);
}
END_TEST

START_TEST(values_and_unknown_types_are_answered)
{
	struct wire w = {0};
	struct answer a;

	wire_record(&w, FCGI_GET_VALUES, 0, "\x0f\0FCGI_MPXS_CONNS", 17);
	wire_empty(&w, 200, 0);
	wire_request(&w, 1, 0, "", 0);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_OK);
	write_str("x");
	conn_finish(c, true);
	hear(&a, false);
	ck_assert_str_eq(a.order, "VUoE");
	forget(&a);
}
END_TEST

START_TEST(a_broken_stream_is_told_and_closed)
{
	say("GET / HTTP/1.1\r\n\r\n", 18);
	ck_assert_int_eq(read_request(), CONN_BAD);
	ck_assert_str_eq(conn_why(c), "version is not 1");
}
END_TEST

START_TEST(malformed_pairs_are_a_broken_stream)
{
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_stream(&w, FCGI_PARAMS, 1, "\1\7A", 3);
	wire_empty(&w, FCGI_STDIN, 1);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_BAD);
	ck_assert_str_eq(conn_why(c), "malformed parameters");
}
END_TEST

/* Refused parameters can be answered, and the connection then ends. */
static void expect_refusal(struct wire *params, const char *why)
{
	struct wire w = {0};

	wire_begin(&w, 77, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_stream(&w, FCGI_PARAMS, 77, params->bytes, params->n);
	wire_empty(&w, FCGI_STDIN, 77);
	wire_free(params);
	say_wire(&w);
	ck_assert_int_eq(read_request(), CONN_REFUSED);
	ck_assert_str_eq(conn_why(c), why);
	ck_assert_uint_eq(r.id, 77);
	write_str("Status: 400 Bad Request\r\n\r\n");
	ck_assert(!conn_finish(c, false));
	hear_end(77, "oE", "Status: 400 Bad Request\r\n\r\n");
}

START_TEST(a_nul_is_refused_with_an_answer)
{
	struct wire params = {0};

	wire_pair_n(&params, "SCRIPT_FILENAME", 15, "/a\0b", 4);
	expect_refusal(&params, "NUL in a parameter");
}
END_TEST

START_TEST(too_many_parameters_are_refused_with_an_answer)
{
	struct wire params = {0};

	for (int i = 0; i < 2049; i++)
		wire_pair(&params, "A", "");
	expect_refusal(&params, "too many or too large parameters");
}
END_TEST

static void say_too_much(void)
{
	static uint8_t bytes[65535];
	struct wire w = {0};

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_record(&w, FCGI_PARAMS, 1, bytes, sizeof(bytes));
	say(w.bytes, w.n);
	w.n = 0;
	wire_record(&w, FCGI_PARAMS, 1, bytes, sizeof(bytes));
	for (int i = 0; i < 3000; i++)
		if (send(peer, w.bytes, w.n, MSG_NOSIGNAL) < 0)
			break;
	hear_end(1, "oE", "400");
}

START_TEST(a_flood_of_parameters_is_answered_and_left)
{
	pid_t pid = other(say_too_much);
	uint64_t begun_ms = clock_now_ms();

	ck_assert_int_eq(read_request(), CONN_REFUSED);
	write_str("400");
	ck_assert(!conn_finish(c, true));
	ck_assert_uint_lt(clock_now_ms() - begun_ms, 1000);
	other_ended_well(pid);
}
END_TEST

START_TEST(peers_are_named_as_in_logs)
{
	static const struct {
		int family;
		const char *address, *name;
	} cases[] = {
	    {AF_INET, "10.1.2.3", "10.1.2.3"},
	    {AF_INET6, "::1", "::1"},
	    {AF_INET6, "2001:db8::ff", "2001:db8::ff"},
	    {AF_INET6, "::ffff:192.0.2.7", "192.0.2.7"},
	    {AF_UNIX, "", "-"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sockaddr_storage from = {.ss_family = (sa_family_t)cases[i].family};
		socklen_t len = sizeof(sa_family_t);

		if (cases[i].family == AF_INET) {
			len = sizeof(struct sockaddr_in);
			inet_pton(
			    AF_INET, cases[i].address, &((struct sockaddr_in *)&from)->sin_addr);
		} else if (cases[i].family == AF_INET6) {
			len = sizeof(struct sockaddr_in6);
			inet_pton(
			    AF_INET6, cases[i].address, &((struct sockaddr_in6 *)&from)->sin6_addr);
		}
		conn_close(c);
		conn_open(c, open("/dev/null", O_RDWR), &from, len);
		ck_assert_str_eq(conn_peer(c), cases[i].name);
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, a_request_and_its_answer);
	tcase_add_test(tc, an_empty_answer_is_one_end_request);
	tcase_add_test(tc, each_role_is_named);
	tcase_add_test(tc, stdout_and_stderr_keep_their_order);
	tcase_add_test(tc, nothing_goes_out_before_it_must);
	tcase_add_test(tc, a_cut_request_is_never_given_out);
	tcase_add_test(tc, bytes_one_by_one_are_the_same_request);
	tcase_add_test(tc, a_big_answer_comes_whole);
	tcase_add_test(tc, a_big_body_comes_whole);
	tcase_add_test(tc, values_and_unknown_types_are_answered);
	tcase_add_test(tc, a_broken_stream_is_told_and_closed);
	tcase_add_test(tc, malformed_pairs_are_a_broken_stream);
	tcase_add_test(tc, a_nul_is_refused_with_an_answer);
	tcase_add_test(tc, too_many_parameters_are_refused_with_an_answer);
	tcase_add_test(tc, a_flood_of_parameters_is_answered_and_left);
	tcase_add_test(tc, peers_are_named_as_in_logs);
}

UNIT_MAIN("conn", add)
