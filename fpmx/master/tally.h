/*
 * tally: the workers of all pools in four numbers, as php-fpm tells systemd.
 *
 * Runs in: master.
 * Read from scoreboards, so for display only.
 */
#ifndef FPMX_MASTER_TALLY_H
#define FPMX_MASTER_TALLY_H

#include <stdint.h>

#include "status/scoreboard.h"

struct tally {
	uint64_t active, idle, requests, slow;
};

/* Adds a pool's. Workers that have gone are in requests and slow, too. */
void tally_add(struct tally *, const struct board *);

#endif
