/*
 * host: from how it was started to what pools ask for.
 *
 * Runs in: master, the process that tests a configuration for a reload.
 */
#include "master/host.h"

#include <unistd.h>

struct pool_host host_of(const struct master_start *s)
{
	struct pool_host host = {
	    .conf = s->conf,
	    .php = s->cli->php,
	    .environ = s->environ,
	    .engine_fd = -1,
	    .netlink_fd = -1,
	    .inherit = s->inherit,
	    .root = geteuid() == 0,
	    .allow_root = s->cli->allow_root,
	    .total = {.max = (unsigned)s->conf->global.process_max},
	};

	host.php.config_path = s->conf->path;
	return host;
}
