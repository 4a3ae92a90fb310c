/*
 * render: status pages from a snapshot, in php-fpm's formats.
 *
 * Runs in: worker.
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

/*
 * Which page is asked for, by php-fpm's rule: the first of html, xml, json,
 * openmetrics that the query asks for, else plain.
 */
enum status_format status_format_of(bool (*asks)(const char *word));

/* Without charset: php's header function adds its default to text types. */
const char *status_content_type(enum status_format);

/*
 * Fills a view from the board and the clocks. Pool and manager are the
 * caller's to set. workers: room for board_nslots() views, used when full (else
 * it may be NULL); v->workers points to it then.
 */
void status_collect(
    const struct board *, struct status_view *v, struct worker_view *workers, bool full);

/* Appends the page. OpenMetrics has no workers, full or not. */
void status_render(const struct status_view *, enum status_format, bool full, struct strbuf *out);

#endif
