/*
 * stopwatch: when a request has taken too long.
 *
 * Runs in: master.
 * Pure. What a worker's page says may be a lie: a start that cannot have been
 * counts as now, so a lie delays what would be done to the liar alone.
 * php-fpm's meaning: times count from the start of the request; a request is
 * slow only while its script runs; and it times out while it is read or its
 * script runs, but after fastcgi_finish_request() and in shutdown functions
 * only where request_terminate_timeout_track_finished says so.
 */
#ifndef FPMX_MASTER_STOPWATCH_H
#define FPMX_MASTER_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "conf/conf.h"
#include "status/scoreboard.h"

/*
 * How often requests are looked at: a third of the smallest timeout of all
 * pools, but not more often than each 130 ms. 0: no pool has a timeout.
 */
uint32_t stopwatch_every_ms(const struct conf *);

/* Has the pool any timeout? */
bool stopwatch_is_wanted(const struct pool_conf *);

/* How long the request of this worker takes by now. */
uint64_t stopwatch_elapsed_us(const struct worker_view *, uint64_t now_us);

bool stopwatch_is_slow(const struct pool_conf *, const struct worker_view *, uint64_t now_us);
bool stopwatch_is_over(const struct pool_conf *, const struct worker_view *, uint64_t now_us);

#endif
