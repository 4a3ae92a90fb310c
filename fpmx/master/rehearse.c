/*
 * rehearse: the list, and the pools one by one.
 *
 * Runs in: master (the list), the process that tests a configuration.
 * A line of the list is "held DEV INO KEY"; for one that is lent "name NAME"
 * follows.
 */
#include "master/rehearse.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/loop.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "master/daemon.h"
#include "master/pool.h"

#define LIST_MAX_BYTES ((size_t)4 << 20)

static void write_line(struct strbuf *text, dev_t dev, ino_t ino, const char *key)
{
	strbuf_printf(text, "held %" PRIu64 " %" PRIu64 " %s\n", (uint64_t)dev, (uint64_t)ino, key);
}

int rehearse_list(const struct handover *h, struct err *e)
{
	struct strbuf text;
	int fd;

	strbuf_init(&text, LIST_MAX_BYTES);
	for (size_t i = 0; i < h->n; i++) {
		const struct listener *l = h->listeners[i];

		write_line(&text, l->dev, l->ino, l->key);
		if (l->lent)
			strbuf_printf(&text, "name %s\n", l->name ? l->name : "");
	}
	for (size_t i = 0; h->rest && i < h->rest->n; i++) {
		const struct inherited *in = &h->rest->items[i];

		if (!inherit_is_left(in))
			continue;
		write_line(&text, in->dev, in->ino, in->key);
		strbuf_printf(&text, "name %s\n", in->name ? in->name : "");
	}
	fd = text.truncated ? err_set(e, "more sockets than a rehearsal can be told of")
			    : fd_sealed("fpmx-rehearsal", strbuf_str(&text), text.len, e);
	strbuf_free(&text);
	return fd < 0 ? -1 : fd_raise(fd, STDERR_FILENO + 1, e);
}

static void read_line(struct inherit *t, struct inherited **last, const char *line)
{
	uint64_t dev, ino;
	int key_at = 0;

	if (sscanf(line, "held %" SCNu64 " %" SCNu64 " %n", &dev, &ino, &key_at) == 2 && key_at > 0)
		*last = inherit_hold(t, line + key_at, (dev_t)dev, (ino_t)ino);
	else if (*last && !(*last)->lent && strncmp(line, "name ", 5) == 0) {
		(*last)->lent = true;
		(*last)->name = must_memory(strdup(line + 5));
	}
}

bool rehearse_is_asked(struct inherit *t)
{
	const char *value = getenv(REHEARSE_NAME);
	struct inherited *last = NULL;
	char *text, *next, *end;
	size_t n;
	long fd;

	if (!value)
		return false;
	fd = strtol(value, &end, 10);
	if (*end || fd <= STDERR_FILENO || fd > INT_MAX || fcntl((int)fd, F_GET_SEALS) < 0 ||
	    lseek((int)fd, 0, SEEK_SET) != 0 ||
	    fd_slurp((int)fd, LIST_MAX_BYTES, &text, &n, NULL) < 0)
		return false;
	for (char *line = strtok_r(text, "\n", &next); line; line = strtok_r(NULL, "\n", &next))
		read_line(t, &last, line);
	free(text);
	return true;
}

static void nothing(void *ctx)
{
	(void)ctx;
}

static int open_all(struct pool_host *host, struct err *e)
{
	for (size_t i = 0; i < host->conf->npools; i++) {
		struct pool *p = pool_new(host, host->conf->pools[i]);
		int rc = pool_open(p, e);

		/* Removes the path of a socket that it has bound; not of one that was had. */
		pool_free(p, true);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int rehearse_run(const struct master_start *s, struct err *e)
{
	struct pool_host host = host_of(s);
	const char *pid_path = s->conf->global.pid;
	int rc;

	host.loop = loop_new(e);
	host.changed = host.crashed = nothing;
	rc = host.loop ? open_all(&host, e) : -1;
	if (rc == 0 && pid_path && *pid_path)
		rc = daemon_try_pid(pid_path, e);
	loop_free(host.loop);
	return rc;
}
