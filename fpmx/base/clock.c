/*
 * clock: the two clocks that we read.
 *
 * Runs in: every process. Both are vDSO calls: they cost no system call.
 */
#include "base/clock.h"

#include <limits.h>

#include "base/must.h"

static uint64_t read_us(clockid_t id)
{
	struct timespec ts;

	must(clock_gettime(id, &ts) == 0);
	return (uint64_t)ts.tv_sec * 1000000 + (uint64_t)ts.tv_nsec / 1000;
}

uint64_t clock_now_us(void)
{
	return read_us(CLOCK_MONOTONIC);
}

uint64_t clock_now_ms(void)
{
	return read_us(CLOCK_MONOTONIC) / 1000;
}

uint64_t clock_wall_us(void)
{
	return read_us(CLOCK_REALTIME);
}

int clock_until_ms(uint64_t at_ms)
{
	uint64_t now_ms;

	if (at_ms == CLOCK_NEVER)
		return -1;
	now_ms = clock_now_ms();
	if (at_ms <= now_ms)
		return 0;
	return at_ms - now_ms > INT_MAX ? INT_MAX : (int)(at_ms - now_ms);
}
