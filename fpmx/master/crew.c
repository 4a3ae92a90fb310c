/*
 * crew: how many workers are wanted, and orders for them.
 *
 * Runs in: master.
 */
#include "master/crew.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/arrive.h"
#include "master/census.h"
#include "master/chase.h"
#include "master/crewlog.h"
#include "master/reap.h"
#include "master/scale.h"

/* A worker that lived so long and is idle has proved that workers can start. */
#define PROOF_MS 1000

void crew_init(struct crew *c, const struct crew_setup *s)
{
	*c = (struct crew){
	    .set = *s,
	    .nslots = (uint32_t)s->conf->pm_max_children,
	    .filling = s->conf->pm == PM_DYNAMIC,
	    .rate = 1,
	    .next_order = 1,
	    .passed_at_ms = loop_now_ms(s->loop),
	};
	c->slots = must_memory(calloc(c->nslots, sizeof(*c->slots)));
	for (uint32_t i = 0; i < c->nslots; i++)
		c->slots[i] = (struct slot){.crew = c, .pidfd = -1};
	bulletin_init(&c->bulletin, c->set.board);
}

void crew_free(struct crew *c)
{
	loop_forget(c->set.loop, &c->retry_timer);
	loop_forget(c->set.loop, &c->prove_timer);
	for (uint32_t i = 0; i < c->high; i++) {
		loop_forget(c->set.loop, &c->slots[i].watch);
		fd_close(&c->slots[i].pidfd);
	}
	free(c->slots);
	c->slots = NULL;
}

uint32_t crew_number_of(const struct slot *s)
{
	return (uint32_t)(s - s->crew->slots);
}

/*
 * A worker that becomes busy wakes us when fewer than this are idle. While
 * nothing could come of it, nobody shall: at full load that would be a wake-up
 * for every request.
 */
static uint32_t wake_below(const struct crew *c)
{
	if (c->stopping || c->taken >= c->nslots || census_room(c->set.total) == 0)
		return 0;
	switch (c->set.conf->pm) {
	case PM_DYNAMIC:
		return (uint32_t)c->set.conf->pm_min_spare_servers;
	case PM_ONDEMAND:
		return 1;
	default:
		return 0;
	}
}

/* --- orders ----------------------------------------------------------------------- */

static struct slot *free_slot(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (c->slots[i].state == SLOT_FREE)
			return &c->slots[i];
	return c->high < c->nslots ? &c->slots[c->high++] : NULL;
}

static void take(struct crew *c, struct slot *s)
{
	slot_move(s, SLOT_ORDERED, loop_now_ms(c->set.loop));
	s->order = c->next_order++;
	s->generation = c->set.template->generation;
	s->ordered_at_ms = s->since_ms;
	s->replace = s->surplus = false;
	c->taken++;
	c->set.total->workers++;
}

void crew_release(struct crew *c, struct slot *s)
{
	slot_move(s, SLOT_FREE, loop_now_ms(c->set.loop));
	s->pid = 0;
	c->taken--;
	c->set.total->workers--;
	board_clear_slot(c->set.board, crew_number_of(s));
	c->set.calls->left(c->set.ctx, s);
}

/* Asks the template for one worker; false: not now. */
static bool order_one(struct crew *c)
{
	struct msg m = {.type = MSG_FORK};
	struct slot *s = free_slot(c);
	bool sent;

	if (!s)
		return false;
	m.nfds = c->set.calls->outputs(c->set.ctx, s, m.fds);
	if (m.nfds < 0)
		return false;
	m.u.fork = (struct msg_fork){.slot = crew_number_of(s), .order = c->next_order};
	board_clear_slot(c->set.board, crew_number_of(s));
	sent = template_send(c->set.template, &m);
	for (int i = 0; i < m.nfds; i++)
		fd_close(&m.fds[i]);
	if (sent)
		take(c, s);
	else
		c->set.calls->left(c->set.ctx, s);
	return sent;
}

static void retry(void *ctx)
{
	crew_look(ctx, false);
}

/* Is a worker out that was ordered after the last young death? */
static bool probe_is_out(const struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (slot_is_taken(&c->slots[i]) &&
		    c->slots[i].ordered_at_ms >= c->throttle.retry_at_ms)
			return true;
	return false;
}

/*
 * How many of the wanted may be ordered now: one at a time while workers are
 * dying young, one until the first of a new template has shown that it can.
 */
static unsigned allowed(struct crew *c, const struct scale_view *v, unsigned wanted)
{
	uint32_t wait_ms = throttle_wait_ms(&c->throttle, loop_now_ms(c->set.loop));

	if (wanted == 0)
		return 0;
	if (wait_ms > 0) {
		loop_forget(c->set.loop, &c->retry_timer);
		loop_timer(c->set.loop, wait_ms, retry, c, &c->retry_timer);
		return 0;
	}
	if (throttle_is_on(&c->throttle))
		return probe_is_out(c) ? 0 : 1;
	if (!c->proven)
		return v->starting > 0 ? 0 : 1;
	return wanted;
}

static void order(struct crew *c, const struct scale_view *v, const char *why, unsigned n)
{
	if (n > 0)
		log_pool(LOG_LEVEL_DEBUG, c->set.conf->name,
		    "%s: %u idle, %u busy, %u starting, %u retiring, %u connections waiting, "
		    "ordering %u",
		    why, v->idle, v->busy, v->starting, v->retiring, v->waiting, n);
	for (unsigned i = 0; i < n && order_one(c); i++) {
		c->spawned++;
		if (c->lost > 0)
			c->lost--;
	}
}

/* --- looking ------------------------------------------------------------------------ */

static void retire_one(struct crew *c)
{
	uint32_t idle_for_ms;
	struct slot *s = census_longest_idle(c, &idle_for_ms);

	if (!s)
		return;
	s->surplus = true;
	reap_signal(s->pidfd, SIGQUIT);
	slot_move(s, SLOT_RETIRING, loop_now_ms(c->set.loop));
	s->idle_at_ms = s->since_ms; /* as we have just seen */
}

/* Has this worker, by its page, done what a worker is for? */
static bool is_proof(const struct crew *c, const struct slot *s)
{
	struct worker_view w;

	if (loop_now_ms(c->set.loop) - s->ordered_at_ms >= PROOF_MS)
		return true;
	return board_read(c->set.board, crew_number_of(s), &w) && w.requests > 0;
}

/* Has a worker of this template shown that workers can start? */
static void judge(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++) {
		const struct slot *s = &c->slots[i];

		if (s->state != SLOT_RUNNING || s->generation != c->set.template->generation ||
		    board_state(c->set.board, i) < WORKER_IDLE)
			continue;
		c->proven = true;
		if (throttle_is_on(&c->throttle) && is_proof(c, s))
			throttle_succeeded(&c->throttle);
	}
}

void crew_look(struct crew *c, bool tick)
{
	struct scale_view v;
	struct scale_step step;
	bool newly_full;

	if (tick) {
		chase_all(c);
		c->spawned = 0;
		c->passed_at_ms = loop_now_ms(c->set.loop);
	}
	if (c->stopping)
		return;
	if (tick || !c->proven)
		judge(c);
	v = census_take(c, tick);
	step = scale_next(c->set.conf, &v);
	if (tick)
		stall_tick(c, &v);
	/* The rate grows with forks; what cannot fork yet is not slow. */
	if (c->set.template->state == TEMPLATE_READY)
		c->rate = step.rate;
	newly_full = step.at_limit && !c->at_limit;
	crewlog_limits(c, &step, &v);
	/* Cleared at ticks only, so that a pool at its limit says so once. */
	c->at_limit = step.at_limit || (c->at_limit && !tick);
	if (step.retire > 0)
		retire_one(c);
	if (step.spawn > 0 && c->set.template->state != TEMPLATE_READY)
		c->set.calls->need_template(c->set.ctx);
	else
		order(c, &v, step.why, allowed(c, &v, step.spawn));
	if (c->set.conf->mode == POOL_MODE_ISOLATED && v.idle + v.starting > 0)
		c->lost = 0;
	if (c->filling && c->taken >= (uint32_t)c->set.conf->pm_start_servers)
		c->filling = false;
	bulletin_counts(&c->bulletin, v.busy, newly_full, wake_below(c));
	/*
	 * With nobody free to notice the next connection, the pool has to. Not so
	 * while something is wanted already: its end leads to the next look.
	 */
	c->set.calls->attend(c->set.ctx, c->set.conf->pm == PM_ONDEMAND && step.spawn == 0 &&
					     v.idle + v.starting == 0 && v.waiting == 0 &&
					     c->taken < c->nslots && v.room > 0);
}

/* --- the template -------------------------------------------------------------------- */

void crew_template_ready(struct crew *c)
{
	c->proven = false;
	crew_look(c, false);
}

void crew_template_gone(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (c->slots[i].state == SLOT_ORDERED)
			chase_lose(c, &c->slots[i]);
}

/* --- orders from above ------------------------------------------------------------------------ */

void crew_retire_before(struct crew *c, uint64_t generation)
{
	c->first_kept = generation;
	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		if (s->state == SLOT_RUNNING && s->generation < generation) {
			s->replace = true;
			slot_move(s, SLOT_RETIRING, loop_now_ms(c->set.loop));
		}
	}
}

void crew_replace_all(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		/* One that is under way may have been forked before: it goes when it comes. */
		if (s->state == SLOT_ORDERED || s->state == SLOT_LOST)
			s->replace = true;
		if (s->state != SLOT_RUNNING)
			continue;
		s->replace = true;
		reap_signal(s->pidfd, SIGQUIT);
		slot_move(s, SLOT_RETIRING, loop_now_ms(c->set.loop));
	}
}

void crew_stop(struct crew *c)
{
	c->stopping = true;
	loop_forget(c->set.loop, &c->retry_timer);
	loop_forget(c->set.loop, &c->prove_timer);
	for (uint32_t i = 0; i < c->high; i++)
		if (c->slots[i].state == SLOT_RUNNING)
			slot_move(&c->slots[i], SLOT_RETIRING, loop_now_ms(c->set.loop));
}

void crew_resume(struct crew *c)
{
	c->stopping = false;
	c->filling = c->set.conf->pm == PM_DYNAMIC;
	c->proven = false;
}

void crew_signal(struct crew *c, int signo)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (slot_has_process(&c->slots[i]))
			reap_signal(c->slots[i].pidfd, signo);
}

bool crew_knows(const struct crew *c, pid_t pid)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (slot_has_process(&c->slots[i]) && c->slots[i].pid == pid)
			return true;
	return c->set.template->state != TEMPLATE_NONE && c->set.template->pid == pid;
}
