/*
 * check: whether a configuration can work.
 *
 * Runs in: master, before anything is opened.
 * Looks, never touches: it asks for users, folders and the permission to write
 * a log, and opens or makes nothing. Texts, grades and order are php-fpm's, so
 * that the first line is the one that php-fpm would stop at; the others follow.
 */
#ifndef FPMX_CONF_CHECK_H
#define FPMX_CONF_CHECK_H

#include "conf/conf.h"

/* Findings go to the report. Pools that could not be read are passed over. */
void check_conf(const struct conf *, const struct conf_source *, struct conf_report *);

#endif
