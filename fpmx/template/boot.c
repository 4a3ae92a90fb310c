/*
 * boot: brings a template to the point from which workers are forked.
 *
 * Runs in: template.
 */
#include "template/boot.h"

#include <dirent.h>

#include "base/clock.h"
#include "php/engine.h"

/* The folder of our threads, opened before a chroot may hide it. */
static DIR *tasks;

static int open_tasks(struct err *e)
{
	tasks = opendir("/proc/self/task");
	return tasks != NULL ? 0 : err_sys(e, "failed to open the folder of our threads");
}

/* A thread is not copied by a fork, but what it holds is. */
static uint32_t count_threads(void)
{
	const struct dirent *entry;
	uint32_t n = 0;

	rewinddir(tasks);
	while ((entry = readdir(tasks)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(tasks);
	tasks = NULL;
	return n;
}

int boot_check_version(struct err *e)
{
	uint32_t loaded = engine_php_version_id();

	if (loaded / 100 == FPMX_PHP_VERNUM / 100)
		return 0;
	return err_set(e,
	    "fpmx-engine was built for PHP %s, but the library that was loaded is "
	    "PHP %u.%u: install libphp%s, or build fpmx again",
	    FPMX_PHP_XY, loaded / 10000, loaded / 100 % 100, FPMX_PHP_XY);
}

int boot_php(const struct heritage *h, struct msg_ready *ready, struct err *e)
{
	uint64_t began_us = clock_now_us();

	if (boot_check_version(e) != 0 || open_tasks(e) != 0)
		return -1;
	ready->boot_us = began_us;
	if (engine_start(&h->php, h->pool, e) != 0)
		return -1;
	ready->php_version_id = engine_php_version_id();
	return 0;
}

void boot_done(struct msg_ready *ready)
{
	ready->boot_us = clock_now_us() - ready->boot_us;
	ready->threads = count_threads();
}
