/*
 * iniscan: one line of php's INI dialect, cut into tokens.
 *
 * Runs in: master.
 * Pure: a slice in, slices out; hostile bytes are only ever copied.
 * The dialect was learnt from what parse_ini_string() makes of many lines: the
 * same letters mean different things behind "=", between brackets and in
 * quotes, and the longest token wins. Token names in messages are php's.
 */
#ifndef FPMX_CONF_INISCAN_H
#define FPMX_CONF_INISCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

enum ini_token {
	INI_END, /* nothing more, or a quote that nothing closes: see cut */
	INI_END_OF_LINE,
	INI_LABEL,    /* name */
	INI_OFFSET,   /* name[ */
	INI_SECTION,  /* [ */
	INI_CLOSE,    /* ] of both */
	INI_EQUALS,   /* = */
	INI_TRUE,     /* true on yes */
	INI_FALSE,    /* false off no none */
	INI_NULL,     /* null */
	INI_CONSTANT, /* a word that may be a constant of php */
	INI_NUMBER,
	INI_STRING,
	INI_WHITESPACE,
	INI_RAW,          /* '...' without its quotes */
	INI_QUOTE,        /* " */
	INI_QUOTED,       /* a piece between two of them */
	INI_DOLLAR_CURLY, /* ${ */
	INI_VARNAME,
	INI_CURLY_CLOSE, /* } of it */
	INI_CHAR,        /* an operator, or what has no place here */
	INI_TOKEN_MAX
};

enum ini_mode { INI_AT_START, INI_IN_VALUE, INI_IN_SECTION, INI_IN_OFFSET };

struct ini_scan {
	const char *start, *at, *end;
	enum ini_mode mode;
	bool quoted;  /* between two " */
	bool varname; /* between ${ and } */
	bool cut;     /* INI_END came early */

	/* The token that was read last. */
	enum ini_token token;
	const char *text;
	size_t n;
	size_t column; /* of its first byte, from 1 */
};

/* A scan of bytes[n], which hold no NUL and at most one \n, at their end. */
void ini_scan_init(struct ini_scan *, const char *bytes, size_t n);

/* Reads the next token into the fields above. */
void ini_scan_next(struct ini_scan *);

/* Of an INI_QUOTED: \" \\ \$ lose their backslash, others keep it; a last one stays. */
void ini_scan_unescape(const struct ini_scan *, struct strbuf *out);

/* What php calls the token, "END_OF_LINE" or "'='"; room for 24 bytes. */
const char *ini_token_name(const struct ini_scan *, char room[24]);

#endif
