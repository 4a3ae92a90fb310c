/*
 * handover: the environment, and the record.
 *
 * Runs in: master.
 * The record is text:
 *   fpmx-handover 1
 *   master PID
 *   socket FD COOKIE DEV INO own
 *   socket FD COOKIE DEV INO lent NAME
 * A line that begins with another word is for a later version to read: such a
 * record is refused, as is one of another version.
 */
#include "master/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"
#include "base/strbuf.h"

#define HEAD "fpmx-handover 1\n"
#define RECORD_NAME "FPMX_HANDOVER"
#define PID_NAME "FPMX_PID_FILE"
#define RECORD_MAX_BYTES ((size_t)4 << 20)

#define SOCKETS_NAME "FPM_SOCKETS"
/* php-fpm's numbers. */
#define SOCKETS_IN_ONE 128
#define SOCKETS_LISTS_MAX 256

/* --- reading ---------------------------------------------------------------- */

/* Decimal digits alone, up to limit, then the delimiter. Moves *s behind it. */
static bool take_number(const char **s, char delimiter, uint64_t limit, uint64_t *n)
{
	const char *begin = *s;
	char *end;

	if (*begin < '0' || *begin > '9')
		return false;
	errno = 0;
	*n = strtoull(begin, &end, 10);
	if (errno != 0 || *n > limit || *end != delimiter)
		return false;
	*s = delimiter ? end + 1 : end;
	return true;
}

uint64_t handover_cookie(int fd)
{
	uint64_t cookie = 0;
	socklen_t n = sizeof(cookie);

	return getsockopt(fd, SOL_SOCKET, SO_COOKIE, &cookie, &n) == 0 ? cookie : 0;
}

/* The rest of a line "socket ...". 0, or -1 for a line that is none. */
static int read_socket(struct inherit *t, const char *s)
{
	uint64_t fd, cookie, dev, ino;
	struct inherited *in;

	if (!take_number(&s, ' ', INT_MAX, &fd) || !take_number(&s, ' ', UINT64_MAX, &cookie) ||
	    !take_number(&s, ' ', UINT64_MAX, &dev) || !take_number(&s, ' ', UINT64_MAX, &ino))
		return -1;
	/* Has another program closed it since, and opened something else? */
	if (cookie == 0 || handover_cookie((int)fd) != cookie ||
	    inherit_add(t, (int)fd, &in, NULL) < 0)
		return 0;
	in->dev = (dev_t)dev;
	in->ino = (ino_t)ino;
	in->lent = strncmp(s, "lent ", 5) == 0;
	if (in->lent && s[5] != '\0')
		in->name = must_memory(strdup(s + 5));
	return 0;
}

/* All lines but the head. 0, 1: another process has written it, -1: not understood. */
static int read_lines(struct inherit *t, char *text)
{
	char *next = NULL, *line = strtok_r(text, "\n", &next);
	const char *s;
	uint64_t pid;

	if (!line || strncmp(line, "master ", 7) != 0)
		return -1;
	s = line + 7;
	if (!take_number(&s, '\0', INT_MAX, &pid))
		return -1;
	if ((pid_t)pid != getpid())
		return 1;
	while ((line = strtok_r(NULL, "\n", &next)) != NULL)
		if (strncmp(line, "socket ", 7) != 0 || read_socket(t, line + 7) < 0)
			return -1;
	return 0;
}

static bool is_sealed(int fd)
{
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW;
	int has = fcntl(fd, F_GET_SEALS);

	return has >= 0 && (has & seals) == seals;
}

static void read_record(struct inherit *t)
{
	const char *value = getenv(RECORD_NAME);
	char *text = NULL;
	uint64_t number;
	size_t n;
	int fd, rc = -1;

	if (!value || !take_number(&value, '\0', INT_MAX, &number))
		return;
	fd = (int)number;
	/* Some other file by now: it is not ours to close. */
	if (fd <= STDERR_FILENO || !is_sealed(fd))
		return;
	if (lseek(fd, 0, SEEK_SET) == 0 && fd_slurp(fd, RECORD_MAX_BYTES, &text, &n, NULL) == 0 &&
	    strncmp(text, HEAD, strlen(HEAD)) == 0)
		rc = read_lines(t, text + strlen(HEAD));
	free(text);
	fd_close(&fd);
	if (rc < 0)
		inherit_complain(t, "the record of the hand-over is of another version");
}

/* "key=fd"; the key is for people: of the descriptor's address the kernel knows better. */
static void read_entry(struct inherit *t, const char *entry)
{
	const char *digits = strrchr(entry, '=');
	struct err e = {.text = "it names no descriptor"};
	struct inherited *in;
	uint64_t fd;

	digits = digits ? digits + 1 : entry;
	if (take_number(&digits, '\0', INT_MAX, &fd) && inherit_add(t, (int)fd, &in, &e) == 0)
		return;
	inherit_complain(t, "inherited socket \"%s\" is not used: %s", entry, e.text);
}

static const char *list_name(size_t i, char name[32])
{
	snprintf(name, 32, i == 0 ? SOCKETS_NAME : SOCKETS_NAME "_%zu", i);
	return name;
}

static void read_lists(struct inherit *t)
{
	char name[32], *next;
	const char *value;

	for (size_t i = 0; i < SOCKETS_LISTS_MAX && (value = getenv(list_name(i, name))); i++) {
		char *copy = must_memory(strdup(value));

		for (char *entry = strtok_r(copy, ",", &next); entry;
		     entry = strtok_r(NULL, ",", &next))
			read_entry(t, entry);
		free(copy);
	}
}

void handover_forget(void)
{
	char name[32];

	unsetenv(RECORD_NAME);
	unsetenv(PID_NAME);
	for (size_t i = 0; i < SOCKETS_LISTS_MAX && getenv(list_name(i, name)); i++)
		unsetenv(name);
}

void handover_read(struct inherit *t)
{
	const char *pid_path = getenv(PID_NAME);

	read_record(t);
	read_lists(t);
	t->reloaded = t->n > 0;
	if (t->reloaded && pid_path)
		t->pid_path = must_memory(strdup(pid_path));
	handover_forget();
}

/* --- writing ---------------------------------------------------------------- */

void handover_add(struct handover *h, const struct listener *l)
{
	if (h->n == h->room) {
		h->room = h->room ? h->room * 2 : 16;
		h->listeners =
		    must_memory(reallocarray(h->listeners, h->room, sizeof(*h->listeners)));
	}
	h->listeners[h->n++] = l;
}

void handover_free(struct handover *h)
{
	free(h->listeners);
	*h = (struct handover){0};
}

static int put(const char *name, const char *value, struct err *e)
{
	return setenv(name, value, 1) < 0 ? err_sys(e, "setenv(%s)", name) : 0;
}

static int write_lists(const struct handover *h, struct err *e)
{
	struct strbuf list;
	char name[32];
	size_t lists = 0;
	int rc = 0;

	strbuf_init(&list, SOCKETS_IN_ONE * (ADDRESS_KEY_BYTES + 16));
	for (size_t i = 0; rc == 0 && i < h->n; i++) {
		const struct listener *l = h->listeners[i];

		if (list.len > 0)
			strbuf_addc(&list, ',');
		strbuf_printf(&list, "%s=%d", l->key, l->fd);
		if (i + 1 < h->n && (i + 1) % SOCKETS_IN_ONE != 0)
			continue;
		/* What does not fit any more is in our own record all the same. */
		if (lists < SOCKETS_LISTS_MAX)
			rc = put(list_name(lists++, name), strbuf_str(&list), e);
		strbuf_clear(&list);
	}
	strbuf_free(&list);
	return rc;
}

static void write_socket(struct strbuf *text, int fd, dev_t dev, ino_t ino)
{
	strbuf_printf(text, "socket %d %" PRIu64 " %" PRIu64 " %" PRIu64, fd, handover_cookie(fd),
	    (uint64_t)dev, (uint64_t)ino);
}

static void write_owner(struct strbuf *text, bool lent, const char *name)
{
	if (lent)
		strbuf_printf(text, " lent %s\n", name ? name : "");
	else
		strbuf_adds(text, " own\n");
}

static int write_record(const struct handover *h, struct err *e)
{
	struct strbuf text;
	char number[16];
	int fd;

	strbuf_init(&text, RECORD_MAX_BYTES);
	strbuf_adds(&text, HEAD);
	strbuf_printf(&text, "master %d\n", (int)getpid());
	for (size_t i = 0; i < h->n; i++) {
		const struct listener *l = h->listeners[i];

		write_socket(&text, l->fd, l->dev, l->ino);
		write_owner(&text, l->lent, l->name);
	}
	for (size_t i = 0; h->rest && i < h->rest->n; i++) {
		const struct inherited *in = &h->rest->items[i];

		if (!inherit_is_left(in))
			continue;
		write_socket(&text, in->fd, in->dev, in->ino);
		write_owner(&text, true, in->name);
	}
	fd = text.truncated ? err_set(e, "more sockets than a hand-over can tell of")
			    : fd_sealed("fpmx-handover", text.bytes, text.len, e);
	strbuf_free(&text);
	if (fd < 0)
		return -1;
	fd = fd_raise(fd, STDERR_FILENO + 1, e);
	if (fd < 0 || fd_cloexec(fd, false, e) < 0)
		return -1;
	snprintf(number, sizeof(number), "%d", fd);
	return put(RECORD_NAME, number, e);
}

int handover_write(const struct handover *h, struct err *e)
{
	handover_forget();
	for (size_t i = 0; i < h->n; i++)
		if (fd_cloexec(h->listeners[i]->fd, false, e) < 0 ||
		    fd_nonblock(h->listeners[i]->fd, false, e) < 0)
			return -1;
	for (size_t i = 0; h->rest && i < h->rest->n; i++)
		if (inherit_is_left(&h->rest->items[i]) &&
		    fd_cloexec(h->rest->items[i].fd, false, e) < 0)
			return -1;
	if (h->pid_path && put(PID_NAME, h->pid_path, e) < 0)
		return -1;
	return write_lists(h, e) < 0 ? -1 : write_record(h, e);
}
