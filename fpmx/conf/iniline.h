/*
 * iniline: what the reader of INI files leaves out of a line.
 *
 * Runs in: master, for --convert.
 * Pure: comments, and how a value was written before php read it.
 */
#ifndef FPMX_CONF_INILINE_H
#define FPMX_CONF_INILINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "conf/keys.h"

/* A line without its end; nothing in it is NUL. */
struct ini_line {
	const char *bytes;
	size_t n;
};

/* A line on which nothing stands but blanks. */
bool iniline_is_blank(const struct ini_line *);

/* A line without a statement, as a comment of YAML: "# text". */
const char *iniline_comment(struct arena *, const struct ini_line *);

/* The comments behind the statements of a line, "# text"; NULL if there is none. */
const char *iniline_behind(struct arena *, const struct ini_line *);

/* The value of the statement that begins at column (from 1). */
struct iniline_value {
	const char *text; /* as written, without blanks around it */
	const char *word; /* on, off, yes, no, true or false, if that is all; else NULL */
};
struct iniline_value iniline_value(struct arena *, const struct ini_line *, size_t column);

/* A setting that is commented out. */
struct iniline_disabled {
	const struct conf_row *row;
	const char *element; /* NULL but for lists and maps */
	const char *value, *word;
	const char *behind;
};

/*
 * Whether the line is ";name = value" with a name of that scope, at most one
 * blank behind the semicolon, and a value that nothing has to be worked out for.
 */
bool iniline_disabled(
    struct arena *, const struct ini_line *, enum conf_scope, struct iniline_disabled *);

#endif
