/*
 * base64: how YAML writes bytes that are no text.
 *
 * Runs in: master, engine.
 * Pure.
 */
#ifndef FPMX_CONF_BASE64_H
#define FPMX_CONF_BASE64_H

#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"

void base64_encode(const void *bytes, size_t n, struct strbuf *out);

/*
 * The bytes of text, a NUL behind them, in the arena; *n is their number. White
 * space counts nowhere. NULL for what is not whole base64.
 */
char *base64_decode(struct arena *, const char *text, size_t *n);

#endif
