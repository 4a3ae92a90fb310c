/*
 * role: what kind of process this is, as a const record.
 *
 * Runs in: engine. The master is a program of its own.
 */
#ifndef FPMX_PROC_ROLE_H
#define FPMX_PROC_ROLE_H

#include "proc/heritage.h"

struct role {
	const char *name; /* argv[1] of the engine: "template", "info", ... */
	/* Runs to the end of the process; returns its exit code. */
	int (*run)(int heritage_fd);
};

#endif
