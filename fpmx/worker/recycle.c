/*
 * recycle: when a worker leaves by policy, to be replaced.
 *
 * Runs in: worker.
 * Pure.
 */
#include "worker/recycle.h"

#include "proc/exits.h"

enum recycle recycle_after(const struct pool_conf *pool, const struct recycle_view *v)
{
	if (v->unsafe)
		return RECYCLE_UNSAFE;
	if (v->asked)
		return RECYCLE_ASKED;
	if (pool->pm_max_requests > 0 && v->served >= (uint64_t)pool->pm_max_requests)
		return RECYCLE_REQUESTS;
	return RECYCLE_NO;
}

int recycle_exit_code(enum recycle r)
{
	return r == RECYCLE_UNSAFE ? EXIT_BAILOUT : EXIT_DONE;
}
