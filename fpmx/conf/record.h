/*
 * record: all that was read of a configuration, in its order.
 *
 * Runs in: master, for --convert.
 * A witness of the builder (see build.h) that keeps what it is told.
 */
#ifndef FPMX_CONF_RECORD_H
#define FPMX_CONF_RECORD_H

#include "conf/build.h"
#include "conf/iniline.h"

struct record_file {
	const char *path;
	bool yaml;
	size_t opened; /* how often it was read */
	size_t nlines;
	struct ini_line *lines;
};

struct record_step {
	struct build_event event; /* with strings and a spelling of its own */
	struct record_file *file; /* of BUILD_FILE */
};

struct record {
	struct arena *arena;
	size_t n;
	struct record_step *steps;
	size_t nfiles;
	struct record_file **files;
};

/* Everything lives in the arena. */
void record_init(struct record *, struct arena *, struct build_witness *);

/* The step that ends the file or include which begins at step i. */
size_t record_end(const struct record *, size_t i);

#endif
