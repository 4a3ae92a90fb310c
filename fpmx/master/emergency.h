/*
 * emergency: have too many workers crashed in too short a time?
 *
 * Runs in: master.
 * Pure: the caller brings the time.
 */
#ifndef FPMX_MASTER_EMERGENCY_H
#define FPMX_MASTER_EMERGENCY_H

#include <stdbool.h>
#include <stdint.h>

struct emergency {
	uint32_t threshold; /* emergency_restart_threshold; 0: off */
	uint32_t interval_ms;
	uint32_t n;    /* crashes in the ring */
	uint32_t next; /* place of the next, which is the oldest's where the ring is full */
	uint64_t *crashed_at_ms;
};

void emergency_init(struct emergency *, int threshold, uint32_t interval_ms);
void emergency_free(struct emergency *);

/* One more crash. True when it is the last straw; the count begins anew then. */
bool emergency_count(struct emergency *, uint64_t now_ms);

#endif
