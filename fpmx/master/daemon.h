/*
 * daemon: going to the background, and the pid file.
 *
 * Runs in: master.
 */
#ifndef FPMX_MASTER_DAEMON_H
#define FPMX_MASTER_DAEMON_H

#include <sys/types.h>

#include "base/err.h"

/*
 * Forks; the child leads a session of its own and goes on with 0 and the
 * descriptor on which it must report. The parent does not come back: it waits
 * for the report, 10 seconds at most, and exits with 0 or 70. -1: no fork.
 */
int daemon_detach(int *report_fd, struct err *) __attribute__((warn_unused_result));

/* Start-up is done: lets the parent exit with 0. *report_fd becomes -1; -1 is fine. */
void daemon_report(int *report_fd);

/* stdin and stdout become /dev/null. */
int daemon_close_stdio(struct err *) __attribute__((warn_unused_result));

/* A file that was written by us. */
struct pid_file {
	const char *path; /* NULL: none */
	dev_t dev;
	ino_t ino;
};

/* Writes our pid to path, mode 0644; does not follow a link. */
int daemon_write_pid(struct pid_file *, const char *path, struct err *)
    __attribute__((warn_unused_result));

/* Whether it could be written; nothing is changed. */
int daemon_try_pid(const char *path, struct err *) __attribute__((warn_unused_result));

/* Removes it if it is still the file that we wrote. */
void daemon_remove_pid(const struct pid_file *);

/*
 * After a reload: removes the file of the configuration before, unless it is
 * the one of now or does not hold our pid. NULL: there was none.
 */
void daemon_drop_pid(const char *path, const struct pid_file *now);

#endif
