/*
 * bulletin: the page changes only when what it says changes.
 *
 * Runs in: master.
 */
#include "master/bulletin.h"

#include <string.h>

#include "base/clock.h"

static void publish(struct bulletin *b, const struct pool_view *v)
{
	if (memcmp(v, &b->view, sizeof(*v)) == 0)
		return;
	b->view = *v;
	board_set_pool(b->board, v);
}

void bulletin_init(struct bulletin *b, struct board *board)
{
	*b = (struct bulletin){.board = board, .view = {.start_wall_us = clock_wall_us()}};
	board_set_pool(board, &b->view);
}

void bulletin_queue(struct bulletin *b, const struct sockdiag_queue *q)
{
	struct pool_view v = b->view;

	v.listen_queue = q->waiting;
	v.listen_queue_len = q->room;
	if (q->waiting > v.listen_queue_max)
		v.listen_queue_max = q->waiting;
	publish(b, &v);
}

void bulletin_counts(struct bulletin *b, unsigned busy, bool newly_full, uint32_t wake_below)
{
	struct pool_view v = b->view;

	if (busy > v.active_max)
		v.active_max = busy;
	if (newly_full)
		v.children_max_reached++;
	v.wake_below = wake_below;
	publish(b, &v);
}

void bulletin_totals(struct bulletin *b, const struct worker_view *w)
{
	struct pool_view v = b->view;

	v.accepted_before += w->accepted;
	if (w->active_max > v.active_max)
		v.active_max = w->active_max;
	publish(b, &v);
}

void bulletin_slow(struct bulletin *b)
{
	struct pool_view v = b->view;

	v.slow++;
	publish(b, &v);
}
