/*
 * statuspool: the hidden pool that pm.status_listen stands for.
 *
 * Runs in: master.
 * Pure.
 * As in php-fpm it is an ondemand pool of two workers named NAME_status that a
 * dump does not show. It takes everything else from the pool whose status it
 * tells, as php-fpm does from 8.3 on, but what belongs to requests of scripts:
 * its workers run none.
 */
#ifndef FPMX_CONF_STATUSPOOL_H
#define FPMX_CONF_STATUSPOOL_H

#include "conf/conf.h"

/* Its name and its address. They live in the arena, or as long as the pool. */
const char *statuspool_name(struct arena *, const struct pool_conf *);
const char *statuspool_address(struct arena *, const struct conf *, const struct pool_conf *);

/* Puts each hidden pool behind the one that it belongs to. */
void statuspool_add(struct conf *);

#endif
