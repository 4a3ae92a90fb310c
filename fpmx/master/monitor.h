/*
 * monitor: what systemd is told of this service, and when.
 *
 * Runs in: master.
 * States as they are entered; the counts of php-fpm's STATUS line each
 * systemd_interval; and, where the unit has a watchdog, twice in its time that
 * we are alive. That is said only if the pass of each second has been through
 * every pool: a loop that turns without doing its work starves the watchdog.
 * A pool that cannot be what it should be (PHP does not start, no processes to
 * be had) does not: its neighbours are not to be restarted for it.
 */
#ifndef FPMX_MASTER_MONITOR_H
#define FPMX_MASTER_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/loop.h"
#include "conf/conf.h"
#include "master/notify.h"
#include "master/tally.h"

/* How the service is now. */
struct monitor_view {
	struct tally tally;
	uint64_t passed_at_ms; /* the pass of each second, in the pool where it is longest ago */
};

struct monitor {
	struct notify *notify;
	struct loop *loop;
	void (*look)(void *ctx, struct monitor_view *);
	void *ctx;
	uint32_t every_ms; /* 0: never */
	bool up;           /* READY was told: before it, there is nothing to reload */
	bool ready;        /* counts are told */
	uint64_t requests; /* as last told */
	uint64_t told_at_ms;
	struct loop_handle timer;
};

/* Says in the log how often, where the unit decides that and not the configuration. */
void monitor_init(struct monitor *, struct notify *, const struct global_conf *);

/* The loop is about to run. look() is asked in each beat. */
void monitor_start(
    struct monitor *, struct loop *, void (*look)(void *ctx, struct monitor_view *), void *ctx);

/* Requests are served from now on: after a start, a reload, a reload that failed. */
void monitor_ready(struct monitor *);
void monitor_reloading(struct monitor *);
/* All is as it was before monitor_reloading(). why: one line. */
void monitor_reload_failed(struct monitor *, const char *why);
/* how: "Terminating" or "Finishing". */
void monitor_stopping(struct monitor *, const char *how);

/* Each second: what could not be sent. */
void monitor_tick(struct monitor *);

#endif
