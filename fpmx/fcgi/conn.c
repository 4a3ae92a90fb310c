/*
 * conn: one FastCGI connection in a worker, with a clock on every stage.
 *
 * Runs in: worker.
 * Input: in[] holds what one read brought; it is refilled only when all of it was
 * used up. body is the part of it that is request body and was not asked for yet;
 * what lies behind is not looked at until then.
 * Once the peer broke the protocol (input is not CONN_OK) nothing is read any
 * more, and the connection ends with the request.
 */
#include "fcgi/conn.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <fastcgi.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/must.h"
#include "fcgi/outbox.h"
#include "fcgi/ready.h"
#include "fcgi/records.h"

/* Whole requests of every usual size in one read; four PHP blocks of a body. */
#define IN_BYTES 65536u

#define LINGER_MS 200
#define LINGER_BYTES 65536u

/* While output goes out, an ABORT_REQUEST is looked for no more often. */
#define LISTEN_EVERY_MS 50

enum conn_phase {
	PHASE_BETWEEN, /* no request */
	PHASE_RUNNING, /* parameters read, answer to come */
	PHASE_FINISHED /* END_REQUEST sent */
};

struct conn {
	struct conn_limits limits;
	void (*on_wait)(void *ctx);
	void *ctx;

	/* the connection */
	int fd;
	bool tcp;
	bool nodelay;
	char peer[INET6_ADDRSTRLEN];
	struct fcgi_reader reader;
	enum conn_result input; /* CONN_OK, or what is wrong with it for good */
	const char *why;

	/* the request */
	enum conn_phase phase;
	bool aborted;
	bool kept;
	uint64_t listened_at_ms;
	struct fcgi_slice body;

	size_t in_at;
	size_t in_len;
	uint8_t in[IN_BYTES];
	struct outbox out;
};

struct conn *conn_new(const struct conn_limits *limits)
{
	struct conn *c = calloc(1, sizeof(*c));

	must(c);
	c->limits = *limits;
	c->fd = -1;
	return c;
}

void conn_on_wait(struct conn *c, void (*call)(void *ctx), void *ctx)
{
	c->on_wait = call;
	c->ctx = ctx;
}

static void name_peer(struct conn *c, const struct sockaddr_storage *peer, socklen_t peer_len)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)peer;
	const void *four = NULL;

	c->peer[0] = '-';
	c->peer[1] = '\0';
	c->tcp = false;
	if (peer_len >= sizeof(struct sockaddr_in) && peer->ss_family == AF_INET)
		four = &((const struct sockaddr_in *)peer)->sin_addr;
	else if (peer_len < sizeof(*six) || peer->ss_family != AF_INET6)
		return;
	else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		four = &six->sin6_addr.s6_addr[12];
	c->tcp = true;
	if (four)
		must(inet_ntop(AF_INET, four, c->peer, sizeof(c->peer)));
	else
		must(inet_ntop(AF_INET6, &six->sin6_addr, c->peer, sizeof(c->peer)));
}

void conn_open(struct conn *c, int fd, const struct sockaddr_storage *peer, socklen_t peer_len)
{
	must(c->fd < 0);
	c->fd = fd;
	c->nodelay = false;
	c->input = CONN_OK;
	c->why = "";
	c->phase = PHASE_BETWEEN;
	c->body.n = 0;
	c->in_at = c->in_len = 0;
	name_peer(c, peer, peer_len);
	fcgi_reader_init(&c->reader);
	outbox_init(&c->out, fd, c->limits.write_ms);
}

int conn_fd(const struct conn *c)
{
	return c->fd;
}

const char *conn_peer(const struct conn *c)
{
	return c->peer;
}

const char *conn_why(const struct conn *c)
{
	return c->why;
}

void conn_close(struct conn *c)
{
	fd_close(&c->fd);
	c->kept = false;
	if (c->phase == PHASE_RUNNING)
		c->phase = PHASE_FINISHED;
}

static bool all_used(const struct conn *c)
{
	return c->in_at == c->in_len && c->body.n == 0;
}

/*
 * One read. CONN_OK: some bytes are there. CONN_LATE: none yet. CONN_CLOSED:
 * there will be none.
 */
static enum conn_result read_once(struct conn *c)
{
	ssize_t n;

	must(all_used(c));
	do
		n = read(c->fd, c->in, sizeof(c->in));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return CONN_LATE;
	if (n <= 0)
		return CONN_CLOSED;
	c->in_at = 0;
	c->in_len = (size_t)n;
	return CONN_OK;
}

static enum conn_result read_until(struct conn *c, uint64_t until_ms)
{
	for (;;) {
		enum conn_result result = read_once(c);

		if (result != CONN_LATE)
			return result;
		if (c->on_wait)
			c->on_wait(c->ctx);
		if (!ready_wait(c->fd, POLLIN, until_ms))
			return result;
	}
}

enum conn_result conn_look(struct conn *c)
{
	enum conn_result result;

	must(c->phase != PHASE_RUNNING);
	if (!all_used(c))
		return CONN_OK;
	result = read_once(c);
	return result == CONN_CLOSED ? CONN_EMPTY : result;
}

int conn_release(struct conn *c)
{
	int fd = c->fd;

	must(c->phase != PHASE_RUNNING && all_used(c) && c->reader.stage == FCGI_AT_BEGIN);
	c->fd = -1;
	return fd;
}

/* Answers what the web server asks about the connection itself. */
static void answer(struct conn *c, enum fcgi_event ev)
{
	uint8_t record[FCGI_VALUES_BYTES];
	size_t n = FCGI_END_BYTES;

	if (ev == FCGI_EV_VALUES)
		n = fcgi_put_values(record, c->reader.asked_mpxs);
	else if (ev == FCGI_EV_UNKNOWN)
		fcgi_put_unknown(record, c->reader.unknown_type);
	else
		fcgi_put_end(record, c->reader.other_id, FCGI_CANT_MPX_CONN);
	outbox_add_record(&c->out, record, n);
	outbox_flush(&c->out);
}

/* The next event out of in[]; those about the connection are dealt with here. */
static enum fcgi_event next_event(struct conn *c, struct fcgi_slice *piece)
{
	size_t used;
	enum fcgi_event ev =
	    fcgi_reader_next(&c->reader, c->in + c->in_at, c->in_len - c->in_at, &used, piece);

	c->in_at += used;
	if (ev == FCGI_EV_VALUES || ev == FCGI_EV_UNKNOWN || ev == FCGI_EV_SECOND) {
		answer(c, ev);
		return FCGI_EV_MORE;
	}
	if (ev == FCGI_EV_BAD) {
		c->input = CONN_BAD;
		c->why = c->reader.why;
	}
	return ev;
}

/* Goes through in[] behind the parameters, up to the next piece of body. */
static void advance(struct conn *c)
{
	while (c->body.n == 0 && c->in_at < c->in_len && c->input == CONN_OK) {
		switch (next_event(c, &c->body)) {
		case FCGI_EV_STDIN:
			return;
		case FCGI_EV_ABORT:
			c->aborted = true;
			break;
		default: /* FCGI_DATA, or the rest of refused parameters */
			c->body.n = 0;
			break;
		}
	}
}

static void put_end(struct conn *c)
{
	uint8_t record[FCGI_END_BYTES];

	fcgi_put_end(record, c->reader.id, FCGI_REQUEST_COMPLETE);
	outbox_add_record(&c->out, record, sizeof(record));
	outbox_flush(&c->out);
	c->phase = PHASE_FINISHED;
}

static enum conn_result aborted_early(struct conn *c)
{
	put_end(c);
	c->why = "aborted by the web server";
	return CONN_CLOSED;
}

static void begin(struct conn *c, struct conn_request *r)
{
	static const char *const roles[] = {
	    [FCGI_RESPONDER] = "RESPONDER",
	    [FCGI_AUTHORIZER] = "AUTHORIZER",
	    [FCGI_FILTER] = "FILTER",
	};
	const char *role = roles[c->reader.role];

	r->id = c->reader.id;
	r->role = c->reader.role;
	r->keep = c->reader.keep;
	params_set(r->params, "FCGI_ROLE", role, strlen(role));
	outbox_set_id(&c->out, r->id);
}

/* What becomes of a request whose parameters could not all be taken. */
static enum conn_result refuse(struct conn *c, enum params_result result)
{
	if (result == PARAMS_MALFORMED) {
		c->why = "malformed parameters";
		return c->input = CONN_BAD;
	}
	c->why = result == PARAMS_NUL ? "NUL in a parameter" : "too many or too large parameters";
	c->phase = PHASE_RUNNING;
	return CONN_REFUSED;
}

/* The parameters are complete: the request may run. */
static enum conn_result complete(struct conn *c, struct conn_request *r)
{
	enum params_result result = params_finish(r->params);
	int on = 1;

	if (result != PARAMS_OK)
		return refuse(c, result);
	advance(c);
	if (c->aborted)
		return aborted_early(c);
	/* Not to be had is no reason to fail: answers are only later then. */
	if (r->keep && c->tcp && !c->nodelay)
		c->nodelay = setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0;
	c->phase = PHASE_RUNNING;
	return CONN_OK;
}

/* Reads on until there are bytes; *first as long as there were none at all. */
static enum conn_result more_header(struct conn *c, bool *first, uint64_t begun_ms)
{
	uint32_t limit_ms = c->limits.header_ms;
	enum conn_result result;

	if (all_used(c)) {
		if (*first && c->limits.first_byte_ms < limit_ms)
			limit_ms = c->limits.first_byte_ms;
		result = read_until(c, begun_ms + limit_ms);
		if (result == CONN_LATE)
			c->why = *first ? "no request came" : "the request came too slowly";
		if (result == CONN_CLOSED && *first)
			return CONN_EMPTY;
		if (result != CONN_OK)
			return result;
	}
	*first = false;
	return CONN_OK;
}

enum conn_result conn_read_request(struct conn *c, struct arena *arena, struct conn_request *r)
{
	uint64_t begun_ms = clock_now_ms();
	enum params_result fed;
	struct fcgi_slice piece;
	bool first = true;

	must(c->phase != PHASE_RUNNING);
	c->phase = PHASE_BETWEEN;
	c->aborted = c->kept = false;
	c->listened_at_ms = begun_ms;
	r->params = params_new(arena);
	for (;;) {
		enum conn_result result = more_header(c, &first, begun_ms);

		if (result != CONN_OK)
			return result;
		switch (next_event(c, &piece)) {
		case FCGI_EV_BEGIN:
			begin(c, r);
			break;
		case FCGI_EV_PARAMS:
			fed = params_feed(r->params, piece.bytes, piece.n);
			if (fed != PARAMS_OK)
				return refuse(c, fed);
			break;
		case FCGI_EV_PARAMS_END:
			return complete(c, r);
		case FCGI_EV_ABORT:
			return aborted_early(c);
		case FCGI_EV_BAD:
			return CONN_BAD;
		default:
			break;
		}
	}
}

enum conn_result conn_read_body(struct conn *c, void *bytes, size_t n, size_t *got)
{
	uint64_t until_ms = 0;

	*got = 0;
	if (c->phase != PHASE_RUNNING)
		return CONN_CLOSED;
	if (n == 0)
		return CONN_OK;
	for (;;) {
		enum conn_result result;

		if (c->aborted)
			return CONN_CLOSED;
		if (c->body.n > 0)
			break;
		if (conn_body_ended(c))
			return CONN_OK;
		if (c->input != CONN_OK)
			return c->input;
		if (until_ms == 0)
			until_ms = clock_now_ms() + c->limits.body_ms;
		result = read_until(c, until_ms);
		if (result != CONN_OK) {
			c->why = result == CONN_LATE ? "the body came too slowly"
						     : "the body was cut short";
			return c->input = result;
		}
		advance(c);
	}
	*got = n < c->body.n ? n : c->body.n;
	memcpy(bytes, c->body.bytes, *got);
	c->body.bytes += *got;
	c->body.n -= *got;
	advance(c);
	return CONN_OK;
}

bool conn_body_ended(const struct conn *c)
{
	return c->reader.stage == FCGI_AT_END;
}

/*
 * Without waiting: has the peer something to say, or has it left? Reads only
 * when no body is at hand.
 */
static void listen_in(struct conn *c)
{
	c->listened_at_ms = clock_now_ms();
	if (c->input != CONN_OK || !all_used(c))
		return;
	switch (read_once(c)) {
	case CONN_OK:
		advance(c);
		break;
	case CONN_CLOSED:
		c->input = CONN_CLOSED;
		break;
	default:
		break;
	}
}

static enum conn_result out_result(struct conn *c)
{
	static const enum conn_result results[] = {
	    [OUTBOX_OK] = CONN_OK,
	    [OUTBOX_CLOSED] = CONN_CLOSED,
	    [OUTBOX_LATE] = CONN_LATE,
	};

	if (c->phase != PHASE_RUNNING || c->aborted)
		return CONN_CLOSED;
	if (c->out.result == OUTBOX_LATE)
		c->why = "the answer was not read";
	return results[c->out.result];
}

/* After output of a request that runs for some time: was it aborted meanwhile? */
static enum conn_result sent(struct conn *c)
{
	if (out_result(c) == CONN_OK && clock_now_ms() - c->listened_at_ms >= LISTEN_EVERY_MS)
		listen_in(c);
	return out_result(c);
}

static enum conn_result write_as(struct conn *c, uint8_t type, const void *bytes, size_t n)
{
	if (out_result(c) != CONN_OK)
		return out_result(c);
	outbox_add(&c->out, type, bytes, n);
	return sent(c);
}

enum conn_result conn_write(struct conn *c, const void *bytes, size_t n)
{
	return write_as(c, FCGI_STDOUT, bytes, n);
}

enum conn_result conn_write_err(struct conn *c, const void *bytes, size_t n)
{
	return write_as(c, FCGI_STDERR, bytes, n);
}

enum conn_result conn_flush(struct conn *c)
{
	if (out_result(c) != CONN_OK)
		return out_result(c);
	outbox_flush(&c->out);
	return sent(c);
}

bool conn_peer_gone(struct conn *c)
{
	struct pollfd p = {.fd = c->fd};

	if (out_result(c) != CONN_OK)
		return true;
	listen_in(c);
	if (c->aborted)
		return true;
	/* POLLHUP: both directions. A peer that only stopped sending shows POLLRDHUP. */
	return poll(&p, 1, 0) == 1 && p.revents & (POLLHUP | POLLERR);
}

/* Body that nobody asked for is dropped as far as it has come. */
static void drop_buffered(struct conn *c)
{
	do {
		c->body.n = 0;
		advance(c);
	} while (c->body.n > 0);
}

static bool input_consumed(const struct conn *c)
{
	return conn_body_ended(c) && c->in_at == c->in_len && c->input != CONN_BAD;
}

/*
 * Is the stream at the boundary between two requests? A last read that filled
 * in[] may have left bytes in the socket: they belong to no request that we
 * know, and must not become one.
 */
static bool may_follow(struct conn *c)
{
	if (!input_consumed(c) || c->input != CONN_OK || !fcgi_reader_is_clean(&c->reader))
		return false;
	return c->in_len < sizeof(c->in) || read_once(c) == CONN_LATE;
}

/*
 * Closing with unread input resets the connection, and a reset may overtake the
 * answer; so what still comes is read for a little while.
 */
static void linger(struct conn *c)
{
	uint64_t until_ms = clock_now_ms() + LINGER_MS;
	size_t total = 0;

	if (shutdown(c->fd, SHUT_WR) < 0)
		return;
	while (total < LINGER_BYTES) {
		c->in_at = c->in_len;
		c->body.n = 0;
		if (read_until(c, until_ms) != CONN_OK)
			return;
		total += c->in_len;
		drop_buffered(c);
		if (input_consumed(c))
			return;
	}
}

bool conn_finish(struct conn *c, bool may_keep)
{
	if (c->phase != PHASE_RUNNING)
		return c->kept;
	drop_buffered(c);
	if (!conn_body_ended(c) && c->input == CONN_OK && read_once(c) == CONN_OK)
		drop_buffered(c);
	put_end(c);
	if (c->out.result == OUTBOX_OK) {
		c->kept = may_keep && c->reader.keep && may_follow(c);
		if (c->kept) {
			fcgi_reader_next_request(&c->reader);
			return true;
		}
		if (!input_consumed(c))
			linger(c);
	}
	conn_close(c);
	return false;
}

bool conn_is_finished(const struct conn *c)
{
	return c->phase == PHASE_FINISHED;
}
