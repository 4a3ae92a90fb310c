/*
 * sockdiag: the length of a listening socket's queue, from the kernel.
 *
 * Runs in: master.
 * TCP tells by TCP_INFO; for unix sockets NETLINK_SOCK_DIAG is asked.
 * Never: waits. Where the kernel does not say (no such module, a filter), the
 * answer is that it is not known.
 */
#ifndef FPMX_MASTER_SOCKDIAG_H
#define FPMX_MASTER_SOCKDIAG_H

#include <stdbool.h>
#include <stdint.h>

struct sockdiag_queue {
	uint32_t waiting; /* connections not yet accepted */
	uint32_t room;    /* how many fit */
};

/* netlink_fd: from sockdiag_open(); -1 is fine and knows nothing of unix. */
bool sockdiag_queue(int netlink_fd, int listen_fd, struct sockdiag_queue *);

/* The netlink socket, or -1. */
int sockdiag_open(void);

#endif
