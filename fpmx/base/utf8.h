/*
 * utf8: characters out of bytes that may be anything.
 *
 * Runs in: every process.
 */
#ifndef FPMX_BASE_UTF8_H
#define FPMX_BASE_UTF8_H

#include <stdint.h>

/* No character: the byte taken does not begin a well-formed sequence. */
#define UTF8_BAD UINT32_MAX

/*
 * Takes one character from the NUL-terminated text at *s, which is not at its
 * end, and moves past it; past one byte only for UTF8_BAD. Well-formed is what
 * RFC 3629 says: shortest form, no surrogates, at most U+10FFFF.
 */
uint32_t utf8_next(const char **s);

#endif
