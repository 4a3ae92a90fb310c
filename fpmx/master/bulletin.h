/*
 * bulletin: what the master tells the processes of a pool: its page of the
 * scoreboard.
 *
 * Runs in: master, the page's only writer.
 */
#ifndef FPMX_MASTER_BULLETIN_H
#define FPMX_MASTER_BULLETIN_H

#include <stdbool.h>

#include "master/sockdiag.h"
#include "status/scoreboard.h"

struct bulletin {
	struct board *board;
	struct pool_view view; /* as it is on the page */
};

/* The pool starts now. */
void bulletin_init(struct bulletin *, struct board *);

/* The listening queues together. */
void bulletin_queue(struct bulletin *, const struct sockdiag_queue *);

/* busy: workers that serve; newly_full: pm.max_children was reached just now. */
void bulletin_counts(struct bulletin *, unsigned busy, bool newly_full, uint32_t wake_below);

/* Adds what a worker that has ended had counted. */
void bulletin_totals(struct bulletin *, const struct worker_view *);

/* A request was found to be slow. */
void bulletin_slow(struct bulletin *);

#endif
