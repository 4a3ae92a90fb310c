/*
 * crew: orders, arrivals, ends.
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
#include "master/census.h"
#include "master/crewlog.h"
#include "master/reap.h"
#include "master/scale.h"

/* An order whose template died is waited for so long: its worker may be there. */
#define LOST_LIMIT_MS 2000

/* A worker that is to leave and is idle all that time is killed: it takes less to go. */
#define RETIRE_LIMIT_MS 1000

/* A worker that lived so long and is idle has proved that workers can start. */
#define PROOF_MS 1000

/* How soon, at first, we look whether the first worker has become idle. */
#define PROVE_FIRST_MS 2
#define PROVE_LAST_MS 64

void crew_init(struct crew *c, const struct crew_setup *s)
{
	*c = (struct crew){
	    .conf = s->conf,
	    .loop = s->loop,
	    .board = s->board,
	    .template = s->template,
	    .total = s->total,
	    .calls = s->calls,
	    .ctx = s->ctx,
	    .uid = s->uid,
	    .nslots = (uint32_t)s->conf->pm_max_children,
	    .filling = s->conf->pm == PM_DYNAMIC,
	    .rate = 1,
	    .next_order = 1,
	};
	c->slots = must_memory(calloc(c->nslots, sizeof(*c->slots)));
	for (uint32_t i = 0; i < c->nslots; i++)
		c->slots[i] = (struct slot){.crew = c, .pidfd = -1};
	bulletin_init(&c->bulletin, c->board);
}

void crew_free(struct crew *c)
{
	loop_forget(c->loop, &c->retry_timer);
	loop_forget(c->loop, &c->prove_timer);
	for (uint32_t i = 0; i < c->high; i++) {
		loop_forget(c->loop, &c->slots[i].watch);
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
	if (c->stopping || c->taken >= c->nslots || census_room(c->total) == 0)
		return 0;
	switch (c->conf->pm) {
	case PM_DYNAMIC:
		return (uint32_t)c->conf->pm_min_spare_servers;
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
	slot_move(s, SLOT_ORDERED, loop_now_ms(c->loop));
	s->order = c->next_order++;
	s->generation = c->template->generation;
	s->ordered_at_ms = s->since_ms;
	s->replace = s->surplus = false;
	c->taken++;
	c->total->workers++;
}

static void release(struct crew *c, struct slot *s)
{
	slot_move(s, SLOT_FREE, loop_now_ms(c->loop));
	s->pid = 0;
	c->taken--;
	c->total->workers--;
	board_clear_slot(c->board, crew_number_of(s));
	c->calls->left(c->ctx, s);
}

/* Asks the template for one worker; false: not now. */
static bool order_one(struct crew *c)
{
	struct msg m = {.type = MSG_FORK};
	struct slot *s = free_slot(c);
	bool sent;

	if (!s)
		return false;
	m.nfds = c->calls->outputs(c->ctx, s, m.fds);
	if (m.nfds < 0)
		return false;
	m.u.fork = (struct msg_fork){.slot = crew_number_of(s), .order = c->next_order};
	board_clear_slot(c->board, crew_number_of(s));
	sent = template_send(c->template, &m);
	for (int i = 0; i < m.nfds; i++)
		fd_close(&m.fds[i]);
	if (sent)
		take(c, s);
	else
		c->calls->left(c->ctx, s);
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
	uint32_t wait_ms = throttle_wait_ms(&c->throttle, loop_now_ms(c->loop));

	if (wanted == 0)
		return 0;
	if (wait_ms > 0) {
		loop_forget(c->loop, &c->retry_timer);
		loop_timer(c->loop, wait_ms, retry, c, &c->retry_timer);
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
		log_pool(LOG_LEVEL_DEBUG, c->conf->name,
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
	slot_move(s, SLOT_RETIRING, loop_now_ms(c->loop));
}

/* Idle workers that were told to leave and have not, and orders that came to nothing. */
static void chase(struct crew *c);

/* Has this worker, by its page, done what a worker is for? */
static bool is_proof(const struct crew *c, const struct slot *s)
{
	struct worker_view w;

	if (loop_now_ms(c->loop) - s->ordered_at_ms >= PROOF_MS)
		return true;
	return board_read(c->board, crew_number_of(s), &w) && w.requests > 0;
}

/* Has a worker of this template shown that workers can start? */
static void judge(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++) {
		const struct slot *s = &c->slots[i];

		if (s->state != SLOT_RUNNING || s->generation != c->template->generation ||
		    board_state(c->board, i) < WORKER_IDLE)
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
		chase(c);
		c->spawned = 0;
	}
	if (c->stopping)
		return;
	if (tick || !c->proven)
		judge(c);
	v = census_take(c, tick);
	step = scale_next(c->conf, &v);
	/* The rate grows with forks; what cannot fork yet is not slow. */
	if (c->template->state == TEMPLATE_READY)
		c->rate = step.rate;
	newly_full = step.at_limit && !c->at_limit;
	crewlog_limits(c, &step, &v);
	/* Cleared at ticks only, so that a pool at its limit says so once. */
	c->at_limit = step.at_limit || (c->at_limit && !tick);
	if (step.retire > 0)
		retire_one(c);
	if (step.spawn > 0 && c->template->state != TEMPLATE_READY)
		c->calls->need_template(c->ctx);
	else
		order(c, &v, step.why, allowed(c, &v, step.spawn));
	if (c->filling && c->taken >= (uint32_t)c->conf->pm_start_servers)
		c->filling = false;
	bulletin_counts(&c->bulletin, v.busy, newly_full, wake_below(c));
	/*
	 * With nobody free to notice the next connection, the pool has to. Not so
	 * while something is wanted already: its end leads to the next look.
	 */
	c->calls->attend(c->ctx, c->conf->pm == PM_ONDEMAND && step.spawn == 0 &&
				     v.idle + v.starting == 0 && v.waiting == 0 &&
				     c->taken < c->nslots && v.room > 0);
}

/* --- the template's answers ------------------------------------------------------------ */

/* Until the first worker is idle, look again soon: the others wait for it. */
static void prove(void *ctx)
{
	struct crew *c = ctx;

	c->prove_timer = (struct loop_handle){0};
	crew_look(c, false);
	if (c->proven || c->stopping || c->taken == 0)
		return;
	loop_timer(c->loop, c->prove_after_ms, prove, c, &c->prove_timer);
	if (c->prove_after_ms < PROVE_LAST_MS)
		c->prove_after_ms *= 2;
}

static void start_proving(struct crew *c)
{
	loop_forget(c->loop, &c->prove_timer);
	c->prove_after_ms = PROVE_FIRST_MS;
	loop_timer(c->loop, c->prove_after_ms, prove, c, &c->prove_timer);
}

void crew_template_ready(struct crew *c)
{
	c->proven = false;
	crew_look(c, false);
}

static void lose(struct crew *c, struct slot *s);

void crew_template_gone(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++)
		if (c->slots[i].state == SLOT_ORDERED)
			lose(c, &c->slots[i]);
}

static void on_worker_exit(void *ctx, int fd, uint32_t events);

/* The slot's worker is the process behind pidfd. */
static int settle(struct crew *c, struct slot *s, pid_t pid, int pidfd)
{
	struct err e;

	if (loop_watch(c->loop, pidfd, EPOLLIN, on_worker_exit, s, &s->watch, &e) < 0) {
		log_pool(LOG_LEVEL_ERROR, c->conf->name, "child %d: %s", (int)pid, e.text);
		return -1;
	}
	slot_move(s, SLOT_RUNNING, loop_now_ms(c->loop));
	s->pid = pid;
	s->pidfd = pidfd;
	s->started_us = clock_now_us();
	c->calls->arrived(c->ctx, s);
	log_pool(c->replacing > 0 ? LOG_LEVEL_NOTICE : LOG_LEVEL_DEBUG, c->conf->name,
	    "child %d started", (int)pid);
	if (c->replacing > 0)
		c->replacing--;
	if (s->replace)
		reap_signal(pidfd, SIGQUIT);
	if (s->replace || c->stopping || s->generation < c->first_kept)
		slot_move(s, SLOT_RETIRING, loop_now_ms(c->loop));
	return 0;
}

static void count_early_end(struct crew *c, const struct slot *s)
{
	uint64_t now_ms = loop_now_ms(c->loop);

	throttle_failed(&c->throttle, s->ordered_at_ms, now_ms);
	log_pool(LOG_LEVEL_DEBUG, c->conf->name, "no worker for %u ms: one died too young",
	    throttle_wait_ms(&c->throttle, now_ms));
}

void crew_forked(struct crew *c, const struct msg_forked *m)
{
	struct slot *s = m->slot < c->high ? &c->slots[m->slot] : NULL;
	struct err e;
	int pidfd;

	if (!s || s->state != SLOT_ORDERED || s->order != m->order) {
		template_distrust(c->template, "it announced a worker that nobody had ordered");
		return;
	}
	if (crew_knows(c, m->pid)) {
		template_distrust(c->template, "it announced a worker that we know already");
		return;
	}
	switch (reap_claim(m->pid, c->uid, &pidfd, &e)) {
	case REAP_OURS:
		if (settle(c, s, m->pid, pidfd) == 0)
			break;
		reap_signal(pidfd, SIGKILL);
		fd_close(&pidfd);
		release(c, s);
		break;
	case REAP_GONE:
		count_early_end(c, s);
		release(c, s);
		break;
	case REAP_LIE:
		log_pool(LOG_LEVEL_ALERT, c->conf->name, "the template lied: %s", e.text);
		release(c, s);
		template_distrust(c->template, "it announced a process that is none of ours");
		return;
	case REAP_ERROR:
		log_pool(LOG_LEVEL_ERROR, c->conf->name, "child %d: %s", (int)m->pid, e.text);
		slot_move(s, SLOT_LOST, loop_now_ms(c->loop));
		break;
	}
	if (!c->proven && !c->stopping)
		start_proving(c);
	if (c->taken < c->nslots)
		crew_look(c, false);
}

void crew_refused(struct crew *c, const struct msg_refused *m)
{
	struct slot *s = m->slot < c->high ? &c->slots[m->slot] : NULL;

	if (!s || s->state != SLOT_ORDERED || s->order != m->order) {
		template_distrust(c->template, "it refused an order that nobody had given");
		return;
	}
	log_pool(
	    LOG_LEVEL_ERROR, c->conf->name, "fork() failed: %s (%d)", strerror(m->sys), m->sys);
	/* A busy pool looks at every request: without a pause it would try as often. */
	throttle_failed(&c->throttle, s->ordered_at_ms, loop_now_ms(c->loop));
	release(c, s); /* the pass of each second tries again */
}

/* --- ends -------------------------------------------------------------------------------- */

/* Did it end before its first request, unasked? */
static bool is_early(const struct slot *s, const struct worker_view *w)
{
	return s->state == SLOT_RUNNING && w->requests == 0 && w->state <= WORKER_IDLE;
}

static bool is_crash(const struct reap_end *end)
{
	return end->by_signal && (end->code == SIGSEGV || end->code == SIGBUS);
}

static void on_worker_exit(void *ctx, int fd, uint32_t events)
{
	struct slot *s = ctx;
	struct crew *c = s->crew;
	struct reap_end end = {0};
	struct worker_view w;
	struct err e;
	bool replace;
	int rc = reap_collect(fd, &end, &e);

	(void)events;
	if (rc == 0)
		return;
	if (rc < 0)
		log_pool(LOG_LEVEL_ERROR, c->conf->name, "child %d: %s", (int)s->pid, e.text);
	board_read(c->board, crew_number_of(s), &w);
	crewlog_end(c, s, &end, &w);
	bulletin_totals(&c->bulletin, &w);
	if (is_early(s, &w))
		count_early_end(c, s);
	else if (w.requests > 0)
		throttle_succeeded(&c->throttle);
	replace = (s->state == SLOT_RUNNING || s->replace) && c->conf->pm != PM_ONDEMAND;
	loop_forget(c->loop, &s->watch);
	fd_close(&s->pidfd);
	if (replace && !c->stopping) {
		c->lost++;
		c->replacing++;
	}
	release(c, s);
	crew_look(c, false);
	if (is_crash(&end))
		c->calls->crashed(c->ctx);
}

/* --- each second ---------------------------------------------------------------------------- */

static void chase_retiring(struct crew *c, struct slot *s)
{
	uint64_t now_ms = loop_now_ms(c->loop);
	bool idle = board_state(c->board, crew_number_of(s)) == WORKER_IDLE;

	if (!idle)
		s->idle_at_ms = 0;
	else if (s->idle_at_ms == 0)
		s->idle_at_ms = now_ms;
	if (c->stopping || !idle || now_ms - s->idle_at_ms < RETIRE_LIMIT_MS)
		return;
	log_pool(
	    LOG_LEVEL_DEBUG, c->conf->name, "child %d does not leave, killing it", (int)s->pid);
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

	board_read(c->board, crew_number_of(s), &w);
	if (w.pid > 0 && !crew_knows(c, w.pid) &&
	    reap_claim(w.pid, c->uid, &pidfd, &e) == REAP_OURS) {
		if (settle(c, s, w.pid, pidfd) == 0)
			return;
		reap_signal(pidfd, SIGKILL);
		fd_close(&pidfd);
	}
	if (c->stopping || loop_now_ms(c->loop) - s->since_ms >= LOST_LIMIT_MS)
		release(c, s);
}

/* The template that had this order is dead. */
static void lose(struct crew *c, struct slot *s)
{
	slot_move(s, SLOT_LOST, loop_now_ms(c->loop));
	if (c->stopping)
		chase_lost(c, s);
}

/* A worker that does not become idle hangs where nobody else would notice. */
static void chase_starting(struct crew *c, struct slot *s)
{
	if (board_state(c->board, crew_number_of(s)) >= WORKER_IDLE ||
	    loop_now_ms(c->loop) - s->since_ms < c->conf->template_boot_timeout_ms)
		return;
	log_pool(
	    LOG_LEVEL_WARNING, c->conf->name, "child %d does not start, killing it", (int)s->pid);
	count_early_end(c, s);
	s->replace = true;
	reap_signal(s->pidfd, SIGKILL);
	slot_move(s, SLOT_KILLED, loop_now_ms(c->loop));
}

/* A template that takes orders and answers pings, but none of the orders. */
static void chase_order(struct crew *c, const struct slot *s)
{
	if (c->template->state == TEMPLATE_READY &&
	    loop_now_ms(c->loop) - s->since_ms >= c->conf->template_boot_timeout_ms)
		template_kill(c->template, "it does not answer an order");
}

static void chase(struct crew *c)
{
	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		if (s->state == SLOT_RUNNING)
			chase_starting(c, s);
		else if (s->state == SLOT_RETIRING)
			chase_retiring(c, s);
		else if (s->state == SLOT_LOST)
			chase_lost(c, s);
		else if (s->state == SLOT_ORDERED)
			chase_order(c, s);
	}
}

/* --- orders from above ------------------------------------------------------------------------ */

void crew_retire_before(struct crew *c, uint64_t generation)
{
	c->first_kept = generation;
	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		if (s->state == SLOT_RUNNING && s->generation < generation) {
			s->replace = true;
			slot_move(s, SLOT_RETIRING, loop_now_ms(c->loop));
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
		slot_move(s, SLOT_RETIRING, loop_now_ms(c->loop));
	}
}

void crew_stop(struct crew *c)
{
	c->stopping = true;
	loop_forget(c->loop, &c->retry_timer);
	loop_forget(c->loop, &c->prove_timer);
	for (uint32_t i = 0; i < c->high; i++)
		if (c->slots[i].state == SLOT_RUNNING)
			slot_move(&c->slots[i], SLOT_RETIRING, loop_now_ms(c->loop));
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
	return c->template->state != TEMPLATE_NONE && c->template->pid == pid;
}
