/*
 * fdneeds: sums over all pools.
 *
 * Runs in: master.
 */
#include "master/fdneeds.h"

#include <stddef.h>

#include "base/log.h"

/* Descriptors of the master itself: log, stderr, epoll, signalfd, netlink, ... */
#define FDS_OWN 32

static size_t fds_of_pool(const struct pool_conf *conf)
{
	/*
	 * board, wake, retire pipe and the one before, access log, channel, pidfd, report,
	 * the board of pm.status_listen; two pipes where the template's output is caught
	 */
	return 10 + conf->listen.n + (conf->catch_workers_output ? 2 : 0);
}

static size_t fds_of_worker(const struct pool_conf *conf)
{
	/* its pidfd, and two pipes where its output is caught */
	return conf->catch_workers_output ? 3 : 1;
}

/* How many workers a pool has from the start, or needs to serve at all. */
static size_t workers_at_least(const struct pool_conf *conf)
{
	switch (conf->pm) {
	case PM_STATIC:
		return (size_t)conf->pm_max_children;
	case PM_DYNAMIC:
		return (size_t)conf->pm_start_servers;
	default:
		return 1;
	}
}

struct sums {
	size_t base;      /* without any worker */
	size_t least;     /* with those that must be there */
	size_t most;      /* with all that may be there */
	size_t of_worker; /* the dearest */
};

static struct sums count(const struct conf *conf)
{
	struct sums n = {.base = FDS_OWN};
	size_t least = 0, most = 0;

	for (size_t i = 0; i < conf->npools; i++) {
		const struct pool_conf *p = conf->pools[i];
		size_t of_worker = fds_of_worker(p);

		n.base += fds_of_pool(p);
		least += workers_at_least(p) * of_worker;
		most += (size_t)p->pm_max_children * of_worker;
		if (of_worker > n.of_worker)
			n.of_worker = of_worker;
	}
	n.least = n.base + least;
	n.most = n.base + most;
	return n;
}

/* Not all that the configuration allows can be had: as if process.max said so. */
static int make_do(const struct sums *n, size_t have, unsigned *max_workers, struct err *e)
{
	size_t workers;

	if (have < n->least)
		return err_set(e,
		    "the pools need %zu open files, but RLIMIT_NOFILE allows %zu; lower "
		    "pm.max_children or raise the limit",
		    n->least, have);
	workers = (have - n->base) / n->of_worker;
	if (*max_workers == 0 || workers < *max_workers)
		*max_workers = (unsigned)workers;
	log_warn("RLIMIT_NOFILE allows %zu open files, %zu are needed for all of pm.max_children: "
		 "there will be no more than %u workers",
	    have, n->most, *max_workers);
	return 0;
}

enum fdneeds fdneeds_raise(
    const struct conf *conf, struct rlimit *before, unsigned *max_workers, struct err *e)
{
	struct sums n = count(conf);
	struct rlimit now;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0) {
		err_sys(e, "getrlimit");
		return FDNEEDS_FAIL;
	}
	*before = now;
	if (now.rlim_cur >= n.most)
		return FDNEEDS_ENOUGH;
	if (now.rlim_max < n.most && make_do(&n, now.rlim_max, max_workers, e) < 0)
		return FDNEEDS_FAIL;
	now.rlim_cur = now.rlim_max < n.most ? now.rlim_max : n.most;
	if (setrlimit(RLIMIT_NOFILE, &now) < 0) {
		err_sys(e, "setrlimit(RLIMIT_NOFILE)");
		return FDNEEDS_FAIL;
	}
	return FDNEEDS_RAISED;
}
