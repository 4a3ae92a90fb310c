/*
 * must: asserts that stay on in release.
 *
 * Runs in: every process.
 * A failed must() is our bug, never the world's: it writes one line with file,
 * line and who we are, then aborts.
 */
#ifndef FPMX_BASE_MUST_H
#define FPMX_BASE_MUST_H

#define must(x) ((x) ? (void)0 : must_failed(#x, __FILE__, __LINE__))

__attribute__((noreturn, cold)) void must_failed(const char *expr, const char *file, int line);

/*
 * Returns p, or ends the process with a line on stderr and exit code 70 when it
 * is NULL: for malloc and its kin, where no caller could do better.
 */
void *must_memory(void *p) __attribute__((returns_nonnull));

/*
 * Who this process is, for the panic line ("worker 3 of pool www"). The text is
 * copied; at most 63 bytes are kept.
 */
void must_whoami(const char *text);

#endif
