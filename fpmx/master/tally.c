/*
 * tally: sums.
 *
 * Runs in: master.
 */
#include "master/tally.h"

void tally_add(struct tally *t, const struct board *board)
{
	struct board_counts now = board_count(board);
	struct pool_view before;

	t->active += now.active;
	t->idle += now.idle;
	board_read_pool(board, &before);
	t->requests += before.accepted_before;
	t->slow += before.slow;
	for (uint32_t i = 0; i < board_nslots(board); i++) {
		struct worker_view w;

		if (board_state(board, i) == WORKER_GONE)
			continue;
		board_read(board, i, &w);
		t->requests += w.accepted;
	}
}
