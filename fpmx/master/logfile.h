/*
 * logfile: where the master's lines go, and the files that workers append to.
 *
 * Runs in: master.
 * Never: hangs on a FIFO, follows a link at the end of a path (but for the
 * descriptors below /dev and /proc, which are links), writes to what is neither
 * file, device, pipe nor socket.
 */
#ifndef FPMX_MASTER_LOGFILE_H
#define FPMX_MASTER_LOGFILE_H

#include <stdbool.h>

#include "base/err.h"
#include "conf/conf.h"

/*
 * Opens for appending, mode 0600. what names it in messages ("access log").
 * "/dev/stderr" and its other names are the
 * stderr that the master was started with, whatever descriptor 2 is now.
 * Returns a descriptor >= 3, close-on-exec, or -1.
 */
int logfile_open(const char *what, const char *path, struct err *)
    __attribute__((warn_unused_result));

/*
 * Sends log lines where [global] says. to_file: to error_log (or syslog), with
 * a copy to stderr of what is NOTICE and above until logfile_started(); else
 * to stderr alone. The file is made in both cases.
 */
int logfile_configure(const struct global_conf *, bool to_file, struct err *)
    __attribute__((warn_unused_result));

/* Processes are being started: from here on only errors are copied. */
void logfile_starts(void);

/*
 * Start-up is over: no more copies. Where the log is a file, descriptor 2
 * becomes the log, so that nothing said by a library is lost; the first stderr
 * is kept for logfile_open() unless forget_stderr.
 */
void logfile_started(bool forget_stderr);

/* Opens error_log again (USR1), if that is where lines go. */
int logfile_reopen(const struct global_conf *, struct err *) __attribute__((warn_unused_result));

/*
 * Before another program takes our place: descriptor 2 is again what it was
 * when we were started, /dev/null where that was given up.
 */
void logfile_restore_stderr(void);

/* For the templates' own lines; owned by this file. */
int logfile_fd(void);

#endif
