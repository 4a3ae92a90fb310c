/*
 * syslog: one connected datagram socket.
 *
 * Runs in: master.
 */
#include "base/syslog.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static char name[64] = "fpmx";
static int facility_bits;
static int fd = -1;

void syslog_open(const char *path, const char *ident, int facility)
{
	fd_close(&fd);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	snprintf(name, sizeof(name), "%s", ident);
	facility_bits = facility;
}

static bool connect_now(void)
{
	fd_close(&fd);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return false;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
		return true;
	fd_close(&fd);
	return false;
}

/* "<30>Nov 30 14:42:00 php-fpm[7]: ", as loggers have read it since BSD. */
static size_t make_head(char *head, size_t size, int severity)
{
	static const char months[12][4] = {
	    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	time_t now = time(NULL);
	struct tm tm = {0};
	int n;

	localtime_r(&now, &tm);
	n = snprintf(head, size, "<%d>%s %2d %02d:%02d:%02d %s[%d]: ", facility_bits | severity,
	    months[tm.tm_mon % 12], tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, name,
	    (int)getpid());
	return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

bool syslog_send(int severity, const char *text, size_t n)
{
	char head[160];
	struct iovec iov[2] = {
	    {.iov_base = head, .iov_len = make_head(head, sizeof(head), severity)},
	    {.iov_base = (void *)(uintptr_t)text, .iov_len = n},
	};
	struct msghdr m = {.msg_iov = iov, .msg_iovlen = 2};
	int saved = errno;
	bool sent = false;

	/* A second time for a logger that was started anew since. */
	for (int tries = 0; tries < 2 && !sent; tries++) {
		if (fd < 0 && !connect_now())
			break;
		sent = sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0;
		if (sent || (errno != ECONNREFUSED && errno != ENOTCONN && errno != ECONNRESET))
			break;
		fd_close(&fd);
	}
	errno = saved;
	return sent;
}
