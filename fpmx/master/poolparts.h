/*
 * poolparts: what a pool consists of.
 *
 * Runs in: master.
 * For poolopen.c, which opens and frees the parts, and pool.c, where they work
 * together. All others see pool.h.
 */
#ifndef FPMX_MASTER_POOLPARTS_H
#define FPMX_MASTER_POOLPARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/loop.h"
#include "master/bell.h"
#include "master/crew.h"
#include "master/door.h"
#include "master/overtime.h"
#include "master/pool.h"
#include "master/retire.h"
#include "master/template.h"
#include "master/throttle.h"
#include "proc/privs.h"
#include "status/scoreboard.h"

struct pool {
	/* configuration */
	struct pool_host *host;
	const struct pool_conf *conf;
	struct arena *arena;
	struct privs privs;
	const char *const *envp;

	/* run-time state */
	enum pool_state state;
	struct door door;
	struct board *board;
	struct heritage_shown shown;
	int access_fd;
	struct bell bell;
	struct retire retire;
	struct template template;
	struct throttle throttle; /* of templates */
	struct loop_handle retry_timer;
	bool settled, came_up;
	bool renewing;        /* the template is replaced, and then the workers */
	bool sent_away;       /* the template was told to leave: its end is no failure */
	bool stale_logs;      /* the template has not got the logs that were reopened */
	uint64_t empty_at_ms; /* ondemand: since when there is no worker; 0: there is one */
	struct crew crew;
	struct overtime overtime;
};

/* The only way to change the state; must()s that it is allowed. */
void pool_move(struct pool *, enum pool_state);

/* What template and crew call, each with the pool as its ctx. */
extern const struct template_calls pool_template_calls;
extern const struct crew_calls pool_crew_calls;
/* For the bell and the door. */
void pool_called(void *ctx, int fd, uint32_t events);

#endif
