/*
 * outbox: what goes out on a connection, as records.
 *
 * Runs in: worker. Only conn.c uses it.
 * Small pieces are gathered in one buffer, in order of writing; a record grows
 * as long as its type stays. Large pieces go out together with the buffer from
 * where they lie.
 * Never: sends an empty record, an uninitialised byte, or half an END_REQUEST on
 * purpose; waits longer than stall_ms without progress.
 */
#ifndef FPMX_FCGI_OUTBOX_H
#define FPMX_FCGI_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum outbox_result {
	OUTBOX_OK,
	OUTBOX_CLOSED, /* the peer is gone */
	OUTBOX_LATE    /* the peer does not read */
};

/* As php-fpm's: the output of a small script goes out in one piece. */
#define OUTBOX_BYTES 8192
/* Padding, an END_REQUEST or an answer to GET_VALUES still fit behind. */
#define OUTBOX_SPARE 64

struct outbox {
	int fd; /* not owned */
	uint32_t stall_ms;
	enum outbox_result result; /* the first failure stays */
	uint16_t id;
	bool open; /* the last record may still grow */
	uint8_t type;
	size_t open_at; /* its head */
	size_t len;
	uint8_t bytes[OUTBOX_BYTES + OUTBOX_SPARE];
};

/* For a new connection; fd is non-blocking. */
void outbox_init(struct outbox *, int fd, uint32_t stall_ms);

/* Records from now on belong to this request. */
void outbox_set_id(struct outbox *, uint16_t id);

/* type: FCGI_STDOUT or FCGI_STDERR. */
enum outbox_result outbox_add(struct outbox *, uint8_t type, const void *bytes, size_t n);

/* A complete record of at most 32 bytes; it is not sent yet. */
void outbox_add_record(struct outbox *, const uint8_t *record, size_t n);

/* Sends what is there. */
enum outbox_result outbox_flush(struct outbox *);

#endif
