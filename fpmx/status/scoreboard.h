/*
 * scoreboard: what the processes of a pool tell each other, in one sealed
 * memfd: the master's page, the state bytes, one page a worker.
 *
 * Runs in: master, template, worker.
 * Each byte has one writer: the master's page the master, a worker's page and
 * its state byte that worker (the master clears them when it has reaped it).
 * No pointers, no indices, no locks: readers copy under a sequence count, give
 * up after three tries, and clamp what they read. For display, counters and
 * request deadlines; never for whom to signal or what to free.
 */
#ifndef FPMX_STATUS_SCOREBOARD_H
#define FPMX_STATUS_SCOREBOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

enum worker_state {
	WORKER_GONE, /* no process in the slot */
	WORKER_STARTING,
	WORKER_IDLE,
	WORKER_READING, /* "Reading headers" */
	WORKER_SETUP,   /* "Getting request information" */
	WORKER_RUNNING,
	WORKER_ENDING,
	WORKER_FINISHING,
	WORKER_STATE_MAX
};

/* php-fpm's words; index by state. */
extern const char *const worker_state_names[WORKER_STATE_MAX];

/*
 * Texts are cut at php-fpm's lengths. All NUL-terminated by their writer, and
 * terminated again by every reader.
 */
struct worker_view {
	uint32_t state; /* enum worker_state, clamped */
	int32_t pid;
	uint64_t started_wall_us; /* process */
	uint64_t requests;        /* served by this process */
	uint64_t accepted;        /* connections and requests counted as php-fpm's accepted conn */
	uint64_t request_started_wall_us;
	uint64_t request_started_us;  /* monotonic; 0 when none was served yet */
	uint64_t request_duration_us; /* of the last finished request */
	uint64_t content_length;
	uint64_t peak_memory_bytes; /* of the last finished request */
	uint64_t cpu_us;            /* of the last finished request */
	uint32_t active_max;        /* most workers that were active when a request came here */
	char method[16];
	char uri[128];
	char query[512];
	char user[32];
	char script[256];
};

/* What the master tells the pool (one page). */
struct pool_view {
	uint64_t start_wall_us;
	uint64_t accepted_before; /* of processes that have gone */
	uint64_t slow;            /* requests that were */
	uint32_t listen_queue;
	uint32_t listen_queue_max;
	uint32_t listen_queue_len;
	uint32_t active_max;
	uint32_t children_max_reached;
	uint32_t wake_below; /* a worker that leaves fewer idle ones wakes the master */
};

struct board;

/* Makes the memfd (size sealed) and maps it. Free with board_free(). */
struct board *board_new(const char *pool, uint32_t nslots, struct err *)
    __attribute__((warn_unused_result));
/*
 * Maps one that was inherited; refuses what is not sealed or not of that size.
 * On success fd belongs to the board, as it does after board_new().
 */
struct board *board_open(int fd, uint32_t nslots, struct err *) __attribute__((warn_unused_result));

/*
 * For processes of another pool: a descriptor that can only be read, and the
 * board behind it, which only readers may be called with.
 */
int board_share(const struct board *, struct err *) __attribute__((warn_unused_result));
struct board *board_open_shared(int fd, uint32_t nslots, struct err *)
    __attribute__((warn_unused_result));
void board_free(struct board *);
int board_fd(const struct board *);
uint32_t board_nslots(const struct board *);

/* Writers. */
void board_set_pool(struct board *, const struct pool_view *); /* master */
void board_clear_slot(struct board *, uint32_t slot);          /* master, after reaping */
struct worker_view *board_begin(
    struct board *, uint32_t slot);            /* worker: fields may be changed now */
void board_end(struct board *, uint32_t slot); /* worker: visible to others */
void board_set_state(
    struct board *, uint32_t slot, enum worker_state); /* worker; no begin/end needed */

/*
 * Readers; false when the writer never held still. Only what is whole by itself
 * can be relied on then: each number of a pool; of a worker its state, pid and
 * counts, while the rest is zero.
 */
bool board_read(const struct board *, uint32_t slot, struct worker_view *v);
bool board_read_pool(const struct board *, struct pool_view *v);
enum worker_state board_state(const struct board *, uint32_t slot);

/* From the state bytes alone, 64 workers a cache line. */
struct board_counts {
	uint32_t idle, active, starting, total;
};
struct board_counts board_count(const struct board *);

#endif
