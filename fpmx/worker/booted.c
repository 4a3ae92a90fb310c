/*
 * booted: a worker whose loop is a script's.
 *
 * Runs in: worker.
 */
#include "worker/worker.h"

#include <unistd.h>

#include "base/log.h"
#include "php/engine.h"
#include "proc/exits.h"

static void begin(void *ctx)
{
	worker_begin(ctx);
}

static bool next(void *ctx)
{
	if (worker_next(ctx))
		return true;
	worker_leave_loop(ctx);
	return false;
}

/* Not by exit(): what libraries have registered for it is of the state that is in doubt. */
static void gone(void *ctx)
{
	_exit(worker_close(ctx, WORKER_END_BROKEN));
}

int worker_run_script(struct worker *w, const struct pool_conf *pool)
{
	struct engine_app_calls calls = {.begin = begin, .next = next, .gone = gone, .ctx = w};
	struct err why;

	switch (engine_run_app(pool->script, &calls, &why)) {
	case ENGINE_APP_LEFT:
		return worker_close(w, WORKER_END_TOLD);
	case ENGINE_APP_ENDED:
		return worker_close(w, WORKER_END_LEFT);
	case ENGINE_APP_FAILED:
		break;
	}
	log_pool(LOG_LEVEL_ERROR, pool->name, "%s", why.text);
	return EXIT_SCRIPT;
}
