/*
 * pool: one pool at run time: listeners, template, crew, logs, and how they
 * hang together.
 *
 * Runs in: master.
 * Life: NEW (nothing opened) -> OPEN (sockets, logs, board) -> SERVING ->
 * STOPPING -> freed, or SERVING again if a reload is given up. A pool whose
 * template dies goes on with the workers it has and gets another template, later
 * and later if that keeps failing.
 */
#ifndef FPMX_MASTER_POOL_H
#define FPMX_MASTER_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "conf/conf.h"
#include "master/crew.h"
#include "master/handover.h"
#include "master/host.h"

enum pool_state { POOL_NEW, POOL_OPEN, POOL_SERVING, POOL_STOPPING, POOL_STATE_MAX };

struct pool;

struct pool *pool_new(struct pool_host *, const struct pool_conf *);

/* Closes all that is open; unix sockets are removed if asked. NULL is fine. */
void pool_free(struct pool *, bool unlink_sockets);

/* Users, sockets, logs, scoreboard: all that can fail at start. */
int pool_open(struct pool *, struct err *) __attribute__((warn_unused_result));

/* For an open pool of pm.status_listen: it tells the status of that one, also open. */
int pool_show(struct pool *, const struct pool *shown, struct err *)
    __attribute__((warn_unused_result));

/* Starts to serve: the template now, or (ondemand) with the first connection. */
void pool_serve(struct pool *);

/* Has the first template come up or failed, or is none needed yet? */
bool pool_is_settled(const struct pool *);
/* Has no template of this pool ever come up, though one was needed? */
bool pool_has_failed(const struct pool *);

/* "ready to handle connections" is in the log. */
void pool_announced(struct pool *);

/* Each second. */
void pool_tick(struct pool *);
/* For those who only look. */
const struct crew *pool_crew(const struct pool *);

/* USR1: access logs, and the error log that templates write to. */
void pool_reopen_logs(struct pool *);
bool pool_has_access_log(const struct pool *);

/* No more workers; those that are there finish their requests and leave. */
void pool_stop(struct pool *);
/* After all it is to serve again, with new processes. */
void pool_resume(struct pool *);
/* To workers and template, while stopping. */
void pool_signal(struct pool *, int signo);
/* Are all its processes gone? */
bool pool_is_empty(const struct pool *);

/* The sockets, for another program that takes our place. */
void pool_hand_over(const struct pool *, struct handover *);

bool pool_knows(const struct pool *, pid_t);

#endif
