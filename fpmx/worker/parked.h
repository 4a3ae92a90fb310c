/*
 * parked: connections that a worker watches beside the listening sockets:
 * silent ones, which have not sent their first byte, and kept ones, which are
 * idle between two requests. None of them holds the worker.
 *
 * Runs in: worker.
 * Pure: a table with deadlines; wait.c does the watching and the closing.
 * Never: gives a place to a kept connection that a silent one could not be
 * made to leave; KEPT_MAX of PARKED_MAX see to it.
 */
#ifndef FPMX_WORKER_PARKED_H
#define FPMX_WORKER_PARKED_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define PARKED_MAX 128
#define KEPT_MAX 64
#define PARKED_NONE UINT32_MAX

struct parked_conn {
	int fd; /* -1: the place is free */
	bool kept;
	uint32_t generation; /* of the place: tells its tenants apart */
	uint64_t until_ms;   /* monotonic; when it is closed */
	struct sockaddr_storage peer;
	socklen_t peer_len;
};

struct parked {
	uint32_t n, nkept;
	struct parked_conn places[PARKED_MAX];
};

void parked_init(struct parked *);

/* A silent connection takes a place; PARKED_NONE when none is free. */
uint32_t parked_add(
    struct parked *, int fd, const struct sockaddr_storage *peer, socklen_t, uint64_t until_ms);
/* It has been served and is kept, once more or for the first time. */
void parked_keep(struct parked *, uint32_t place, uint64_t until_ms);
/* Frees the place; the descriptor is the caller's to close. */
void parked_remove(struct parked *, uint32_t place);

/* The place of this tenant, or PARKED_NONE when it has left. */
uint32_t parked_find(const struct parked *, uint32_t place, uint32_t generation);
/* Whose deadline comes first, PARKED_NONE when the table is empty. */
uint32_t parked_earliest(const struct parked *);
/* The silent one whose deadline comes first, or PARKED_NONE. */
uint32_t parked_earliest_silent(const struct parked *);

#endif
