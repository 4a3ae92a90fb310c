/*
 * records: FastCGI records, read and written.
 *
 * Runs in: worker.
 * Pure: bytes in, events out. No I/O, no clock, no allocation. Every byte is
 * hostile. Splitting the input anywhere gives the same events.
 * Structures and constants are those of libfcgi's <fastcgi.h>; its code is not
 * used: it does not stand up to a socket (SECURITY.md).
 *
 * What is refused: a version other than 1, id 0 on a record of a request, a
 * record of another request, PARAMS after the parameters' end, an unknown
 * role, a BEGIN of a wrong size, a type that only an application sends.
 * What is borne, 64 times a request: an empty STDIN between two requests (some
 * clients send one too many), an ABORT that came late, records of a request
 * that was refused.
 */
#ifndef FPMX_FCGI_RECORDS_H
#define FPMX_FCGI_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fcgi_event {
	FCGI_EV_MORE,       /* all bytes used up, nothing to tell */
	FCGI_EV_BEGIN,      /* id, role, keep are set */
	FCGI_EV_PARAMS,     /* a piece of the parameter stream */
	FCGI_EV_PARAMS_END, /* the parameters are complete */
	FCGI_EV_STDIN,      /* a piece of the body */
	FCGI_EV_STDIN_END,  /* the body is complete */
	FCGI_EV_DATA,       /* a piece of FCGI_DATA (filter role); to be ignored */
	FCGI_EV_ABORT,      /* the client gave this request up */
	FCGI_EV_VALUES,     /* a complete FCGI_GET_VALUES: answer it; asked_mpxs is set */
	FCGI_EV_UNKNOWN,    /* unknown management type: unknown_type is set; answer it */
	FCGI_EV_SECOND,     /* BEGIN of another request while one runs: id in other_id */
	FCGI_EV_BAD,        /* the stream is broken: close; why says it */
	FCGI_EV_MAX
};

/* Where the reader stands between two requests and within one. */
enum fcgi_stage {
	FCGI_AT_BEGIN, /* nothing of a request seen */
	FCGI_AT_PARAMS,
	FCGI_AT_STDIN,
	FCGI_AT_END,     /* empty STDIN seen: the request is consumed */
	FCGI_AT_NOWHERE, /* broken for good */
	FCGI_STAGE_MAX
};

/* A request may hold so many records without content of its own. */
#define FCGI_ODD_MAX 64
/* A connection may ask for values, or send unknown management types, so often. */
#define FCGI_MANAGEMENT_MAX 64
#define FCGI_MANAGEMENT_BYTES 4096

struct fcgi_reader {
	enum fcgi_stage stage;
	uint16_t id;
	uint16_t role;
	uint16_t other_id; /* of the latest BEGIN that came too early */
	uint8_t unknown_type;
	bool keep;
	bool asked_mpxs; /* the GET_VALUES names FCGI_MPXS_CONNS */
	const char *why; /* static text, for FCGI_EV_BAD */

	/* What follows is the reader's own. */
	uint8_t head[8];
	uint8_t head_len;
	bool in_record;
	bool skip; /* the record is not for the request that runs */
	uint32_t content_left;
	uint32_t padding_left;
	uint8_t begin[8]; /* body of a BEGIN */
	uint8_t begin_len;
	uint32_t odd;        /* this request's, of FCGI_ODD_MAX */
	uint32_t management; /* this connection's, of FCGI_MANAGEMENT_MAX */
	bool had_second;     /* records of other_id may still come */
	struct fcgi_names {  /* names of a GET_VALUES, as they pass by */
		uint32_t lens[2];
		uint8_t part; /* 0, 1: the two lengths; 2, 3: name and value */
		uint8_t len_bytes;
		uint32_t done;
		bool same;
	} names;
};

struct fcgi_slice {
	const uint8_t *bytes;
	size_t n;
};

void fcgi_reader_init(struct fcgi_reader *);

/*
 * Uses up some of the input (*used bytes of n) and returns the next event; a
 * piece (PARAMS, STDIN, DATA) is a slice of the input. Call again with the rest
 * until FCGI_EV_MORE. After FCGI_EV_BAD it returns nothing else.
 */
enum fcgi_event fcgi_reader_next(
    struct fcgi_reader *, const uint8_t *in, size_t n, size_t *used, struct fcgi_slice *piece);

/*
 * After the request was answered: may another one follow on this connection?
 * Only if BEGIN, empty PARAMS and empty STDIN were all consumed, padding
 * included, and no other request was begun beside it. Never for a filter,
 * whose second stream nobody reads to its end.
 */
bool fcgi_reader_is_clean(const struct fcgi_reader *);

/* Ready for the next request on the connection. Only when clean. */
void fcgi_reader_next_request(struct fcgi_reader *);

/* Writing: sizes are exact, reserved and padding bytes are zero. */
#define FCGI_HEAD_BYTES 8
#define FCGI_END_BYTES 16
/* Largest content of a record that keeps 8-byte alignment without padding. */
#define FCGI_CONTENT_MAX 65528

void fcgi_put_head(
    uint8_t out[FCGI_HEAD_BYTES], uint8_t type, uint16_t id, uint16_t content, uint8_t padding);
/* END_REQUEST record. protocol: FCGI_REQUEST_COMPLETE, FCGI_CANT_MPX_CONN, ... */
void fcgi_put_end(uint8_t out[FCGI_END_BYTES], uint16_t id, uint8_t protocol);
/* UNKNOWN_TYPE answer. */
void fcgi_put_unknown(uint8_t out[16], uint8_t type);
/*
 * Answer to GET_VALUES: FCGI_MPXS_CONNS=0 where it was asked for, and nothing
 * else, as php-fpm. Returns its length.
 */
#define FCGI_VALUES_BYTES 32
size_t fcgi_put_values(uint8_t out[FCGI_VALUES_BYTES], bool mpxs);

#endif
