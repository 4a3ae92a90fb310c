/*
 * host: what all pools of a process share.
 *
 * Runs in: master, the process that tests a configuration for a reload.
 */
#ifndef FPMX_MASTER_HOST_H
#define FPMX_MASTER_HOST_H

#include <stdbool.h>
#include <sys/resource.h>

#include "base/loop.h"
#include "conf/conf.h"
#include "master/crew.h"
#include "master/inherit.h"
#include "master/master.h"
#include "proc/heritage.h"

/* Outlives the pools. */
struct pool_host {
	struct loop *loop;
	const struct conf *conf;
	struct php_options php;
	char *const *environ; /* of the master */
	int engine_fd;
	int netlink_fd;          /* or -1 */
	struct inherit *inherit; /* sockets that were there before us */
	bool root, allow_root;
	const struct rlimit *files; /* to be given back to templates, or NULL */
	bool announced;             /* "ready to handle connections" is in the log */
	struct crew_total total;
	/* Something was settled or has ended: the master looks whether it waits for that. */
	void (*changed)(void *ctx);
	/* A worker has died of SIGSEGV or SIGBUS. */
	void (*crashed)(void *ctx);
	void *ctx;
};

/* As it was started; no loop yet, no descriptors, nobody to be called. */
struct pool_host host_of(const struct master_start *);

#endif
