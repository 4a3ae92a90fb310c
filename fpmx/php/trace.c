/*
 * trace: where the script of another process is, read out of its memory.
 *
 * Runs in: template, about a worker that it has forked. So addresses and
 * structures there are those of here.
 * Never: follows a pointer that it has read; each is given to pread() again,
 * which fails where nothing is mapped. What is read may be half changed, or be
 * made to mislead: strings are cut, and the number of reads has an end.
 * The lines are php-fpm's, its "???" and "unknown:0" around generators included.
 */
#include "php/room.h"

#include <string.h>
#include <unistd.h>

#include "status/escape.h"

/* php-fpm cuts names and paths at so many bytes, NUL included. */
#define TEXT_BYTES 1024
/* A usual frame takes eight reads; a circle of frames must come to an end. */
#define READS_MAX 100000u
#define PAGE_BYTES 4096u

struct memory {
	int fd;
	uint32_t reads_left;
};

struct place {
	char file[TEXT_BYTES];
	uint32_t line;
};

/* n bytes at an offset from base; an address that cannot be is no different. */
static bool peek(struct memory *m, const void *base, size_t offset, void *to, size_t n)
{
	if (m->reads_left == 0)
		return false;
	m->reads_left--;
	return pread(m->fd, to, n, (off_t)((uintptr_t)base + offset)) == (ssize_t)n;
}

static bool peek_string(struct memory *m, const zend_string *at, char text[TEXT_BYTES])
{
	zend_string head;
	size_t n;

	if (!peek(m, at, 0, &head, offsetof(zend_string, val)))
		return false;
	n = head.len < TEXT_BYTES - 1 ? head.len : TEXT_BYTES - 1;
	text[n] = '\0';
	return n == 0 || peek(m, at, offsetof(zend_string, val), text, n);
}

/* Of unknown length: read up to the end of each page, what is behind may not be there. */
static bool peek_c_string(struct memory *m, const char *at, char text[TEXT_BYTES])
{
	size_t have = 0;

	while (have < TEXT_BYTES - 1) {
		size_t n = PAGE_BYTES - ((uintptr_t)at + have) % PAGE_BYTES;

		if (n > TEXT_BYTES - 1 - have)
			n = TEXT_BYTES - 1 - have;
		if (!peek(m, at, have, text + have, n))
			return false;
		if (memchr(text + have, '\0', n) != NULL)
			return true;
		have += n;
	}
	text[have] = '\0';
	return true;
}

/* Where a frame of a script stands. */
static bool peek_place(struct memory *m, const zend_execute_data *frame, struct place *p)
{
	const zend_string *file;

	return peek(m, frame->func, offsetof(zend_op_array, filename), &file, sizeof(file)) &&
	       peek_string(m, file, p->file) &&
	       peek(m, frame->opline, offsetof(zend_op, lineno), &p->line, sizeof(p->line));
}

/* Who called the frame: the next one below it that is of a script. */
static bool peek_caller(struct memory *m, const zend_execute_data *at, struct place *p)
{
	zend_execute_data frame;
	uint8_t type;

	*p = (struct place){.file = "unknown"};
	for (; at != NULL; at = frame.prev_execute_data) {
		if (!peek(m, at, 0, &frame, sizeof(frame)))
			return false;
		if (frame.func == NULL)
			return true;
		if (!peek(m, frame.func, offsetof(zend_function, type), &type, sizeof(type)))
			return false;
		if (ZEND_USER_CODE(type))
			return peek_place(m, &frame, p);
	}
	return true;
}

/* *is_main: it is the script itself, which nobody has called: no line for it. */
static bool peek_name(
    struct memory *m, const zend_execute_data *frame, char name[TEXT_BYTES], bool *is_main)
{
	static const char none[] = "???", include[] = "[INCLUDE_OR_EVAL]";
	const zend_string *at;

	*is_main = false;
	if (frame->func == NULL) {
		memcpy(name, none, sizeof(none));
		return true;
	}
	if (!peek(m, frame->func, offsetof(zend_function, common.function_name), &at, sizeof(at)))
		return false;
	if (at != NULL)
		return peek_string(m, at, name);
	*is_main = frame->prev_execute_data == NULL;
	memcpy(name, include, sizeof(include));
	return true;
}

static bool trace_frames(struct memory *m, uint32_t depth, struct strbuf *out)
{
	const zend_execute_data *at;
	zend_execute_data frame;
	char name[TEXT_BYTES];
	struct place caller;
	bool is_main;

	if (!peek(m, &EG(current_execute_data), 0, &at, sizeof(at)))
		return false;
	for (; at != NULL && depth > 0; at = frame.prev_execute_data, depth--) {
		if (!peek(m, at, 0, &frame, sizeof(frame)) || !peek_name(m, &frame, name, &is_main))
			return false;
		if (is_main)
			return true;
		if (!peek_caller(m, frame.prev_execute_data, &caller))
			return false;
		strbuf_printf(out, "[0x%016lx] ", (unsigned long)(uintptr_t)at);
		escape_plain(out, name);
		strbuf_adds(out, "() ");
		escape_plain(out, caller.file);
		strbuf_printf(out, ":%u\n", caller.line);
	}
	return true;
}

enum engine_trace engine_trace(int memory_fd, uint32_t depth, struct strbuf *out)
{
	struct memory m = {.fd = memory_fd, .reads_left = READS_MAX};
	char script[TEXT_BYTES];
	const char *at;

	if (!peek(&m, &SG(request_info).path_translated, 0, &at, sizeof(at)) ||
	    !peek_c_string(&m, at, script))
		return ENGINE_TRACE_NOTHING;
	strbuf_adds(out, "script_filename = ");
	escape_plain(out, script);
	strbuf_addc(out, '\n');
	return trace_frames(&m, depth, out) ? ENGINE_TRACE_WHOLE : ENGINE_TRACE_CUT;
}
