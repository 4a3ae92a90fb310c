/*
 * must: the end of a process that found a bug in itself.
 *
 * Runs in: every process.
 * Never: returns, allocates, or trusts the state that the bug left behind more
 * than the log needs.
 */
#include "base/must.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static char whoami[64] = "fpmx";
static bool failing;

void must_whoami(const char *text)
{
	size_t n = strnlen(text, sizeof(whoami) - 1);

	memcpy(whoami, text, n);
	whoami[n] = '\0';
}

/* The plain way out, for when the log itself is what failed. */
static void say_on_stderr(const char *expr, const char *file, int line)
{
	dprintf(STDERR_FILENO, "%s: panic: must(%s) failed at %s:%d\n", whoami, expr, file, line);
}

void must_failed(const char *expr, const char *file, int line)
{
	if (failing)
		say_on_stderr(expr, file, line);
	else {
		failing = true;
		log_alert("%s: panic: must(%s) failed at %s:%d", whoami, expr, file, line);
	}
	abort();
}

void *must_memory(void *p)
{
	if (p)
		return p;
	dprintf(STDERR_FILENO, "%s: out of memory\n", whoami);
	_exit(70);
}
