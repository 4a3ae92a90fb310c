/*
 * parked: connections that a worker watches beside the listening sockets.
 *
 * Runs in: worker.
 * Pure.
 */
#include "worker/parked.h"

#include "base/must.h"

_Static_assert(KEPT_MAX < PARKED_MAX, "a full table has a silent connection that can go");

void parked_init(struct parked *p)
{
	*p = (struct parked){0};
	for (uint32_t i = 0; i < PARKED_MAX; i++)
		p->places[i].fd = -1;
}

uint32_t parked_add(struct parked *p, int fd, const struct sockaddr_storage *peer,
    socklen_t peer_len, uint64_t until_ms)
{
	must(fd >= 0);
	for (uint32_t i = 0; i < PARKED_MAX; i++) {
		struct parked_conn *c = &p->places[i];

		if (c->fd >= 0)
			continue;
		c->fd = fd;
		c->kept = false;
		c->generation++;
		c->until_ms = until_ms;
		c->peer = *peer;
		c->peer_len = peer_len;
		p->n++;
		return i;
	}
	return PARKED_NONE;
}

void parked_keep(struct parked *p, uint32_t place, uint64_t until_ms)
{
	struct parked_conn *c = &p->places[place];

	must(place < PARKED_MAX && c->fd >= 0);
	p->nkept += !c->kept;
	c->kept = true;
	c->until_ms = until_ms;
}

void parked_remove(struct parked *p, uint32_t place)
{
	struct parked_conn *c = &p->places[place];

	must(place < PARKED_MAX && c->fd >= 0);
	p->nkept -= c->kept;
	p->n--;
	c->fd = -1;
	c->kept = false;
}

uint32_t parked_find(const struct parked *p, uint32_t place, uint32_t generation)
{
	if (place >= PARKED_MAX || p->places[place].fd < 0 ||
	    p->places[place].generation != generation)
		return PARKED_NONE;
	return place;
}

static uint32_t earliest(const struct parked *p, bool kept_too)
{
	uint32_t found = PARKED_NONE, left = p->n;

	for (uint32_t i = 0; left > 0; i++) {
		const struct parked_conn *c = &p->places[i];

		if (c->fd < 0)
			continue;
		left--;
		if (c->kept && !kept_too)
			continue;
		if (found == PARKED_NONE || c->until_ms < p->places[found].until_ms)
			found = i;
	}
	return found;
}

uint32_t parked_earliest(const struct parked *p)
{
	return earliest(p, true);
}

uint32_t parked_earliest_silent(const struct parked *p)
{
	return earliest(p, false);
}
