/* speech: a worker's output as php-fpm's log lines. */
#include <string.h>

#include "master/speech.h"
#include "unit.h"

static char got[65536];

static void head(void *ctx, struct strbuf *s)
{
	(void)ctx;
	strbuf_adds(s, "head: ");
}

static void line(void *ctx, const char *text, size_t n)
{
	size_t len = strlen(got);

	(void)ctx;
	ck_assert_uint_lt(len + n, sizeof(got));
	memcpy(got + len, text, n);
	got[len + n] = '\0';
}

static struct speech make(size_t limit, bool decorate)
{
	struct speech s = {.limit = limit, .decorate = decorate, .head = head, .line = line};

	got[0] = '\0';
	speech_init(&s);
	return s;
}

#define FEED(s, literal) speech_feed(&(s), (literal), sizeof(literal) - 1)
#define MARK "\0fscf\0"

START_TEST(lines_are_messages)
{
	struct speech s = make(512, true);

	FEED(s, "one\ntwo\nthr");
	ck_assert_str_eq(got, "head: \"one\"\nhead: \"two\"\n");
	FEED(s, "ee\n\n");
	ck_assert_str_eq(got, "head: \"one\"\nhead: \"two\"\nhead: \"three\"\nhead: \"\"\n");
	speech_free(&s);
}
END_TEST

START_TEST(the_mark_ends_a_message)
{
	struct speech s = make(512, true);

	FEED(s, "a" MARK "b" MARK MARK);
	ck_assert_str_eq(got, "head: \"a\"\nhead: \"b\"\n");
	speech_free(&s);
}
END_TEST

START_TEST(the_mark_is_known_in_any_pieces)
{
	static const char text[] = "before" MARK "after\n";

	for (size_t cut = 0; cut <= sizeof(text) - 1; cut++) {
		struct speech s = make(512, true);

		speech_feed(&s, text, cut);
		speech_feed(&s, text + cut, sizeof(text) - 1 - cut);
		ck_assert_str_eq(got, "head: \"before\"\nhead: \"after\"\n");
		speech_free(&s);
	}
}
END_TEST

START_TEST(a_false_mark_is_text)
{
	struct speech s = make(512, false);

	/* NULs would end a C string: compare what comes after them by hand. */
	FEED(s, "x\0fsXy\n");
	ck_assert_int_eq(got[0], 'x');
	ck_assert_uint_eq(strlen(got), 1);
	s.text.len = 0;
	got[0] = '\0';
	FEED(s, "a\0fsc" MARK);
	ck_assert_str_eq(got, "a");
	speech_free(&s);
}
END_TEST

static size_t sizes[8], nsizes;
static char first_line[64];

static void measure(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	if (nsizes == 0)
		memcpy(first_line, text, n < sizeof(first_line) ? n : sizeof(first_line));
	sizes[nsizes++] = n;
}

START_TEST(no_byte_of_a_false_mark_is_lost)
{
	struct speech s = make(512, false);

	s.line = measure;
	nsizes = 0;
	FEED(s, "ab\0fsc\0fscfX\0\0fscf\0cd\n");
	/* "ab" NUL fsc NUL fscfX NUL, then a mark, then "cd". */
	ck_assert_uint_eq(nsizes, 2);
	ck_assert_uint_eq(sizes[0], 2 + 4 + 6 + 1 + 1);
	ck_assert_int_eq(memcmp(first_line, "ab\0fsc\0fscfX\0\n", 14), 0);
	ck_assert_uint_eq(sizes[1], 3);
	speech_free(&s);
}
END_TEST

static size_t heard_bytes;
static char heard[4096];

static void hear(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	ck_assert_uint_le(heard_bytes + n, sizeof(heard));
	memcpy(heard + heard_bytes, text, n);
	heard_bytes += n;
}

/* The three pieces of text, cut at a and b. */
static void say_in_pieces(const char *text, size_t n, size_t a, size_t b)
{
	struct speech s = make(512, false);

	s.line = hear;
	heard_bytes = 0;
	speech_feed(&s, text, a);
	speech_feed(&s, text + a, b - a);
	speech_feed(&s, text + b, n - b);
	speech_end(&s);
	speech_free(&s);
}

/* Whoever writes chooses the pieces, so they may change nothing. */
START_TEST(pieces_change_nothing)
{
	static const char text[] = "ab\n" MARK "c\0f\0fs\0fsc\0fscf" MARK "\0\0fscf\0"
				   "d" MARK MARK "e\n\nf\0fscg\0fscf\n" MARK "h\0fsc";
	size_t n = sizeof(text) - 1;
	char whole[sizeof(heard)];
	size_t whole_bytes;

	say_in_pieces(text, n, n, n);
	whole_bytes = heard_bytes;
	memcpy(whole, heard, heard_bytes);
	for (size_t a = 0; a <= n; a++)
		for (size_t b = a; b <= n; b++) {
			say_in_pieces(text, n, a, b);
			ck_assert_uint_eq(heard_bytes, whole_bytes);
			ck_assert_int_eq(memcmp(heard, whole, whole_bytes), 0);
		}
}
END_TEST

static void feed_many(struct speech *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		speech_feed(s, "a", 1);
}

START_TEST(long_text_is_wrapped_at_the_limit)
{
	struct speech s = make(1024, false);

	s.line = measure;
	nsizes = 0;
	feed_many(&s, 100);
	feed_many(&s, 2500);
	speech_flush(&s);
	ck_assert_uint_eq(nsizes, 3);
	ck_assert_uint_eq(sizes[0], 1024);
	ck_assert_uint_eq(sizes[1], 1024);
	ck_assert_uint_eq(sizes[2], 2600 - 2 * 1023 + 1);
	speech_free(&s);
}
END_TEST

START_TEST(decorated_lines_are_exactly_the_limit)
{
	struct speech s = make(512, true);

	s.line = measure;
	nsizes = 0;
	feed_many(&s, 1200);
	FEED(s, "\n");
	ck_assert_uint_eq(nsizes, 3);
	ck_assert_uint_eq(sizes[0], 512);
	ck_assert_uint_eq(sizes[1], 512);
	ck_assert_uint_eq(sizes[2], 1200 - 2 * (512 - 9) + 9);
	/* A message that just fits is one line, not one and an empty one. */
	nsizes = 0;
	feed_many(&s, 512 - 9);
	FEED(s, "\n");
	ck_assert_uint_eq(nsizes, 1);
	ck_assert_uint_eq(sizes[0], 512);
	speech_free(&s);
}
END_TEST

START_TEST(the_end_is_told_when_nothing_was_heard_before)
{
	struct speech s = make(512, true);

	FEED(s, "last words");
	speech_end(&s);
	ck_assert_str_eq(got, "head: \"last words\", pipe is closed\n");
	speech_free(&s);

	s = make(512, true);
	FEED(s, "first\nlast");
	speech_end(&s);
	ck_assert_str_eq(got, "head: \"first\"\nhead: \"last\"\n");
	speech_free(&s);

	s = make(512, true);
	speech_end(&s);
	ck_assert_str_eq(got, "");
	speech_free(&s);

	/* No line is longer than the limit, not even so. */
	s = make(512, true);
	s.line = measure;
	nsizes = 0;
	feed_many(&s, 512 - 9 - 3);
	speech_end(&s);
	ck_assert_uint_eq(nsizes, 1);
	ck_assert_uint_eq(sizes[0], 512 - 3);
	speech_free(&s);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, lines_are_messages);
	tcase_add_test(tc, the_mark_ends_a_message);
	tcase_add_test(tc, the_mark_is_known_in_any_pieces);
	tcase_add_test(tc, a_false_mark_is_text);
	tcase_add_test(tc, no_byte_of_a_false_mark_is_lost);
	tcase_add_test(tc, pieces_change_nothing);
	tcase_add_test(tc, long_text_is_wrapped_at_the_limit);
	tcase_add_test(tc, decorated_lines_are_exactly_the_limit);
	tcase_add_test(tc, the_end_is_told_when_nothing_was_heard_before);
}

UNIT_MAIN("speech", add)
