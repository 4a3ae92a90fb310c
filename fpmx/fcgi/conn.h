/*
 * conn: one FastCGI connection in a worker, with a clock on every stage (R5).
 *
 * Runs in: worker. One request at a time, no multiplexing.
 * Never: blocks without a deadline, reads more of a body than asked, gives a
 * request out before its parameters are complete (R3).
 * Budget: for a small request one read, one writev and one close; poll only
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
	CONN_SILENT,   /* conn_first_bytes(): nothing has come yet */
	CONN_EMPTY,    /* closed by the peer before the first byte */
	CONN_CLOSED,   /* peer gone or I/O error */
	CONN_LATE,     /* a deadline passed */
	CONN_BAD,      /* protocol broken; conn_why() */
	CONN_TOO_LARGE /* parameters over the bounds: answer 400, close */
};

struct conn_request {
	uint16_t id;
	uint16_t role; /* FCGI_RESPONDER, FCGI_AUTHORIZER, FCGI_FILTER */
	bool keep;     /* the web server asked to keep the connection */
	struct params *params;
};

/*
 * One read that never waits, before the request is read, so that the worker can
 * put a silent connection aside and serve others. CONN_OK: bytes have come and
 * conn_read_request() goes on from them (without it, it waits for the first
 * byte itself). CONN_SILENT: nothing yet. CONN_EMPTY, CONN_CLOSED: it is over.
 */
enum conn_result conn_first_bytes(struct conn *);

/*
 * Gives the descriptor up, still open, and forgets the connection: to put it
 * aside while it is silent, or kept and idle. conn_open() takes it up again.
 * Only while no byte of a request is buffered.
 */
int conn_release(struct conn *) __attribute__((warn_unused_result));

/*
 * Reads up to the end of the parameters (answers GET_VALUES on the way).
 * CONN_OK: *r is filled; memory from the arena, which outlives the request.
 */
enum conn_result conn_read_request(struct conn *, struct arena *, struct conn_request *r);
const char *conn_why(const struct conn *);

/*
 * Body: up to n bytes, at least one unless it has ended. *got 0: end of the
 * body. CONN_CLOSED also for ABORT_REQUEST.
 */
enum conn_result conn_read_body(struct conn *, void *bytes, size_t n, size_t *got);

/* Was the whole body stream consumed, its end included? */
bool conn_body_ended(const struct conn *);

/*
 * Output. stdout and stderr bytes are gathered in one buffer in order of
 * writing and go out in full records with writev when it is full, at
 * conn_flush, and with END_REQUEST. Empty writes make no record. Large writes
 * are sent from the caller's memory. CONN_CLOSED or CONN_LATE: the client is
 * gone; later calls return it at once.
 */
enum conn_result conn_write(struct conn *, const void *bytes, size_t n);
enum conn_result conn_write_err(struct conn *, const void *bytes, size_t n);
enum conn_result conn_flush(struct conn *);

/* Cheap look whether the peer has hung up (for connection_aborted()). */
bool conn_peer_gone(struct conn *);

/*
 * Ends the request: flushes, END_REQUEST, one writev. Returns true when the
 * connection stays open for another request: keep was asked, may_keep, the
 * stream is clean and no byte is buffered (R1). Else it is closed at once,
 * without lingering when the input was consumed, and for at most 200 ms and
 * 64 KiB when it was not.
 * Safe to call twice (fastcgi_finish_request() may have been first).
 */
bool conn_finish(struct conn *, bool may_keep);
bool conn_is_finished(const struct conn *);

/* Closes without a word. Nothing happens when it is closed. */
void conn_close(struct conn *);

/* Bytes of response body and header written to stdout so far. */
uint64_t conn_sent_bytes(const struct conn *);

#endif
