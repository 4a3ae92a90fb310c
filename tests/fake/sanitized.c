/*
 * sanitized: what lets fpmx-engine run with AddressSanitizer in it. Linked into
 * sanitized builds only.
 *
 * PHP opens extensions with RTLD_DEEPBIND, with which AddressSanitizer refuses
 * to go on. The program's dlopen comes before everybody's, and leaves it out.
 * The environment of a pool is not the master's, so options are set here: PHP
 * keeps memory to its end on purpose.
 */
#include <dlfcn.h>
#include <stddef.h>

#define VISIBLE __attribute__((visibility("default")))

VISIBLE void *dlopen(const char *name, int mode);
VISIBLE const char *__asan_default_options(void);
VISIBLE const char *__ubsan_default_options(void);

void *dlopen(const char *name, int mode)
{
	static void *(*next)(const char *, int);

	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "dlopen");
	return next(name, mode & ~RTLD_DEEPBIND);
}

const char *__asan_default_options(void)
{
	/* Limits and deaths by signal are what tests look at. */
	return "detect_leaks=0:abort_on_error=1:disable_coredump=0:handle_segv=0:handle_sigbus=0";
}

const char *__ubsan_default_options(void)
{
	return "print_stacktrace=1:halt_on_error=1";
}
