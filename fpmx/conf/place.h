/*
 * place: files written whole, and none overwritten unasked.
 *
 * Runs in: master, for --convert.
 * They are made in a folder of their own inside the one they are for, where they
 * can be looked at as they will be, and moved to their places when all are good.
 */
#ifndef FPMX_CONF_PLACE_H
#define FPMX_CONF_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"

struct place_file {
	const char *name; /* relative to the folder */
	const char *text;
	size_t n;
	const char *like; /* a file that has the wanted owner and mode */
};

struct place {
	const char *folder;
	size_t n;
	const struct place_file *files;
	size_t npatterns;
	const char **patterns; /* relative, too: their folders are to be there */
	bool overwrite;
	char *stage; /* where they are until place_commit(); NULL: nowhere */
};

/* Makes the folder if need be, and the files in stage. 0 or -1. */
int place_stage(struct place *, struct arena *, struct err *) __attribute__((warn_unused_result));

/* Moves them, the first one last. With -1 none was moved, but for a failing disk. */
int place_commit(struct place *, struct arena *, struct err *) __attribute__((warn_unused_result));

/* Removes what is in stage. */
void place_discard(struct place *, struct arena *);

#endif
