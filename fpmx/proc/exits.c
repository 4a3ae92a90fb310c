/*
 * exits: looks exit codes up.
 *
 * Runs in: every process.
 */
#include "proc/exits.h"

/* A code that stands twice in the table is a duplicate case: no build. */
const char *exit_word(int code)
{
	switch (code) {
#define EXIT(ident, number, word, early, doc) \
	case number:                          \
		return word;
#include "proc/exits.def"
#undef EXIT
	default:
		return "unknown";
	}
}

bool exit_is_early(int code)
{
	switch (code) {
#define EXIT(ident, number, word, early, doc) \
	case number:                          \
		return early;
#include "proc/exits.def"
#undef EXIT
	default:
		return true; /* not ours: something in the process broke */
	}
}
