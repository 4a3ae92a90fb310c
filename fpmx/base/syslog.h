/*
 * syslog: lines to the system's logger, as datagrams.
 *
 * Runs in: master.
 * Never: blocks. syslog(3) waits where the logger is stopped or behind, and
 * with it the master would.
 */
#ifndef FPMX_BASE_SYSLOG_H
#define FPMX_BASE_SYSLOG_H

#include <stdbool.h>
#include <stddef.h>

#define SYSLOG_PATH "/dev/log"

/*
 * Where lines go from now on and under what name; facility as LOG_DAEMON of
 * <syslog.h>. Connects with the first line, and again when the logger was
 * started anew. Both texts are copied; ident is cut to 63 bytes.
 */
void syslog_open(const char *path, const char *ident, int facility);

/* One line without its newline. False: it was not taken. */
bool syslog_send(int severity, const char *text, size_t n);

#endif
