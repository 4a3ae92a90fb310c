/*
 * yamltext: a text as YAML, so that it is read as that text again.
 *
 * Runs in: master.
 * Pure. Quotes stand where our reader, or any other of YAML 1.1 or 1.2, would
 * take the text for something else: a number, a boolean, nothing, a comment.
 * Bytes that are no UTF-8 have no other form than YAML's !!binary.
 */
#ifndef FPMX_CONF_YAMLTEXT_H
#define FPMX_CONF_YAMLTEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "conf/build.h"

/* A key or the name of a pool: a place where the reader expands nothing. */
void yamltext_key(const char *text, struct strbuf *out);

/* A value, every ${ in it taken as it stands. */
void yamltext_value(const char *text, struct strbuf *out);

/* "indent key:", up to where the value begins; in YAML's long form if need be. */
void yamltext_entry(const char *key, unsigned indent, struct strbuf *out);

/*
 * A value in which the variables are named again: "${NAME}". False, with
 * nothing appended, where that has no form in YAML.
 */
bool yamltext_spelled(
    const char *text, const struct build_variable *, size_t n, struct strbuf *out);

/* What a comment may hold: text with everything else replaced. */
void yamltext_comment(const char *text, size_t n, struct strbuf *out);

/* Plain as it is: a word or number that needs no quotes anywhere. */
bool yamltext_is_plain(const char *text);

#endif
