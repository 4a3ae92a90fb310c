/*
 * safeopen: a path, part by part.
 *
 * Runs in: master.
 */
#include "master/safeopen.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"

/* The kernel's own number. */
#define LINKS_MAX 40

struct walk {
	int dir;             /* where we are */
	char rest[PATH_MAX]; /* what is left of the path */
	unsigned links;
	uid_t uid; /* of who made the links that we came through; 0: root */
	gid_t gid;
};

static int fail(int number)
{
	errno = number;
	return -1;
}

/* An absolute rest begins at the root. */
static int settle(struct walk *w)
{
	if (w->rest[0] != '/')
		return 0;
	fd_close(&w->dir);
	w->dir = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return w->dir < 0 ? -1 : 0;
}

/* Where the link leads comes before what is left. */
static int follow(struct walk *w, int link, const struct stat *st)
{
	char target[PATH_MAX], all[sizeof(target) + sizeof(w->rest)];
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	int length;

	if (n < 0)
		return -1;
	if (++w->links > LINKS_MAX || (st->st_uid != 0 && w->uid != 0 && st->st_uid != w->uid))
		return fail(ELOOP);
	if (st->st_uid != 0) {
		w->uid = st->st_uid;
		w->gid = st->st_gid;
	}
	length = snprintf(all, sizeof(all), "%.*s/%s", (int)n, target, w->rest);
	if (length < 0 || (size_t)length >= sizeof(w->rest))
		return fail(ENAMETOOLONG);
	memcpy(w->rest, all, (size_t)length + 1);
	return settle(w);
}

/* Into one part of the path. */
static int enter(struct walk *w, const char *name)
{
	int fd = openat(w->dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		fd_close(&fd);
		return -1;
	}
	if (!S_ISLNK(st.st_mode)) {
		fd_close(&w->dir);
		w->dir = fd;
		return 0;
	}
	rc = follow(w, fd, &st);
	fd_close(&fd);
	return rc;
}

/* To the folder of the last part, whose name is left in rest. */
static int go(struct walk *w)
{
	while (true) {
		char name[NAME_MAX + 1];
		size_t blank = strspn(w->rest, "/"), n = strcspn(w->rest + blank, "/");

		if (w->rest[blank + n] == '\0') {
			memmove(w->rest, w->rest + blank, n + 1);
			return 0;
		}
		if (n > NAME_MAX)
			return fail(ENAMETOOLONG);
		memcpy(name, w->rest + blank, n);
		name[n] = '\0';
		memmove(w->rest, w->rest + blank + n, strlen(w->rest + blank + n) + 1);
		if (enter(w, name) < 0)
			return -1;
	}
}

static int open_here(const struct walk *w, int flags)
{
	return openat(w->dir, w->rest, flags | O_NOFOLLOW, 0600);
}

/* Without root's groups; the capabilities for files go with root's number. */
static int open_as_maker(const struct walk *w, int flags)
{
	int n = getgroups(0, NULL), fd = -1, saved;
	gid_t *groups = must_memory(calloc(n > 0 ? (size_t)n : 1, sizeof(*groups)));

	n = getgroups(n, groups);
	if (n >= 0 && setgroups(0, NULL) == 0) {
		gid_t gid = (gid_t)setfsgid(w->gid);
		uid_t uid = (uid_t)setfsuid(w->uid);

		if ((uid_t)setfsuid((uid_t)-1) == w->uid && (gid_t)setfsgid((gid_t)-1) == w->gid)
			fd = open_here(w, flags);
		else
			errno = EPERM;
		saved = errno;
		setfsuid(uid);
		setfsgid(gid);
		must((uid_t)setfsuid((uid_t)-1) == uid);
		must(setgroups((size_t)n, groups) == 0);
		errno = saved;
	}
	free(groups);
	return fd;
}

int safeopen(const char *path, int flags)
{
	struct walk w = {.dir = -1};
	int fd = -1;

	if (geteuid() != 0)
		return open(path, flags | O_NOFOLLOW, 0600);
	if (strlen(path) >= sizeof(w.rest))
		return fail(ENAMETOOLONG);
	memcpy(w.rest, path, strlen(path) + 1);
	w.dir = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (w.dir >= 0 && settle(&w) == 0 && go(&w) == 0)
		fd = w.uid == 0 ? open_here(&w, flags) : open_as_maker(&w, flags);
	fd_close(&w.dir);
	return fd;
}
