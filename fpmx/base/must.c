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
	char text[512];
	int n = snprintf(
	    text, sizeof(text), "%s: panic: must(%s) failed at %s:%d\n", whoami, expr, file, line);

	if (n > 0) {
		size_t len = (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1;

		if (write(STDERR_FILENO, text, len) < 0)
			abort();
	}
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
	static const char text[] = ": out of memory\n";

	if (p)
		return p;
	if (write(STDERR_FILENO, whoami, strlen(whoami)) < 0 ||
	    write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		_exit(70);
	_exit(70);
}
