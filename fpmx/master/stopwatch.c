/*
 * stopwatch: comparisons of time.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/stopwatch.h"

#define EVERY_LEAST_MS 130

/*
 * A worker ends by itself to read parameters that take so long, and lives on.
 * One that does not is stuck.
 */
#define READING_GRACE_US 1000000

static uint32_t least_set(uint32_t a, uint32_t b)
{
	if (a == 0 || b == 0)
		return a + b;
	return a < b ? a : b;
}

static uint32_t smallest(const struct pool_conf *p)
{
	return least_set(p->request_slowlog_timeout_ms, p->request_terminate_timeout_ms);
}

uint32_t stopwatch_every_ms(const struct conf *conf)
{
	uint32_t least_ms = 0;

	for (size_t i = 0; i < conf->npools; i++)
		least_ms = least_set(least_ms, smallest(conf->pools[i]));
	if (least_ms == 0)
		return 0;
	return least_ms / 3 > EVERY_LEAST_MS ? least_ms / 3 : EVERY_LEAST_MS;
}

bool stopwatch_is_wanted(const struct pool_conf *p)
{
	return smallest(p) > 0;
}

uint64_t stopwatch_elapsed_us(const struct worker_view *w, uint64_t now_us)
{
	return now_us > w->request_started_us ? now_us - w->request_started_us : 0;
}

static bool has_taken(const struct worker_view *w, uint64_t now_us, uint64_t limit_us)
{
	return w->request_started_us > 0 && stopwatch_elapsed_us(w, now_us) >= limit_us;
}

bool stopwatch_is_slow(const struct pool_conf *p, const struct worker_view *w, uint64_t now_us)
{
	return p->request_slowlog_timeout_ms > 0 && w->state == WORKER_RUNNING &&
	       has_taken(w, now_us, (uint64_t)p->request_slowlog_timeout_ms * 1000);
}

bool stopwatch_is_over(const struct pool_conf *p, const struct worker_view *w, uint64_t now_us)
{
	uint64_t limit_us = (uint64_t)p->request_terminate_timeout_ms * 1000;

	if (limit_us == 0)
		return false;
	switch ((enum worker_state)w->state) {
	case WORKER_READING:
		return has_taken(w, now_us, limit_us + READING_GRACE_US);
	case WORKER_SETUP:
	case WORKER_RUNNING:
		return has_taken(w, now_us, limit_us);
	case WORKER_ENDING:
	case WORKER_FINISHING:
		return p->request_terminate_timeout_track_finished &&
		       has_taken(w, now_us, limit_us);
	default:
		return false;
	}
}
