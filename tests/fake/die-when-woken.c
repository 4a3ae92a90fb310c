/*
 * die-when-woken: a library to be preloaded into an engine. While the file that
 * DIE_WOKEN_WHILE names exists, a worker that is about to accept a connection
 * takes the file away and dies by SIGKILL.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int accept4(int fd, struct sockaddr *peer, socklen_t *n, int flags)
{
	static int (*real)(int, struct sockaddr *, socklen_t *, int);
	const char *file = getenv("DIE_WOKEN_WHILE");

	if (file && unlink(file) == 0)
		raise(SIGKILL);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "accept4");
	return real(fd, peer, n, flags);
}
