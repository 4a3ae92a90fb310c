/*
 * sockacl: the access list of a unix socket (listen.acl_users, listen.acl_groups).
 *
 * Runs in: master.
 * Never: follows a link; what is changed is what a descriptor holds.
 */
#ifndef FPMX_MASTER_SOCKACL_H
#define FPMX_MASTER_SOCKACL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "conf/conf.h"

struct sockacl {
	size_t n;
	struct sockacl_entry {
		uint16_t tag;
		uint32_t id;
	} * entries; /* users, then groups; each once, in the order of their ids */
};

/* Does the pool want one? Then listen.owner and listen.group do not count. */
bool sockacl_is_wanted(const struct pool_conf *);

/*
 * Looks all names up; numbers may stand for them. Words of failure are
 * php-fpm's. Free with sockacl_free(), in any case.
 */
int sockacl_resolve(const struct pool_conf *, struct sockacl *, struct err *)
    __attribute__((warn_unused_result));
void sockacl_free(struct sockacl *);

/*
 * Read and write for each of them, the bits of mode for all others. fd may be
 * O_PATH; name is what a message calls it.
 */
int sockacl_set(const struct sockacl *, int fd, mode_t mode, const char *name, struct err *)
    __attribute__((warn_unused_result));

/*
 * Takes away a list that an earlier configuration has set. 1: there was one,
 * and the file's mode is to be set anew; 0: there was none.
 */
int sockacl_remove(int fd, const char *name, struct err *) __attribute__((warn_unused_result));

#endif
