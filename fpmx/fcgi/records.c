/*
 * records: FastCGI records, read and written.
 *
 * Runs in: worker. Pure. Never: allocates, looks beyond the bytes it was given,
 * believes a length before the bytes are there.
 * Invariant: an event for a record that carries nothing but itself (BEGIN, an
 * end of stream, ABORT, GET_VALUES) comes when its last padding byte has been
 * used up; so stage FCGI_AT_END without a record in hand is the boundary between
 * two requests.
 */
#include "fcgi/records.h"

#include <string.h>

#include <fastcgi.h>

#include "base/must.h"

_Static_assert(FCGI_HEAD_BYTES == FCGI_HEADER_LEN, "a record's head");
_Static_assert(FCGI_END_BYTES == sizeof(FCGI_EndRequestRecord), "an END_REQUEST record");
_Static_assert(FCGI_CONTENT_MAX <= FCGI_MAX_LENGTH && FCGI_CONTENT_MAX % 8 == 0, "alignment");

#define MPXS_LEN (sizeof(FCGI_MPXS_CONNS) - 1)

enum { NAMES_NAME_LEN, NAMES_VALUE_LEN, NAMES_NAME, NAMES_VALUE };

void fcgi_reader_init(struct fcgi_reader *r)
{
	memset(r, 0, sizeof(*r));
}

bool fcgi_reader_is_clean(const struct fcgi_reader *r)
{
	return r->stage == FCGI_AT_END && !r->in_record && r->head_len == 0 && !r->had_second &&
	       r->role != FCGI_FILTER;
}

void fcgi_reader_next_request(struct fcgi_reader *r)
{
	must(fcgi_reader_is_clean(r));
	r->stage = FCGI_AT_BEGIN;
	r->id = 0;
	r->role = 0;
	r->keep = false;
	r->odd = 0;
}

static enum fcgi_event broken(struct fcgi_reader *r, const char *why)
{
	r->stage = FCGI_AT_NOWHERE;
	r->why = why;
	return FCGI_EV_BAD;
}

static uint8_t type_of(const struct fcgi_reader *r)
{
	return r->head[1];
}

static uint16_t id_of(const struct fcgi_reader *r)
{
	return (uint16_t)(r->head[2] << 8 | r->head[3]);
}

/* Records about the connection, not about a request. */
static bool is_management(const struct fcgi_reader *r)
{
	return type_of(r) == FCGI_GET_VALUES ||
	       (id_of(r) == FCGI_NULL_REQUEST_ID && (type_of(r) == 0 || type_of(r) > FCGI_MAXTYPE));
}

static const char *admit_management(struct fcgi_reader *r)
{
	if (r->content_left > FCGI_MANAGEMENT_BYTES)
		return "management record too long";
	if (r->management == FCGI_MANAGEMENT_MAX)
		return "too many management records";
	r->management++;
	memset(&r->names, 0, sizeof(r->names));
	r->asked_mpxs = false;
	return NULL;
}

static const char *admit_begin(struct fcgi_reader *r)
{
	if (r->content_left != sizeof(r->begin))
		return "BEGIN_REQUEST of a wrong size";
	if (r->stage != FCGI_AT_BEGIN && id_of(r) == r->id)
		return "the same request begun twice";
	r->begin_len = 0;
	return NULL;
}

/* A record of no use, borne a limited number of times. */
static const char *admit_odd(struct fcgi_reader *r)
{
	if (r->odd == FCGI_ODD_MAX)
		return "too many records without content";
	r->odd++;
	return NULL;
}

static const char *admit_stdin(struct fcgi_reader *r)
{
	if (r->stage == FCGI_AT_STDIN)
		return NULL;
	if (r->stage == FCGI_AT_PARAMS || r->content_left > 0)
		return "STDIN out of place";
	r->skip = true;
	return admit_odd(r);
}

static const char *admit_data(struct fcgi_reader *r)
{
	if (r->role != FCGI_FILTER || (r->stage != FCGI_AT_STDIN && r->stage != FCGI_AT_END))
		return "DATA out of place";
	return r->content_left == 0 ? admit_odd(r) : NULL;
}

static const char *admit_abort(struct fcgi_reader *r)
{
	if (r->content_left > 0)
		return "ABORT_REQUEST with content";
	/* The answer and an ABORT may cross: without a request it means nothing. */
	r->skip = r->stage == FCGI_AT_BEGIN;
	return admit_odd(r);
}

/* Records of the request that runs, or of the one that is to begin. */
static const char *admit_ours(struct fcgi_reader *r)
{
	switch (type_of(r)) {
	case FCGI_ABORT_REQUEST:
		return admit_abort(r);
	case FCGI_PARAMS:
		return r->stage == FCGI_AT_PARAMS ? NULL : "PARAMS out of place";
	case FCGI_STDIN:
		return admit_stdin(r);
	case FCGI_DATA:
		return admit_data(r);
	default:
		return "record of a type that a web server does not send";
	}
}

/* May the record whose head is complete come now? NULL, or why not. */
static const char *admit(struct fcgi_reader *r)
{
	if (r->head[0] != FCGI_VERSION_1)
		return "version is not 1";
	if (is_management(r))
		return admit_management(r);
	if (id_of(r) == FCGI_NULL_REQUEST_ID)
		return "record of a request with id 0";
	if (type_of(r) == FCGI_BEGIN_REQUEST)
		return admit_begin(r);
	if (r->stage == FCGI_AT_BEGIN || id_of(r) == r->id)
		return admit_ours(r);
	if (!r->had_second || id_of(r) != r->other_id)
		return "record of another request";
	r->skip = true;
	return admit_odd(r);
}

static enum fcgi_event take_head(struct fcgi_reader *r, const uint8_t *in, size_t n, size_t *used)
{
	const char *why;

	while (*used < n && r->head_len < sizeof(r->head))
		r->head[r->head_len++] = in[(*used)++];
	if (r->head_len < sizeof(r->head))
		return FCGI_EV_MORE;
	r->in_record = true;
	r->skip = false;
	r->content_left = (uint32_t)r->head[4] << 8 | r->head[5];
	r->padding_left = r->head[6];
	why = admit(r);
	return why ? broken(r, why) : FCGI_EV_MORE;
}

/*
 * Looks for FCGI_MPXS_CONNS among the names of a GET_VALUES that pass by in
 * pieces. Pairs that are cut short by the end of the record ask for nothing.
 */
static void names_take(struct fcgi_reader *r, uint8_t byte)
{
	struct fcgi_names *q = &r->names;

	if (q->part <= NAMES_VALUE_LEN) {
		uint32_t *len = &q->lens[q->part];

		if (q->len_bytes == 0) {
			*len = byte & 0x7f;
			q->len_bytes = byte & 0x80 ? 3 : 0;
		} else {
			*len = *len << 8 | byte;
			q->len_bytes--;
		}
		if (q->len_bytes > 0)
			return;
		q->same = true;
		q->done = 0;
		q->part++;
	} else {
		if (q->part == NAMES_NAME)
			q->same = q->same && q->done < MPXS_LEN &&
				  byte == (uint8_t)FCGI_MPXS_CONNS[q->done];
		q->done++;
	}
	if (q->part == NAMES_NAME && q->done == q->lens[0]) {
		q->same = q->same && q->done == MPXS_LEN;
		q->done = 0;
		q->part = NAMES_VALUE;
	}
	if (q->part == NAMES_VALUE && q->done == q->lens[1]) {
		r->asked_mpxs = r->asked_mpxs || q->same;
		q->part = NAMES_NAME_LEN;
	}
}

static enum fcgi_event piece_event(const struct fcgi_reader *r)
{
	switch (type_of(r)) {
	case FCGI_PARAMS:
		return FCGI_EV_PARAMS;
	case FCGI_STDIN:
		return FCGI_EV_STDIN;
	default:
		return FCGI_EV_DATA;
	}
}

/* Uses up content: n > 0 bytes, all of them of this record. */
static enum fcgi_event take_content(
    struct fcgi_reader *r, const uint8_t *in, size_t n, struct fcgi_slice *piece)
{
	r->content_left -= (uint32_t)n;
	if (r->skip)
		return FCGI_EV_MORE;
	if (type_of(r) == FCGI_BEGIN_REQUEST) {
		memcpy(r->begin + r->begin_len, in, n);
		r->begin_len += (uint8_t)n;
		return FCGI_EV_MORE;
	}
	if (is_management(r)) {
		for (size_t i = 0; type_of(r) == FCGI_GET_VALUES && i < n; i++)
			names_take(r, in[i]);
		return FCGI_EV_MORE;
	}
	piece->bytes = in;
	piece->n = n;
	return piece_event(r);
}

static enum fcgi_event begin_done(struct fcgi_reader *r)
{
	uint16_t role = (uint16_t)(r->begin[0] << 8 | r->begin[1]);

	if (r->stage != FCGI_AT_BEGIN) {
		const char *why = admit_odd(r);

		if (why)
			return broken(r, why);
		r->other_id = id_of(r);
		r->had_second = true;
		return FCGI_EV_SECOND;
	}
	if (role < FCGI_RESPONDER || role > FCGI_FILTER)
		return broken(r, "unknown role");
	r->id = id_of(r);
	r->role = role;
	r->keep = r->begin[2] & FCGI_KEEP_CONN;
	r->stage = FCGI_AT_PARAMS;
	return FCGI_EV_BEGIN;
}

/* The last byte of a record was used up. */
static enum fcgi_event record_done(struct fcgi_reader *r)
{
	bool empty = r->head[4] == 0 && r->head[5] == 0;

	r->in_record = false;
	r->head_len = 0;
	if (r->skip)
		return FCGI_EV_MORE;
	if (is_management(r)) {
		r->unknown_type = type_of(r);
		return type_of(r) == FCGI_GET_VALUES ? FCGI_EV_VALUES : FCGI_EV_UNKNOWN;
	}
	switch (type_of(r)) {
	case FCGI_BEGIN_REQUEST:
		return begin_done(r);
	case FCGI_ABORT_REQUEST:
		return FCGI_EV_ABORT;
	case FCGI_PARAMS:
		if (!empty)
			return FCGI_EV_MORE;
		r->stage = FCGI_AT_STDIN;
		return FCGI_EV_PARAMS_END;
	case FCGI_STDIN:
		if (!empty)
			return FCGI_EV_MORE;
		r->stage = FCGI_AT_END;
		return FCGI_EV_STDIN_END;
	default:
		return FCGI_EV_MORE;
	}
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

enum fcgi_event fcgi_reader_next(
    struct fcgi_reader *r, const uint8_t *in, size_t n, size_t *used, struct fcgi_slice *piece)
{
	enum fcgi_event ev = FCGI_EV_MORE;

	*used = 0;
	piece->bytes = NULL;
	piece->n = 0;
	if (r->stage == FCGI_AT_NOWHERE)
		return FCGI_EV_BAD;
	while (*used < n && ev == FCGI_EV_MORE) {
		if (!r->in_record) {
			ev = take_head(r, in, n, used);
		} else if (r->content_left > 0) {
			size_t part = smaller(n - *used, r->content_left);

			ev = take_content(r, in + *used, part, piece);
			*used += part;
		} else {
			size_t part = smaller(n - *used, r->padding_left);

			r->padding_left -= (uint32_t)part;
			*used += part;
		}
		/* A record that gave a piece has nothing else to tell at its end. */
		if (ev != FCGI_EV_BAD && r->in_record && r->content_left == 0 &&
		    r->padding_left == 0) {
			enum fcgi_event end = record_done(r);

			ev = ev == FCGI_EV_MORE ? end : ev;
		}
	}
	return ev;
}

void fcgi_put_head(
    uint8_t out[FCGI_HEAD_BYTES], uint8_t type, uint16_t id, uint16_t content, uint8_t padding)
{
	out[0] = FCGI_VERSION_1;
	out[1] = type;
	out[2] = (uint8_t)(id >> 8);
	out[3] = (uint8_t)id;
	out[4] = (uint8_t)(content >> 8);
	out[5] = (uint8_t)content;
	out[6] = padding;
	out[7] = 0;
}

void fcgi_put_end(uint8_t out[FCGI_END_BYTES], uint16_t id, uint8_t protocol)
{
	memset(out, 0, FCGI_END_BYTES);
	fcgi_put_head(out, FCGI_END_REQUEST, id, sizeof(FCGI_EndRequestBody), 0);
	out[FCGI_HEAD_BYTES + offsetof(FCGI_EndRequestBody, protocolStatus)] = protocol;
}

void fcgi_put_unknown(uint8_t out[16], uint8_t type)
{
	memset(out, 0, 16);
	fcgi_put_head(out, FCGI_UNKNOWN_TYPE, FCGI_NULL_REQUEST_ID, 8, 0);
	out[FCGI_HEAD_BYTES] = type;
}

size_t fcgi_put_values(uint8_t out[FCGI_VALUES_BYTES], bool mpxs)
{
	const size_t content = 2 + MPXS_LEN + 1;
	uint8_t *pair = out + FCGI_HEAD_BYTES;

	if (!mpxs) {
		fcgi_put_head(out, FCGI_GET_VALUES_RESULT, FCGI_NULL_REQUEST_ID, 0, 0);
		return FCGI_HEAD_BYTES;
	}
	memset(out, 0, FCGI_VALUES_BYTES);
	fcgi_put_head(out, FCGI_GET_VALUES_RESULT, FCGI_NULL_REQUEST_ID, (uint16_t)content,
	    (uint8_t)(FCGI_VALUES_BYTES - FCGI_HEAD_BYTES - content));
	pair[0] = MPXS_LEN;
	pair[1] = 1;
	memcpy(pair + 2, FCGI_MPXS_CONNS, MPXS_LEN);
	pair[2 + MPXS_LEN] = '0';
	return FCGI_VALUES_BYTES;
}
