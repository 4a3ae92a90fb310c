/*
 * jail: how a pool's processes get into their chroot.
 *
 * Runs in: jail_keep and jail_arm in a child of the master, around the change of
 * user; jail_enter in the template, once PHP has been started.
 * PHP starts outside, where its files are, and never as root: the one capability
 * that chroot() needs outlives change of user and exec, and is gone before
 * anything is forked or any script runs.
 */
#ifndef FPMX_PROC_JAIL_H
#define FPMX_PROC_JAIL_H

#include "base/err.h"

/* Before the change of user: it does not take the capabilities away. */
int jail_keep(struct err *) __attribute__((warn_unused_result));

/* After it: keeps CAP_SYS_CHROOT alone, over the exec. */
int jail_arm(struct err *) __attribute__((warn_unused_result));

/*
 * Changes the root, and the folder within it (NULL: "/"); gives all capabilities
 * up, but for root who has asked to stay root; proves that it cannot be done
 * again. Words of failure are php-fpm's.
 */
int jail_enter(const char *root, const char *folder, struct err *)
    __attribute__((warn_unused_result));

#endif
