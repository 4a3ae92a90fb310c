/*
 * boot: brings a template to the point from which workers are forked.
 *
 * Runs in: template.
 */
#ifndef FPMX_TEMPLATE_BOOT_H
#define FPMX_TEMPLATE_BOOT_H

#include "base/err.h"
#include "proc/chan.h"
#include "proc/heritage.h"

/*
 * Is the libphp that was loaded of the version that we were built for? Its
 * name on the disk does not say, and structures differ between minor versions.
 */
int boot_check_version(struct err *) __attribute__((warn_unused_result));

/*
 * Checks the version and starts PHP for the pool; begins what READY tells the
 * master. A classic pool boots nothing more. -1 with PHP's reason.
 */
int boot_php(const struct heritage *, struct msg_ready *, struct err *)
    __attribute__((warn_unused_result));

/* Workers are forked from now on: completes what READY tells. */
void boot_done(struct msg_ready *);

#endif
