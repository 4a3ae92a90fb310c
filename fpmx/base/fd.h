/*
 * fd: what everybody needs of file descriptors.
 *
 * Runs in: every process.
 * Everything made here is close-on-exec.
 */
#ifndef FPMX_BASE_FD_H
#define FPMX_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"

/* Closes *fd if it is not negative and makes it -1. Keeps errno. */
void fd_close(int *fd);

int fd_nonblock(int fd, bool on, struct err *) __attribute__((warn_unused_result));
int fd_cloexec(int fd, bool on, struct err *) __attribute__((warn_unused_result));

/*
 * Reads or writes all n bytes of a blocking descriptor, over EINTR and short
 * counts. Returns 0, or -1 with *e (also when a file ends early).
 */
int fd_read_all(int fd, void *bytes, size_t n, struct err *) __attribute__((warn_unused_result));
int fd_write_all(int fd, const void *bytes, size_t n, struct err *)
    __attribute__((warn_unused_result));

/*
 * A memfd with these bytes, sealed against every change. Returns it, or -1.
 */
int fd_sealed(const char *name, const void *bytes, size_t n, struct err *)
    __attribute__((warn_unused_result));

/*
 * Whole file into a malloc'd, NUL-terminated buffer (caller frees); a file of
 * more than max bytes is an error.
 */
int fd_slurp(int fd, size_t max, char **bytes, size_t *n, struct err *)
    __attribute__((warn_unused_result));

/*
 * Moves descriptor fd to a number >= floor (close-on-exec stays as asked), so
 * that low numbers can be dealt out. Returns the new number, or -1.
 */
int fd_raise(int fd, int floor, struct err *) __attribute__((warn_unused_result));

/* Closes every descriptor >= first, but not those in keep[n] (any order). */
void fd_close_others(int first, const int *keep, size_t n);

#endif
