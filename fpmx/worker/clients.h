/*
 * clients: who may connect over TCP: listen.allowed_clients.
 *
 * Runs in: worker.
 * Pure. Addresses are compared whole, all 16 bytes, IPv4 as ::ffff:a.b.c.d, so
 * an IPv4 client of a dual-stack socket is the IPv4 client of the list.
 */
#ifndef FPMX_WORKER_CLIENTS_H
#define FPMX_WORKER_CLIENTS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "base/arena.h"

struct clients {
	bool restricted; /* false: everybody may */
	size_t n;        /* restricted and 0: nobody may */
	struct in6_addr *list;
};

/*
 * From the directive's text (NULL: everybody); commas separate, blanks around
 * an address do not matter. What is no address goes to complain() and allows
 * nobody.
 */
void clients_parse(struct arena *, const char *text, struct clients *,
    void (*complain)(void *ctx, const char *entry), void *ctx);

/* peer as accept4() gave it. Clients of a unix socket are always allowed. */
bool clients_allow(const struct clients *, const struct sockaddr_storage *peer);

#endif
