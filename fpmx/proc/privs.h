/*
 * privs: who a process is, taken once and verified after it was taken.
 *
 * Runs in: resolved in the master; applied in the child before exec.
 */
#ifndef FPMX_PROC_PRIVS_H
#define FPMX_PROC_PRIVS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/err.h"
#include "conf/conf.h"

struct privs {
	const char *pool; /* for log lines */
	bool change_user; /* master is root and a user is configured */
	uid_t uid;
	gid_t gid;
	size_t ngroups;
	gid_t *groups;           /* supplementary groups */
	const char *user, *home; /* for the environment; NULL if unknown */
	bool has_nice;
	int nice;
	int32_t rlimit_files;         /* 0: leave */
	struct conf_core rlimit_core; /* bytes 0 and not unlimited: leave */
	const char *chdir_path;       /* NULL: leave */
	const char *chroot_path;      /* NULL: none; else chdir_path counts inside, see jail.h */
	bool dumpable;
	bool no_new_privs;
};

/*
 * Reads a uid or gid that is written in digits. False where it is not, or does
 * not fit, or is the number that means "no change".
 */
bool privs_number(const char *text, uint32_t *id);

/*
 * Looks names up and fills *p from the pool; strings live in the arena. A user
 * given by number brings the group that the system knows for it, else group 0:
 * whether root is allowed is for the caller to judge.
 * Words of failure are php-fpm's ("cannot get uid for user 'x'").
 */
int privs_resolve(const struct pool_conf *, bool root, struct arena *, struct privs *, struct err *)
    __attribute__((warn_unused_result));

/*
 * Becomes it, in php-fpm's order: rlimits (a failure there is only logged),
 * chdir (but where a chroot is still to come), nice, gid, groups, uid, dumpable,
 * no_new_privs; proves by asking the kernel that uid, gid and groups are as
 * wanted and that root cannot be had back. Asks no name service. What a change of uid takes away
 * again, such as the parent-death signal, is for the caller to set afterwards.
 */
int privs_apply(const struct privs *, struct err *) __attribute__((warn_unused_result));

/*
 * After exec, which makes every process dumpable again: the engine's first act.
 * Also drops ambient capabilities.
 */
int privs_settle(bool dumpable, struct err *) __attribute__((warn_unused_result));

/* The same limits for the master itself ([global] rlimit_files, rlimit_core). */
int privs_limit_self(int32_t files, struct conf_core core, struct err *)
    __attribute__((warn_unused_result));

#endif
