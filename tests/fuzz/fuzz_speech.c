/*
 * fuzz_speech: any bytes of a worker, in any pieces.
 *
 * The first byte of the input chooses how the rest is cut, the second how lines
 * are made. Held to: no line is longer than the limit; each is a whole line of
 * the one form; no byte but newlines and whole marks is lost; the whole at once
 * says the same as the pieces.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "master/speech.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

#define HEAD "head: "
#define CLOSED "\", pipe is closed\n"

struct said {
	struct speech speech;
	struct strbuf all;
	size_t text; /* bytes without what we have put around them */
};

static void head(void *ctx, struct strbuf *out)
{
	(void)ctx;
	strbuf_adds(out, HEAD);
}

static bool ends_with(const char *line, size_t n, const char *end)
{
	size_t len = strlen(end);

	return n >= len && memcmp(line + n - len, end, len) == 0;
}

static void line(void *ctx, const char *text, size_t n)
{
	struct said *s = ctx;

	must(n > 0 && n <= s->speech.limit && text[n - 1] == '\n');
	if (!s->speech.decorate)
		s->text += n - 1;
	else {
		bool last = ends_with(text, n, CLOSED);

		must(n >= strlen(HEAD) + 3 && memcmp(text, HEAD "\"", strlen(HEAD) + 1) == 0);
		must(last || ends_with(text, n, "\"\n"));
		s->text += n - strlen(HEAD) - 1 - strlen(last ? CLOSED : "\"\n");
	}
	strbuf_add(&s->all, text, n);
}

static void begin(struct said *s, uint8_t form)
{
	*s = (struct said){
	    .speech = {
		.limit = 512 + form % 64, .decorate = form >= 128, .head = head, .line = line}};
	s->speech.ctx = s;
	strbuf_init(&s->all, 1U << 24);
	speech_init(&s->speech);
}

/* By the book: a mark is found where it begins first. */
static size_t count_text(const uint8_t *bytes, size_t n)
{
	size_t text = 0;

	for (size_t i = 0; i < n; i++) {
		if (n - i >= 6 && memcmp(bytes + i, "\0fscf\0", 6) == 0)
			i += 5;
		else
			text += bytes[i] != '\n';
	}
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct said whole, pieces;
	size_t step;

	if (n < 2)
		return 0;
	step = 1 + bytes[0];
	begin(&whole, bytes[1]);
	begin(&pieces, bytes[1]);
	bytes += 2;
	n -= 2;
	speech_feed(&whole.speech, (const char *)bytes, n);
	speech_end(&whole.speech);
	for (size_t at = 0; at < n; at += step)
		speech_feed(
		    &pieces.speech, (const char *)bytes + at, n - at < step ? n - at : step);
	speech_end(&pieces.speech);
	must(whole.all.len == pieces.all.len);
	must(memcmp(strbuf_str(&whole.all), strbuf_str(&pieces.all), whole.all.len) == 0);
	/* What ends with the word that we add could not be told from it. */
	must(whole.text == count_text(bytes, n) || whole.speech.decorate);
	speech_free(&whole.speech);
	speech_free(&pieces.speech);
	strbuf_free(&whole.all);
	strbuf_free(&pieces.all);
	return 0;
}
