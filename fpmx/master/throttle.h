/*
 * throttle: how long to wait before the next try of something that fails at
 * its start: workers that die before their first request, templates that do
 * not come up.
 *
 * Runs in: master.
 * Pure: the caller brings the time.
 * 100 ms, doubling to 30 s, forgotten at the first success. Failures of tries
 * that were already under way when the wait began count once, so that a pool
 * of many workers is not punished for its size.
 */
#ifndef FPMX_MASTER_THROTTLE_H
#define FPMX_MASTER_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#define THROTTLE_FIRST_MS 100
#define THROTTLE_LAST_MS 30000

struct throttle {
	uint32_t delay_ms;    /* of the last failure; 0: all is well */
	uint64_t retry_at_ms; /* monotonic */
};

/* A try that began at tried_at_ms has failed at now_ms. */
void throttle_failed(struct throttle *, uint64_t tried_at_ms, uint64_t now_ms);

void throttle_succeeded(struct throttle *);

/* Has the last try failed? Then one try at a time. */
bool throttle_is_on(const struct throttle *);

/* Milliseconds until the next try may begin; 0: now. */
uint32_t throttle_wait_ms(const struct throttle *, uint64_t now_ms);

#endif
