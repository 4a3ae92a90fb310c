/*
 * reset: what a request has changed is put back as it was when the worker began.
 *
 * Runs in: worker.
 * One row for each thing, in a table: how it is saved, how it is put back. What
 * is in no row is the script's to keep: classes, functions, constants, statics,
 * objects, open files, autoloaders, included files.
 */
#ifndef FPMX_PHP_RESET_H
#define FPMX_PHP_RESET_H

#include "php/compat.h"

struct reset_row {
	const char *name;
	void (*save)(void);
	/*
	 * Cheap where nothing has changed. False: it cannot be put back, and the
	 * worker must not serve another request.
	 */
	bool (*restore)(void);
	/*
	 * The end of the worker: what was set aside for it is in place again. May
	 * be NULL.
	 */
	void (*end)(void);
};

/* Saves everything: the worker is about to wait for its first request. */
void reset_save(void);

/* After each request. Returns NULL, or the name of a row that could not be put back. */
const char *reset_restore(void);

/* The script has left its loop, or PHP is to shut down. */
void reset_end(void);

/*
 * A test proves a row by taking it away: the engine of that test is compiled with
 * this switch and takes the names from its environment. Ours has none.
 */
#ifdef FPMX_RESETS_CAN_BE_SKIPPED
bool reset_is_skipped(const char *row);
#else
static inline bool reset_is_skipped(const char *row)
{
	(void)row;
	return false;
}
#endif

/* --- resetscript.c --- */

/* Functions for the end of the script: set aside until reset_end(). */
void reset_set_aside_shutdown(void);

/* They are in place again, before those that were ordered since. */
void reset_bring_back_shutdown(void);

/* --- resetprocess.c --- */
void resetprocess_startup(void); /* where functions that matter are noticed */

/* --- resetglobals.c --- */
void resetglobals_begin(void);   /* a request is about to begin */
void resetglobals_restore(void); /* while its output is still open */

/* --- resetini.c --- */
void resetini_save(void);
bool resetini_restore(void);
bool resetini_is_kept(const zend_string *name);

/* The tables of the files that have rows; a row without name ends them. */
extern const struct reset_row reset_script_rows[];  /* resetscript.c */
extern const struct reset_row reset_process_rows[]; /* resetprocess.c */
extern const struct reset_row reset_call_rows[];    /* resetcalls.c */

#endif
