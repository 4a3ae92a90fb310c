/*
 * slowentry: what every entry of a slow log has, whoever writes it.
 *
 *   (an empty line)
 *   [30-Nov-2026 14:42:00]  [pool www] pid 7
 *   script_filename = /srv/www/index.php
 *   [0x00007fb268215070] sleep() /srv/www/index.php:2
 *
 * Runs in: template, which writes the entries; master, for those that no
 * template can write.
 */
#ifndef FPMX_PROC_SLOWENTRY_H
#define FPMX_PROC_SLOWENTRY_H

#include <sys/types.h>

#include "base/err.h"
#include "base/strbuf.h"

/* No more of an entry is written: some hundreds of frames with long paths. */
#define SLOWENTRY_MAX_BYTES (1u << 20)

/* The empty line and the line of time, pool and process. */
void slowentry_begin(struct strbuf *, const char *pool, pid_t pid);

/* What follows could not be found out. */
void slowentry_give_up(struct strbuf *);

/* Appends the entry with one write, so that entries of several pools stay whole. */
int slowentry_write(const struct strbuf *, int fd, struct err *)
    __attribute__((warn_unused_result));

#endif
