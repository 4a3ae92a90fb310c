/*
 * render: status pages from a snapshot, in php-fpm's formats.
 *
 * Runs in: worker (later also acceptor).
 * Pure: a view in, bytes out. Every value is escaped for its format.
 */
#ifndef FPMX_STATUS_RENDER_H
#define FPMX_STATUS_RENDER_H

#include <stdint.h>

#include "base/strbuf.h"
#include "status/scoreboard.h"

enum status_format {
	STATUS_PLAIN,
	STATUS_HTML,
	STATUS_XML,
	STATUS_JSON,
	STATUS_OPENMETRICS,
	STATUS_FORMAT_MAX
};

struct status_view {
	const char *pool, *manager;
	uint64_t start_wall; /* seconds since the epoch */
	uint64_t start_since_s;
	uint64_t accepted, listen_queue, listen_queue_max, listen_queue_len;
	uint64_t idle, active, total, active_max, children_max_reached, slow;
	uint64_t now_wall_us, now_us;
	uint32_t nworkers; /* 0 unless full */
	const struct worker_view *workers;
};

/* php-fpm 8.2's rule: html, xml, json, openmetrics, full; also by prefix. */
enum status_format status_format_of(const char *query, bool *full);
const char *status_content_type(enum status_format);

/* Fills a view from the board; workers[] (room for nslots) only when full. */
void status_collect(
    const struct board *, struct status_view *, struct worker_view *workers, bool full);
void status_render(const struct status_view *, enum status_format, bool full, struct strbuf *out);

#endif
