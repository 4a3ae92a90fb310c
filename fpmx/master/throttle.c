/*
 * throttle: doubling delays.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/throttle.h"

void throttle_failed(struct throttle *t, uint64_t tried_at_ms, uint64_t now_ms)
{
	if (t->delay_ms > 0 && tried_at_ms < t->retry_at_ms)
		return;
	if (t->delay_ms == 0)
		t->delay_ms = THROTTLE_FIRST_MS;
	else if (t->delay_ms < THROTTLE_LAST_MS / 2)
		t->delay_ms *= 2;
	else
		t->delay_ms = THROTTLE_LAST_MS;
	t->retry_at_ms = now_ms + t->delay_ms;
}

void throttle_succeeded(struct throttle *t)
{
	*t = (struct throttle){0};
}

bool throttle_is_on(const struct throttle *t)
{
	return t->delay_ms > 0;
}

uint32_t throttle_wait_ms(const struct throttle *t, uint64_t now_ms)
{
	if (t->delay_ms == 0 || now_ms >= t->retry_at_ms)
		return 0;
	return (uint32_t)(t->retry_at_ms - now_ms);
}
