/*
 * stall: two looks, then a nudge.
 *
 * Runs in: master.
 */
#include "master/stall.h"

#include <signal.h>

#include "base/log.h"
#include "master/census.h"
#include "master/reap.h"

bool stall_look(struct stall *s, const struct scale_view *v, uint64_t begun)
{
	bool suspicious = v->waiting > 0 && v->idle > 0;
	bool stalled = suspicious && s->suspected && begun == s->begun;

	/* Whoever is woken for it has until the look after the next. */
	*s = (struct stall){.suspected = suspicious && !stalled, .begun = begun};
	return stalled;
}

static uint64_t count_begun(const struct crew *c)
{
	uint64_t n = c->bulletin.view.accepted_before;
	struct worker_view w;

	for (uint32_t i = 0; i < c->high; i++) {
		if (!slot_has_process(&c->slots[i]))
			continue;
		board_read(c->set.board, i, &w);
		n += w.accepted;
	}
	return n;
}

void stall_tick(struct crew *c, const struct scale_view *v)
{
	uint32_t idle_for_ms;
	struct slot *s;

	if (!stall_look(&c->stall, v, v->waiting > 0 ? count_begun(c) : 0))
		return;
	s = census_longest_idle(c, &idle_for_ms);
	if (!s)
		return;
	log_pool(LOG_LEVEL_NOTICE, c->set.conf->name,
	    "%u connections wait although %u workers are idle, replacing child %d", v->waiting,
	    v->idle, (int)s->pid);
	s->replace = true;
	reap_signal(s->pidfd, SIGQUIT);
	slot_move(s, SLOT_RETIRING, loop_now_ms(c->set.loop));
}
