/*
 * conn: one FastCGI connection in a worker, with a clock on every stage.
 *
 * Runs in: worker. One request at a time, no multiplexing.
 * Never: blocks without a deadline, holds more of a body than one buffer, gives a
 * request out before its parameters are complete.
 * Budget: for a small request one read, one sendmsg and one close; poll only
 * when the socket is not ready.
 */
#ifndef FPMX_FCGI_CONN_H
#define FPMX_FCGI_CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/arena.h"
#include "fcgi/params.h"

struct conn_limits {
	uint32_t first_byte_ms, header_ms, body_ms, write_ms;
};

struct conn;

/*
 * One struct conn serves connection after connection: its buffers are made
 * once per worker. limits are copied.
 */
struct conn *conn_new(const struct conn_limits *);

/* Takes over the accepted, non-blocking descriptor. peer as accept4 gave it. */
void conn_open(struct conn *, int fd, const struct sockaddr_storage *peer, socklen_t peer_len);
int conn_fd(const struct conn *); /* -1 when closed */
/* "127.0.0.1", "::1" (v4-mapped shown as v4), "-" for a unix socket. */
const char *conn_peer(const struct conn *);

enum conn_result {
	CONN_OK,
	CONN_EMPTY,  /* closed by the peer before the first byte */
	CONN_CLOSED, /* peer gone, request aborted, or I/O error */
	CONN_LATE,   /* a deadline passed */
	CONN_BAD,    /* protocol broken; conn_why() */
	CONN_REFUSED /* parameters over the bounds or with a NUL: answer 400, finish, not keep */
};

/*
 * For a worker that does not want to wait for a silent client: one read, whose
 * bytes are kept for conn_read_request(). CONN_OK: there are some. CONN_LATE:
 * none yet; conn_release() and wait for the descriptor beside others. CONN_EMPTY:
 * the peer has gone; conn_close().
 */
enum conn_result conn_look(struct conn *);

/* Gives the open descriptor back without closing it. Only with no request begun. */
int conn_release(struct conn *);

/*
 * Calls that from now on before each wait for bytes of a client: whoever has
 * said half of something holds us up for as long as it likes.
 */
void conn_on_wait(struct conn *, void (*call)(void *ctx), void *ctx);

struct conn_request {
	uint16_t id;
	uint16_t role; /* FCGI_RESPONDER, FCGI_AUTHORIZER, FCGI_FILTER */
	bool keep;     /* the web server asked to keep the connection */
	struct params *params;
};

/*
 * Reads up to the end of the parameters (answers GET_VALUES on the way). The
 * first byte has first_byte_ms, the whole header_ms, both from this call.
 * CONN_OK, and CONN_REFUSED: *r is filled; memory from the arena, which outlives
 * the request. FCGI_ROLE is among the parameters, the oldest, as in php-fpm.
 * For any other result all that is left to do is conn_close().
 */
enum conn_result conn_read_request(struct conn *, struct arena *, struct conn_request *r);
const char *conn_why(const struct conn *);

/*
 * Body: up to n bytes, at least one unless it has ended. *got 0: end of the
 * body. Each call may wait body_ms. CONTENT_LENGTH is the caller's business: a
 * body without one is delivered until its end on the wire.
 * CONN_CLOSED: cut short by the peer, or ABORT_REQUEST. After conn_finish() too.
 */
enum conn_result conn_read_body(struct conn *, void *bytes, size_t n, size_t *got);

/* Was the whole body stream consumed, its end included? */
bool conn_body_ended(const struct conn *);

/*
 * Output. stdout and stderr bytes are gathered in one buffer in order of
 * writing and go out in full records with one sendmsg when it is full, at
 * conn_flush, and with END_REQUEST. Empty writes make no record. Large writes
 * are sent from the caller's memory. write_ms is the longest time without any
 * progress. CONN_CLOSED or CONN_LATE: the client is gone; later calls return it
 * at once. After conn_finish(): CONN_CLOSED (php-fpm aborts a script that goes
 * on writing after fastcgi_finish_request()).
 */
enum conn_result conn_write(struct conn *, const void *bytes, size_t n);
enum conn_result conn_write_err(struct conn *, const void *bytes, size_t n);
enum conn_result conn_flush(struct conn *);

/*
 * Cheap look whether the peer has hung up or aborted the request (for
 * connection_aborted()). A peer that only has closed its sending side is not
 * gone: it may be waiting for the answer.
 */
bool conn_peer_gone(struct conn *);

/*
 * Ends the request: flushes, END_REQUEST, one sendmsg. Returns true when the
 * connection stays open for another request: keep was asked, may_keep, the
 * stream is clean and no byte is buffered, so nothing of this request's body can
 * be taken for the next request. Else it is closed: at once when the input was
 * consumed, and after lingering for at most 200 ms and 64 KiB when it was not, so
 * that a reset does not overtake the answer.
 * Safe to call twice (fastcgi_finish_request() may have been first).
 */
bool conn_finish(struct conn *, bool may_keep);
bool conn_is_finished(const struct conn *);

/* Closes without a word. Nothing happens when it is closed. */
void conn_close(struct conn *);

#endif
