/*
 * jail: one capability, from hand to hand.
 *
 * Runs in: a child of the master, template.
 */
#include "proc/jail.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define WORDS _LINUX_CAPABILITY_U32S_3

/* One bit in all three sets, or none; a process changes its own only. */
static int set_capabilities(uint32_t bits, struct err *e)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[WORDS] = {
	    {.effective = bits, .permitted = bits, .inheritable = bits}};

	return syscall(SYS_capset, &head, data) < 0 ? err_sys(e, "failed to capset()") : 0;
}

int jail_keep(struct err *e)
{
	if (prctl(PR_SET_KEEPCAPS, 1L) < 0)
		return err_sys(e, "failed to prctl(PR_SET_KEEPCAPS)");
	return 0;
}

int jail_arm(struct err *e)
{
	_Static_assert(CAP_SYS_CHROOT < 32, "it is in the first word");

	if (set_capabilities(1U << CAP_SYS_CHROOT, e) < 0)
		return -1;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_CHROOT, 0L, 0L) < 0)
		return err_sys(e, "failed to prctl(PR_CAP_AMBIENT_RAISE)");
	return 0;
}

static int disarm(struct err *e)
{
	if (geteuid() == 0)
		return 0;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0L, 0L, 0L) < 0 && errno != EINVAL)
		return err_sys(e, "failed to prctl(PR_CAP_AMBIENT_CLEAR_ALL)");
	if (set_capabilities(0, e) < 0)
		return -1;
	if (chroot("/") == 0)
		return err_set(e, "chroot() could be called again");
	return 0;
}

int jail_enter(const char *root, const char *folder, struct err *e)
{
	/* The zone of log lines is a file outside. */
	tzset();
	if (chroot(root) < 0)
		return err_sys(e, "failed to chroot(%s)", root);
	if (chdir(folder && *folder ? folder : "/") < 0)
		return err_sys(e, "failed to chdir(%s)", folder && *folder ? folder : "/");
	return disarm(e);
}
