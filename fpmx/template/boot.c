/*
 * boot: brings a template to the point from which workers are forked.
 *
 * Runs in: template.
 */
#include "template/boot.h"

#include <dirent.h>

#include "base/clock.h"
#include "php/engine.h"

/* A thread is not copied by a fork, but what it holds is. */
static int count_threads(uint32_t *threads, struct err *e)
{
	DIR *tasks = opendir("/proc/self/task");
	const struct dirent *entry;

	if (tasks == NULL)
		return err_sys(e, "failed to count the threads");
	*threads = 0;
	while ((entry = readdir(tasks)) != NULL)
		*threads += entry->d_name[0] != '.';
	closedir(tasks);
	return 0;
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

	if (boot_check_version(e) != 0)
		return -1;
	ready->boot_us = began_us;
	if (engine_start(&h->php, h->pool, e) != 0)
		return -1;
	ready->php_version_id = engine_php_version_id();
	return 0;
}

int boot_done(struct msg_ready *ready, struct err *e)
{
	ready->boot_us = clock_now_us() - ready->boot_us;
	return count_threads(&ready->threads, e);
}
