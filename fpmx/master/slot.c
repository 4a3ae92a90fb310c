/*
 * slot: the moves.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/slot.h"

#include "base/must.h"

#define BIT(s) (1U << (s))

const char *const slot_state_names[SLOT_STATE_MAX] = {
    [SLOT_FREE] = "free",
    [SLOT_ORDERED] = "ordered",
    [SLOT_LOST] = "lost",
    [SLOT_RUNNING] = "running",
    [SLOT_RETIRING] = "retiring",
    [SLOT_KILLED] = "killed",
};

static const unsigned moves[SLOT_STATE_MAX] = {
    [SLOT_FREE] = BIT(SLOT_ORDERED),
    [SLOT_ORDERED] = BIT(SLOT_RUNNING) | BIT(SLOT_LOST) | BIT(SLOT_FREE),
    [SLOT_LOST] = BIT(SLOT_RUNNING) | BIT(SLOT_FREE),
    [SLOT_RUNNING] = BIT(SLOT_RETIRING) | BIT(SLOT_KILLED) | BIT(SLOT_FREE),
    [SLOT_RETIRING] = BIT(SLOT_KILLED) | BIT(SLOT_FREE),
    [SLOT_KILLED] = BIT(SLOT_FREE),
};

bool slot_may_move(enum slot_state from, enum slot_state to)
{
	must(from < SLOT_STATE_MAX && to < SLOT_STATE_MAX);
	return moves[from] & BIT(to);
}

void slot_move(struct slot *s, enum slot_state to, uint64_t now_ms)
{
	must(slot_may_move(s->state, to));
	s->state = to;
	s->since_ms = now_ms;
	s->idle_at_ms = 0;
}

bool slot_is_taken(const struct slot *s)
{
	return s->state != SLOT_FREE;
}

bool slot_has_process(const struct slot *s)
{
	return s->state == SLOT_RUNNING || s->state == SLOT_RETIRING || s->state == SLOT_KILLED;
}
