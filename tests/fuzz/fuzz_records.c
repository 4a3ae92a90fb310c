/*
 * fuzz_records: any bytes, in any pieces.
 *
 * The first byte of the input chooses how the rest is cut. Held to: no more is
 * used than was given; a piece lies within what was used; each event comes only
 * where it may; the whole at once says the same as the pieces.
 */
#include <fastcgi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "fcgi/records.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* What a stream said, folded into one number; pieces as the bytes they are. */
struct said {
	struct fcgi_reader reader;
	uint64_t sum;
	uint64_t params, body, data;
	unsigned begins, params_ends, body_ends;
	bool bad;
};

static void fold(struct said *s, uint64_t x)
{
	s->sum = (s->sum ^ x) * 1099511628211u;
}

static void fold_piece(struct said *s, enum fcgi_event ev, const struct fcgi_slice *piece)
{
	for (size_t i = 0; i < piece->n; i++)
		fold(s, (uint64_t)ev << 8 | piece->bytes[i]);
}

/* Is the event allowed now? The counts are of the request that runs. */
static void check(struct said *s, enum fcgi_event ev)
{
	const struct fcgi_reader *r = &s->reader;

	switch (ev) {
	case FCGI_EV_BEGIN:
		must(s->begins == 0);
		must(r->id != 0 && r->role >= FCGI_RESPONDER && r->role <= FCGI_FILTER);
		s->begins = 1;
		break;
	case FCGI_EV_PARAMS:
		must(s->begins == 1 && s->params_ends == 0 && s->body == 0);
		break;
	case FCGI_EV_PARAMS_END:
		must(s->begins == 1 && s->params_ends == 0);
		s->params_ends = 1;
		break;
	case FCGI_EV_STDIN:
		must(s->params_ends == 1 && s->body_ends == 0);
		s->body++;
		break;
	case FCGI_EV_STDIN_END:
		must(s->params_ends == 1 && s->body_ends == 0);
		s->body_ends = 1;
		break;
	case FCGI_EV_DATA:
		must(s->params_ends == 1 && r->role == FCGI_FILTER);
		break;
	case FCGI_EV_ABORT:
		must(s->begins == 1);
		break;
	case FCGI_EV_SECOND:
		must(s->begins == 1 && r->other_id != r->id);
		break;
	case FCGI_EV_BAD:
		must(r->why && r->stage == FCGI_AT_NOWHERE);
		break;
	default:
		break;
	}
	must(r->stage < FCGI_STAGE_MAX && r->odd <= FCGI_ODD_MAX &&
	     r->management <= FCGI_MANAGEMENT_MAX);
}

static void note(struct said *s, enum fcgi_event ev)
{
	const struct fcgi_reader *r = &s->reader;

	fold(s, 0x10000 | (uint64_t)ev);
	if (ev == FCGI_EV_BEGIN)
		fold(s, (uint64_t)r->id << 16 | r->role << 1 | r->keep);
	if (ev == FCGI_EV_VALUES)
		fold(s, r->asked_mpxs);
	if (ev == FCGI_EV_UNKNOWN)
		fold(s, r->unknown_type);
	if (ev == FCGI_EV_SECOND)
		fold(s, r->other_id);
}

/* One arrival. As soon as a request is over the next may come, as on a kept one. */
static void feed(struct said *s, const uint8_t *in, size_t n)
{
	while (!s->bad) {
		struct fcgi_slice piece;
		size_t used;
		enum fcgi_event ev = fcgi_reader_next(&s->reader, in, n, &used, &piece);
		bool is_piece = ev == FCGI_EV_PARAMS || ev == FCGI_EV_STDIN || ev == FCGI_EV_DATA;

		must(ev < FCGI_EV_MAX && used <= n);
		must(is_piece == (piece.n > 0));
		if (is_piece)
			must(piece.bytes >= in && piece.bytes + piece.n <= in + used);
		in += used;
		n -= used;
		if (ev == FCGI_EV_MORE) {
			must(n == 0);
			return;
		}
		check(s, ev);
		if (is_piece)
			fold_piece(s, ev, &piece);
		else
			note(s, ev);
		s->bad = ev == FCGI_EV_BAD;
		if (fcgi_reader_is_clean(&s->reader)) {
			must(s->body_ends == 1);
			fcgi_reader_next_request(&s->reader);
			s->begins = s->params_ends = s->body_ends = 0;
			s->body = 0;
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct said whole = {0}, pieces = {0};
	uint32_t seed;

	if (n == 0)
		return 0;
	seed = bytes[0];
	bytes++;
	n--;
	feed(&whole, bytes, n);
	for (size_t at = 0, part; at < n; at += part) {
		uint8_t *own;

		seed = seed * 1664525 + 1013904223;
		part = 1 + (seed >> 16) % (seed >> 8 & 1 ? 3 : 40);
		part = part < n - at ? part : n - at;
		own = malloc(part); /* so that a look beyond its end is seen */
		must(own);
		memcpy(own, bytes + at, part);
		feed(&pieces, own, part);
		free(own);
	}
	must(whole.sum == pieces.sum && whole.bad == pieces.bad);
	must(memcmp(&whole.reader.stage, &pieces.reader.stage, sizeof(whole.reader.stage)) == 0);
	return 0;
}
