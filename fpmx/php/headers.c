/*
 * headers: the header block of a response, in CGI's form.
 *
 * Runs in: worker.
 * Status 200 has no line of its own. A script's "HTTP/1.1 404 Gone fishing"
 * becomes "Status: 404 Gone fishing"; its own "Status:" stands for a code that
 * has no such line.
 */
#include "php/room.h"

#include <string.h>
#include <strings.h>

/* php-fpm cuts the line here. */
#define STATUS_LINE_MAX 1023

static bool begins_with(const sapi_header_struct *h, const char *prefix, size_t n)
{
	return h->header_len > n && strncasecmp(h->header, prefix, n) == 0;
}

#define HEADER_IS(h, literal) begins_with((h), literal, sizeof(literal) - 1)

static void put(const char *bytes, size_t n)
{
	struct engine_request *r = room_asked();

	/* A client that has gone is noticed with the body. */
	if (r != NULL && conn_write(r->conn, bytes, n) != CONN_OK)
		return;
}

static void put_line(const char *bytes, size_t n)
{
	put(bytes, n);
	put("\r\n", 2);
}

static const char *reason_of(int code)
{
	for (size_t i = 0; http_status_map[i].code != 0; i++) {
		if (http_status_map[i].code == code)
			return http_status_map[i].str;
	}
	return NULL;
}

static bool has_own_status(const zend_llist *headers)
{
	zend_llist_position at;
	zend_llist *list = (zend_llist *)headers;

	for (sapi_header_struct *h = zend_llist_get_first_ex(list, &at); h != NULL;
	     h = zend_llist_get_next_ex(list, &at)) {
		if (HEADER_IS(h, "Status:"))
			return true;
	}
	return false;
}

/* "Status: 404 Not Found"; false when a header of the script says it. */
static bool put_code(int code, const zend_llist *headers)
{
	const char *reason;
	char line[64];
	int n;

	if (has_own_status(headers))
		return false;
	reason = reason_of(code);
	n = snprintf(
	    line, sizeof(line), reason != NULL ? "Status: %d %s" : "Status: %d", code, reason);
	put_line(line, (size_t)n);
	return true;
}

/*
 * The first line. Returns whether one was written; *code becomes what it says,
 * which is what 304's rule goes by.
 */
static bool put_status(const sapi_headers_struct *h, int *code)
{
	const char *line = h->http_status_line;
	const char *rest;
	char text[STATUS_LINE_MAX + 1];
	size_t n;

	if (line != NULL && room.ini.rfc2616_headers) {
		put_line(line, strnlen(line, STATUS_LINE_MAX));
		return true;
	}
	rest = line != NULL && strncasecmp(line, "HTTP/", 5) == 0 ? strchr(line, ' ') : NULL;
	if (rest == NULL)
		return put_code(*code, &h->headers);
	n = strnlen(rest, STATUS_LINE_MAX - 7);
	memcpy(text, "Status:", 7);
	memcpy(text + 7, rest, n);
	text[7 + n] = '\0';
	*code = (int)strtol(rest, NULL, 10);
	put_line(text, 7 + n);
	return true;
}

int headers_send(sapi_headers_struct *headers)
{
	int code = headers->http_response_code;
	bool status_said = false;
	zend_llist_position at;

	if (SG(request_info).no_headers)
		return SAPI_HEADER_SENT_SUCCESSFULLY;
	if (room.ini.nph || code != 200)
		status_said = put_status(headers, &code);
	for (sapi_header_struct *h = zend_llist_get_first_ex(&headers->headers, &at); h != NULL;
	     h = zend_llist_get_next_ex(&headers->headers, &at)) {
		if (h->header_len == 0)
			continue;
		if (HEADER_IS(h, "Status:")) {
			/* One is enough. */
			if (status_said)
				continue;
			status_said = true;
		} else if (code == 304 && HEADER_IS(h, "Content-Type:")) {
			continue;
		}
		put_line(h->header, h->header_len);
	}
	put("\r\n", 2);
	return SAPI_HEADER_SENT_SUCCESSFULLY;
}

const char *engine_response_header(const char *name)
{
	size_t n = strlen(name);
	zend_llist_position at;

	for (sapi_header_struct *h = zend_llist_get_first_ex(&SG(sapi_headers).headers, &at);
	     h != NULL; h = zend_llist_get_next_ex(&SG(sapi_headers).headers, &at)) {
		if (h->header_len > n + 2 && memcmp(h->header, name, n) == 0 &&
		    memcmp(h->header + n, ": ", 2) == 0)
			return h->header + n + 2;
	}
	return NULL;
}
