/*
 * speech: marks, messages, wrapping.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/speech.h"

#include <string.h>

#include "base/must.h"

static const char mark[] = {'\0', 'f', 's', 'c', 'f', '\0'};

#define CLOSED ", pipe is closed"

/* The limit of log lines is at least 512, heads are shorter: text always fits. */
#define TEXT_LEAST 16

void speech_init(struct speech *s)
{
	strbuf_init(&s->text, s->limit);
}

void speech_free(struct speech *s)
{
	strbuf_free(&s->text);
}

static void put_line(struct speech *s, const char *suffix)
{
	struct strbuf line;

	strbuf_init(&line, 2 * s->limit);
	if (s->decorate) {
		s->head(s->ctx, &line);
		strbuf_addc(&line, '"');
	}
	strbuf_add(&line, s->text.bytes, s->text.len);
	if (s->decorate)
		strbuf_printf(&line, "\"%s", suffix);
	strbuf_addc(&line, '\n');
	s->line(s->ctx, strbuf_str(&line), line.len);
	strbuf_free(&line);
	strbuf_clear(&s->text);
	s->spoke = true;
}

/* How much text a line holds. The head's time stamp has always the same length. */
static size_t room(const struct speech *s)
{
	struct strbuf head;
	size_t around = 1; /* newline */

	if (s->decorate) {
		strbuf_init(&head, s->limit);
		s->head(s->ctx, &head);
		around += head.len + 2; /* quotes */
		strbuf_free(&head);
	}
	return s->limit > around + TEXT_LEAST ? s->limit - around : TEXT_LEAST;
}

static void add_text(struct speech *s, const char *bytes, size_t n)
{
	size_t most = room(s);

	while (n > 0) {
		size_t piece = most - s->text.len < n ? most - s->text.len : n;

		/* A full line goes out when more comes: it may be the whole message. */
		if (piece == 0) {
			put_line(s, "");
			continue;
		}
		strbuf_add(&s->text, bytes, piece);
		bytes += piece;
		n -= piece;
	}
}

void speech_flush(struct speech *s)
{
	if (s->text.len > 0)
		put_line(s, "");
}

/* What looked like the mark was text. */
static void give_up_mark(struct speech *s)
{
	unsigned n = s->matched;

	s->matched = 0;
	add_text(s, mark, n);
}

/* One byte of the mark, or the end of hope for it. True: the byte was taken. */
static bool take_mark(struct speech *s, char c)
{
	if (s->matched > 0 && c != mark[s->matched])
		give_up_mark(s);
	if (c != mark[s->matched])
		return false;
	if (++s->matched == sizeof(mark)) {
		s->matched = 0;
		speech_flush(s);
	}
	return true;
}

/* How many bytes from here on are plain text. */
static size_t plain(const char *bytes, size_t n)
{
	size_t i = 0;

	while (i < n && bytes[i] != '\n' && bytes[i] != '\0')
		i++;
	return i;
}

void speech_feed(struct speech *s, const char *bytes, size_t n)
{
	while (n > 0) {
		size_t run = s->matched == 0 ? plain(bytes, n) : 0;

		if (run > 0)
			add_text(s, bytes, run);
		else {
			run = 1;
			if (!take_mark(s, *bytes)) {
				if (*bytes == '\n')
					put_line(s, "");
				else
					add_text(s, bytes, 1);
			}
		}
		bytes += run;
		n -= run;
	}
}

void speech_end(struct speech *s)
{
	if (s->matched > 0)
		give_up_mark(s);
	if (s->text.len > 0)
		put_line(s, s->spoke || s->text.len + strlen(CLOSED) > room(s) ? "" : CLOSED);
}
