/*
 * master: start-up in order, signals, stop.
 *
 * Runs in: master.
 * Never: blocks once it serves; parses a request; maps PHP.
 */
#ifndef FPMX_MASTER_MASTER_H
#define FPMX_MASTER_MASTER_H

#include "conf/conf.h"
#include "master/cli.h"
#include "master/inherit.h"
#include "master/notify.h"

struct master_start {
	const struct cli *cli;
	const struct conf *conf;
	char *const *argv;    /* of the process: a reload runs it again */
	char *const *environ; /* of the process, less what was handed over in it */
	struct inherit *inherit;
	struct notify *notify;
	bool daemonize;
};

/* Runs to the end of the process; returns its exit code. */
int master_run(const struct master_start *);

#endif
