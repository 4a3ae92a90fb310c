/*
 * privs: resolves who a pool's processes are, becomes it, and checks.
 *
 * Runs in: privs_resolve in the master; privs_apply in a child of the master
 * between fork and exec.
 * Never: goes on after a step that failed, but for the limits, where php-fpm
 * says so in its log and goes on.
 */
#include "proc/privs.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "proc/jail.h"

/* More groups than the kernel's NGROUPS_MAX cannot be set. */
#define GROUPS_MAX 65536

/* --- resolving ----------------------------------------------------------- */

bool privs_number(const char *text, uint32_t *id)
{
	uint64_t value = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		value = value * 10 + (uint64_t)(*text - '0');
		if (value >= UINT32_MAX)
			return false;
	}
	*id = (uint32_t)value;
	return true;
}

static int resolve_user(const struct pool_conf *c, struct arena *a, struct privs *p, struct err *e)
{
	uint32_t id;
	const struct passwd *pw;

	if (privs_number(c->user, &id)) {
		/* As in php-fpm a number brings no USER and HOME; it may bring a group. */
		pw = getpwuid(id);
		p->uid = id;
		p->gid = pw ? pw->pw_gid : 0;
		p->user = p->home = NULL;
		return 0;
	}
	pw = getpwnam(c->user);
	if (!pw)
		return err_set(e, "cannot get uid for user '%s'", c->user);
	p->uid = pw->pw_uid;
	p->gid = pw->pw_gid;
	p->user = arena_strdup(a, pw->pw_name);
	p->home = arena_strdup(a, pw->pw_dir);
	return 0;
}

static int resolve_group(const struct pool_conf *c, struct privs *p, struct err *e)
{
	uint32_t id;
	const struct group *gr;

	if (privs_number(c->group, &id)) {
		p->gid = id;
		return 0;
	}
	gr = getgrnam(c->group);
	if (!gr)
		return err_set(e, "cannot get gid for group '%s'", c->group);
	p->gid = gr->gr_gid;
	return 0;
}

/* What initgroups() would set, asked for now: the child asks no name service. */
static int resolve_groups(struct arena *a, struct privs *p, struct err *e)
{
	int n = 0;

	if (!p->user) {
		p->groups = arena_alloc(a, 1, sizeof(gid_t));
		p->groups[0] = p->gid;
		p->ngroups = 1;
		return 0;
	}
	getgrouplist(p->user, p->gid, NULL, &n);
	do {
		if (n < 1 || n > GROUPS_MAX)
			return err_set(e, "user '%s' is in too many groups", p->user);
		p->groups = arena_alloc(a, (size_t)n, sizeof(gid_t));
	} while (getgrouplist(p->user, p->gid, p->groups, &n) < 0);
	p->ngroups = (size_t)n;
	return 0;
}

/* What holds as long as nothing else is asked for. */
static void describe_self(struct arena *a, struct privs *p)
{
	const struct passwd *pw = getpwuid(geteuid());

	p->uid = geteuid();
	p->gid = getegid();
	if (pw) {
		p->user = arena_strdup(a, pw->pw_name);
		p->home = arena_strdup(a, pw->pw_dir);
	}
}

static bool is_given(const char *text)
{
	return text && *text;
}

int privs_resolve(
    const struct pool_conf *c, bool root, struct arena *a, struct privs *p, struct err *e)
{
	*p = (struct privs){
	    .pool = c->name,
	    .rlimit_files = c->rlimit_files,
	    .rlimit_core = c->rlimit_core,
	    .chdir_path = c->chdir,
	    .dumpable = c->process_dumpable,
	    .no_new_privs = c->no_new_privs,
	};
	describe_self(a, p);
	if (!root)
		return 0;
	p->chroot_path = is_given(c->chroot) ? c->chroot : NULL;
	p->has_nice = pool_is_set(c, process_priority);
	p->nice = c->process_priority;
	if (is_given(c->user) && resolve_user(c, a, p, e) < 0)
		return -1;
	if (is_given(c->group) && resolve_group(c, p, e) < 0)
		return -1;
	p->change_user = is_given(c->user) || is_given(c->group);
	return p->change_user ? resolve_groups(a, p, e) : 0;
}

/* --- applying ------------------------------------------------------------ */

static int set_limit(int which, rlim_t value)
{
	const struct rlimit limit = {.rlim_cur = value, .rlim_max = value};

	return setrlimit(which, &limit);
}

static int limit_files(int32_t files, struct err *e)
{
	if (files == 0 || set_limit(RLIMIT_NOFILE, (rlim_t)files) == 0)
		return 0;
	return err_sys(e,
	    "failed to set rlimit_files for this pool. Please check your system limits or decrease "
	    "rlimit_files. setrlimit(RLIMIT_NOFILE, %d)",
	    files);
}

static int limit_core(struct conf_core core, struct err *e)
{
	if (core.bytes == 0 && !core.unlimited)
		return 0;
	if (set_limit(RLIMIT_CORE, core.unlimited ? RLIM_INFINITY : (rlim_t)core.bytes) == 0)
		return 0;
	return err_sys(e,
	    "failed to set rlimit_core for this pool. Please check your system limits or decrease "
	    "rlimit_core. setrlimit(RLIMIT_CORE, %d)",
	    core.unlimited ? -1 : core.bytes);
}

int privs_limit_self(int32_t files, struct conf_core core, struct err *e)
{
	return limit_files(files, e) < 0 ? -1 : limit_core(core, e);
}

static int change_user(const struct privs *p, struct err *e)
{
	if (p->chroot_path && jail_keep(e) < 0)
		return -1;
	if (setresgid(p->gid, p->gid, p->gid) < 0)
		return err_sys(e, "failed to setgid(%u)", (unsigned)p->gid);
	if (setgroups(p->ngroups, p->groups) < 0)
		return err_sys(e, "failed to setgroups(%zu)", p->ngroups);
	if (setresuid(p->uid, p->uid, p->uid) < 0)
		return err_sys(e, "failed to setuid(%u)", (unsigned)p->uid);
	return p->chroot_path ? jail_arm(e) : 0;
}

static bool is_wanted_group(const struct privs *p, gid_t gid)
{
	for (size_t i = 0; i < p->ngroups; i++)
		if (p->groups[i] == gid)
			return true;
	return false;
}

/* Every group we have is one we wanted, and the kernel counts as many. */
static bool groups_are_wanted(const struct privs *p)
{
	gid_t have[256]; /* of more than that, the number is compared */
	int n = getgroups(0, NULL);

	if (n < 0 || (size_t)n != p->ngroups)
		return false;
	if ((size_t)n > sizeof(have) / sizeof(have[0]))
		return true;
	if (getgroups(n, have) != n)
		return false;
	for (int i = 0; i < n; i++)
		if (!is_wanted_group(p, have[i]))
			return false;
	return true;
}

static int verify_user(const struct privs *p, struct err *e)
{
	uid_t ruid, euid, suid;
	gid_t rgid, egid, sgid;

	if (getresuid(&ruid, &euid, &suid) < 0 || getresgid(&rgid, &egid, &sgid) < 0)
		return err_sys(e, "getresuid");
	if (ruid != p->uid || euid != p->uid || suid != p->uid)
		return err_set(e, "the uid is not %u after the change", (unsigned)p->uid);
	if (rgid != p->gid || egid != p->gid || sgid != p->gid)
		return err_set(e, "the gid is not %u after the change", (unsigned)p->gid);
	if (!groups_are_wanted(p))
		return err_set(e, "the supplementary groups are not the user's after the change");
	if (p->uid != 0 && (setuid(0) == 0 || seteuid(0) == 0))
		return err_set(e, "root could be had back after the change");
	return 0;
}

int privs_apply(const struct privs *p, struct err *e)
{
	struct err warning;

	if (limit_files(p->rlimit_files, &warning) < 0)
		log_pool(LOG_LEVEL_ERROR, p->pool, "%s", warning.text);
	if (limit_core(p->rlimit_core, &warning) < 0)
		log_pool(LOG_LEVEL_ERROR, p->pool, "%s", warning.text);
	if (p->chdir_path && !p->chroot_path && chdir(p->chdir_path) < 0)
		return err_sys(e, "failed to chdir(%s)", p->chdir_path);
	if (p->has_nice && setpriority(PRIO_PROCESS, 0, p->nice) < 0)
		return err_sys(e, "Unable to set priority for this new process");
	if (p->change_user && (change_user(p, e) < 0 || verify_user(p, e) < 0))
		return -1;
	if (prctl(PR_SET_DUMPABLE, p->dumpable ? 1 : 0) < 0)
		return err_sys(e, "failed to prctl(PR_SET_DUMPABLE)");
	if (p->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(e, "failed to prctl(PR_SET_NO_NEW_PRIVS)");
	return 0;
}

int privs_settle(bool dumpable, struct err *e)
{
	if (prctl(PR_SET_DUMPABLE, dumpable ? 1 : 0) < 0)
		return err_sys(e, "failed to prctl(PR_SET_DUMPABLE)");
	/* EINVAL: a kernel that has no ambient set has nothing to clear. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return err_sys(e, "failed to prctl(PR_CAP_AMBIENT_CLEAR_ALL)");
	return 0;
}
