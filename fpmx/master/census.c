/*
 * census: counts.
 *
 * Runs in: master.
 */
#include "master/census.h"

#include <limits.h>

#include "base/clock.h"
#include "base/must.h"

/* When a worker became idle, by its own words, clamped to what can be. */
static uint64_t idle_since_us(const struct crew *c, const struct slot *s, uint64_t now_us)
{
	struct worker_view w;
	uint64_t at_us = s->started_us;

	if (board_read(c->set.board, crew_number_of(s), &w) && w.request_started_us > at_us &&
	    w.request_started_us <= now_us && w.request_duration_us <= now_us)
		at_us = w.request_started_us + w.request_duration_us;
	return at_us < now_us ? at_us : now_us;
}

static bool is_idle(const struct crew *c, const struct slot *s)
{
	return s->state == SLOT_RUNNING &&
	       board_state(c->set.board, crew_number_of(s)) == WORKER_IDLE;
}

struct slot *census_longest_idle(struct crew *c, uint32_t *idle_for_ms)
{
	uint64_t now_us = clock_now_us(), first_us = UINT64_MAX;
	struct slot *found = NULL;

	for (uint32_t i = 0; i < c->high; i++) {
		uint64_t since_us;

		if (!is_idle(c, &c->slots[i]))
			continue;
		since_us = idle_since_us(c, &c->slots[i], now_us);
		if (since_us < first_us) {
			first_us = since_us;
			found = &c->slots[i];
		}
	}
	*idle_for_ms = found ? (uint32_t)((now_us - first_us) / 1000) : 0;
	return found;
}

static void count_slot(const struct crew *c, const struct slot *s, struct scale_view *v)
{
	switch (s->state) {
	case SLOT_FREE:
		break;
	case SLOT_ORDERED:
	case SLOT_LOST:
		v->starting++;
		break;
	case SLOT_RETIRING:
	case SLOT_KILLED:
		v->retiring++;
		break;
	case SLOT_RUNNING:
		switch (board_state(c->set.board, crew_number_of(s))) {
		case WORKER_GONE:
		case WORKER_STARTING:
			v->starting++;
			break;
		case WORKER_IDLE:
			v->idle++;
			break;
		default:
			v->busy++;
		}
		break;
	case SLOT_STATE_MAX:
		must(!"a state of a slot");
	}
}

unsigned census_room(const struct crew_total *t)
{
	if (t->max == 0)
		return UINT_MAX;
	return t->max > t->workers ? t->max - t->workers : 0;
}

struct scale_view census_take(struct crew *c, bool tick)
{
	struct scale_view v = {
	    .room = census_room(c->set.total),
	    .rate = c->rate,
	    .spawned = c->spawned,
	    .lost = c->lost,
	    .filling = c->filling,
	    .tick = tick,
	};

	for (uint32_t i = 0; i < c->high; i++)
		count_slot(c, &c->slots[i], &v);
	if (tick && c->set.conf->pm != PM_STATIC && v.idle > 0)
		census_longest_idle(c, &v.longest_idle_ms);
	/* A static pool has all the workers that it may have: only the page wants to know. */
	if (tick || c->set.conf->pm != PM_STATIC)
		v.waiting = c->set.calls->waiting(c->set.ctx, tick);
	return v;
}
