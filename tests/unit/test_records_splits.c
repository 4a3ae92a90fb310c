/* records: the same events however the bytes arrive. */
#include "trace.h"

/* Everything that may come, once. */
static void everything(struct wire *w)
{
	wire_empty(w, FCGI_STDIN, 3);
	wire_padding(w, 7);
	wire_record(w, FCGI_GET_VALUES, 0,
	    "\x0f\x00"
	    "FCGI_MPXS_CONNS",
	    17);
	wire_padding(w, 2);
	wire_record(w, 99, 0, "?", 1);
	wire_begin(w, 258, FCGI_FILTER, FCGI_KEEP_CONN);
	wire_padding(w, 3);
	wire_record(w, FCGI_PARAMS, 258, "first", 5);
	wire_begin(w, 4, FCGI_RESPONDER, 0);
	wire_record(w, FCGI_PARAMS, 4, "not ours", 8);
	wire_padding(w, 255);
	wire_record(w, FCGI_PARAMS, 258, "second", 6);
	wire_padding(w, 9);
	wire_record(w, FCGI_PARAMS, 258, NULL, 0);
	wire_record(w, FCGI_STDIN, 258, "body", 4);
	wire_padding(w, 1);
	wire_record(w, FCGI_DATA, 258, "data", 4);
	wire_record(w, FCGI_GET_VALUES, 0,
	    "\x03\x00"
	    "ABC",
	    5);
	wire_padding(w, 1);
	wire_record(w, FCGI_STDIN, 258, NULL, 0);
	wire_empty(w, FCGI_ABORT_REQUEST, 258);
	wire_record(w, FCGI_STDIN, 258, "late", 4);
}

#define EVERYTHING " V1 U99 B258/3k Pfirst 24 Psecond p Sbody Ddata V0 s A ![STDIN out of place]"

START_TEST(a_cut_at_any_byte_changes_nothing)
{
	struct wire w = {0};

	everything(&w);
	for (size_t cut = 0; cut <= w.n; cut++) {
		struct trace t;

		trace_init(&t);
		trace_feed(&t, w.bytes, cut);
		trace_feed(&t, w.bytes + cut, w.n - cut);
		ck_assert_str_eq(strbuf_str(&t.text), EVERYTHING);
		strbuf_free(&t.text);
	}
	wire_free(&w);
}
END_TEST

START_TEST(every_beginning_says_a_beginning)
{
	struct wire w = {0};

	everything(&w);
	for (size_t n = 0; n < w.n; n++) {
		struct trace t;

		trace_init(&t);
		trace_feed(&t, w.bytes, n);
		ck_assert_int_eq(
		    strncmp(strbuf_str(&t.text), EVERYTHING, strlen(strbuf_str(&t.text))), 0);
		ck_assert(!fcgi_reader_is_clean(&t.reader));
		strbuf_free(&t.text);
	}
	wire_free(&w);
}
END_TEST

/* A fixed generator: a failure comes back. */
static uint32_t next_random(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

START_TEST(random_splits_of_damaged_streams_change_nothing)
{
	uint32_t seed = 20261130;
	struct wire right = {0}, w = {0};

	everything(&right);
	for (int round = 0; round < 3000; round++) {
		struct trace whole, split;

		w.n = 0;
		wire_add(&w, right.bytes, right.n);
		for (unsigned hits = next_random(&seed) % 4; hits > 0; hits--)
			w.bytes[next_random(&seed) % w.n] = (uint8_t)next_random(&seed);
		trace_init(&whole);
		trace_feed(&whole, w.bytes, w.n);
		trace_init(&split);
		for (size_t at = 0, part; at < w.n; at += part) {
			part = 1 + next_random(&seed) % 40;
			part = part < w.n - at ? part : w.n - at;
			trace_feed(&split, w.bytes + at, part);
		}
		ck_assert_uint_eq(whole.text.len, split.text.len);
		ck_assert_mem_eq(strbuf_str(&whole.text), strbuf_str(&split.text), whole.text.len);
		strbuf_free(&whole.text);
		strbuf_free(&split.text);
	}
	wire_free(&right);
	wire_free(&w);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_cut_at_any_byte_changes_nothing);
	tcase_add_test(tc, every_beginning_says_a_beginning);
	tcase_add_test(tc, random_splits_of_damaged_streams_change_nothing);
}

UNIT_MAIN("records_splits", add)
