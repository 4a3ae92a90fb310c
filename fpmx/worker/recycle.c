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
	if (v->spent)
		return RECYCLE_SPENT;
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
	switch (r) {
	case RECYCLE_SPENT:
		return EXIT_SERVED;
	case RECYCLE_UNSAFE:
		return EXIT_BAILOUT;
	default:
		return EXIT_DONE;
	}
}
