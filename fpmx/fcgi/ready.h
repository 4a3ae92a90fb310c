/*
 * ready: waiting for one descriptor, with an end.
 *
 * Runs in: worker.
 */
#ifndef FPMX_FCGI_READY_H
#define FPMX_FCGI_READY_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waits until poll(2) reports one of the events (or a hang-up, or an error: the
 * next call on the descriptor will tell). False when the instant has come first.
 */
bool ready_wait(int fd, short events, uint64_t until_ms);

#endif
