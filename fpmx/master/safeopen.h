/*
 * safeopen: files that root writes to, in folders that others may change.
 *
 * Runs in: master.
 * A link that somebody other than root has made leads only to where that one
 * may write himself, whatever it is put in place of, and whenever.
 */
#ifndef FPMX_MASTER_SAFEOPEN_H
#define FPMX_MASTER_SAFEOPEN_H

/*
 * open(), mode 0600, that never follows a link in the last part of path. For
 * root only: links in the other parts are followed with the rights of who made
 * them. The descriptor, or -1 and errno; ELOOP also for links of two makers.
 */
int safeopen(const char *path, int flags) __attribute__((warn_unused_result));

#endif
