/*
 * poolopen: what a pool has before it serves, and its end.
 *
 * Runs in: master, the process that tests a configuration for a reload.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"
#include "master/environ.h"
#include "master/logfile.h"
#include "master/poolparts.h"
#include "master/stopwatch.h"

struct pool *pool_new(struct pool_host *host, const struct pool_conf *conf)
{
	struct pool *p = must_memory(calloc(1, sizeof(*p)));

	p->host = host;
	p->conf = conf;
	p->arena = arena_new(4096);
	p->shown.board_fd = p->access_fd = p->bell.fd = -1;
	retire_init(&p->retire);
	return p;
}

static int open_privs(struct pool *p, struct err *e)
{
	if (privs_resolve(p->conf, p->host->root, p->arena, &p->privs, e) < 0)
		return err_wrap(e, "[pool %s]", p->conf->name);
	if (p->host->root && !p->host->allow_root && (p->privs.uid == 0 || p->privs.gid == 0))
		return err_set(
		    e, "[pool %s] please specify user and group other than root", p->conf->name);
	p->envp =
	    environ_for_pool(p->conf, p->privs.user, p->privs.home, p->host->environ, p->arena);
	return 0;
}

static int open_access_log(struct pool *p, struct err *e)
{
	if (!p->conf->access_log || !*p->conf->access_log)
		return 0;
	p->access_fd = logfile_open("access log", p->conf->access_log, e);
	return p->access_fd < 0 ? err_wrap(e, "[pool %s]", p->conf->name) : 0;
}

int pool_open(struct pool *p, struct err *e)
{
	struct crew_setup setup = {
	    .conf = p->conf,
	    .loop = p->host->loop,
	    .template = &p->template,
	    .total = &p->host->total,
	    .calls = &pool_crew_calls,
	    .ctx = p,
	};
	struct door_setup door = {
	    .loop = p->host->loop,
	    .conf = p->conf,
	    .inherit = p->host->inherit,
	    .arena = p->arena,
	};

	if (open_privs(p, e) < 0 || door_open(&p->door, &door, e) < 0 ||
	    open_access_log(p, e) < 0 || trace_make_log(p->conf, e) < 0 ||
	    retire_renew(&p->retire, e) < 0 ||
	    bell_open(&p->bell, p->host->loop, pool_called, p, e) < 0)
		return -1;
	p->board = board_new(p->conf->name, (uint32_t)p->conf->pm_max_children, e);
	if (!p->board)
		return -1;
	template_init(&p->template, p->host->loop, p->conf->name, &pool_template_calls, p);
	setup.board = p->board;
	setup.uid = p->privs.change_user ? p->privs.uid : getuid();
	crew_init(&p->crew, &setup);
	overtime_init(&p->overtime, &p->crew, stopwatch_every_ms(p->host->conf));
	pool_move(p, POOL_OPEN);
	return 0;
}

int pool_show(struct pool *p, const struct pool *shown, struct err *e)
{
	p->shown = (struct heritage_shown){
	    .pool = shown->conf->name,
	    .manager = shown->conf->pm,
	    .nslots = board_nslots(shown->board),
	    .board_fd = board_share(shown->board, e),
	};
	return p->shown.board_fd < 0 ? -1 : 0;
}

void pool_free(struct pool *p, bool unlink_sockets)
{
	if (!p)
		return;
	door_close(&p->door, unlink_sockets);
	bell_close(&p->bell, p->host->loop);
	loop_forget(p->host->loop, &p->retry_timer);
	if (p->state != POOL_NEW) {
		overtime_free(&p->overtime);
		crew_free(&p->crew);
	}
	board_free(p->board);
	fd_close(&p->shown.board_fd);
	fd_close(&p->access_fd);
	retire_close(&p->retire);
	arena_free(p->arena);
	free(p);
}
