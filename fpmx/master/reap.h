/*
 * reap: proves that a pid is a child of ours, collects it when it has ended,
 * and says how in php-fpm's words.
 *
 * Runs in: master.
 * Never: signals or waits by a number that someone told us. A number becomes a
 * pidfd here, once it is proved to be our own child; everything after that
 * goes through the pidfd.
 */
#ifndef FPMX_MASTER_REAP_H
#define FPMX_MASTER_REAP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/log.h"

enum reap_claim {
	REAP_OURS, /* *pidfd is set */
	REAP_GONE, /* no such process (any more): nothing to hold */
	REAP_LIE,  /* a process, but not our child, or not of that uid; *e says what */
	REAP_ERROR /* could not be found out; *e */
};

/* Does pid name a child of this process that runs as uid? */
enum reap_claim reap_claim(pid_t pid, uid_t uid, int *pidfd, struct err *)
    __attribute__((warn_unused_result));

struct reap_end {
	bool by_signal;
	bool core;
	int code; /* exit code, or number of the signal */
};

/* Collects a child that has ended. 1: *end is set; 0: it runs; -1: *e. */
int reap_collect(int pidfd, struct reap_end *end, struct err *) __attribute__((warn_unused_result));

/* Has a signal stopped it, and does it stand still now? Leaves that to be asked again. */
bool reap_is_stopped(int pidfd);

/* Sends the signal; nothing happens when the process has ended. */
void reap_signal(int pidfd, int signo);

/*
 * "exited with code 0", "exited on signal 9 (SIGKILL)", "... (SIGSEGV - core
 * dumped)".
 */
#define REAP_WORDS_BYTES 64
void reap_words(const struct reap_end *, char words[REAP_WORDS_BYTES]);

/* Has it served its one request, as workers of mode isolated do? */
bool reap_is_served(const struct reap_end *);

/* php-fpm's level for a worker's end. */
enum log_level reap_level(const struct reap_end *, bool stopping);

/*
 * Collects children that nobody has a pidfd for (the children of others that
 * fall to process 1, workers whose template died before it named them).
 * is_known says whether a pid is somebody's: those are left alone.
 */
void reap_strangers(bool (*is_known)(void *ctx, pid_t pid), void *ctx);

#endif
