/*
 * ready: waiting for one descriptor, with an end.
 *
 * Runs in: worker.
 * Signals do not lengthen the wait.
 */
#include "fcgi/ready.h"

#include <errno.h>

#include "base/clock.h"
#include "base/must.h"

bool ready_wait(int fd, short events, uint64_t until_ms)
{
	struct pollfd p = {.fd = fd, .events = events};
	int n;

	do
		n = poll(&p, 1, clock_until_ms(until_ms));
	while (n < 0 && errno == EINTR);
	must(n >= 0);
	return n > 0;
}
