/*
 * title: what ps shows.
 *
 * Runs in: every process.
 */
#ifndef FPMX_PROC_TITLE_H
#define FPMX_PROC_TITLE_H

/*
 * First thing in main(): makes the space of argv and environ available for
 * titles, moving the strings away. argv and environ stay usable.
 */
void title_init(int argc, char **argv);

/* Sets the title; longer ones are cut. Also prctl(PR_SET_NAME), cut to 15. */
void title_set(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
