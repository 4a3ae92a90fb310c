/*
 * escape: texts that strangers chose, made safe for one page format.
 *
 * Runs in: worker.
 * Pure. What is not UTF-8 becomes U+FFFD byte by byte, so every page is valid
 * whatever was in the request.
 */
#ifndef FPMX_STATUS_ESCAPE_H
#define FPMX_STATUS_ESCAPE_H

#include "base/strbuf.h"

/* A text of one line: control characters become \xNN, all else stays. */
void escape_plain(struct strbuf *, const char *);

/*
 * HTML and XML text: & < > " as entities; characters that XML 1.0 cannot carry
 * become U+FFFD.
 */
void escape_markup(struct strbuf *, const char *);

/* The inside of a JSON string, in php's manner: ASCII only, "/" as "\/". */
void escape_json(struct strbuf *, const char *);

/* The text behind # HELP in OpenMetrics. */
void escape_help(struct strbuf *, const char *);

#endif
