/*
 * yamlhint: where and what to do when text is not YAML.
 *
 * Runs in: master, engine.
 * Pure.
 */
#include "conf/yamlhint.h"

#include <string.h>

/* What people make of YAML and how libyaml takes it. The first match counts. */
static const struct {
	const char *context, *problem; /* as libyaml says, or NULL for any */
	const char *hint;
} hints[] = {
    {"while scanning an alias", NULL,
	"A value that begins with '*' must be quoted; aliases are not supported."},
    {"while scanning an anchor", NULL, "A value that begins with '&' must be quoted."},
    {"while scanning a tag", NULL, "A value that begins with '!' must be quoted."},
    {"while parsing a tag", NULL, "A value that begins with '!' must be quoted."},
    {NULL, "mapping values are not allowed in this context",
	"Only one 'key: value' fits on a line: quote a value that holds ': ', and give lines of "
	"one mapping the same indentation."},
    {NULL, "did not find expected key",
	"A key should begin here: is the line indented as its neighbours, and the quote or "
	"bracket before it closed?"},
    {NULL, "could not find expected ':'", "This line lacks the ':' between key and value."},
    {NULL, "did not find expected '-' indicator",
	"Each item of a list begins with '- ', all at the same indentation."},
    {NULL, "block sequence entries are not allowed in this context",
	"A list begins on its own line below its key."},
    {NULL, "did not find expected ',' or ']'", "The list in [ ] lacks a comma or its end."},
    {NULL, "did not find expected ',' or '}'", "The mapping in { } lacks a comma or its end."},
    {NULL, "did not find expected node content", "A value is missing between the commas."},
    {"while scanning a quoted scalar", "found unexpected end of stream",
	"The quote that was opened is never closed."},
    {NULL, "found unknown escape character",
	"Backslashes mean something between double quotes: use single quotes."},
    {NULL, "found character that cannot start any token",
	"A value that begins with this character must be quoted."},
    {NULL, "did not find expected <document start>",
	"A list or a value stands where a key should be, or the indentation is wrong."},
};

/* The byte at line and column; NUL behind the end. */
static char byte_at(const struct yaml_slip *s)
{
	size_t i = 0;

	for (size_t line = 0; i < s->n && line < s->line; i++)
		line += s->text[i] == '\n';
	for (size_t column = 0; i < s->n && column < s->column; column++)
		do
			i++;
		while (i < s->n && ((unsigned char)s->text[i] & 0xC0) == 0x80);
	return i < s->n ? s->text[i] : '\0';
}

const char *yaml_hint(const struct yaml_slip *s)
{
	if (byte_at(s) == '\t')
		return "YAML takes blanks for indentation, no tabs.";
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		if (hints[i].context != NULL &&
		    (s->context == NULL || strcmp(hints[i].context, s->context) != 0))
			continue;
		if (hints[i].problem == NULL || strcmp(hints[i].problem, s->problem) == 0)
			return hints[i].hint;
	}
	return NULL;
}

void yaml_place(const char *text, size_t n, size_t offset, struct conf_origin *at)
{
	at->line = at->column = 1;
	for (size_t i = 0; i < offset && i < n; i++) {
		if (text[i] == '\n') {
			at->line++;
			at->column = 1;
		} else if (((unsigned char)text[i] & 0xC0) != 0x80) {
			at->column++;
		}
	}
}
