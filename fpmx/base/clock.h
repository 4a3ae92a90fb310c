/*
 * clock: instants. Intervals are always CLOCK_MONOTONIC; the wall clock is for
 * what people read.
 *
 * Runs in: every process.
 */
#ifndef FPMX_BASE_CLOCK_H
#define FPMX_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

uint64_t clock_now_us(void);  /* monotonic */
uint64_t clock_now_ms(void);  /* monotonic */
uint64_t clock_wall_us(void); /* since the epoch */

/*
 * Milliseconds from now until the instant, for poll and epoll_wait: 0 when it
 * has passed, at most INT_MAX, -1 when the instant is CLOCK_NEVER.
 */
#define CLOCK_NEVER UINT64_MAX
int clock_until_ms(uint64_t at_ms);

#endif
