/*
 * notify: the socket, and what waits for room in it.
 *
 * Runs in: master.
 */
#include "master/notify.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"

#define TEXT_MAX 1024

enum {
	NAME_SOCKET,
	NAME_WATCHDOG_USEC,
	NAME_WATCHDOG_PID,
	/* Set by systemd 254 and later; our unit sets it where systemd is older. */
	NAME_FDSTORE
};

static const char *const names[] = {
    [NAME_SOCKET] = "NOTIFY_SOCKET",
    [NAME_WATCHDOG_USEC] = "WATCHDOG_USEC",
    [NAME_WATCHDOG_PID] = "WATCHDOG_PID",
    [NAME_FDSTORE] = "FDSTORE",
};
_Static_assert(sizeof(names) / sizeof(names[0]) == NOTIFY_NAMES, "each name is saved");

/* --- the environment -------------------------------------------------------- */

static void take(struct notify *n)
{
	for (size_t i = 0; i < NOTIFY_NAMES; i++) {
		const char *value = getenv(names[i]);

		if (!value)
			continue;
		n->saved[i] = must_memory(strdup(value));
		unsetenv(names[i]);
	}
}

int notify_restore(const struct notify *n, struct err *e)
{
	for (size_t i = 0; i < NOTIFY_NAMES; i++)
		if (n->saved[i] && setenv(names[i], n->saved[i], 1) < 0)
			return err_sys(e, "setenv(%s)", names[i]);
	return 0;
}

/* Decimal digits alone; 0 for anything else. */
static uint64_t number(const char *text)
{
	char *end;
	uint64_t value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	errno = 0;
	value = strtoull(text, &end, 10);
	return errno == 0 && *end == '\0' ? value : 0;
}

/* A watchdog that waits for another process, our parent say, is not our affair. */
static uint32_t watchdog_ms(const struct notify *n)
{
	uint64_t ms = number(n->saved[NAME_WATCHDOG_USEC]) / 1000;

	if (n->saved[NAME_WATCHDOG_PID] &&
	    number(n->saved[NAME_WATCHDOG_PID]) != (uint64_t)getpid())
		return 0;
	return ms > UINT32_MAX ? UINT32_MAX : (uint32_t)ms;
}

/* --- the socket ------------------------------------------------------------- */

/* A path, or "@name" for one that is abstract. 0: neither. */
static socklen_t address_of(const char *text, struct sockaddr_un *un)
{
	size_t n = strlen(text);

	if ((text[0] != '/' && text[0] != '@') || n < 2 || n >= sizeof(un->sun_path))
		return 0;
	*un = (struct sockaddr_un){.sun_family = AF_UNIX};
	memcpy(un->sun_path, text, n);
	if (text[0] == '@')
		un->sun_path[0] = '\0';
	/* The length counts in an abstract name; a path ends with its NUL. */
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n + (text[0] == '/'));
}

void notify_init(struct notify *n)
{
	*n = (struct notify){.fd = -1};
	if (!FPMX_SYSTEMD)
		return;
	take(n);
	n->watchdog_ms = watchdog_ms(n);
	if (!n->saved[NAME_SOCKET])
		return;
	n->stores = number(n->saved[NAME_FDSTORE]) > 0;
	n->fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

void notify_free(struct notify *n)
{
	notify_flush(n);
	for (size_t i = 0; i < n->nwaiting; i++)
		free(n->waiting[i]);
	for (size_t i = 0; i < NOTIFY_NAMES; i++)
		free(n->saved[i]);
	fd_close(&n->fd);
	*n = (struct notify){.fd = -1};
}

bool notify_is_on(const struct notify *n)
{
	return n->fd >= 0;
}

enum sent { SENT, SENT_LATER, SENT_NEVER };

/* One datagram, with a descriptor if fd is one. */
static enum sent send_one(struct notify *n, const char *text, int fd)
{
	struct sockaddr_un un;
	struct iovec iov = {.iov_base = (void *)(uintptr_t)text, .iov_len = strlen(text)};
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control = {0};
	struct msghdr msg = {.msg_name = &un, .msg_iov = &iov, .msg_iovlen = 1};

	/* Addressed anew each time: the other side may have been started again. */
	msg.msg_namelen = address_of(n->saved[NAME_SOCKET], &un);
	if (fd >= 0) {
		msg.msg_control = control.bytes;
		msg.msg_controllen = sizeof(control.bytes);
		control.head.cmsg_level = SOL_SOCKET;
		control.head.cmsg_type = SCM_RIGHTS;
		control.head.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.head), &fd, sizeof(int));
	}
	if (msg.msg_namelen > 0 && sendmsg(n->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0) {
		n->complained = false;
		return SENT;
	}
	if (msg.msg_namelen > 0 && (errno == EAGAIN || errno == ENOBUFS || errno == EINTR))
		return SENT_LATER;
	if (!n->complained)
		log_debug("cannot tell systemd: errno %d", msg.msg_namelen > 0 ? errno : EINVAL);
	n->complained = true;
	return SENT_NEVER;
}

/* --- what waits ---------------------------------------------------------------- */

void notify_flush(struct notify *n)
{
	size_t done = 0;

	while (done < n->nwaiting && send_one(n, n->waiting[done], -1) != SENT_LATER)
		free(n->waiting[done++]);
	n->nwaiting -= done;
	memmove(n->waiting, n->waiting + done, n->nwaiting * sizeof(n->waiting[0]));
}

bool notify_say(struct notify *n, const char *fmt, ...)
{
	char text[TEXT_MAX];
	enum sent sent = SENT_LATER;
	va_list ap;

	if (!notify_is_on(n))
		return true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	notify_flush(n);
	if (n->nwaiting == 0)
		sent = send_one(n, text, -1);
	if (sent != SENT_LATER)
		return sent == SENT;
	/* Nobody has read for many states: the oldest is the one to miss least. */
	if (n->nwaiting == NOTIFY_WAITING_MAX) {
		free(n->waiting[0]);
		n->nwaiting--;
		memmove(n->waiting, n->waiting + 1, n->nwaiting * sizeof(n->waiting[0]));
	}
	n->waiting[n->nwaiting++] = must_memory(strdup(text));
	return true;
}

void notify_hint(struct notify *n, const char *text)
{
	if (!notify_is_on(n))
		return;
	notify_flush(n);
	if (n->nwaiting == 0)
		(void)send_one(n, text, -1);
}

bool notify_store(struct notify *n, const char *name, int fd)
{
	char text[TEXT_MAX];

	if (!notify_is_on(n))
		return true;
	/* It is kept until we take it back, whatever poll() says of it. */
	snprintf(text, sizeof(text), "FDSTORE=1\nFDPOLL=0\nFDNAME=%s", name);
	return send_one(n, text, fd) != SENT_LATER;
}

bool notify_unstore(struct notify *n, const char *name)
{
	char text[TEXT_MAX];

	if (!notify_is_on(n))
		return true;
	snprintf(text, sizeof(text), "FDSTOREREMOVE=1\nFDNAME=%s", name);
	return send_one(n, text, -1) != SENT_LATER;
}
