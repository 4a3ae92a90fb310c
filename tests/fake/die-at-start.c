/*
 * die-at-start: ends an engine before its main() while the file in
 * DIE_AT_START_WHILE exists.
 *
 * Runs in: the engine, by LD_PRELOAD.
 */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void die(void)
{
	const char *reason = getenv("DIE_AT_START_WHILE");

	if (reason && access(reason, F_OK) == 0)
		_exit(1);
}
