/*
 * activation: listening sockets that systemd gives to a service.
 *
 * Runs in: master, at its start.
 * Those of socket units are lent: systemd has bound them, keeps them, and
 * decides on their owner, mode and queue. Those out of the service's own store
 * of descriptors (fdstore.h) are ours, from before the end of an earlier
 * master.
 * Never: leaves a word of this in the environment.
 */
#ifndef FPMX_MASTER_ACTIVATION_H
#define FPMX_MASTER_ACTIVATION_H

#include "master/inherit.h"

/* The protocol's. */
#define ACTIVATION_FIRST_FD 3

/*
 * Reads LISTEN_PID, LISTEN_FDS and LISTEN_FDNAMES, and fills the table with as
 * many descriptors from first_fd on.
 */
void activation_read(struct inherit *, int first_fd);

#endif
