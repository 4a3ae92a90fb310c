/* records: the rules, one by one. */
#include "trace.h"

static void expect(struct wire *w, const char *text)
{
	struct trace t;

	trace_init(&t);
	trace_feed(&t, w->bytes, w->n);
	ck_assert_str_eq(strbuf_str(&t.text), text);
	strbuf_free(&t.text);
	wire_free(w);
}

/* Stops before anything wrong: the streams that every rule below begins with. */
static void at_begin(struct wire *w)
{
	(void)w;
}

static void at_params(struct wire *w)
{
	wire_begin(w, 1, FCGI_RESPONDER, 0);
	wire_padding(w, 3);
	wire_record(w, FCGI_PARAMS, 1, "ab", 2);
}

static void at_stdin(struct wire *w)
{
	at_params(w);
	wire_empty(w, FCGI_PARAMS, 1);
	wire_padding(w, 1);
	wire_record(w, FCGI_STDIN, 1, "body", 4);
}

static void at_end(struct wire *w)
{
	at_stdin(w);
	wire_empty(w, FCGI_STDIN, 1);
}

static const struct {
	void (*start)(struct wire *);
	const char *said;
} starts[] = {
    {at_begin, ""},
    {at_params, " B1/1 Pab"},
    {at_stdin, " B1/1 Pab p Sbody"},
    {at_end, " B1/1 Pab p Sbody s"},
};

/* What one more record does in each of the four stages. */
static const struct {
	uint8_t type;
	uint16_t id;
	const char *content;
	const char *said[4];
} rows[] = {
    {FCGI_PARAMS, 1, "x",
	{" ![PARAMS out of place]", "x", " ![PARAMS out of place]", " ![PARAMS out of place]"}},
    {FCGI_PARAMS, 1, "",
	{" ![PARAMS out of place]", " p", " ![PARAMS out of place]", " ![PARAMS out of place]"}},
    {FCGI_STDIN, 1, "x",
	{" ![STDIN out of place]", " ![STDIN out of place]", "x", " ![STDIN out of place]"}},
    {FCGI_STDIN, 1, "", {"", " ![STDIN out of place]", " s", ""}},
    {FCGI_DATA, 1, "x",
	{" ![DATA out of place]", " ![DATA out of place]", " ![DATA out of place]",
	    " ![DATA out of place]"}},
    {FCGI_ABORT_REQUEST, 1, "", {"", " A", " A", " A"}},
    {FCGI_ABORT_REQUEST, 1, "x",
	{" ![ABORT_REQUEST with content]", " ![ABORT_REQUEST with content]",
	    " ![ABORT_REQUEST with content]", " ![ABORT_REQUEST with content]"}},
    {FCGI_GET_VALUES, 0, "", {" V0", " V0", " V0", " V0"}},
    {FCGI_GET_VALUES, 0,
	"\x0f"
	"\x01"
	"FCGI_MPXS_CONNSx",
	{" V1", " V1", " V1", " V1"}},
    {FCGI_GET_VALUES, 7,
	"\x0f"
	"\x01"
	"FCGI_MPXS_CONNSx",
	{" V1", " V1", " V1", " V1"}},
    {FCGI_UNKNOWN_TYPE + 1, 0, "x", {" U12", " U12", " U12", " U12"}},
    {255, 0, "", {" U255", " U255", " U255", " U255"}},
    {0, 0, "", {" U0", " U0", " U0", " U0"}},
    {FCGI_STDIN, 2, "",
	{"", " ![record of another request]", " ![record of another request]",
	    " ![record of another request]"}},
    {FCGI_PARAMS, 2, "x",
	{" ![PARAMS out of place]", " ![record of another request]",
	    " ![record of another request]", " ![record of another request]"}},
    {FCGI_PARAMS, 257, "x",
	{" ![PARAMS out of place]", " ![record of another request]",
	    " ![record of another request]", " ![record of another request]"}},
    {FCGI_PARAMS, 0, "x",
	{" ![record of a request with id 0]", " ![record of a request with id 0]",
	    " ![record of a request with id 0]", " ![record of a request with id 0]"}},
    {FCGI_STDIN, 0, "",
	{" ![record of a request with id 0]", " ![record of a request with id 0]",
	    " ![record of a request with id 0]", " ![record of a request with id 0]"}},
    {FCGI_BEGIN_REQUEST, 0, "\0\1\0\0\0\0\0",
	{" ![record of a request with id 0]", " ![record of a request with id 0]",
	    " ![record of a request with id 0]", " ![record of a request with id 0]"}},
    {FCGI_BEGIN_REQUEST, 1, "short",
	{" ![BEGIN_REQUEST of a wrong size]", " ![BEGIN_REQUEST of a wrong size]",
	    " ![BEGIN_REQUEST of a wrong size]", " ![BEGIN_REQUEST of a wrong size]"}},
#define ONLY_APPLICATIONS " ![record of a type that a web server does not send]"
#define ALWAYS(x)          \
	{                  \
		x, x, x, x \
	}
    {FCGI_STDOUT, 1, "x", ALWAYS(ONLY_APPLICATIONS)},
    {FCGI_STDERR, 1, "", ALWAYS(ONLY_APPLICATIONS)},
    {FCGI_END_REQUEST, 1, "12345678", ALWAYS(ONLY_APPLICATIONS)},
    {FCGI_GET_VALUES_RESULT, 1, "", ALWAYS(ONLY_APPLICATIONS)},
    {FCGI_UNKNOWN_TYPE, 1, "", ALWAYS(ONLY_APPLICATIONS)},
    {12, 1, "", ALWAYS(ONLY_APPLICATIONS)},
};

START_TEST(each_record_in_each_stage)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t s = 0; s < 4; s++) {
			struct wire w = {0};
			struct strbuf want;

			starts[s].start(&w);
			wire_padding(&w, 5);
			wire_record(
			    &w, rows[i].type, rows[i].id, rows[i].content, strlen(rows[i].content));
			strbuf_init(&want, 1000);
			strbuf_adds(&want, starts[s].said);
			strbuf_adds(&want, rows[i].said[s]);
			expect(&w, strbuf_str(&want));
			strbuf_free(&want);
		}
	}
}
END_TEST

START_TEST(a_version_other_than_1_is_refused)
{
	for (int version = 0; version < 256; version++) {
		struct wire w = {0};

		wire_begin(&w, 1, FCGI_RESPONDER, 0);
		w.bytes[0] = (uint8_t)version;
		expect(&w, version == 1 ? " B1/1" : " ![version is not 1]");
	}
}
END_TEST

START_TEST(roles_1_to_3_are_accepted)
{
	static const char *const said[] = {
	    " ![unknown role]", " B9/1", " B9/2", " B9/3", " ![unknown role]"};

	for (uint16_t role = 0; role < 5; role++) {
		struct wire w = {0};

		wire_begin(&w, 9, role, 0);
		expect(&w, said[role]);
	}
	for (unsigned role = 256; role < 65536; role += 256) {
		struct wire w = {0};

		wire_begin(&w, 9, (uint16_t)(role + FCGI_RESPONDER), 0);
		expect(&w, " ![unknown role]");
	}
}
END_TEST

START_TEST(only_the_keep_bit_of_the_flags_counts)
{
	struct wire w = {0};

	wire_begin(&w, 65535, FCGI_RESPONDER, 0xfe);
	expect(&w, " B65535/1");
	wire_begin(&w, 65535, FCGI_RESPONDER, 0xff);
	expect(&w, " B65535/1k");
}
END_TEST

START_TEST(the_same_request_cannot_begin_twice)
{
	for (size_t s = 1; s < 4; s++) {
		struct wire w = {0};
		char want[100];

		starts[s].start(&w);
		wire_begin(&w, 1, FCGI_RESPONDER, 0);
		snprintf(want, sizeof(want), "%s ![the same request begun twice]", starts[s].said);
		expect(&w, want);
	}
}
END_TEST

START_TEST(a_second_request_is_told_and_its_records_are_passed_over)
{
	struct wire w = {0};

	at_params(&w);
	wire_begin(&w, 2, 99, FCGI_KEEP_CONN);
	wire_record(&w, FCGI_PARAMS, 2, "evil", 4);
	wire_record(&w, FCGI_PARAMS, 1, "cd", 2);
	wire_empty(&w, FCGI_PARAMS, 2);
	wire_record(&w, FCGI_STDIN, 2, "evil", 4);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_record(&w, FCGI_ABORT_REQUEST, 2, NULL, 0);
	wire_empty(&w, FCGI_STDIN, 1);
	wire_record(&w, FCGI_STDIN, 3, NULL, 0);
	expect(&w, " B1/1 Pab 22 Pcd p s ![record of another request]");
}
END_TEST

START_TEST(after_a_second_request_the_stream_is_never_clean)
{
	struct wire w = {0};
	struct trace t;

	at_end(&w);
	trace_init(&t);
	trace_feed(&t, w.bytes, w.n);
	ck_assert(fcgi_reader_is_clean(&t.reader));
	w.n = 0;
	wire_begin(&w, 2, FCGI_RESPONDER, 0);
	trace_feed(&t, w.bytes, w.n);
	ck_assert(!fcgi_reader_is_clean(&t.reader));
	strbuf_free(&t.text);
	wire_free(&w);
}
END_TEST

/* Sends `kind` n times after the start of a request. */
static void repeat(struct wire *w, void (*start)(struct wire *), uint8_t type, uint16_t id, int n)
{
	start(w);
	for (int i = 0; i < n; i++)
		wire_empty(w, type, id);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static void expect_end(struct wire *w, const char *end)
{
	struct trace t;

	trace_init(&t);
	trace_feed(&t, w->bytes, w->n);
	if (!ends_with(strbuf_str(&t.text), end))
		ck_abort_msg("\"%s\" does not end in \"%s\"", strbuf_str(&t.text), end);
	strbuf_free(&t.text);
	wire_free(w);
}

START_TEST(records_without_content_are_borne_64_times)
{
	struct wire w = {0};
	const char *bad = "![too many records without content]";

	repeat(&w, at_begin, FCGI_STDIN, 1, 64);
	expect_end(&w, "");
	repeat(&w, at_begin, FCGI_STDIN, 1, 65);
	expect_end(&w, bad);
	repeat(&w, at_params, FCGI_ABORT_REQUEST, 1, 64);
	expect_end(&w, " A");
	repeat(&w, at_params, FCGI_ABORT_REQUEST, 1, 65);
	expect_end(&w, bad);
	at_params(&w);
	for (uint16_t id = 2; id < 2 + 64; id++)
		wire_begin(&w, id, FCGI_RESPONDER, 0);
	wire_empty(&w, FCGI_PARAMS, 1);
	expect_end(&w, " 265 p");
	at_params(&w);
	for (uint16_t id = 2; id < 2 + 65; id++)
		wire_begin(&w, id, FCGI_RESPONDER, 0);
	expect_end(&w, bad);
	at_params(&w);
	wire_begin(&w, 2, FCGI_RESPONDER, 0);
	for (int i = 0; i < 64; i++)
		wire_record(&w, FCGI_STDIN, 2, "xyz", 3);
	expect_end(&w, bad);
}
END_TEST

START_TEST(each_request_of_a_connection_has_its_own_64)
{
	struct wire w = {0};
	struct trace t;

	trace_init(&t);
	for (int i = 0; i < 10; i++) {
		w.n = 0;
		repeat(&w, at_begin, FCGI_STDIN, 1, 60);
		at_end(&w);
		trace_feed(&t, w.bytes, w.n);
		ck_assert_int_eq(t.last, FCGI_EV_STDIN_END);
		fcgi_reader_next_request(&t.reader);
	}
	strbuf_free(&t.text);
	wire_free(&w);
}
END_TEST

START_TEST(a_connection_may_ask_64_times)
{
	struct wire w = {0};
	struct trace t;

	trace_init(&t);
	for (int i = 0; i < 4; i++) {
		w.n = 0;
		repeat(&w, at_end, FCGI_GET_VALUES, 0, 8);
		for (int j = 0; j < 8; j++)
			wire_empty(&w, 200, 0);
		trace_feed(&t, w.bytes, w.n);
		ck_assert_int_eq(t.last, FCGI_EV_UNKNOWN);
		fcgi_reader_next_request(&t.reader);
	}
	w.n = 0;
	wire_empty(&w, FCGI_GET_VALUES, 0);
	trace_feed(&t, w.bytes, w.n);
	ck_assert_int_eq(t.last, FCGI_EV_BAD);
	ck_assert_str_eq(t.reader.why, "too many management records");
	strbuf_free(&t.text);
	wire_free(&w);
}
END_TEST

START_TEST(a_management_record_has_at_most_4096_bytes)
{
	static const char zeros[4097];
	struct wire w = {0};

	wire_padding(&w, 255);
	wire_record(&w, FCGI_GET_VALUES, 0, zeros, 4096);
	expect(&w, " V0");
	wire_record(&w, FCGI_GET_VALUES, 0, zeros, 4097);
	expect(&w, " ![management record too long]");
	wire_record(&w, 77, 0, zeros, 4097);
	expect(&w, " ![management record too long]");
}
END_TEST

START_TEST(names_of_get_values_are_found_among_others)
{
	static const struct {
		const char *names[4];
		bool asked;
	} cases[] = {
	    {{"FCGI_MAX_CONNS", "FCGI_MAX_REQS"}, false},
	    {{"FCGI_MAX_CONNS", "FCGI_MPXS_CONNS", "FCGI_MAX_REQS"}, true},
	    {{"FCGI_MPXS_CONN"}, false},
	    {{"FCGI_MPXS_CONNSS"}, false},
	    {{"fcgi_mpxs_conns"}, false},
	    {{"", "FCGI_MPXS_CONNS"}, true},
	};
	struct wire w = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (const char *value = "FCGI_MPXS_CONNS"; *value; value += 5) {
			struct wire pairs = {0};

			for (size_t j = 0; cases[i].names[j]; j++)
				wire_pair(&pairs, cases[i].names[j], value);
			wire_record(&w, FCGI_GET_VALUES, 0, pairs.bytes, pairs.n);
			expect(&w, cases[i].asked ? " V1" : " V0");
			wire_free(&pairs);
		}
	}
	/* Lengths of four bytes; then one that promises more than there is. */
	wire_record(&w, FCGI_GET_VALUES, 0, "\x80\0\0\x0f\x80\0\0\1FCGI_MPXS_CONNSx", 24);
	expect(&w, " V1");
	wire_record(&w, FCGI_GET_VALUES, 0,
	    "\x0f\xff\xff\xff\xff"
	    "FCGI_MPXS_CONNSxyz",
	    23);
	wire_record(&w, FCGI_GET_VALUES, 0, "\x00\x01x", 3);
	expect(&w, " V0 V0");
}
END_TEST

START_TEST(a_filter_may_send_data_but_is_not_kept)
{
	struct wire w = {0};
	struct trace t;

	wire_begin(&w, 1, FCGI_FILTER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_padding(&w, 4);
	wire_record(&w, FCGI_DATA, 1, "file", 4);
	wire_record(&w, FCGI_STDIN, 1, "in", 2);
	wire_empty(&w, FCGI_STDIN, 1);
	wire_record(&w, FCGI_DATA, 1, "more", 4);
	wire_empty(&w, FCGI_DATA, 1);
	trace_init(&t);
	trace_feed(&t, w.bytes, w.n);
	ck_assert_str_eq(strbuf_str(&t.text), " B1/3k p Dfile Sin s Dmore");
	ck_assert(!fcgi_reader_is_clean(&t.reader));
	strbuf_free(&t.text);
	wire_free(&w);
}
END_TEST

START_TEST(largest_records_with_every_padding)
{
	static uint8_t body[65535];
	struct wire w = {0};

	memset(body, 'x', sizeof(body));
	for (int padding = 0; padding < 256; padding += 15) {
		struct trace t;

		w.n = 0;
		wire_begin(&w, 1, FCGI_RESPONDER, 0);
		wire_empty(&w, FCGI_PARAMS, 1);
		wire_padding(&w, (uint8_t)padding);
		wire_record(&w, FCGI_STDIN, 1, body, sizeof(body));
		wire_padding(&w, (uint8_t)padding);
		wire_record(&w, FCGI_STDIN, 1, body, 1);
		wire_padding(&w, (uint8_t)padding);
		wire_record(&w, FCGI_STDIN, 1, NULL, 0);
		trace_init(&t);
		trace_feed(&t, w.bytes, w.n);
		ck_assert_uint_eq(t.text.len, strlen(" B1/1 p S s") + sizeof(body) + 1);
		ck_assert(fcgi_reader_is_clean(&t.reader));
		strbuf_free(&t.text);
	}
	wire_free(&w);
}
END_TEST

START_TEST(clean_only_at_the_end_of_the_last_padding)
{
	struct wire w = {0};
	struct trace t;

	wire_begin(&w, 1, FCGI_RESPONDER, FCGI_KEEP_CONN);
	wire_empty(&w, FCGI_PARAMS, 1);
	wire_padding(&w, 200);
	wire_record(&w, FCGI_STDIN, 1, NULL, 0);
	trace_init(&t);
	for (size_t i = 0; i < w.n; i++) {
		ck_assert(!fcgi_reader_is_clean(&t.reader));
		trace_feed(&t, w.bytes + i, 1);
	}
	ck_assert(fcgi_reader_is_clean(&t.reader));
	trace_feed(&t, w.bytes, 1);
	ck_assert(!fcgi_reader_is_clean(&t.reader));
	strbuf_free(&t.text);
	wire_free(&w);
}
END_TEST

START_TEST(broken_is_broken_for_good)
{
	struct wire w = {0};
	struct fcgi_reader r;
	struct fcgi_slice piece;
	size_t used;

	fcgi_reader_init(&r);
	ck_assert_int_eq(
	    fcgi_reader_next(&r, (const uint8_t *)"GET / HT", 8, &used, &piece), FCGI_EV_BAD);
	wire_request(&w, 1, 0, "", 0);
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(fcgi_reader_next(&r, w.bytes, w.n, &used, &piece), FCGI_EV_BAD);
		ck_assert_uint_eq(used, 0);
		ck_assert_int_eq(r.stage, FCGI_AT_NOWHERE);
	}
	wire_free(&w);
}
END_TEST

START_TEST(what_is_written_is_exact)
{
	uint8_t head[FCGI_HEAD_BYTES], end[FCGI_END_BYTES], unknown[16], values[FCGI_VALUES_BYTES];

	memset(end, 0xff, sizeof(end));
	memset(unknown, 0xff, sizeof(unknown));
	memset(values, 0xff, sizeof(values));
	fcgi_put_head(head, FCGI_STDOUT, 0x1234, 0xfff8, 7);
	ck_assert_mem_eq(head, "\1\6\x12\x34\xff\xf8\7\0", 8);
	fcgi_put_end(end, 0x1234, FCGI_CANT_MPX_CONN);
	ck_assert_mem_eq(end, "\1\3\x12\x34\0\x08\0\0\0\0\0\0\1\0\0\0", 16);
	fcgi_put_unknown(unknown, 77);
	ck_assert_mem_eq(unknown, "\1\x0b\0\0\0\x08\0\0\x4d\0\0\0\0\0\0\0", 16);
	ck_assert_uint_eq(fcgi_put_values(values, true), 32);
	ck_assert_mem_eq(values, "\1\x0a\0\0\0\x12\6\0\x0f\1FCGI_MPXS_CONNS0\0\0\0\0\0\0", 32);
	ck_assert_uint_eq(fcgi_put_values(values, false), 8);
	ck_assert_mem_eq(values, "\1\x0a\0\0\0\0\0\0", 8);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, each_record_in_each_stage);
	tcase_add_test(tc, a_version_other_than_1_is_refused);
	tcase_add_test(tc, roles_1_to_3_are_accepted);
	tcase_add_test(tc, only_the_keep_bit_of_the_flags_counts);
	tcase_add_test(tc, the_same_request_cannot_begin_twice);
	tcase_add_test(tc, a_second_request_is_told_and_its_records_are_passed_over);
	tcase_add_test(tc, after_a_second_request_the_stream_is_never_clean);
	tcase_add_test(tc, records_without_content_are_borne_64_times);
	tcase_add_test(tc, each_request_of_a_connection_has_its_own_64);
	tcase_add_test(tc, a_connection_may_ask_64_times);
	tcase_add_test(tc, a_management_record_has_at_most_4096_bytes);
	tcase_add_test(tc, names_of_get_values_are_found_among_others);
	tcase_add_test(tc, a_filter_may_send_data_but_is_not_kept);
	tcase_add_test(tc, largest_records_with_every_padding);
	tcase_add_test(tc, clean_only_at_the_end_of_the_last_padding);
	tcase_add_test(tc, broken_is_broken_for_good);
	tcase_add_test(tc, what_is_written_is_exact);
}

UNIT_MAIN("records", add)
