/*
 * resetprocess: what belongs to the process and not to PHP.
 *
 * Runs in: worker.
 */
#include "php/reset.h"

#include <locale.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/must.h"
#include "php/app.h"

static char *locale_then;

static void save_locale(void)
{
	const char *now = setlocale(LC_ALL, NULL);

	locale_then = now != NULL ? must_memory(strdup(now)) : NULL;
}

/* PHP keeps two opinions about the locale of letters. */
static bool restore_locale(void)
{
	const char *now = setlocale(LC_ALL, NULL);

	if (locale_then == NULL || (now != NULL && strcmp(now, locale_then) == 0))
		return true;
	if (setlocale(LC_ALL, locale_then) == NULL)
		return false;
	zend_update_current_locale();
	if (BG(ctype_string) != NULL) {
		zend_string_release(BG(ctype_string));
		BG(ctype_string) = NULL;
	}
	return true;
}

/* Two system calls tell the mask: so it is looked at only where umask() was called. */
static mode_t umask_then;
static bool umask_called;
static zif_handler umask_itself;

static void note_umask(INTERNAL_FUNCTION_PARAMETERS)
{
	umask_called = true;
	umask_itself(INTERNAL_FUNCTION_PARAM_PASSTHRU);
}

static void save_umask(void)
{
	umask_then = umask(0);
	umask(umask_then);
}

static bool restore_umask(void)
{
	if (umask_called)
		umask(umask_then);
	umask_called = false;
	return true;
}

static char folder_then[MAXPATHLEN];

static void save_folder(void)
{
	if (getcwd(folder_then, sizeof(folder_then)) == NULL)
		folder_then[0] = '\0';
}

static bool restore_folder(void)
{
	char now[MAXPATHLEN];

	if (folder_then[0] == '\0')
		return true;
	if (getcwd(now, sizeof(now)) != NULL && strcmp(now, folder_then) == 0)
		return true;
	return chdir(folder_then) == 0;
}

static void save_syslog(void)
{
	PG(have_called_openlog) = false;
}

static bool restore_syslog(void)
{
	if (!PG(have_called_openlog))
		return true;
	closelog();
	PG(have_called_openlog) = false;
	return true;
}

/*
 * What a process cannot take back: a worker that a request has used it in is
 * replaced. One wrapper each, for closures made of such a function run its
 * handler with a copy of it.
 */
static const char *spoiled_by;

#define SPOILS(name)                                             \
	static zif_handler name##_itself;                        \
	static void note_##name(INTERNAL_FUNCTION_PARAMETERS)    \
	{                                                        \
		spoiled_by = #name "()";                         \
		name##_itself(INTERNAL_FUNCTION_PARAM_PASSTHRU); \
	}

SPOILS(chroot)
SPOILS(dl)
SPOILS(pcntl_setpriority)
SPOILS(pcntl_unshare)
SPOILS(posix_setegid)
SPOILS(posix_seteuid)
SPOILS(posix_setgid)
SPOILS(posix_setpgid)
SPOILS(posix_setrlimit)
SPOILS(posix_setsid)
SPOILS(posix_setuid)
SPOILS(proc_nice)

#define WRAP(name) functions_wrap(#name, note_##name, &name##_itself)

void resetprocess_startup(void)
{
	WRAP(umask);
	WRAP(chroot);
	WRAP(dl);
	WRAP(pcntl_setpriority);
	WRAP(pcntl_unshare);
	WRAP(posix_setegid);
	WRAP(posix_seteuid);
	WRAP(posix_setgid);
	WRAP(posix_setpgid);
	WRAP(posix_setrlimit);
	WRAP(posix_setsid);
	WRAP(posix_setuid);
	WRAP(proc_nice);
}

/* What the boot and the start of the worker did is the pool's own will. */
static void save_process(void)
{
	spoiled_by = NULL;
}

static bool restore_process(void)
{
	if (spoiled_by != NULL)
		app_recycle(spoiled_by);
	spoiled_by = NULL;
	return true;
}

const struct reset_row reset_process_rows[] = {
    {"locale", save_locale, restore_locale, NULL},
    {"umask", save_umask, restore_umask, NULL},
    {"folder", save_folder, restore_folder, NULL},
    {"process", save_process, restore_process, NULL},
    {"syslog", save_syslog, restore_syslog, NULL},
    {NULL, NULL, NULL, NULL},
};
