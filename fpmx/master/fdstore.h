/*
 * fdstore: copies of our listening sockets that systemd keeps for the next
 * master, so that not even SIGKILL loses what waits in their queues.
 *
 * Runs in: master.
 * Where the unit has FileDescriptorStoreMax= and says so in $FDSTORE, as
 * systemd does itself from version 254 on. Sockets that are lent to us have
 * their own unit and are not stored.
 * Converges: each pass compares what systemd has with what is configured.
 */
#ifndef FPMX_MASTER_FDSTORE_H
#define FPMX_MASTER_FDSTORE_H

#include <stdbool.h>
#include <stddef.h>

#include "master/handover.h"
#include "master/inherit.h"
#include "master/notify.h"

struct fdstore {
	struct notify *notify;
	size_t n;
	char **names; /* what systemd has */
};

void fdstore_init(struct fdstore *, struct notify *);
void fdstore_free(struct fdstore *);

/*
 * Is it one of ours that systemd gives back under that name? Then what the name
 * says of its file is filled in.
 */
bool fdstore_recognize(const char *name, struct inherited *);

/* What came from before this master may be in the store. */
void fdstore_expect(struct fdstore *, const struct inherit *);

/* These sockets and no others of ours are to be there. */
void fdstore_keep(struct fdstore *, const struct handover *);

#endif
