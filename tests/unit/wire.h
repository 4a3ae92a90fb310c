/*
 * wire: what a web server sends, byte by byte, right or wrong. For the tests of
 * records and conn.
 */
#ifndef FPMX_TESTS_WIRE_H
#define FPMX_TESTS_WIRE_H

#include <fastcgi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

struct wire {
	uint8_t *bytes;
	size_t n;
	size_t room;
	uint8_t padding; /* of the next record */
};

static inline void wire_add(struct wire *w, const void *bytes, size_t n)
{
	if (n == 0)
		return;
	if (w->n + n > w->room) {
		w->room = 2 * (w->n + n);
		w->bytes = realloc(w->bytes, w->room);
		ck_assert_ptr_nonnull(w->bytes);
	}
	memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
}

static inline void wire_free(struct wire *w)
{
	free(w->bytes);
	w->bytes = NULL;
	w->n = w->room = 0;
}

/* The next record ends in so many bytes of padding. */
static inline void wire_padding(struct wire *w, size_t padding)
{
	w->padding = (uint8_t)padding;
}

/* Padding is not zero: nobody may look at it. */
static inline void wire_record(
    struct wire *w, uint8_t type, uint16_t id, const void *content, size_t n)
{
	uint8_t head[8] = {1, type, (uint8_t)(id >> 8), (uint8_t)id, (uint8_t)(n >> 8), (uint8_t)n,
	    w->padding, 0xaa};
	uint8_t filler[255];

	memset(filler, 0xbb, sizeof(filler));
	wire_add(w, head, sizeof(head));
	wire_add(w, content, n);
	wire_add(w, filler, w->padding);
	w->padding = 0;
}

static inline void wire_begin(struct wire *w, uint16_t id, uint16_t role, uint8_t flags)
{
	uint8_t body[8] = {(uint8_t)(role >> 8), (uint8_t)role, flags, 1, 2, 3, 4, 5};

	wire_record(w, FCGI_BEGIN_REQUEST, id, body, sizeof(body));
}

static inline void wire_empty(struct wire *w, uint8_t type, uint16_t id)
{
	wire_record(w, type, id, NULL, 0);
}

static inline void wire_length(struct wire *w, size_t n)
{
	uint8_t one = (uint8_t)n;
	uint8_t four[4] = {(uint8_t)(n >> 24 | 0x80), (uint8_t)(n >> 16), (uint8_t)(n >> 8), one};

	if (n < 128)
		wire_add(w, &one, 1);
	else
		wire_add(w, four, 4);
}

static inline void wire_pair_n(
    struct wire *w, const void *name, size_t name_len, const void *value, size_t value_len)
{
	wire_length(w, name_len);
	wire_length(w, value_len);
	wire_add(w, name, name_len);
	wire_add(w, value, value_len);
}

static inline void wire_pair(struct wire *w, const char *name, const char *value)
{
	wire_pair_n(w, name, strlen(name), value, strlen(value));
}

/* A stream in the largest records, its end included. */
static inline void wire_stream(
    struct wire *w, uint8_t type, uint16_t id, const void *bytes, size_t n)
{
	for (size_t at = 0; at < n; at += FCGI_MAX_LENGTH) {
		size_t part = n - at < FCGI_MAX_LENGTH ? n - at : FCGI_MAX_LENGTH;

		wire_padding(w, at & 7);
		wire_record(w, type, id, (const uint8_t *)bytes + at, part);
	}
	wire_empty(w, type, id);
}

/* A whole request of one parameter, NAME=VALUE. */
static inline void wire_request(
    struct wire *w, uint16_t id, uint8_t flags, const void *body, size_t n)
{
	struct wire params = {0};

	wire_begin(w, id, FCGI_RESPONDER, flags);
	wire_pair(&params, "NAME", "VALUE");
	wire_stream(w, FCGI_PARAMS, id, params.bytes, params.n);
	wire_stream(w, FCGI_STDIN, id, body, n);
	wire_free(&params);
}

#endif
