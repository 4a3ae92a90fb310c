/*
 * rehearse: whether all that a start needs can be had, found out beside a
 * master that serves and goes on serving if not.
 *
 * Runs in: the process that tests a configuration for a reload.
 * php-fpm's -t resolves names and no more: an address that is taken, a folder
 * that is missing end the service then, after the reload has begun.
 * Never: touches what the asking master has. Its sockets count as had, unseen.
 */
#ifndef FPMX_MASTER_REHEARSE_H
#define FPMX_MASTER_REHEARSE_H

#include <stdbool.h>

#include "base/err.h"
#include "master/handover.h"
#include "master/master.h"

/* In the environment, it names the descriptor of a list of sockets. */
#define REHEARSE_NAME "FPMX_REHEARSAL"

/* In the master: the list of what it has, in a sealed memfd; -1: none could be made. */
int rehearse_list(const struct handover *, struct err *) __attribute__((warn_unused_result));

/* In the test: is this one, and what is had already? */
bool rehearse_is_asked(struct inherit *);

/* Opens each pool and closes it again. */
int rehearse_run(const struct master_start *, struct err *) __attribute__((warn_unused_result));

#endif
