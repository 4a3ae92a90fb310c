/*
 * confine: a process gives up what its AppArmor hat does not allow (apparmor_hat).
 *
 * Runs in: a worker, right after the fork.
 */
#ifndef FPMX_PROC_CONFINE_H
#define FPMX_PROC_CONFINE_H

#include "base/err.h"

/*
 * Changes to PROFILE//hat, PROFILE being what confines us now. As in php-fpm it
 * fails where nothing does. Words of failure are php-fpm's.
 */
int confine_to_hat(const char *hat, struct err *) __attribute__((warn_unused_result));

#endif
