/*
 * confine: the label that is, and the one to be.
 *
 * Runs in: worker.
 */
#include "proc/confine.h"

#include "config.h"

#ifdef HAVE_APPARMOR

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/apparmor.h>

#include "base/must.h"

static char *hat_label(const char *profile, const char *hat)
{
	char *label;

	must_memory(asprintf(&label, "%s//%s", profile, hat) < 0 ? NULL : label);
	return label;
}

int confine_to_hat(const char *hat, struct err *e)
{
	char *profile, *mode, *label;
	int rc = 0;

	if (aa_getcon(&profile, &mode) < 0)
		return err_sys(e, "failed to query apparmor confinement. Please check if "
				  "\"/proc/*/attr/current\" is read and writeable.");
	label = hat_label(profile, hat);
	if (aa_change_profile(label) < 0)
		rc = err_sys(e,
		    "failed to change to new confinement (%s). Please check if "
		    "\"/proc/*/attr/current\" is read and writeable and \"change_profile -> "
		    "%s//*\" is allowed.",
		    label, profile);
	free(label);
	free(profile);
	return rc;
}

#else

int confine_to_hat(const char *hat, struct err *e)
{
	return err_set(e, "apparmor_hat '%s': this fpmx was built without AppArmor", hat);
}

#endif
