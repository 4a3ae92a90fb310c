/*
 * die-young: a library to be preloaded into an engine. While the file that
 * DIE_YOUNG_WHILE names exists, a worker aborts as soon as it asks for its
 * parent-death signal, which is the first thing that it does.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

int prctl(int option, ...)
{
	static int (*real)(int, unsigned long, unsigned long, unsigned long, unsigned long);
	const char *file = getenv("DIE_YOUNG_WHILE");
	unsigned long a[4];
	va_list ap;

	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if (option == PR_SET_PDEATHSIG && a[0] == SIGQUIT && file && access(file, F_OK) == 0)
		abort();
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "prctl");
	return real(option, a[0], a[1], a[2], a[3]);
}
