/*
 * emergency: a ring with the times of the last crashes.
 *
 * Runs in: master.
 */
#include "master/emergency.h"

#include <stdlib.h>

#include "base/must.h"

/* More crashes than this within any interval are beyond counting. */
#define THRESHOLD_MAX 65536

void emergency_init(struct emergency *y, int threshold, uint32_t interval_ms)
{
	*y = (struct emergency){.interval_ms = interval_ms};
	if (threshold <= 0 || interval_ms == 0)
		return;
	y->threshold = threshold < THRESHOLD_MAX ? (uint32_t)threshold : THRESHOLD_MAX;
	y->crashed_at_ms = must_memory(calloc(y->threshold, sizeof(*y->crashed_at_ms)));
}

void emergency_free(struct emergency *y)
{
	free(y->crashed_at_ms);
	*y = (struct emergency){0};
}

bool emergency_count(struct emergency *y, uint64_t now_ms)
{
	uint64_t oldest_ms;

	if (y->threshold == 0)
		return false;
	y->crashed_at_ms[y->next] = now_ms;
	y->next = (y->next + 1) % y->threshold;
	if (y->n < y->threshold)
		y->n++;
	oldest_ms = y->crashed_at_ms[y->next];
	if (y->n < y->threshold || now_ms - oldest_ms > y->interval_ms)
		return false;
	y->n = 0;
	return true;
}
