/*
 * stop: drain, TERM, KILL.
 *
 * Runs in: master.
 */
#include "master/stop.h"

#include <signal.h>

#include "base/log.h"
#include "base/must.h"

/*
 * Without process_control_timeout php-fpm sends the next signal at once, and
 * requests are cut. Ours may finish; during a reload nobody else is served
 * meanwhile, so they get less time there.
 */
#define DRAIN_FINISH_MS 30000
#define DRAIN_RELOAD_MS 10000
/* From SIGTERM to SIGKILL, where process_control_timeout does not say. */
#define TERM_LIMIT_MS 1000
#define KILL_EVERY_MS 1000
/* What survives so many SIGKILLs is in the kernel's hands: we leave it there. */
#define KILL_TRIES 10

#define BIT(s) (1U << (s))

/* A new aim may begin at its first step from any step but the last. */
static const unsigned moves[STOP_STEP_MAX] = {
    [STOP_STEP_NONE] = BIT(STOP_STEP_DRAIN) | BIT(STOP_STEP_TERM),
    [STOP_STEP_DRAIN] = BIT(STOP_STEP_DRAIN) | BIT(STOP_STEP_TERM),
    [STOP_STEP_TERM] = BIT(STOP_STEP_TERM) | BIT(STOP_STEP_KILL),
    [STOP_STEP_KILL] = 0,
};

static void move(struct stop *s, enum stop_step to)
{
	must(moves[s->step] & BIT(to));
	s->step = to;
}

void stop_init(struct stop *s, struct loop *loop, const struct stop_calls *calls, void *ctx)
{
	*s = (struct stop){.loop = loop, .calls = calls, .ctx = ctx};
}

static void set_timer(struct stop *s, uint32_t after_ms, loop_timer_fn *call)
{
	loop_forget(s->loop, &s->timer);
	loop_timer(s->loop, after_ms, call, s, &s->timer);
}

static void kill_again(void *ctx)
{
	struct stop *s = ctx;

	if (s->kills++ == KILL_TRIES) {
		log_error("processes do not die, leaving them behind");
		loop_stop(s->loop);
		return;
	}
	s->calls->signal(s->ctx, SIGKILL);
	set_timer(s, KILL_EVERY_MS, kill_again);
}

static void term_is_late(void *ctx)
{
	move(ctx, STOP_STEP_KILL);
	kill_again(ctx);
}

static void enter_term(struct stop *s, uint32_t limit_ms)
{
	move(s, STOP_STEP_TERM);
	s->calls->drain(s->ctx);
	s->calls->cut(s->ctx);
	s->calls->signal(s->ctx, SIGTERM);
	set_timer(s, limit_ms, term_is_late);
}

static void drain_is_late(void *ctx)
{
	enter_term(ctx, TERM_LIMIT_MS);
}

static void enter_drain(struct stop *s, uint32_t limit_ms)
{
	move(s, STOP_STEP_DRAIN);
	s->calls->drain(s->ctx);
	set_timer(s, limit_ms, drain_is_late);
}

bool stop_may(const struct stop *s, enum stop_aim aim)
{
	return aim > s->aim;
}

void stop_begin(struct stop *s, enum stop_aim aim, uint32_t limit_ms)
{
	must(stop_may(s, aim));
	s->aim = aim;
	if (s->step == STOP_STEP_KILL)
		return; /* there is nothing stronger; but it ends in another way now */
	if (aim == STOP_TERMINATE)
		enter_term(s, limit_ms > 0 ? limit_ms : TERM_LIMIT_MS);
	else if (s->step == STOP_STEP_TERM)
		return; /* a reload that had come so far already */
	else if (limit_ms > 0)
		enter_drain(s, limit_ms);
	else
		enter_drain(s, aim == STOP_RELOAD ? DRAIN_RELOAD_MS : DRAIN_FINISH_MS);
	stop_look(s);
}

void stop_hold(struct stop *s)
{
	loop_forget(s->loop, &s->timer);
}

void stop_cancel(struct stop *s)
{
	must(s->aim == STOP_RELOAD);
	stop_hold(s);
	s->aim = STOP_NOT;
	s->step = STOP_STEP_NONE;
	s->kills = 0;
}

void stop_look(struct stop *s)
{
	if (s->calls->is_over(s->ctx))
		loop_stop(s->loop);
}
