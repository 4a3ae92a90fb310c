/*
 * iniscan: one line of php's INI dialect, cut into tokens.
 *
 * Runs in: master.
 * Pure.
 */
#include "conf/iniscan.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/must.h"

/* What ends a name, and what is an operator behind "=". */
#define LABEL_STOPS "=\n\r\t;&|^$~(){}!\"["
#define OPERATORS "&|^~()!"

void ini_scan_init(struct ini_scan *s, const char *bytes, size_t n)
{
	*s = (struct ini_scan){.start = bytes, .at = bytes, .end = bytes + n};
}

static bool one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c) != NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const struct ini_scan *s, const char *p)
{
	while (p < s->end && is_blank(*p))
		p++;
	return p;
}

static void take(struct ini_scan *s, enum ini_token token, const char *from, const char *to)
{
	s->token = token;
	s->text = from;
	s->n = (size_t)(to - from);
	s->column = (size_t)(from - s->start) + 1;
	s->at = to;
}

static void take_end(struct ini_scan *s)
{
	take(s, INI_END, s->at, s->at);
	s->cut = s->at < s->end;
	s->at = s->end;
}

/* Blanks, perhaps a comment, and the end of the line: where it ends, or NULL. */
static const char *match_line_end(const struct ini_scan *s)
{
	const char *p = skip_blanks(s, s->at);

	if (p < s->end && *p == ';') {
		while (p < s->end && *p != '\n' && *p != '\r')
			p++;
		if (p == s->end)
			return p;
	}
	if (p == s->end || (*p != '\n' && *p != '\r'))
		return NULL;
	if (*p == '\r' && p + 1 < s->end && p[1] == '\n')
		p++;
	return p + 1;
}

/* A word for a boolean or for nothing, with the blanks behind it. */
static const char *match_word(const struct ini_scan *s, enum ini_token *token)
{
	static const struct {
		const char *word;
		enum ini_token token;
	} words[] = {{"true", INI_TRUE}, {"on", INI_TRUE}, {"yes", INI_TRUE}, {"false", INI_FALSE},
	    {"off", INI_FALSE}, {"none", INI_FALSE}, {"no", INI_FALSE}, {"null", INI_NULL}};
	size_t left = (size_t)(s->end - s->at), n;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		n = strlen(words[i].word);
		if (n <= left && strncasecmp(words[i].word, s->at, n) == 0) {
			*token = words[i].token;
			return skip_blanks(s, s->at + n);
		}
	}
	return s->at;
}

static void next_at_start(struct ini_scan *s)
{
	const char *p = match_line_end(s), *blanks, *label = s->at, *word;
	enum ini_token token = INI_END;

	if (p != NULL) {
		take(s, INI_END_OF_LINE, s->at, p);
		return;
	}
	blanks = skip_blanks(s, s->at);
	if (blanks == s->end) {
		take_end(s);
		return;
	}
	if (*blanks == '=') {
		take(s, INI_EQUALS, blanks, skip_blanks(s, blanks + 1));
		s->mode = INI_IN_VALUE;
		return;
	}
	while (label < s->end && !one_of(*label, LABEL_STOPS))
		label++;
	/* Blanks are skipped, but those before a [ are the name of an array. */
	if (blanks > s->at && blanks >= label && (label == s->at || *label != '[')) {
		s->at = blanks;
		next_at_start(s);
		return;
	}
	if (label == s->at) {
		if (*s->at == '[') {
			take(s, INI_SECTION, s->at, s->at + 1);
			s->mode = INI_IN_SECTION;
		} else {
			take(s, INI_CHAR, s->at, s->at + 1);
		}
		return;
	}
	if (label < s->end && *label == '[') {
		take(s, INI_OFFSET, s->at, label);
		s->at = skip_blanks(s, label + 1);
		s->mode = INI_IN_OFFSET;
		return;
	}
	word = match_word(s, &token);
	take(s, word >= label ? token : INI_LABEL, s->at, word >= label ? word : label);
}

/* Where a string may stand, being scanned: several of these at a time. */
#define PLAIN 1u  /* between bytes: the string may end here */
#define DOLLAR 2u /* behind a $, which shields the next byte but opens no ${ */
#define SHIELD 4u /* behind a backslash that shields the next byte, whatever it is */

static unsigned step(unsigned states, char c, const char *stops, bool backslashes)
{
	bool ends_line = c == '\n' || c == '\r';
	unsigned next = 0;

	if (states & PLAIN) {
		if (c == '$')
			next |= DOLLAR;
		else if (c == '\\' && backslashes)
			next |= SHIELD;
		else if (!one_of(c, stops))
			next |= PLAIN;
	}
	if ((states & DOLLAR) && c != '{' && !ends_line)
		next |= c == '\\' ? PLAIN | SHIELD : PLAIN;
	if ((states & SHIELD) && !ends_line)
		next |= PLAIN;
	return next;
}

/*
 * The longest string from here that none of stops ends. "$" may be read in more
 * than one way ("$\$;"), and the longest reading wins: hence sets of states.
 */
static const char *match_string(const struct ini_scan *s, const char *stops, bool backslashes)
{
	const char *longest = s->at;
	unsigned states = PLAIN;

	for (const char *p = s->at; p < s->end && states != 0; p++) {
		/* A dollar before the end of a line stands for itself. */
		if ((states & DOLLAR) && (*p == '\n' || *p == '\r'))
			longest = p;
		states = step(states, *p, stops, backslashes);
		if (states & PLAIN)
			longest = p + 1;
	}
	return states & DOLLAR ? s->end : longest;
}

static const char *match_value_string(const struct ini_scan *s)
{
	return match_string(s, "= \t\n\r;&|^~()!\"'", false);
}

static const char *match_section_string(const struct ini_scan *s)
{
	return match_string(s, "\n\r;\"']\\", true);
}

static const char *match_constant(const struct ini_scan *s)
{
	const char *p = s->at;

	if (p < s->end && (isalpha((unsigned char)*p) || *p == '_')) {
		while (p < s->end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
	}
	return p;
}

static const char *match_number(const struct ini_scan *s)
{
	const char *p = s->at, *digits;

	if (p < s->end && *p == '-')
		p++;
	digits = p;
	while (p < s->end && isdigit((unsigned char)*p))
		p++;
	if (p < s->end && *p == '.') {
		p++;
		while (p < s->end && isdigit((unsigned char)*p))
			p++;
	}
	return p > digits && !(p == digits + 1 && *digits == '.') ? p : s->at;
}

/* What may stand in a value, a section and an offset: ${ " and '...'. */
static bool next_of_all(struct ini_scan *s)
{
	const char *p = skip_blanks(s, s->at), *close;

	if (p < s->end && *p == '"') {
		take(s, INI_QUOTE, p, skip_blanks(s, p + 1));
		/* Blanks behind an opening quote are part of what it quotes. */
		s->at = p + 1;
		s->quoted = true;
		return true;
	}
	if (s->at + 1 < s->end && s->at[0] == '$' && s->at[1] == '{') {
		take(s, INI_DOLLAR_CURLY, s->at, s->at + 2);
		s->varname = true;
		return true;
	}
	if (*s->at != '\'')
		return false;
	close = memchr(s->at + 1, '\'', (size_t)(s->end - s->at - 1));
	if (close == NULL) {
		take_end(s);
		return true;
	}
	take(s, INI_RAW, s->at + 1, close);
	s->at = close + 1;
	return true;
}

/* The longest of a constant, a number and any string, the first of equals. */
static void take_longest(struct ini_scan *s, const char *string)
{
	const char *constant = match_constant(s), *number = match_number(s);

	if (constant >= string && constant >= number && constant > s->at)
		take(s, INI_CONSTANT, s->at, constant);
	else if (number >= string && number > s->at)
		take(s, INI_NUMBER, s->at, number);
	else
		take(s, INI_STRING, s->at, string);
}

static void next_in_value(struct ini_scan *s)
{
	const char *p = match_line_end(s), *string, *word;
	enum ini_token token = INI_END;

	if (p != NULL || s->at == s->end || skip_blanks(s, s->at) == s->end) {
		take(s, INI_END_OF_LINE, s->at, p != NULL ? p : s->end);
		s->mode = INI_AT_START;
		return;
	}
	if (next_of_all(s))
		return;
	if (*s->at == '=') {
		take(s, INI_EQUALS, s->at, skip_blanks(s, s->at + 1));
		return;
	}
	if (one_of(*s->at, OPERATORS)) {
		take(s, INI_CHAR, s->at, s->at + 1);
		s->at = skip_blanks(s, s->at);
		return;
	}
	if (is_blank(*s->at)) {
		take(s, INI_WHITESPACE, s->at, skip_blanks(s, s->at));
		return;
	}
	string = match_value_string(s);
	word = match_word(s, &token);
	if (word > s->at && word >= string && word >= match_constant(s)) {
		take(s, token, s->at, word);
		return;
	}
	take_longest(s, string);
}

/* Between brackets; constants count in an offset only. */
static void next_in_brackets(struct ini_scan *s)
{
	const char *string;

	if (s->at == s->end) {
		take_end(s);
		return;
	}
	if (next_of_all(s))
		return;
	if (*s->at == ']') {
		take(s, INI_CLOSE, s->at, s->at + 1);
		s->mode = INI_AT_START;
		return;
	}
	string = match_section_string(s);
	if (string == s->at)
		take_end(s);
	else if (s->mode == INI_IN_OFFSET)
		take_longest(s, string);
	else
		take(s, INI_STRING, s->at, string);
}

static void next_in_varname(struct ini_scan *s)
{
	const char *p = s->at, *from;

	if (p < s->end && *p == '}') {
		take(s, INI_CURLY_CLOSE, p, p + 1);
		s->varname = false;
		return;
	}
	while (p < s->end && !one_of(*p, LABEL_STOPS))
		p++;
	if (p == s->at) {
		take_end(s);
		return;
	}
	from = s->at;
	take(s, INI_VARNAME, from, p);
	while (s->n > 0 && s->text[0] == ' ') {
		s->text++;
		s->n--;
	}
	while (s->n > 0 && s->text[s->n - 1] == ' ')
		s->n--;
}

/* Whether the quote at p closes: not behind a backslash, but for the last of a line. */
static bool closes(const struct ini_scan *s, const char *p, bool escaped)
{
	if (!escaped)
		return true;
	return p + 1 == s->end || p[1] == '\n' || p[1] == '\r';
}

static void next_in_quotes(struct ini_scan *s)
{
	const char *p = s->at;
	bool escaped = false;

	if (p + 1 < s->end && p[0] == '$' && p[1] == '{') {
		take(s, INI_DOLLAR_CURLY, p, p + 2);
		s->varname = true;
		return;
	}
	if (p < s->end && *p == '"') {
		take(s, INI_QUOTE, p, p + 1);
		s->at = skip_blanks(s, s->at);
		s->quoted = false;
		return;
	}
	for (; p < s->end; p++) {
		if (*p == '"' && closes(s, p, escaped))
			break;
		if (*p == '$' && !escaped && p + 1 < s->end && p[1] == '{')
			break;
		escaped = *p == '\\' && !escaped;
	}
	if (p == s->at)
		take_end(s);
	else
		take(s, INI_QUOTED, s->at, p);
}

void ini_scan_next(struct ini_scan *s)
{
	if (s->varname) {
		next_in_varname(s);
		return;
	}
	if (s->quoted) {
		next_in_quotes(s);
		return;
	}
	switch (s->mode) {
	case INI_AT_START:
		next_at_start(s);
		break;
	case INI_IN_VALUE:
		next_in_value(s);
		break;
	case INI_IN_SECTION:
	case INI_IN_OFFSET:
		next_in_brackets(s);
		break;
	}
}

void ini_scan_unescape(const struct ini_scan *s, struct strbuf *out)
{
	for (size_t i = 0; i < s->n; i++) {
		char c = s->text[i];

		if (c == '\\' && i + 1 < s->n && strchr("\"\\$", s->text[i + 1]) != NULL &&
		    s->text[i + 1] != '\0')
			c = s->text[++i];
		strbuf_addc(out, c);
	}
}

const char *ini_token_name(const struct ini_scan *s, char room[24])
{
	static const char *const names[INI_TOKEN_MAX] = {
	    [INI_END] = "end of file",
	    [INI_END_OF_LINE] = "END_OF_LINE",
	    [INI_LABEL] = "TC_LABEL",
	    [INI_OFFSET] = "TC_OFFSET",
	    [INI_SECTION] = "TC_SECTION",
	    [INI_CLOSE] = "']'",
	    [INI_EQUALS] = "'='",
	    [INI_TRUE] = "BOOL_TRUE",
	    [INI_FALSE] = "BOOL_FALSE",
	    [INI_NULL] = "NULL_NULL",
	    [INI_CONSTANT] = "TC_CONSTANT",
	    [INI_NUMBER] = "TC_NUMBER",
	    [INI_STRING] = "TC_STRING",
	    [INI_WHITESPACE] = "TC_WHITESPACE",
	    [INI_RAW] = "TC_RAW",
	    [INI_QUOTE] = "'\"'",
	    [INI_QUOTED] = "TC_QUOTED_STRING",
	    [INI_DOLLAR_CURLY] = "TC_DOLLAR_CURLY",
	    [INI_VARNAME] = "TC_VARNAME",
	    [INI_CURLY_CLOSE] = "'}'",
	};

	if (s->token != INI_CHAR)
		return names[s->token];
	snprintf(room, 24, "'%c'", *s->text);
	return room;
}
