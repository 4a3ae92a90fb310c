/*
 * chase: limits for what workers and orders may take.
 *
 * Runs in: master.
 */
#include "master/chase.h"

#include <signal.h>

#include "base/fd.h"
#include "base/log.h"
#include "master/arrive.h"
#include "master/reap.h"

/* An order whose template died is waited for so long: its worker may be there. */
#define LOST_LIMIT_MS 2000

/*
 * A worker that is to leave and is idle all that time is killed: it takes less
 * to go. At the pass of the next second, that is, be it a little early.
 */
#define RETIRE_LIMIT_MS 900

/*
 * A worker that does not become idle hangs where nobody else would notice. Told
 * to leave meanwhile it has as long again: it has no request that could be lost.
 */
static bool chase_starting(struct crew *c, struct slot *s)
{
	if (board_state(c->set.board, crew_number_of(s)) >= WORKER_IDLE ||
	    loop_now_ms(c->set.loop) - s->since_ms < c->set.conf->template_boot_timeout_ms)
		return false;
	log_pool(LOG_LEVEL_WARNING, c->set.conf->name, "child %d does not start, killing it",
	    (int)s->pid);
	arrive_died_young(c, s);
	s->replace = true;
	reap_signal(s->pidfd, SIGKILL);
	slot_move(s, SLOT_KILLED, loop_now_ms(c->set.loop));
	return true;
}

static void chase_retiring(struct crew *c, struct slot *s)
{
	uint64_t now_ms = loop_now_ms(c->set.loop);
	bool idle = board_state(c->set.board, crew_number_of(s)) == WORKER_IDLE;

	if (chase_starting(c, s))
		return;
	if (!idle)
		s->idle_at_ms = 0;
	else if (s->idle_at_ms == 0)
		s->idle_at_ms = now_ms;
	if (c->stopping || !idle || now_ms - s->idle_at_ms < RETIRE_LIMIT_MS)
		return;
	log_pool(
	    LOG_LEVEL_DEBUG, c->set.conf->name, "child %d does not leave, killing it", (int)s->pid);
	s->replace = true; /* php-fpm: who had to be killed is replaced */
	reap_signal(s->pidfd, SIGKILL);
	slot_move(s, SLOT_KILLED, now_ms);
}

/*
 * The template died before it could name the worker of an order. If a worker
 * is there, it has put its pid on its own page: a claim like any other.
 */
static void chase_lost(struct crew *c, struct slot *s)
{
	struct worker_view w;
	struct err e;
	int pidfd;

	board_read(c->set.board, crew_number_of(s), &w);
	if (w.pid > 0 && !crew_knows(c, w.pid) &&
	    reap_claim(w.pid, c->set.uid, &pidfd, &e) == REAP_OURS) {
		if (arrive_settle(c, s, w.pid, pidfd) == 0)
			return;
		reap_signal(pidfd, SIGKILL);
		fd_close(&pidfd);
	}
	if (c->stopping || loop_now_ms(c->set.loop) - s->since_ms >= LOST_LIMIT_MS)
		crew_release(c, s);
}

/* The template that had this order is dead. */
void chase_lose(struct crew *c, struct slot *s)
{
	slot_move(s, SLOT_LOST, loop_now_ms(c->set.loop));
	if (c->stopping)
		chase_lost(c, s);
}

/* A template that takes orders and answers pings, but none of the orders. */
static void chase_order(struct crew *c, const struct slot *s)
{
	if (c->set.template->state == TEMPLATE_READY &&
	    loop_now_ms(c->set.loop) - s->since_ms >= c->set.conf->template_boot_timeout_ms)
		template_kill(c->set.template, "it does not answer an order");
}

void chase_all(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		if (s->state == SLOT_RUNNING)
			(void)chase_starting(c, s);
		else if (s->state == SLOT_RETIRING)
			chase_retiring(c, s);
		else if (s->state == SLOT_LOST)
			chase_lost(c, s);
		else if (s->state == SLOT_ORDERED)
			chase_order(c, s);
	}
}
