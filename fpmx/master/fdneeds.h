/*
 * fdneeds: how many descriptors the master needs for its pools, and the limit
 * that allows them.
 *
 * Runs in: master, at its start.
 */
#ifndef FPMX_MASTER_FDNEEDS_H
#define FPMX_MASTER_FDNEEDS_H

#include <sys/resource.h>

#include "base/err.h"
#include "conf/conf.h"

enum fdneeds {
	FDNEEDS_FAIL,   /* not even the workers that must be there can be had */
	FDNEEDS_ENOUGH, /* nothing was changed */
	FDNEEDS_RAISED  /* the soft limit was raised; *before is what it was */
};

/*
 * A worker costs the master descriptors. Where the soft limit is too low it is
 * raised. Where the hard limit is, *max_workers (0: no limit) is lowered to what
 * can be had, with a line in the log.
 */
enum fdneeds fdneeds_raise(const struct conf *, struct rlimit *before, unsigned *max_workers,
    struct err *) __attribute__((warn_unused_result));

#endif
