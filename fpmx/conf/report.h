/*
 * report: adding to what is wrong with a configuration.
 *
 * Runs in: master, engine. Reading it is in conf.h.
 */
#ifndef FPMX_CONF_REPORT_H
#define FPMX_CONF_REPORT_H

#include "conf/conf.h"

/*
 * Adds a finding. Its text is made from fmt; pool, place and hint are kept as
 * they are and have to live as long as the report. What is given as text is
 * cleaned of control characters when it is told, not before.
 */
void report_add(struct conf_report *, const struct conf_finding *, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
