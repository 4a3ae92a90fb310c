/*
 * fdstore: names, and the comparison.
 *
 * Runs in: master.
 * A name is "stored-COOKIE-DEV-INO-KEY": the kernel's number for the socket,
 * the file that it was bound to, and for people its address.
 */
#include "master/fdstore.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "master/listener.h"

#define PREFIX "stored-"
/* systemd takes names of up to 255 bytes: ASCII, no control characters, no colon. */
#define NAME_BYTES 256

struct identity {
	int fd;
	dev_t dev;
	ino_t ino;
	const char *key;
};

static void name_of(const struct identity *i, char name[NAME_BYTES])
{
	snprintf(name, NAME_BYTES, PREFIX "%" PRIu64 "-%" PRIu64 "-%" PRIu64 "-%s",
	    handover_cookie(i->fd), (uint64_t)i->dev, (uint64_t)i->ino, i->key);
	for (char *c = name; *c; c++)
		if (*c < ' ' || *c > '~' || *c == ':')
			*c = '_';
}

static bool take_number(const char **s, uint64_t *n)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	errno = 0;
	*n = strtoull(*s, &end, 10);
	if (errno != 0 || *end != '-')
		return false;
	*s = end + 1;
	return true;
}

bool fdstore_recognize(const char *name, struct inherited *in)
{
	const char *s = name + strlen(PREFIX);
	uint64_t cookie, dev, ino;

	if (strncmp(name, PREFIX, strlen(PREFIX)) != 0 || !take_number(&s, &cookie) ||
	    !take_number(&s, &dev) || !take_number(&s, &ino) || cookie != handover_cookie(in->fd))
		return false;
	in->dev = (dev_t)dev;
	in->ino = (ino_t)ino;
	return true;
}

/* --- the comparison --------------------------------------------------------- */

void fdstore_init(struct fdstore *s, struct notify *notify)
{
	*s = (struct fdstore){.notify = notify};
}

void fdstore_free(struct fdstore *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->names[i]);
	free(s->names);
	*s = (struct fdstore){0};
}

static bool has(const struct fdstore *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->names[i], name) == 0)
			return true;
	return false;
}

static void add(struct fdstore *s, const char *name)
{
	if (has(s, name))
		return;
	s->names = must_memory(reallocarray(s->names, s->n + 1, sizeof(*s->names)));
	s->names[s->n++] = must_memory(strdup(name));
}

void fdstore_expect(struct fdstore *s, const struct inherit *t)
{
	char name[NAME_BYTES];

	if (!s->notify->stores)
		return;
	for (size_t i = 0; i < t->n; i++) {
		const struct inherited *in = &t->items[i];
		struct identity id = {.fd = in->fd, .dev = in->dev, .ino = in->ino, .key = in->key};

		if (in->lent)
			continue;
		name_of(&id, name);
		add(s, name);
	}
}

static bool is_among(const char *name, char (*wanted)[NAME_BYTES], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(wanted[i], name) == 0)
			return true;
	return false;
}

static void drop_others(struct fdstore *s, char (*wanted)[NAME_BYTES], size_t n)
{
	for (size_t i = s->n; i-- > 0;) {
		if (is_among(s->names[i], wanted, n) || !notify_unstore(s->notify, s->names[i]))
			continue;
		free(s->names[i]);
		s->names[i] = s->names[--s->n];
	}
}

void fdstore_keep(struct fdstore *s, const struct handover *h)
{
	char(*wanted)[NAME_BYTES];

	if (!s->notify->stores)
		return;
	wanted = must_memory(calloc(h->n + 1, sizeof(*wanted)));
	for (size_t i = 0; i < h->n; i++) {
		const struct listener *l = h->listeners[i];
		struct identity id = {.fd = l->fd, .dev = l->dev, .ino = l->ino, .key = l->key};

		if (!l->lent)
			name_of(&id, wanted[i]);
	}
	drop_others(s, wanted, h->n);
	for (size_t i = 0; i < h->n; i++)
		if (*wanted[i] && !has(s, wanted[i]) &&
		    notify_store(s->notify, wanted[i], h->listeners[i]->fd))
			add(s, wanted[i]);
	free(wanted);
}
