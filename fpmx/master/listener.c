/*
 * listener: sockets and their paths.
 *
 * Runs in: master.
 */
#include "master/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <libgen.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/sockacl.h"
#include "master/stale.h"
#include "proc/privs.h"

/*
 * A start waits so long for another one that is binding in the same folder; a
 * running master does not wait.
 */
#define LOCK_TRIES_START 50
#define LOCK_TRIES_RUNNING 1
#define LOCK_TRY_NS (20 * 1000 * 1000)

/*
 * So often, that long, a start asks whether a socket has an owner still: the
 * workers of a master that was killed end by themselves, but not at once.
 */
#define OWNER_TRIES 6
#define OWNER_TRY_NS (200 * 1000 * 1000)

#define MODE_DEFAULT 0660

/* What else an opening needs to know. */
struct how {
	struct inherit *inherit; /* or NULL: there is nothing to be taken over */
	int lock_tries, owner_tries;
};

/* --- what both kinds share ------------------------------------------------ */

static int somaxconn(void)
{
	char text[32] = "";
	int fd = open("/proc/sys/net/core/somaxconn", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	fd_close(&fd);
	return got > 0 ? (int)strtol(text, NULL, 10) : 0;
}

/* The kernel cuts the backlog silently; the operator should know. */
static void warn_of_clamp(const struct listener *l)
{
	int most = l->lent ? 0 : somaxconn();

	if (most > 0 && l->conf->listen_backlog > most)
		log_pool(LOG_LEVEL_WARNING, l->conf->name,
		    "listen.backlog of '%s': %d asked, %d granted (net.core.somaxconn)", l->text,
		    l->conf->listen_backlog, most);
}

static int fail_bind(const struct listener *l, struct err *e)
{
	return err_sys(e, "unable to bind listening socket for address '%s'", l->text);
}

/* Again for one that was there before: that is how its backlog is changed. */
static int start_listening(struct listener *l, struct err *e)
{
	if (l->lent || l->fd < 0)
		return 0;
	if (listen(l->fd, l->conf->listen_backlog) < 0)
		return err_sys(e, "failed to listen to address '%s'", l->text);
	return 0;
}

/* --- what was there before us ------------------------------------------------ */

/* Takes over a socket; false: there is none of that kind. */
static bool adopt(struct listener *l, struct inherited *in)
{
	if (!in)
		return false;
	l->fd = in->fd;
	l->lent = in->lent;
	l->name = in->name;
	return true;
}

/* One that is lent to us for this pool, wherever it listens. */
static bool adopt_named(struct listener *l, const struct how *how)
{
	struct inherited *in =
	    how->inherit ? inherit_take_named(how->inherit, l->conf, l->text) : NULL;

	if (!adopt(l, in))
		return false;
	memcpy(l->key, in->key, sizeof(l->key));
	l->path = NULL;
	return true;
}

static bool adopt_address(struct listener *l, const struct how *how, const struct sockaddr *sa)
{
	address_key(sa, l->key);
	return how->inherit && adopt(l, inherit_take(how->inherit, l->key));
}

/* --- TCP ------------------------------------------------------------------ */

static int bind_tcp(
    struct listener *l, const struct how *how, const struct sockaddr *sa, socklen_t n)
{
	int on = 1, off = 0, saved;

	if (adopt_address(l, how, sa) || adopt_named(l, how))
		return 0;
	l->fd = socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return -1;
	setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* [::] takes IPv4 too, whatever net.ipv6.bindv6only says. */
	if (sa->sa_family == AF_INET6)
		setsockopt(l->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
	if (bind(l->fd, sa, n) == 0)
		return 0;
	saved = errno;
	fd_close(&l->fd);
	errno = saved;
	return -1;
}

static int open_port(struct listener *l, const struct how *how, uint16_t port, struct err *e)
{
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(port)};

	in6.sin6_addr = in6addr_any;
	/* One that had to make do with 0.0.0.0 is not to get a twin on [::]. */
	if (adopt_address(l, how, (struct sockaddr *)&in6) ||
	    adopt_address(l, how, (struct sockaddr *)&in) ||
	    bind_tcp(l, how, (struct sockaddr *)&in6, sizeof(in6)) == 0)
		return 0;
	log_notice("Failed implicitly binding to ::, retrying with 0.0.0.0");
	if (bind_tcp(l, how, (struct sockaddr *)&in, sizeof(in)) < 0)
		return fail_bind(l, e);
	return 0;
}

static int open_host(
    struct listener *l, const struct how *how, const struct address *a, struct err *e)
{
	struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *found;
	char port[8];
	int rc;

	snprintf(port, sizeof(port), "%u", a->port);
	rc = getaddrinfo(a->host, port, &hints, &found);
	if (rc != 0)
		return err_set(e, "getaddrinfo: %s", gai_strerror(rc));
	if (found->ai_next)
		log_warn("[pool %s] Found multiple addresses for %s, the first is used and the "
			 "others are ignored",
		    l->conf->name, a->host);
	rc = bind_tcp(l, how, found->ai_addr, found->ai_addrlen);
	if (rc < 0)
		fail_bind(l, e);
	freeaddrinfo(found);
	return rc;
}

/* --- unix ----------------------------------------------------------------- */

/*
 * While we hold the folder's lock no other master is between its look at the
 * old socket and its own bind. A folder that cannot be locked is no reason to
 * fail: bind() says what is wrong with it. Returns the lock, or -1.
 */
static int lock_folder(const char *path, int tries)
{
	char copy[sizeof(((struct sockaddr_un *)0)->sun_path) + 1];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && --tries > 0) {
		struct timespec pause = {.tv_nsec = LOCK_TRY_NS};

		nanosleep(&pause, NULL);
	}
	return fd;
}

static bool becomes_stale(const char *path, int tries)
{
	while (!stale_path(path)) {
		struct timespec pause = {.tv_nsec = OWNER_TRY_NS};

		if (--tries <= 0)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Makes way for the bind. Only a socket without owner is ever removed. */
static int clear_path(struct listener *l, const struct how *how, struct err *e)
{
	struct stat st;

	if (lstat(l->path, &st) < 0)
		return 0;
	if (!S_ISSOCK(st.st_mode)) {
		errno = EADDRINUSE;
		return fail_bind(l, e);
	}
	if (!becomes_stale(l->path, how->owner_tries))
		return err_set(e, "Another FPM instance seems to already listen on %s", l->path);
	if (unlink(l->path) < 0 && errno != ENOENT)
		return err_sys(e, "failed to unlink the stale socket '%s'", l->path);
	return 0;
}

/* A name or a number; *group, where given, gets the user's own group. */
static int owner_of(const char *text, uid_t *uid, gid_t *group, struct err *e)
{
	const struct passwd *pw;

	if (privs_number(text, uid))
		return 0;
	pw = getpwnam(text);
	if (!pw)
		return err_sys(e, "cannot get uid for user '%s'", text);
	*uid = pw->pw_uid;
	*group = pw->pw_gid;
	return 0;
}

static int group_of(const char *text, gid_t *gid, struct err *e)
{
	const struct group *gr;

	if (privs_number(text, gid))
		return 0;
	gr = getgrnam(text);
	if (!gr)
		return err_sys(e, "cannot get gid for group '%s'", text);
	*gid = gr->gr_gid;
	return 0;
}

/*
 * Whose it shall be, by names that are looked up before the bind: what fails
 * there leaves nothing behind. (uid_t)-1 and (gid_t)-1 leave what is.
 */
struct owner {
	uid_t uid;
	gid_t gid;
	struct sockacl acl; /* instead of the two, if any */
};

static void ignored(const struct pool_conf *conf, const char *key, const char *value)
{
	if (value && *value)
		log_pool(
		    LOG_LEVEL_WARNING, conf->name, "ACL set, %s = '%s' is ignored", key, value);
}

static int find_owner(const struct pool_conf *conf, struct owner *o, struct err *e)
{
	*o = (struct owner){.uid = (uid_t)-1, .gid = (gid_t)-1};
	if (sockacl_is_wanted(conf)) {
		ignored(conf, "listen.owner", conf->listen_owner);
		ignored(conf, "listen.group", conf->listen_group);
		return sockacl_resolve(conf, &o->acl, e);
	}
	if (conf->listen_owner && *conf->listen_owner &&
	    owner_of(conf->listen_owner, &o->uid, &o->gid, e) < 0)
		return -1;
	if (conf->listen_group && *conf->listen_group)
		return group_of(conf->listen_group, &o->gid, e);
	return 0;
}

/* fchmod() refuses such descriptors; their names below /proc lead to the same file. */
static int change_mode(int path_fd, mode_t mode)
{
	char name[32];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", path_fd);
	return chmod(name, mode);
}

static int set_mode(const struct listener *l, int fd, mode_t mode, struct err *e)
{
	int had_list = sockacl_remove(fd, l->path, e);
	struct stat st;

	if (had_list < 0)
		return err_wrap(e, "[pool %s]", l->conf->name);
	/* The mask of a list that is gone has become the mode of the group. */
	if (!had_list && fstat(fd, &st) == 0 && (st.st_mode & 0777) == mode)
		return 0;
	if (change_mode(fd, mode) < 0)
		return err_sys(
		    e, "[pool %s] failed to chmod() the socket '%s'", l->conf->name, l->path);
	return 0;
}

static int give(const struct listener *l, const struct owner *o, int fd, mode_t mode, struct err *e)
{
	if ((o->uid != (uid_t)-1 || o->gid != (gid_t)-1) &&
	    fchownat(fd, "", o->uid, o->gid, AT_EMPTY_PATH) < 0)
		return err_sys(
		    e, "[pool %s] failed to chown() the socket '%s'", l->conf->name, l->path);
	if (o->acl.n == 0)
		return set_mode(l, fd, mode, e);
	if (sockacl_set(&o->acl, fd, mode, l->path, e) < 0)
		return err_wrap(e, "[pool %s]", l->conf->name);
	return 0;
}

/*
 * Owner, group and mode, or the access list, before anybody can connect. Through
 * a descriptor that does not follow links, so that what is changed is what was
 * bound.
 */
static int settle_owner(struct listener *l, const struct owner *o, mode_t mode, struct err *e)
{
	int fd = open(l->path, O_PATH | O_NOFOLLOW | O_CLOEXEC), rc = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		rc = err_sys(e, "failed to look at the socket '%s'", l->path);
	else if (!S_ISSOCK(st.st_mode))
		rc = err_set(e, "the socket '%s' was taken away", l->path);
	else {
		l->dev = st.st_dev;
		l->ino = st.st_ino;
		rc = give(l, o, fd, mode, e);
	}
	fd_close(&fd);
	return rc;
}

/* The mode as configured; a default leaves what is. */
static mode_t mode_of(const struct pool_conf *conf, mode_t otherwise)
{
	return pool_is_set(conf, listen_mode) ? conf->listen_mode.bits : otherwise;
}

static int bind_unix(struct listener *l, const struct sockaddr_un *un, struct err *e)
{
	mode_t mode = mode_of(l->conf, MODE_DEFAULT), before;
	struct owner owner;
	int rc;

	rc = find_owner(l->conf, &owner, e);
	if (rc == 0) {
		before = umask(0777 & ~mode);
		rc = bind(l->fd, (const struct sockaddr *)un, sizeof(*un));
		umask(before);
		rc = rc < 0 ? fail_bind(l, e) : settle_owner(l, &owner, mode, e);
	}
	sockacl_free(&owner.acl);
	return rc;
}

/*
 * A socket that was there before us gets owner and mode as they are configured
 * now; that it serves matters more than that they can be changed. The file at
 * its path is taken for its own unless we know better: then listener_look()
 * will find it lost.
 */
static void settle_adopted(struct listener *l, const struct inherited *in)
{
	struct owner owner;
	struct stat st;
	struct err e;
	mode_t mode;

	l->dev = in->dev;
	l->ino = in->ino;
	if (in->lent || in->fd < 0 || lstat(l->path, &st) < 0 || !S_ISSOCK(st.st_mode) ||
	    (in->ino != 0 && (st.st_ino != in->ino || st.st_dev != in->dev)))
		return;
	/* Of a socket with an access list the group's bits are the mask, no mode. */
	mode = sockacl_is_wanted(l->conf) ? MODE_DEFAULT : st.st_mode & 0777;
	if (find_owner(l->conf, &owner, &e) < 0 ||
	    settle_owner(l, &owner, mode_of(l->conf, mode), &e) < 0)
		log_pool(LOG_LEVEL_WARNING, l->conf->name, "%s", e.text);
	sockacl_free(&owner.acl);
}

static bool adopt_unix(struct listener *l, const struct how *how, struct inherited **in)
{
	if (!how->inherit)
		return false;
	*in = inherit_take(how->inherit, l->key);
	if (!*in)
		*in = inherit_take_file(how->inherit, l->path);
	return adopt(l, *in);
}

static int open_unix(struct listener *l, const struct how *how, const char *path, struct err *e)
{
	struct inherited *in;
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int lock, rc;

	if (strlen(path) >= sizeof(un.sun_path))
		return err_set(e,
		    "cannot bind to UNIX socket '%s' as path is too long (found length: %zu, "
		    "maximal length: %zu)",
		    path, strlen(path), sizeof(un.sun_path) - 1);
	memcpy(un.sun_path, path, strlen(path) + 1);
	l->path = path;
	address_key((struct sockaddr *)&un, l->key);
	if (adopt_unix(l, how, &in)) {
		settle_adopted(l, in);
		return start_listening(l, e);
	}
	if (adopt_named(l, how))
		return 0;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return err_sys(e, "failed to create new listening socket");
	lock = lock_folder(path, how->lock_tries);
	rc = clear_path(l, how, e);
	if (rc == 0)
		rc = bind_unix(l, &un, e);
	/* Under the lock still: until it listens, a twin would think it stale. */
	if (rc == 0)
		rc = start_listening(l, e);
	fd_close(&lock);
	return rc;
}

/* --- opening, closing, looking after --------------------------------------- */

static int open_any(struct listener *l, const struct pool_conf *conf, const char *text,
    const struct how *how, struct err *e)
{
	struct address a;
	int rc = -1;

	*l = (struct listener){.conf = conf, .text = text, .fd = -1};
	if (address_parse(text, &a, e) < 0)
		return -1;
	switch (a.kind) {
	case ADDRESS_UNIX:
		rc = open_unix(l, how, a.path, e);
		break;
	case ADDRESS_PORT:
		rc = open_port(l, how, a.port, e);
		break;
	case ADDRESS_HOST:
		rc = open_host(l, how, &a, e);
		break;
	case ADDRESS_KIND_MAX:
		must(!"a kind of address");
	}
	if (rc == 0 && a.kind != ADDRESS_UNIX)
		rc = start_listening(l, e);
	if (rc < 0)
		listener_close(l, true);
	else
		warn_of_clamp(l);
	return rc;
}

int listener_open(struct listener *l, const struct pool_conf *conf, const char *text,
    struct inherit *inherit, struct err *e)
{
	struct how how = {
	    .inherit = inherit, .lock_tries = LOCK_TRIES_START, .owner_tries = OWNER_TRIES};

	return open_any(l, conf, text, &how, e);
}

/* Is what lies at the path what we have bound? */
static bool path_is_ours(const struct listener *l)
{
	struct stat st;

	return lstat(l->path, &st) == 0 && st.st_dev == l->dev && st.st_ino == l->ino;
}

void listener_close(struct listener *l, bool unlink_path)
{
	if (unlink_path && !l->lent && l->path && l->fd >= 0 && path_is_ours(l))
		unlink(l->path);
	fd_close(&l->fd);
}

/* Says it once for each time that something was lost. */
static void complain(struct listener *l, const char *text)
{
	if (!l->complained)
		log_pool(LOG_LEVEL_ERROR, l->conf->name, "%s", text);
	l->complained = true;
}

/*
 * Workers hold the same socket, and with shutdown() any of them can end it for
 * everybody. poll() tells, whatever it is asked for.
 */
bool listener_is_shut(const struct listener *l)
{
	struct pollfd p = {.fd = l->fd};

	return l->fd >= 0 && poll(&p, 1, 0) == 1 && p.revents & POLLHUP;
}

/* A TCP socket that was shut down keeps its address, and may listen again. */
static void listen_again(struct listener *l)
{
	if (!l->path && listen(l->fd, l->conf->listen_backlog) == 0)
		log_pool(LOG_LEVEL_WARNING, l->conf->name,
		    "the socket '%s' was shut down by a worker and listens again", l->text);
	else
		complain(l, "a worker has shut down a socket that is not ours to bind again");
}

/* A path of ours that leads to nobody, or a path that is gone, gets a new socket. */
static enum listener_look bind_again(struct listener *l, const char *why, int *old_fd)
{
	struct how how = {.lock_tries = LOCK_TRIES_RUNNING};
	struct listener again = {.fd = -1};
	struct err e;

	if (open_any(&again, l->conf, l->text, &how, &e) < 0) {
		complain(l, e.text);
		return LISTENER_SAME;
	}
	log_pool(LOG_LEVEL_WARNING, l->conf->name, "the socket '%s' %s and is bound again", l->path,
	    why);
	*old_fd = l->fd;
	*l = again;
	return LISTENER_REBOUND;
}

enum listener_look listener_look(struct listener *l, int *old_fd)
{
	bool shut = listener_is_shut(l), own = l->path && !l->lent;
	struct stat st;

	*old_fd = -1;
	if (own && !path_is_ours(l)) {
		if (lstat(l->path, &st) < 0 && errno == ENOENT)
			return bind_again(l, "had vanished", old_fd);
		complain(l, "somebody else's file is at the path of our socket; it is left alone");
	} else if (shut && own) {
		return bind_again(l, "was shut down by a worker", old_fd);
	} else if (shut) {
		listen_again(l);
	} else {
		l->complained = false;
	}
	return LISTENER_SAME;
}
