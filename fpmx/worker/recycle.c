/*
 * recycle: when a worker leaves by policy, to be replaced.
 *
 * Runs in: worker.
 * Pure.
 */
#include "worker/recycle.h"

#include "proc/exits.h"

bool recycle_is_last(const struct pool_conf *pool, uint64_t number)
{
	return pool->pm_max_requests > 0 && number >= (uint64_t)pool->pm_max_requests;
}

enum recycle recycle_after(const struct pool_conf *pool, const struct recycle_view *v)
{
	if (v->unsafe)
		return RECYCLE_UNSAFE;
	return recycle_is_last(pool, v->served) ? RECYCLE_REQUESTS : RECYCLE_NO;
}

int recycle_exit_code(enum recycle r)
{
	return r == RECYCLE_UNSAFE ? EXIT_BAILOUT : EXIT_DONE;
}
