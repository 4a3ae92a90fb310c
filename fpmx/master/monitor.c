/*
 * monitor: beats and states.
 *
 * Runs in: master.
 */
#include "master/monitor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"

/* The pass of each second may be so late. */
#define PASS_LIMIT_MS 2000

void monitor_init(struct monitor *m, struct notify *notify, const struct global_conf *g)
{
	*m = (struct monitor){.notify = notify, .every_ms = g->systemd_interval_ms};
	if (notify->watchdog_ms == 0)
		return;
	if (global_is_set(g, systemd_interval) && g->systemd_interval_ms > 0)
		log_warn("systemd_interval option ignored");
	m->every_ms = notify->watchdog_ms > 1 ? notify->watchdog_ms / 2 : 1;
	log_notice("systemd watchdog configured to %.3gsec", m->every_ms / 1000.0);
}

/* --- beats -------------------------------------------------------------------- */

/* php-fpm's words, in which monitoring looks for numbers. */
static void say_counts(struct monitor *m, const struct tally *t, char *text, size_t room)
{
	uint64_t now_ms = clock_now_ms(), past_ms = now_ms - m->told_at_ms;
	/* A pool may have lied, or be gone. */
	uint64_t more = t->requests > m->requests ? t->requests - m->requests : 0;

	snprintf(text, room,
	    "STATUS=Processes active: %" PRIu64 ", idle: %" PRIu64 ", Requests: %" PRIu64
	    ", slow: %" PRIu64 ", Traffic: %.2freq/sec",
	    t->active, t->idle, t->requests, t->slow,
	    past_ms > 0 ? (double)more * 1000.0 / (double)past_ms : 0.0);
	m->requests = t->requests;
	m->told_at_ms = now_ms;
}

/* Each pool was looked after since the last beat, or just before it. */
static bool is_alive(const struct monitor *m, const struct monitor_view *v)
{
	uint64_t since_ms = clock_now_ms() - v->passed_at_ms;

	return since_ms <= (m->every_ms > PASS_LIMIT_MS ? m->every_ms : PASS_LIMIT_MS);
}

static void beat(void *ctx)
{
	struct monitor *m = ctx;
	struct monitor_view v = {.passed_at_ms = UINT64_MAX};
	char status[256] = "", text[300];
	bool alive;

	m->look(m->ctx, &v);
	if (m->ready)
		say_counts(m, &v.tally, status, sizeof(status));
	alive = m->notify->watchdog_ms > 0 && is_alive(m, &v);
	snprintf(text, sizeof(text), "%s%s%s", alive ? "WATCHDOG=1" : "",
	    alive && *status ? "\n" : "", status);
	if (*text)
		notify_hint(m->notify, text);
}

void monitor_start(
    struct monitor *m, struct loop *loop, void (*look)(void *ctx, struct monitor_view *), void *ctx)
{
	m->loop = loop;
	m->look = look;
	m->ctx = ctx;
	/* After a reload the watchdog has been waiting since the program before us. */
	if (m->notify->watchdog_ms > 0)
		loop_every(m->loop, m->every_ms, beat, m, &m->timer);
}

void monitor_tick(struct monitor *m)
{
	notify_flush(m->notify);
}

/* --- states ------------------------------------------------------------------- */

void monitor_ready(struct monitor *m)
{
	if (!FPMX_SYSTEMD)
		return;
	if (!notify_say(m->notify, "READY=1\nSTATUS=Ready to handle connections\nMAINPID=%d",
		(int)getpid()))
		log_warn("failed to notify start to systemd");
	m->up = m->ready = true;
	m->told_at_ms = clock_now_ms();
	if (m->every_ms == 0) {
		log_notice("systemd monitor disabled");
		return;
	}
	if (m->timer.generation == 0)
		loop_every(m->loop, m->every_ms, beat, m, &m->timer);
	log_notice("systemd monitor interval set to %ums", m->every_ms);
}

void monitor_reloading(struct monitor *m)
{
	if (!m->up)
		return;
	m->ready = false;
	notify_say(
	    m->notify, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64 "\nSTATUS=Reloading", clock_now_us());
}

void monitor_reload_failed(struct monitor *m, const char *why)
{
	if (!m->up)
		return;
	m->ready = true;
	/* A second line would be an assignment of its own. */
	notify_say(m->notify, "READY=1\nSTATUS=Reload failed: %.*s", (int)strcspn(why, "\n"), why);
}

void monitor_stopping(struct monitor *m, const char *how)
{
	m->ready = false;
	notify_say(m->notify, "STOPPING=1\nSTATUS=%s", how);
}
