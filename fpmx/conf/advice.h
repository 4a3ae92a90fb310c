/*
 * advice: what php-fpm would start with, though it will not work, and what we
 * add to its directives.
 *
 * Runs in: master, after the checks that php-fpm makes itself (check.c).
 * Pure. An error here is what php-fpm finds at a start only, or is about a key
 * of ours; everything else is a notice or a warning, so that a configuration
 * that php-fpm takes is taken.
 */
#ifndef FPMX_CONF_ADVICE_H
#define FPMX_CONF_ADVICE_H

#include "conf/conf.h"

void check_advice(const struct conf *, const struct conf_source *, struct conf_report *);

#endif
