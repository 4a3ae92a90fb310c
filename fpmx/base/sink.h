/*
 * sink: a descriptor that lines are written to, and that may take none: a full
 * disk, a pipe that nobody reads.
 *
 * Runs in: every process.
 * Never: blocks, but for the wait that sink_write_within() is given. O_NONBLOCK
 * is no way to that: it belongs to the open file description, which we share
 * with the terminal's shell, with workers, with whoever reads our stderr.
 */
#ifndef FPMX_BASE_SINK_H
#define FPMX_BASE_SINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How to write to a descriptor without waiting. */
enum sink_way { SINK_UNKNOWN, SINK_PLAIN, SINK_NOWAIT, SINK_SOCKET, SINK_REOPEN, SINK_POLL };

/* Set fd, and the rest to zero. The descriptor stays the caller's. */
struct sink {
	int fd;
	enum sink_way way;
	bool torn;  /* the last line went out in part: start the next on a fresh line */
	bool stuck; /* it has been waited for in vain, and not taken anything since */
};

/* One line, whole. False when it was lost, or went in part. Keeps errno. */
bool sink_write(struct sink *, const char *text, size_t n) __attribute__((warn_unused_result));

/*
 * The same for a sink that is read as fast as may be, and so may be full for a
 * moment: waits for it once, and not again before it has taken a line.
 */
bool sink_write_within(struct sink *, const char *text, size_t n, uint32_t wait_ms)
    __attribute__((warn_unused_result));

#endif
