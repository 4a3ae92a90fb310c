/*
 * scale: one function for each pm, and the limits that hold for all.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/scale.h"

#include "base/must.h"

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned most(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* a - b, or 0. */
static unsigned above(unsigned a, unsigned b)
{
	return a > b ? a - b : 0;
}

static unsigned alive(const struct scale_view *v)
{
	return v->idle + v->busy + v->starting + v->retiring;
}

/* Waiting connections for which no worker is free or about to be. */
static unsigned unserved(const struct scale_view *v)
{
	return above(v->waiting, v->idle + v->starting);
}

static struct scale_step next_static(const struct pool_conf *conf, const struct scale_view *v)
{
	struct scale_step s = {.rate = 1, .why = "static: fill up"};

	s.spawn = above((unsigned)conf->pm_max_children, alive(v));
	s.at_limit = s.spawn == 0 && unserved(v) > 0;
	return s;
}

/*
 * Spares follow php-fpm: so many as are missing, but no more than the rate,
 * which doubles with each second in which some were missing.
 */
static unsigned spares_wanted(const struct pool_conf *conf, const struct scale_view *v)
{
	unsigned free_workers = above(v->idle + v->starting, v->waiting);
	unsigned missing = above((unsigned)conf->pm_min_spare_servers, free_workers);

	return least(missing, above(v->rate, v->spawned));
}

/* Each request costs a worker: the rate of a pool whose workers stay means nothing. */
static unsigned isolated_wanted(const struct pool_conf *conf, const struct scale_view *v)
{
	unsigned spares = 0;

	if (conf->pm == PM_DYNAMIC && v->filling)
		return above((unsigned)conf->pm_start_servers, alive(v));
	if (conf->pm == PM_DYNAMIC)
		spares = (unsigned)conf->pm_min_spare_servers;
	else if (v->busy > 0 || v->lost > 0)
		spares = 1;
	return above(spares + v->waiting, v->idle + v->starting);
}

static unsigned dynamic_wanted(const struct pool_conf *conf, const struct scale_view *v)
{
	unsigned burst = above((unsigned)conf->pm_max_spawn_rate, v->spawned);
	unsigned wanted = least(unserved(v), burst);

	wanted = most(least(wanted + spares_wanted(conf, v), burst), v->lost);
	if (v->filling)
		wanted = most(wanted, above((unsigned)conf->pm_start_servers, alive(v)));
	return wanted;
}

static struct scale_step next_dynamic(const struct pool_conf *conf, const struct scale_view *v)
{
	unsigned min_spare = (unsigned)conf->pm_min_spare_servers;
	struct scale_step s = {.rate = v->rate, .why = "dynamic: keep spares"};

	if (v->tick && above(v->idle, v->waiting) > (unsigned)conf->pm_max_spare_servers) {
		s.retire = 1;
		s.rate = 1;
		s.why = "dynamic: too many spares";
		return s;
	}
	s.spawn =
	    conf->mode == POOL_MODE_ISOLATED ? isolated_wanted(conf, v) : dynamic_wanted(conf, v);
	s.at_limit = (v->idle + v->starting < min_spare || unserved(v) > 0) &&
		     alive(v) >= (unsigned)conf->pm_max_children;
	if (conf->mode == POOL_MODE_ISOLATED)
		return s;
	if (v->tick && v->idle + v->starting < min_spare)
		s.rate = least(v->rate * 2, (unsigned)conf->pm_max_spawn_rate);
	else if (v->tick)
		s.rate = 1;
	return s;
}

static struct scale_step next_ondemand(const struct pool_conf *conf, const struct scale_view *v)
{
	struct scale_step s = {.rate = 1, .why = "ondemand: connections wait"};

	s.spawn = conf->mode == POOL_MODE_ISOLATED ? isolated_wanted(conf, v) : unserved(v);
	s.at_limit = unserved(v) > 0 && alive(v) >= (unsigned)conf->pm_max_children;
	if (v->tick && v->idle > 0 && v->waiting == 0 &&
	    v->longest_idle_ms > conf->pm_process_idle_timeout_ms) {
		s.retire = 1;
		s.why = "ondemand: idle for too long";
	}
	return s;
}

struct scale_step scale_next(const struct pool_conf *conf, const struct scale_view *v)
{
	struct scale_step s = {0};

	must(conf->pm_max_children > 0 && v->rate > 0);
	switch (conf->pm) {
	case PM_STATIC:
		s = next_static(conf, v);
		break;
	case PM_DYNAMIC:
		s = next_dynamic(conf, v);
		break;
	case PM_ONDEMAND:
		s = next_ondemand(conf, v);
		break;
	case PM_MAX:
		must(!"a process manager");
	}
	s.spawn = least(s.spawn, above((unsigned)conf->pm_max_children, alive(v)));
	s.at_process_max = s.spawn > v->room;
	s.spawn = least(s.spawn, v->room);
	return s;
}
