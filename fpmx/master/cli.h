/*
 * cli: php-fpm's command line.
 *
 * Runs in: master.
 * Pure but for usage(): words in, a record out.
 */
#ifndef FPMX_MASTER_CLI_H
#define FPMX_MASTER_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "base/arena.h"
#include "proc/heritage.h"

enum cli_action {
	CLI_RUN,
	CLI_TEST,        /* -t */
	CLI_VERSION,     /* -v */
	CLI_MODULES,     /* -m */
	CLI_INFO,        /* -i */
	CLI_HELP,        /* -h */
	CLI_CONVERT,     /* --convert */
	CLI_OWN_VERSION, /* --fpmx-version */
	CLI_WRONG        /* usage, and exit 64 */
};

enum cli_daemon { CLI_AS_CONFIGURED, CLI_DAEMONIZE, CLI_FOREGROUND };

struct cli {
	enum cli_action action;
	const char *wrong; /* of CLI_WRONG: the word */
	const char *why;   /* and what is wrong with it */
	bool dump;         /* -t twice */
	bool origins;      /* --origins */
	enum cli_daemon daemon;
	bool force_stderr;    /* -O */
	bool allow_root;      /* -R */
	const char *config;   /* -y, or NULL */
	const char *prefix;   /* -p, or NULL */
	const char *pid_file; /* -g, or NULL */
	const char *convert;  /* --convert, or NULL */
	const char *output;   /* --output, or NULL */
	bool overwrite;       /* --overwrite */
	struct php_options php;
};

void cli_parse(int argc, char **argv, struct arena *, struct cli *);

void cli_usage(FILE *);

#endif
