/*
 * inherit: the table.
 *
 * Runs in: master.
 */
#include "master/inherit.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/stale.h"

/* 0, 1 and 2 are never sockets of ours. */
#define FIRST_FD 3

static bool is_listening(int fd)
{
	int type = 0, accepts = 0;
	socklen_t n = sizeof(int);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &n) == 0 && type == SOCK_STREAM &&
	       getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &accepts, &n) == 0 && accepts;
}

/* "@name", as the kernel writes it into /proc/net/unix. */
static void abstract_key(const struct sockaddr_un *un, socklen_t n, char key[ADDRESS_KEY_BYTES])
{
	size_t at = 0, bytes = n - offsetof(struct sockaddr_un, sun_path);

	for (; at < bytes && at < ADDRESS_KEY_BYTES - 1; at++)
		key[at] = un->sun_path[at] != '\0' ? un->sun_path[at] : '@';
	key[at] = '\0';
}

/* Its address in the kernel's words; false for kinds of sockets that we do not have. */
static bool name_of(int fd, struct inherited *i)
{
	struct sockaddr_storage name = {0};
	const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)&name;
	socklen_t n = sizeof(name);

	if (getsockname(fd, (struct sockaddr *)&name, &n) < 0)
		return false;
	if (name.ss_family != AF_UNIX && name.ss_family != AF_INET && name.ss_family != AF_INET6)
		return false;
	if (name.ss_family == AF_UNIX && un->sun_path[0] == '\0')
		abstract_key(un, n, i->key);
	else
		address_key((const struct sockaddr *)&name, i->key);
	i->is_unix = name.ss_family == AF_UNIX && un->sun_path[0] != '\0';
	return i->key[0] != '\0';
}

static struct inherited *find_fd(struct inherit *t, int fd)
{
	if (fd < 0)
		return NULL;
	for (size_t i = 0; i < t->n; i++)
		if (t->items[i].fd == fd)
			return &t->items[i];
	return NULL;
}

static struct inherited *append(struct inherit *t, const struct inherited *new)
{
	if (t->n == t->room) {
		t->room = t->room ? t->room * 2 : 16;
		t->items = must_memory(reallocarray(t->items, t->room, sizeof(*t->items)));
	}
	t->items[t->n] = *new;
	return &t->items[t->n++];
}

int inherit_add(struct inherit *t, int fd, struct inherited **entry, struct err *e)
{
	struct inherited new = {.fd = fd};

	*entry = find_fd(t, fd);
	if (*entry)
		return 0;
	if (fd < FIRST_FD || !is_listening(fd) || !name_of(fd, &new))
		return err_set(e, "descriptor %d is not a listening socket", fd);
	if (fd_cloexec(fd, true, e) < 0 || fd_nonblock(fd, true, e) < 0)
		return -1;
	*entry = append(t, &new);
	return 0;
}

struct inherited *inherit_hold(struct inherit *t, const char *key, dev_t dev, ino_t ino)
{
	struct inherited new = {.fd = -1, .is_unix = key[0] == '/', .dev = dev, .ino = ino};

	snprintf(new.key, sizeof(new.key), "%s", key);
	return append(t, &new);
}

void inherit_complain(struct inherit *t, const char *fmt, ...)
{
	const char *before = t->complaints ? t->complaints : "";
	char line[512], *all;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	must(asprintf(&all, "%s%s\n", before, line) >= 0);
	free(t->complaints);
	t->complaints = all;
}

void inherit_announce(const struct inherit *t)
{
	const char *line = t->complaints;

	for (size_t i = 0; i < t->n; i++)
		log_notice("using inherited socket fd=%d, \"%s\"", t->items[i].fd, t->items[i].key);
	for (size_t n; line && *line; line += n + 1) {
		n = strcspn(line, "\n");
		log_warn("%.*s", (int)n, line);
	}
}

struct inherited *inherit_take(struct inherit *t, const char *key)
{
	for (size_t i = 0; i < t->n; i++) {
		struct inherited *in = &t->items[i];

		if (!in->taken && strcmp(in->key, key) == 0) {
			in->taken = true;
			return in;
		}
	}
	return NULL;
}

struct inherited *inherit_take_file(struct inherit *t, const char *path)
{
	struct stat st;

	if (t->n == 0 || lstat(path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return NULL;
	for (size_t i = 0; i < t->n; i++) {
		struct inherited *in = &t->items[i];

		if (!in->taken && in->is_unix && in->ino != 0 && in->ino == st.st_ino &&
		    in->dev == st.st_dev) {
			in->taken = true;
			return in;
		}
	}
	return NULL;
}

static bool is_configured(const struct pool_conf *conf, const char *key)
{
	for (size_t i = 0; i < conf->listen.n; i++)
		if (strcmp(conf->listen.items[i], key) == 0)
			return true;
	return false;
}

struct inherited *inherit_take_named(
    struct inherit *t, const struct pool_conf *conf, const char *text)
{
	for (size_t i = 0; i < t->n; i++) {
		struct inherited *in = &t->items[i];

		if (in->taken || !in->name || is_configured(conf, in->key) ||
		    (strcmp(in->name, conf->name) != 0 && strcmp(in->name, text) != 0))
			continue;
		in->taken = true;
		return in;
	}
	return NULL;
}

void inherit_drop_rest(struct inherit *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct inherited *in = &t->items[i];

		if (in->taken || in->fd < 0)
			continue;
		if (in->lent) {
			if (!in->told)
				log_warn("socket \"%s\" (%s) from systemd is used by no pool",
				    in->name ? in->name : "unknown", in->key);
			in->told = true;
			continue;
		}
		fd_close(&in->fd);
		/* Somebody else may have bound the path since: it is removed only if it is dead. */
		if (in->is_unix && stale_path(in->key))
			unlink(in->key);
	}
}

bool inherit_is_left(const struct inherited *in)
{
	return in->lent && !in->taken;
}

void inherit_free(struct inherit *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->items[i].name);
	free(t->items);
	free(t->complaints);
	free(t->pid_path);
	*t = (struct inherit){0};
}
