/*
 * heritage: everything that a template gets from the master, in one struct.
 * All else is closed (a test compares /proc/PID/fd with it).
 *
 * Runs in: made in the master, read in the engine.
 * Travels over exec as one sealed memfd whose number is the engine's argument;
 * it begins with a version, and the engine refuses another.
 */
#ifndef FPMX_PROC_HERITAGE_H
#define FPMX_PROC_HERITAGE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "conf/conf.h"

#define HERITAGE_VERSION 3

/* -c, -n, -d and the like, as given on the command line. */
struct php_options {
	const char *ini_path;     /* -c, or NULL */
	uint32_t no_ini;          /* -n */
	uint32_t extended_info;   /* -e */
	struct conf_list defines; /* -d NAME=VALUE, in order */
	const char *config_path;  /* the -y file, for ini fpm.config; or NULL */
	/*
	 * The master's environment as NAME=VALUE. PHP's start-up sees it (PHPRC,
	 * PHP_INI_SCAN_DIR, ${NAME} in php.ini); afterwards it is wiped and only
	 * the environment of the exec, which is the pool's, is left.
	 */
	struct conf_list startup_env;
};

/* What workers need of the [global] section. */
struct heritage_log {
	enum conf_log_level level;
	uint32_t limit_bytes;
};

/* The pool whose status is told at an address of pm.status_listen, and nothing else. */
struct heritage_shown {
	const char *pool; /* NULL: a usual pool */
	enum conf_pm manager;
	uint32_t nslots;
	int board_fd; /* can only be read; -1 in a usual pool */
};

struct heritage {
	const struct pool_conf *pool; /* NULL: an info command; then no descriptors either */
	struct php_options php;
	struct heritage_log log;
	const char *user, *home; /* USER and HOME of the pool's user; NULL if unknown */
	uint64_t generation;     /* number of this template, for logs and status */
	uint32_t nslots;         /* worker slots on the board */
	uint32_t dumpable;       /* exec has made the engine so; 0: it makes an end of that */
	uint32_t jailed;         /* pool->chroot is still to be entered, see jail.h */
	int32_t master_pid;
	struct heritage_shown shown;

	/* Descriptors, all >= 3. */
	int channel_fd; /* template's end of chan */
	int retire_fd;  /* read end: end-of-file tells workers to retire */
	int wake_fd;    /* eventfd: a worker asks the master to look */
	int board_fd;   /* the pool's scoreboard memfd */
	int log_fd;     /* error log */
	int access_fd;  /* access log, or -1 */
	size_t nlisten;
	const int *listen_fds; /* in the order of pool->listen */
};

/*
 * Writes the struct into a sealed memfd. The caller keeps the descriptors
 * named in it open and not close-on-exec over the exec. -1 on failure.
 */
int heritage_seal(const struct heritage *, struct err *) __attribute__((warn_unused_result));

/*
 * Reads it again. Everything pointed to lives in the arena; the memfd is
 * closed; every descriptor named is checked to be open and is made
 * close-on-exec; all other descriptors above 2 are closed.
 */
int heritage_open(int fd, struct arena *, struct heritage *, struct err *)
    __attribute__((warn_unused_result));

#endif
