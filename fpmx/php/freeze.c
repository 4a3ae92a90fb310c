/*
 * freeze: the moment from which workers are forked, as PHP sees it.
 *
 * Runs in: template (before the fork), worker (after it; before its first
 * request where it has run the script itself).
 * A fork copies memory and nothing else that makes a process one: what the boot
 * has begun (output, a session, a time limit, headers) ends before it, and what
 * the kernel keeps for the template (locks) is taken again after it.
 */
#include "php/app.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/* The rest of what a loop writes without a client is not worth keeping. */
#define SAID_MAX_BYTES 4096u

void freeze_hear(const char *bytes, size_t n)
{
	if (app.said.max == 0)
		strbuf_init(&app.said, SAID_MAX_BYTES);
	strbuf_add(&app.said, bytes, n);
}

void freeze_tell(void)
{
	if (app.said.len == 0)
		return;
	log_pool(LOG_LEVEL_NOTICE, room.pool->name,
	    "%s wrote outside of a request, which nobody reads: %s", app.script,
	    strbuf_str(&app.said));
	strbuf_clear(&app.said);
}

/* Of one process or client, and so of nobody: they go, and the script's author is told. */
static void drop_response(void)
{
	size_t n = zend_llist_count(&SG(sapi_headers).headers);

	if (n > (PG(expose_php) ? 1 : 0) || SG(sapi_headers).http_response_code != 200)
		log_pool(LOG_LEVEL_WARNING, room.pool->name,
		    "%s has set headers or a status before its first request: they are dropped",
		    app.script);
}

static void drop_session(void)
{
	if (PS(session_status) == php_session_active)
		log_pool(LOG_LEVEL_WARNING, room.pool->name,
		    "%s has started a session before its first request: it is closed", app.script);
}

void freeze_settle(void)
{
	drop_response();
	drop_session();
	frame_startup();
	outside_save();
	(void)frame_close(); /* the next step looks at what it may have left */
	freeze_tell();
	zend_unset_timeout();
	/* Garbage would be copied into every worker that collects its own. */
	(void)zend_gc_collect_cycles();
	/* What stdio holds would be written by each of them. */
	(void)fflush(NULL);
}

/*
 * OPcache counts a process that uses its memory by a lock of fcntl(), which the
 * fork has not copied, while its flag that the lock is held has been.
 */
static int opcache_lock = -1;

#define OPCACHE "zend opcache"

static bool is_opcache_lock(const char *name)
{
	char path[64], target[256];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%s", name);
	n = readlink(path, target, sizeof(target) - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	return strstr(target, "/.ZendSem.") != NULL || strstr(target, "memfd:opcache_lock") != NULL;
}

static const zend_module_entry *opcache;

void freeze_startup(void)
{
	DIR *fds = opendir("/proc/self/fd");
	const struct dirent *entry;

	while (fds != NULL && (entry = readdir(fds)) != NULL)
		if (entry->d_name[0] != '.' && is_opcache_lock(entry->d_name))
			opcache_lock = (int)strtol(entry->d_name, NULL, 10);
	if (fds != NULL)
		closedir(fds);
	opcache = zend_hash_str_find_ptr(&module_registry, OPCACHE, sizeof(OPCACHE) - 1);
}

void freeze_thaw(void)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET, .l_start = 1, .l_len = 1};

	while (opcache_lock >= 0 && fcntl(opcache_lock, F_SETLKW, &lock) != 0 && errno == EINTR)
		continue;
}

void freeze_renew_opcache(void)
{
	if (opcache != NULL && opcache->request_startup_func != NULL)
		(void)opcache->request_startup_func(opcache->type, opcache->module_number);
	/* It takes the lock of now for a forgotten one, and gives it back. */
	freeze_thaw();
}
