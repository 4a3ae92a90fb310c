/*
 * retire: the pipes that tell workers to leave. The workers of a generation
 * watch the read end of one; when its last write end closes, here or with the
 * master, they finish their request and go.
 *
 * Runs in: master; templates and workers have the read end.
 * Never: written to.
 */
#ifndef FPMX_MASTER_RETIRE_H
#define FPMX_MASTER_RETIRE_H

#include "base/err.h"

struct retire {
	int in;     /* for the next template; -1: not open */
	int out;    /* of this generation */
	int before; /* of the generation before, until the next one is ready */
};

void retire_init(struct retire *);
void retire_close(struct retire *);

/*
 * A pipe for a new generation; the present one becomes the one before, and one
 * that was before that is told to leave. On failure all stays as it was.
 */
int retire_renew(struct retire *, struct err *) __attribute__((warn_unused_result));

/* Tells the generation before; tells everybody. */
void retire_before(struct retire *);
void retire_all(struct retire *);

#endif
