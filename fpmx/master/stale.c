/*
 * stale: asks by connecting.
 *
 * Runs in: master.
 */
#include "master/stale.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/fd.h"

bool stale_path(const char *path)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	bool stale;
	int fd;

	if (strlen(path) >= sizeof(un.sun_path))
		return false;
	memcpy(un.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	stale = fd >= 0 && connect(fd, (const struct sockaddr *)&un, sizeof(un)) < 0 &&
		(errno == ECONNREFUSED || errno == ENOENT);
	fd_close(&fd);
	return stale;
}
