/*
 * overtime: looks at all workers of a pool.
 *
 * Runs in: master.
 */
#include "master/overtime.h"

#include <signal.h>

#include "base/clock.h"
#include "master/crewlog.h"
#include "master/reap.h"
#include "master/stopwatch.h"

/* From SIGTERM to SIGKILL: what a handler of the script's may need to clean up. */
#define TERM_LIMIT_MS 1000

/* The next that is to be traced and has not come to its end meanwhile. */
static void trace_next(void *ctx)
{
	struct overtime *o = ctx;
	struct crew *c = o->crew;

	for (uint32_t i = 0; o->trace.state == TRACE_NONE && i < c->high; i++) {
		struct slot *s = &c->slots[i];
		struct worker_view w;

		if (!s->trace_due)
			continue;
		s->trace_due = false;
		if (slot_has_process(s) && board_read(c->set.board, i, &w) &&
		    w.state == WORKER_RUNNING && w.request_started_us == s->slow_us) {
			trace_begin(&o->trace, s, i, &w);
			return;
		}
	}
}

static void note_slow(struct crew *c, struct slot *s, const struct worker_view *w, uint64_t now_us)
{
	if (s->slow_us == w->request_started_us)
		return;
	s->slow_us = w->request_started_us;
	s->trace_due = true;
	bulletin_slow(&c->bulletin);
	crewlog_overtime(c, s, w, stopwatch_elapsed_us(w, now_us), CREWLOG_SLOW);
}

static void put_an_end(struct crew *c, struct slot *s, const struct worker_view *w, uint64_t now_us)
{
	uint64_t elapsed_us = stopwatch_elapsed_us(w, now_us), now_ms = loop_now_ms(c->set.loop);

	if (s->state == SLOT_KILLED)
		return;
	if (s->over_us != w->request_started_us) {
		s->over_us = w->request_started_us;
		s->over_at_ms = now_ms;
	} else if (now_ms - s->over_at_ms >= TERM_LIMIT_MS) {
		crewlog_overtime(c, s, w, elapsed_us, CREWLOG_KILL);
		s->replace = true;
		reap_signal(s->pidfd, SIGKILL);
		slot_move(s, SLOT_KILLED, now_ms);
		return;
	}
	crewlog_overtime(c, s, w, elapsed_us, CREWLOG_TERMINATE);
	reap_signal(s->pidfd, SIGTERM);
}

static void look(void *ctx)
{
	struct overtime *o = ctx;
	struct crew *c = o->crew;
	uint64_t now_us = clock_now_us();
	struct worker_view w;

	for (uint32_t i = 0; i < c->high; i++) {
		struct slot *s = &c->slots[i];

		if (!slot_has_process(s) || board_state(c->set.board, i) <= WORKER_IDLE ||
		    !board_read(c->set.board, i, &w))
			continue;
		if (stopwatch_is_slow(c->set.conf, &w, now_us))
			note_slow(c, s, &w, now_us);
		if (stopwatch_is_over(c->set.conf, &w, now_us))
			put_an_end(c, s, &w, now_us);
	}
	if (o->trace.state == TRACE_NONE)
		trace_next(o);
}

void overtime_init(struct overtime *o, struct crew *c, uint32_t every_ms)
{
	struct trace_setup setup = {
	    .conf = c->set.conf,
	    .loop = c->set.loop,
	    .board = c->set.board,
	    .template = c->set.template,
	    .done = trace_next,
	    .ctx = o,
	};

	*o = (struct overtime){.crew = c};
	trace_init(&o->trace, &setup);
	if (stopwatch_is_wanted(c->set.conf))
		loop_every(c->set.loop, every_ms, look, o, &o->timer);
}

void overtime_free(struct overtime *o)
{
	loop_forget(o->crew->set.loop, &o->timer);
	trace_free(&o->trace);
}
