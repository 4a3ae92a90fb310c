/*
 * trace: the events of a record stream as text. For the tests of records.
 */
#ifndef FPMX_TESTS_TRACE_H
#define FPMX_TESTS_TRACE_H

#include "base/strbuf.h"
#include "fcgi/records.h"
#include "wire.h"

/*
 * The events of a stream as text: one letter each, streams with their bytes.
 * Pieces of one stream that follow each other are joined, so only what was said
 * counts, not in how many pieces.
 */
struct trace {
	struct fcgi_reader reader;
	struct strbuf text;
	enum fcgi_event last;
};

static inline bool is_piece(enum fcgi_event ev)
{
	return ev == FCGI_EV_PARAMS || ev == FCGI_EV_STDIN || ev == FCGI_EV_DATA;
}

static inline void trace_event(struct trace *t, enum fcgi_event ev, struct fcgi_slice piece)
{
	static const char letters[FCGI_EV_MAX] = "-BPpSsDAVU2!";
	struct fcgi_reader *r = &t->reader;

	if (!is_piece(ev) || ev != t->last)
		strbuf_printf(&t->text, " %c", letters[ev]);
	if (ev == FCGI_EV_BEGIN)
		strbuf_printf(&t->text, "%u/%u%s", r->id, r->role, r->keep ? "k" : "");
	if (ev == FCGI_EV_VALUES)
		strbuf_adds(&t->text, r->asked_mpxs ? "1" : "0");
	if (ev == FCGI_EV_UNKNOWN)
		strbuf_printf(&t->text, "%u", r->unknown_type);
	if (ev == FCGI_EV_SECOND)
		strbuf_printf(&t->text, "%u", r->other_id);
	if (ev == FCGI_EV_BAD)
		strbuf_printf(&t->text, "[%s]", r->why);
	if (is_piece(ev)) {
		ck_assert_uint_gt(piece.n, 0);
		strbuf_add(&t->text, piece.bytes, piece.n);
	} else {
		ck_assert_uint_eq(piece.n, 0);
	}
	t->last = ev;
}

/* Feeds n bytes as one arrival; the reader sees a copy that ends where they end. */
static inline void trace_feed(struct trace *t, const uint8_t *bytes, size_t n)
{
	uint8_t *own = malloc(n ? n : 1);
	size_t at = 0;

	ck_assert_ptr_nonnull(own);
	memcpy(own, bytes, n);
	while (t->last != FCGI_EV_BAD) {
		size_t used;
		struct fcgi_slice piece;
		enum fcgi_event ev = fcgi_reader_next(&t->reader, own + at, n - at, &used, &piece);

		ck_assert_uint_le(used, n - at);
		if (is_piece(ev))
			ck_assert(
			    piece.bytes >= own + at && piece.bytes + piece.n <= own + at + used);
		at += used;
		if (ev == FCGI_EV_MORE) {
			ck_assert_uint_eq(at, n);
			break;
		}
		trace_event(t, ev, piece);
	}
	free(own);
}

static inline void trace_init(struct trace *t)
{
	memset(t, 0, sizeof(*t));
	fcgi_reader_init(&t->reader);
	strbuf_init(&t->text, 1 << 22);
}

#endif
