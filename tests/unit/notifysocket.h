/*
 * notifysocket: stands where the service manager listens, for unit tests.
 */
#ifndef FPMX_UNIT_NOTIFYSOCKET_H
#define FPMX_UNIT_NOTIFYSOCKET_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "unit.h"

/* Listens at an abstract name of this process and sets $NOTIFY_SOCKET to it; never blocks. */
static int notifysocket_open(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	char name[64];
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

	snprintf(name, sizeof(name), "@fpmx-unit-%d", (int)getpid());
	memcpy(un.sun_path + 1, name + 1, strlen(name) - 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&un,
			     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name))),
	    0);
	setenv("NOTIFY_SOCKET", name, 1);
	return fd;
}

#endif
