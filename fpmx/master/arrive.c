/*
 * arrive: orders that are answered, workers that end.
 *
 * Runs in: master.
 */
#include "master/arrive.h"

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/crewlog.h"
#include "master/reap.h"

/* How soon, at first, we look whether the first worker has become idle. */
#define PROVE_FIRST_MS 2
#define PROVE_LAST_MS 64

/* --- the template's answers ------------------------------------------------------------ */

/* Until the first worker is idle, look again soon: the others wait for it. */
static void prove(void *ctx)
{
	struct crew *c = ctx;

	c->prove_timer = (struct loop_handle){0};
	crew_look(c, false);
	if (c->proven || c->stopping || c->taken == 0)
		return;
	loop_timer(c->set.loop, c->prove_after_ms, prove, c, &c->prove_timer);
	if (c->prove_after_ms < PROVE_LAST_MS)
		c->prove_after_ms *= 2;
}

static void start_proving(struct crew *c)
{
	loop_forget(c->set.loop, &c->prove_timer);
	c->prove_after_ms = PROVE_FIRST_MS;
	loop_timer(c->set.loop, c->prove_after_ms, prove, c, &c->prove_timer);
}

static void on_worker_exit(void *ctx, int fd, uint32_t events);

/* The slot's worker is the process behind pidfd. */
int arrive_settle(struct crew *c, struct slot *s, pid_t pid, int pidfd)
{
	struct err e;

	if (loop_watch(c->set.loop, pidfd, EPOLLIN, on_worker_exit, s, &s->watch, &e) < 0) {
		log_pool(LOG_LEVEL_ERROR, c->set.conf->name, "child %d: %s", (int)pid, e.text);
		return -1;
	}
	slot_move(s, SLOT_RUNNING, loop_now_ms(c->set.loop));
	s->pid = pid;
	s->pidfd = pidfd;
	s->started_us = clock_now_us();
	c->set.calls->arrived(c->set.ctx, s);
	log_pool(c->replacing > 0 ? LOG_LEVEL_NOTICE : LOG_LEVEL_DEBUG, c->set.conf->name,
	    "child %d started", (int)pid);
	if (c->replacing > 0)
		c->replacing--;
	if (s->replace)
		reap_signal(pidfd, SIGQUIT);
	if (s->replace || c->stopping || s->generation < c->first_kept)
		slot_move(s, SLOT_RETIRING, loop_now_ms(c->set.loop));
	return 0;
}

void arrive_died_young(struct crew *c, const struct slot *s)
{
	uint64_t now_ms = loop_now_ms(c->set.loop);

	throttle_failed(&c->throttle, s->ordered_at_ms, now_ms);
	log_pool(LOG_LEVEL_DEBUG, c->set.conf->name, "no worker for %u ms: one died too young",
	    throttle_wait_ms(&c->throttle, now_ms));
}

void crew_forked(struct crew *c, const struct msg_forked *m)
{
	struct slot *s = m->slot < c->high ? &c->slots[m->slot] : NULL;
	struct err e;
	int pidfd;

	if (!s || s->state != SLOT_ORDERED || s->order != m->order) {
		template_distrust(c->set.template, "it announced a worker that nobody had ordered");
		return;
	}
	if (crew_knows(c, m->pid)) {
		template_distrust(c->set.template, "it announced a worker that we know already");
		return;
	}
	switch (reap_claim(m->pid, c->set.uid, &pidfd, &e)) {
	case REAP_OURS:
		if (arrive_settle(c, s, m->pid, pidfd) == 0)
			break;
		reap_signal(pidfd, SIGKILL);
		fd_close(&pidfd);
		crew_release(c, s);
		break;
	case REAP_GONE:
		arrive_died_young(c, s);
		crew_release(c, s);
		break;
	case REAP_LIE:
		log_pool(LOG_LEVEL_ALERT, c->set.conf->name, "the template lied: %s", e.text);
		crew_release(c, s);
		template_distrust(c->set.template, "it announced a process that is none of ours");
		return;
	case REAP_ERROR:
		log_pool(LOG_LEVEL_ERROR, c->set.conf->name, "child %d: %s", (int)m->pid, e.text);
		slot_move(s, SLOT_LOST, loop_now_ms(c->set.loop));
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
		template_distrust(c->set.template, "it refused an order that nobody had given");
		return;
	}
	log_pool(
	    LOG_LEVEL_ERROR, c->set.conf->name, "fork() failed: %s (%d)", strerror(m->sys), m->sys);
	/* A busy pool looks at every request: without a pause it would try as often. */
	throttle_failed(&c->throttle, s->ordered_at_ms, loop_now_ms(c->set.loop));
	crew_release(c, s); /* the pass of each second tries again */
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

/* Workers to be made good, and whether a successor's start is worth a line. */
static void count_lost(struct crew *c, const struct slot *s, const struct reap_end *end)
{
	bool unasked = s->state == SLOT_RUNNING || s->replace;

	if (c->stopping)
		return;
	if (c->set.conf->mode == POOL_MODE_ISOLATED)
		c->lost = 1; /* its connections may wait for another */
	else if (unasked && c->set.conf->pm != PM_ONDEMAND)
		c->lost++;
	if (unasked && c->set.conf->pm != PM_ONDEMAND && !reap_is_served(end))
		c->replacing++;
}

static void on_worker_exit(void *ctx, int fd, uint32_t events)
{
	struct slot *s = ctx;
	struct crew *c = s->crew;
	struct reap_end end = {0};
	struct worker_view w;
	struct err e;
	int rc = reap_collect(fd, &end, &e);

	(void)events;
	if (rc == 0)
		return;
	if (rc < 0)
		log_pool(LOG_LEVEL_ERROR, c->set.conf->name, "child %d: %s", (int)s->pid, e.text);
	board_read(c->set.board, crew_number_of(s), &w);
	crewlog_end(c, s, &end, &w);
	bulletin_totals(&c->bulletin, &w);
	if (is_early(s, &w))
		arrive_died_young(c, s);
	else if (w.requests > 0)
		throttle_succeeded(&c->throttle);
	count_lost(c, s, &end);
	loop_forget(c->set.loop, &s->watch);
	fd_close(&s->pidfd);
	crew_release(c, s);
	crew_look(c, false);
	if (is_crash(&end))
		c->set.calls->crashed(c->set.ctx);
}
