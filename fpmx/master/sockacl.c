/*
 * sockacl: names to numbers, numbers to the kernel's form of a list.
 *
 * Runs in: master.
 * The form is that of the attribute system.posix_acl_access, which is the
 * kernel's interface: a header, then entries in the order owner, users, group,
 * groups, mask, others. So no library has to be there for it.
 */
#include "master/sockacl.h"

#include <endian.h>
#include <errno.h>
#include <grp.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/must.h"
#include "proc/privs.h"

#define ATTRIBUTE "system.posix_acl_access"
#define READ_WRITE (ACL_READ | ACL_WRITE)
/* Owner, group, mask and others are always there. */
#define FIXED_ENTRIES 4
#define BLANKS ", \t"

static bool is_given(const char *text)
{
	return text && *text;
}

bool sockacl_is_wanted(const struct pool_conf *conf)
{
	return is_given(conf->listen_acl_users) || is_given(conf->listen_acl_groups);
}

static int find_user(const char *name, uint32_t *id, struct err *e)
{
	const struct passwd *pw;

	if (privs_number(name, id))
		return 0;
	pw = getpwnam(name);
	if (!pw)
		return err_set(e, "cannot get uid for user '%s'", name);
	*id = pw->pw_uid;
	return 0;
}

static int find_group(const char *name, uint32_t *id, struct err *e)
{
	const struct group *gr;

	if (privs_number(name, id))
		return 0;
	gr = getgrnam(name);
	if (!gr)
		return err_set(e, "cannot get gid for group '%s'", name);
	*id = gr->gr_gid;
	return 0;
}

/* The names in text become entries behind those that are there. */
static int add_names(struct sockacl *acl, const char *text, uint16_t tag, struct err *e)
{
	char *copy = must_memory(strdup(text ? text : "")), *rest;
	int rc = 0;

	for (char *name = strtok_r(copy, BLANKS, &rest); name && rc == 0;
	     name = strtok_r(NULL, BLANKS, &rest)) {
		struct sockacl_entry one = {.tag = tag};

		rc = tag == ACL_USER ? find_user(name, &one.id, e) : find_group(name, &one.id, e);
		if (rc == 0)
			acl->entries[acl->n++] = one;
	}
	free(copy);
	return rc;
}

static int compare(const void *a, const void *b)
{
	const struct sockacl_entry *x = a, *y = b;

	if (x->tag != y->tag)
		return x->tag < y->tag ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Somebody may be named twice, by name and by number. */
static void sort(struct sockacl *acl)
{
	size_t n = 0;

	qsort(acl->entries, acl->n, sizeof(*acl->entries), compare);
	for (size_t i = 0; i < acl->n; i++)
		if (n == 0 || compare(&acl->entries[n - 1], &acl->entries[i]) != 0)
			acl->entries[n++] = acl->entries[i];
	acl->n = n;
}

int sockacl_resolve(const struct pool_conf *conf, struct sockacl *acl, struct err *e)
{
	const char *users = conf->listen_acl_users, *groups = conf->listen_acl_groups;
	/* A name has a byte at least. */
	size_t most = (users ? strlen(users) : 0) + (groups ? strlen(groups) : 0);

	*acl = (struct sockacl){.entries = must_memory(calloc(most + 1, sizeof(*acl->entries)))};
	if (add_names(acl, users, ACL_USER, e) < 0 || add_names(acl, groups, ACL_GROUP, e) < 0)
		return err_wrap(e, "[pool %s]", conf->name);
	sort(acl);
	return 0;
}

void sockacl_free(struct sockacl *acl)
{
	free(acl->entries);
	*acl = (struct sockacl){0};
}

static void put(
    struct posix_acl_xattr_entry *list, size_t *n, struct sockacl_entry one, unsigned permissions)
{
	list[(*n)++] = (struct posix_acl_xattr_entry){
	    .e_tag = htole16(one.tag),
	    .e_perm = htole16((uint16_t)permissions),
	    .e_id = htole32(one.id),
	};
}

static void put_fixed(
    struct posix_acl_xattr_entry *list, size_t *n, uint16_t tag, unsigned permissions)
{
	put(list, n, (struct sockacl_entry){tag, (uint32_t)ACL_UNDEFINED_ID}, permissions);
}

#define PROC_NAME_BYTES 32
/* An O_PATH descriptor has no attributes of its own, its link in /proc has. */
static void name_by_proc(int fd, char path[PROC_NAME_BYTES])
{
	snprintf(path, PROC_NAME_BYTES, "/proc/self/fd/%d", fd);
}

int sockacl_set(const struct sockacl *acl, int fd, mode_t mode, const char *name, struct err *e)
{
	size_t bytes = sizeof(struct posix_acl_xattr_header) +
		       (acl->n + FIXED_ENTRIES) * sizeof(struct posix_acl_xattr_entry);
	struct posix_acl_xattr_header *head = must_memory(calloc(1, bytes));
	struct posix_acl_xattr_entry *list = (struct posix_acl_xattr_entry *)(head + 1);
	char path[PROC_NAME_BYTES];
	size_t n = 0, i = 0;
	int rc;

	head->a_version = htole32(POSIX_ACL_XATTR_VERSION);
	put_fixed(list, &n, ACL_USER_OBJ, mode >> 6 & 7);
	for (; i < acl->n && acl->entries[i].tag == ACL_USER; i++)
		put(list, &n, acl->entries[i], READ_WRITE);
	put_fixed(list, &n, ACL_GROUP_OBJ, mode >> 3 & 7);
	for (; i < acl->n; i++)
		put(list, &n, acl->entries[i], READ_WRITE);
	put_fixed(list, &n, ACL_MASK, (mode >> 3 & 7) | READ_WRITE);
	put_fixed(list, &n, ACL_OTHER, mode & 7);
	must(n == acl->n + FIXED_ENTRIES);
	name_by_proc(fd, path);
	rc = setxattr(path, ATTRIBUTE, head, bytes, 0);
	if (rc < 0)
		err_sys(e, "failed to write the ACL of the socket '%s'", name);
	free(head);
	return rc;
}

int sockacl_remove(int fd, const char *name, struct err *e)
{
	char path[PROC_NAME_BYTES];

	name_by_proc(fd, path);
	if (getxattr(path, ATTRIBUTE, NULL, 0) <= 0)
		return 0;
	if (removexattr(path, ATTRIBUTE) < 0 && errno != ENODATA)
		return err_sys(e, "failed to remove the ACL of the socket '%s'", name);
	return 1;
}
