/*
 * template: the role that starts PHP and forks workers; it serves nothing.
 *
 * Runs in: template.
 */
#ifndef FPMX_TEMPLATE_TEMPLATE_H
#define FPMX_TEMPLATE_TEMPLATE_H

#include "proc/role.h"

extern const struct role template_role;

#endif
