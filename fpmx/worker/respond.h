/*
 * respond: answers that no script writes.
 *
 * Runs in: worker.
 */
#ifndef FPMX_WORKER_RESPOND_H
#define FPMX_WORKER_RESPOND_H

#include "base/arena.h"
#include "base/strbuf.h"
#include "conf/conf.h"
#include "fcgi/conn.h"
#include "php/engine.h"
#include "status/scoreboard.h"

/* The ping page; it lives as long as the configuration. */
void respond_ping(const struct pool_conf *, struct engine_page *);

/* What the status page is made from. */
struct respond_status {
	const char *pool;
	enum conf_pm manager;
	const struct board *board;
	const char *method;
	bool (*asks)(const char *word); /* the query: for full, html, ... */
};

/*
 * The status page as the board is now. It lives as long as body and arena. The
 * most active processes that it tells of: nobody else may have seen as many.
 */
uint32_t respond_status(
    const struct respond_status *, struct arena *, struct strbuf *body, struct engine_page *);

/*
 * Without PHP, straight to the connection, which is closed after it: 400 to a
 * request that was not accepted, 503 to one that we have no descriptors for.
 */
void respond_refused(struct conn *);
void respond_unavailable(struct conn *);

#endif
