/*
 * body: the body of a request as PHP reads it.
 *
 * Runs in: worker.
 * CONTENT_LENGTH bounds what is delivered. Without it (a chunked request that
 * the web server passes on as it comes) the body is delivered until its end on
 * the wire. REQUEST_BODY_FILE stands for the body where the web server has
 * written it to a file.
 * Invariant: PHP takes a short count for the end, so a call returns less than
 * it was asked for only there.
 */
#include "php/room.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void body_begin(void)
{
	const char *length = room_param("CONTENT_LENGTH");

	room.request.body_file = -1;
	room.request.body_length = -1;
	if (!room.request.asked->named)
		length = "0";
	if (length != NULL && *length != '\0') {
		long long n = strtoll(length, NULL, 10);

		room.request.body_length = n > 0 ? n : 0;
	}
}

void body_end(void)
{
	if (room.request.body_file >= 0)
		close(room.request.body_file);
	room.request.body_file = -1;
}

/* 0, or -1 when there is a file and it cannot be opened. */
static int open_file(const char *path)
{
	struct room_request *r = &room.request;

	if (r->body_file >= 0)
		return 0;
	if (r->body_file_tried)
		return -1;
	r->body_file_tried = true;
	r->body_file = open(path, O_RDONLY | O_CLOEXEC);
	if (r->body_file >= 0)
		return 0;
	php_error(E_WARNING, "REQUEST_BODY_FILE: open('%s') failed: %s (%d)", path, strerror(errno),
	    errno);
	return -1;
}

static size_t read_file(const char *path, char *buffer, size_t n)
{
	size_t done = 0;

	if (open_file(path) != 0)
		return 0;
	while (done < n) {
		ssize_t got = read(room.request.body_file, buffer + done, n - done);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static size_t read_wire(struct conn *c, char *buffer, size_t n)
{
	size_t done = 0;

	while (done < n) {
		size_t got = 0;

		if (conn_read_body(c, buffer + done, n - done, &got) != CONN_OK || got == 0)
			break;
		done += got;
	}
	return done;
}

/*
 * PHP checks post_max_size against CONTENT_LENGTH before it reads a multipart
 * body, and never again: without a length it is for us to stop.
 */
static bool is_too_long(size_t more)
{
	const sapi_post_entry *entry = SG(request_info).post_entry;

	if (entry == NULL || entry->post_handler != rfc1867_post_handler || SG(post_max_size) <= 0)
		return false;
	if ((zend_long)more <= SG(post_max_size) - SG(read_post_bytes))
		return false;
	php_error_docref(NULL, E_WARNING,
	    "Actual POST length does not match Content-Length, and exceeds " ZEND_LONG_FMT " bytes",
	    SG(post_max_size));
	return true;
}

/* The web server may not look for an answer before it has sent everything. */
static void discard_rest(struct conn *c)
{
	char piece[SAPI_POST_BLOCK_SIZE];

	while (read_wire(c, piece, sizeof(piece)) == sizeof(piece))
		continue;
}

size_t body_read(char *buffer, size_t n)
{
	struct room_request *r = &room.request;
	struct engine_request *asked = room_asked();
	bool known = r->body_length >= 0;
	const char *path;
	size_t got;

	if (asked == NULL || conn_is_finished(asked->conn))
		return 0;
	/* At the end PHP takes what is left. Who never asked does not wait for that. */
	if (!known && r->over && !r->body_asked)
		return 0;
	r->body_asked = true;
	if (known) {
		int64_t left = r->body_length - SG(read_post_bytes);

		n = left <= 0 ? 0 : MIN(n, (size_t)left);
	}
	if (n == 0)
		return 0;
	path = room_param("REQUEST_BODY_FILE");
	/* At the end PHP takes what is left: of a file nobody waits for that. */
	if (path != NULL && *path != '\0')
		return r->over ? 0 : read_file(path, buffer, n);
	got = read_wire(asked->conn, buffer, n);
	if (known && got < n)
		r->body_cut = true;
	if (known || !is_too_long(got))
		return got;
	discard_rest(asked->conn);
	return 0;
}
