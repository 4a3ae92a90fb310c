/*
 * clients: who may connect over TCP: listen.allowed_clients.
 *
 * Runs in: worker.
 * Pure.
 */
#include "worker/clients.h"

#include <arpa/inet.h>
#include <string.h>

static struct in6_addr mapped(const struct in_addr *v4)
{
	struct in6_addr a = {0};

	a.s6_addr[10] = 0xff;
	a.s6_addr[11] = 0xff;
	memcpy(&a.s6_addr[12], v4, sizeof(*v4));
	return a;
}

static bool address_parse(const char *text, struct in6_addr *a)
{
	struct in_addr v4;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		*a = mapped(&v4);
		return true;
	}
	return inet_pton(AF_INET6, text, a) == 1;
}

void clients_parse(struct arena *arena, const char *text, struct clients *c,
    void (*complain)(void *ctx, const char *entry), void *ctx)
{
	size_t most = 1;

	*c = (struct clients){.restricted = text != NULL};
	if (text == NULL)
		return;
	for (const char *p = text; *p != '\0'; p++)
		most += *p == ',';
	c->list = arena_alloc(arena, most, sizeof(*c->list));
	for (const char *at = text;; at++) {
		size_t n = strcspn(at, ",");
		const char *next = at + n;
		char *entry;

		for (; n > 0 && strchr(" \t", at[0]) != NULL; n--)
			at++;
		for (; n > 0 && strchr(" \t", at[n - 1]) != NULL;)
			n--;
		entry = arena_strndup(arena, at, n);
		if (address_parse(entry, &c->list[c->n]))
			c->n++;
		else
			complain(ctx, entry);
		if (*next == '\0')
			return;
		at = next;
	}
}

/* false: not an internet address. */
static bool peer_address(const struct sockaddr_storage *peer, struct in6_addr *a)
{
	const void *p = peer;

	if (peer->ss_family == AF_INET) {
		*a = mapped(&((const struct sockaddr_in *)p)->sin_addr);
		return true;
	}
	if (peer->ss_family == AF_INET6) {
		*a = ((const struct sockaddr_in6 *)p)->sin6_addr;
		return true;
	}
	return false;
}

bool clients_allow(const struct clients *c, const struct sockaddr_storage *peer)
{
	struct in6_addr a;

	if (!c->restricted || !peer_address(peer, &a))
		return true;
	for (size_t i = 0; i < c->n; i++) {
		if (memcmp(&c->list[i], &a, sizeof(a)) == 0)
			return true;
	}
	return false;
}
