/*
 * title: writes over argv and environ, where the kernel looks for the command
 * line that ps shows.
 *
 * Runs in: every process.
 * Invariant: area is the one stretch of memory that exec laid out; copy is what
 * was in it, never freed, for argv and environ point there now.
 */
#include "proc/title.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/must.h"

static char *area, *copy;
static size_t area_bytes;

/* Takes the strings as long as each begins where the one before ended. */
static char *extend(char *end, char **strings)
{
	for (; *strings; strings++) {
		if (end && *strings != end)
			break;
		end = *strings + strlen(*strings) + 1;
	}
	return end;
}

/* Points the strings that lie in the area to their copies. */
static void move_away(char **strings)
{
	for (; *strings; strings++)
		if (*strings >= area && *strings < area + area_bytes)
			*strings = copy + (*strings - area);
}

void title_init(int argc, char **argv)
{
	char *end, *slash;

	if (argc < 1 || !argv[0] || area)
		return;
	end = extend(NULL, argv);
	if (environ)
		end = extend(end, environ);
	area = argv[0];
	area_bytes = (size_t)(end - area);
	copy = must_memory(malloc(area_bytes));
	memcpy(copy, area, area_bytes);
	move_away(argv);
	if (environ)
		move_away(environ);

	/* glibc's names of the program point into the area too. */
	slash = strrchr(argv[0], '/');
	program_invocation_name = argv[0];
	program_invocation_short_name = slash ? slash + 1 : argv[0];
}

void title_set(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	prctl(PR_SET_NAME, text); /* the kernel cuts it to 15 bytes */
	if (!area)
		return;
	memset(area, 0, area_bytes);
	snprintf(area, area_bytes, "%s", text);
}
