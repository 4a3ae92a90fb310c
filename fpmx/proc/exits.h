/*
 * exits: exit codes of every process, from exits.def.
 *
 * Runs in: every process.
 */
#ifndef FPMX_PROC_EXITS_H
#define FPMX_PROC_EXITS_H

#include <stdbool.h>

enum exit_code {
#define EXIT(ident, code, word, early, doc) EXIT_##ident = code,
#include "proc/exits.def"
#undef EXIT
};

/* The word for a code, "unknown" when it is not in the table. */
const char *exit_word(int code);

/*
 * Does this code before the first request count towards the back-off? One that
 * is not in the table does.
 */
bool exit_is_early(int code);

#endif
