/*
 * statuspool: a copy of the pool with some keys changed.
 *
 * Runs in: master.
 */
#include "conf/statuspool.h"

#define WORKERS 2
#define IDLE_TIMEOUT_MS 10000
/* Nobody may ask for long: PHP is not kept in memory for that. */
#define TEMPLATE_IDLE_MS 60000

static bool given(const char *text)
{
	return text != NULL && *text != '\0';
}

const char *statuspool_name(struct arena *arena, const struct pool_conf *p)
{
	return arena_printf(arena, "%s_status", p->name);
}

const char *statuspool_address(struct arena *arena, const struct conf *c, const struct pool_conf *p)
{
	const char *address = p->pm_status_listen;

	if (*address == '/' || !conf_listen_is_path(address))
		return address;
	return arena_printf(arena, "%s/%s", given(p->prefix) ? p->prefix : c->prefix, address);
}

static struct pool_conf *make(struct conf *c, const struct pool_conf *shown)
{
	struct pool_conf *p = arena_new_of(c->arena, struct pool_conf);

	*p = *shown;
	p->name = statuspool_name(c->arena, shown);
	p->shows = shown;
	p->listen.n = 1;
	p->listen.items = arena_alloc(c->arena, 1, sizeof(*p->listen.items));
	p->listen.items[0] = statuspool_address(c->arena, c, shown);
	p->listen_backlog = -1;
	p->mode = POOL_MODE_CLASSIC;
	p->pm = PM_ONDEMAND;
	p->pm_max_children = WORKERS;
	p->pm_start_servers = p->pm_min_spare_servers = p->pm_max_spare_servers = 0;
	p->pm_process_idle_timeout_ms = IDLE_TIMEOUT_MS;
	p->pm_max_requests = 0;
	p->pm_status_listen = NULL;
	p->process_dumpable = false;
	p->access_log = NULL;
	p->slowlog = NULL;
	p->request_slowlog_timeout_ms = 0;
	p->request_terminate_timeout_ms = 0;
	p->catch_workers_output = false;
	p->template_max_idle_ms = TEMPLATE_IDLE_MS;
	return p;
}

void statuspool_add(struct conf *c)
{
	struct pool_conf **pools = arena_alloc(c->arena, 2 * c->npools, sizeof(struct pool_conf *));
	size_t n = 0;

	for (size_t i = 0; i < c->npools; i++) {
		pools[n++] = c->pools[i];
		if (given(c->pools[i]->pm_status_listen))
			pools[n++] = make(c, c->pools[i]);
	}
	c->pools = pools;
	c->npools = n;
}
