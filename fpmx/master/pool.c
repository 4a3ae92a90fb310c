/*
 * pool: the parts of a pool and their doings.
 *
 * Runs in: master.
 */
#include "master/poolparts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/crewlog.h"
#include "master/logfile.h"
#include "master/output.h"
#include "master/sockdiag.h"

/* A template that lived so long counts as one that came up. */
#define TEMPLATE_PROOF_MS 1000

static const unsigned moves[POOL_STATE_MAX] = {
    [POOL_NEW] = 1U << POOL_OPEN,
    [POOL_OPEN] = 1U << POOL_SERVING,
    [POOL_SERVING] = 1U << POOL_STOPPING,
    [POOL_STOPPING] = 1U << POOL_SERVING,
};

void pool_move(struct pool *p, enum pool_state to)
{
	must(moves[p->state] & (1U << to));
	p->state = to;
}

static bool is_ondemand(const struct pool *p)
{
	return p->conf->pm == PM_ONDEMAND;
}

/* A worker has found that too few are idle, or a connection that none is. */
void pool_called(void *ctx, int fd, uint32_t events)
{
	struct pool *p = ctx;

	(void)fd;
	/* Not a connection, but the end of a socket; door_look() mends it. */
	if (events & EPOLLHUP)
		door_unwatch(&p->door);
	crew_look(&p->crew, false);
}

/* --- template ------------------------------------------------------------------------ */

static void settle(struct pool *p)
{
	if (p->settled)
		return;
	p->settled = true;
	p->host->changed(p->host->ctx);
}

static void start_template(struct pool *p);

/* Even while no worker is wanted: of new sockets only a new generation knows. */
static bool needs_template(const struct pool *p)
{
	return !is_ondemand(p) || p->renewing || p->conf->mode != POOL_MODE_CLASSIC;
}

static void retry_template(void *ctx)
{
	struct pool *p = ctx;

	/* An ondemand pool may not need one any more. */
	if (needs_template(p))
		start_template(p);
	else
		crew_look(&p->crew, false);
}

static void template_failed(struct pool *p, uint64_t tried_at_ms)
{
	uint64_t now_ms = loop_now_ms(p->host->loop);

	throttle_failed(&p->throttle, tried_at_ms, now_ms);
	loop_forget(p->host->loop, &p->retry_timer);
	loop_timer(p->host->loop, throttle_wait_ms(&p->throttle, now_ms), retry_template, p,
	    &p->retry_timer);
	settle(p);
}

static void fill_heritage(struct pool *p, struct heritage *h)
{
	*h = (struct heritage){
	    .pool = p->conf,
	    .php = p->host->php,
	    .log = {.level = p->host->conf->global.log_level,
		.limit_bytes = (uint32_t)p->host->conf->global.log_limit},
	    .user = p->privs.user,
	    .home = p->privs.home,
	    .nslots = board_nslots(p->board),
	    /* php-fpm: without a change of user the kernel has no reason to withdraw it. */
	    .dumpable = p->conf->process_dumpable || !p->privs.change_user,
	    .jailed = p->privs.chroot_path != NULL,
	    .master_pid = getpid(),
	    .shown = p->shown,
	    .retire_fd = p->retire.in,
	    .wake_fd = p->bell.fd,
	    .board_fd = board_fd(p->board),
	    .log_fd = logfile_fd(),
	    .access_fd = p->access_fd,
	    .nlisten = p->door.n,
	    .listen_fds = door_fds(&p->door),
	};
}

/* Starts one if there is none and it is time. */
static void start_template(struct pool *p)
{
	struct heritage h;
	struct template_start how = {
	    .heritage = &h,
	    .engine_fd = p->host->engine_fd,
	    .envp = p->envp,
	    .privs = &p->privs,
	    .boot_timeout_ms = p->conf->template_boot_timeout_ms,
	    .files = p->conf->rlimit_files > 0 ? NULL : p->host->files,
	    .hold_output = !p->host->announced,
	};
	uint64_t now_ms = loop_now_ms(p->host->loop);
	struct err e;

	if (p->state != POOL_SERVING || p->template.state != TEMPLATE_NONE ||
	    throttle_wait_ms(&p->throttle, now_ms) > 0)
		return;
	fill_heritage(p, &h);
	p->sent_away = p->stale_logs = false;
	if (template_start(&p->template, &how, &e) < 0) {
		log_pool(
		    LOG_LEVEL_ERROR, p->conf->name, "failed to start the template: %s", e.text);
		template_failed(p, now_ms);
	}
}

static void send_logs(struct pool *p)
{
	struct msg m = {.type = MSG_REOPEN, .u.reopen.has_error_log = 1};

	m.fds[m.nfds++] = logfile_fd();
	if (p->access_fd >= 0) {
		m.u.reopen.has_access_log = 1;
		m.fds[m.nfds++] = p->access_fd;
	}
	if (!template_send(&p->template, &m))
		log_pool(LOG_LEVEL_WARNING, p->conf->name, "the template keeps its old logs");
	p->stale_logs = false;
}

static void on_template_ready(void *ctx)
{
	struct pool *p = ctx;

	p->came_up = true;
	if (p->stale_logs)
		send_logs(p);
	if (p->renewing) {
		/* The old generation reads the end of its pipe and leaves after its requests. */
		p->renewing = false;
		retire_before(&p->retire);
		crew_retire_before(&p->crew, p->template.generation);
	}
	crew_template_ready(&p->crew);
	settle(p);
}

static void on_template_gone(void *ctx, bool was_ready)
{
	struct pool *p = ctx;
	uint64_t lived_ms = loop_now_ms(p->host->loop) - p->template.started_at_ms;

	trace_template_gone(&p->overtime.trace);
	crew_template_gone(&p->crew);
	if (p->state != POOL_SERVING) {
		p->host->changed(p->host->ctx);
		return;
	}
	if (was_ready && lived_ms >= TEMPLATE_PROOF_MS)
		throttle_succeeded(&p->throttle);
	if (!p->sent_away)
		template_failed(p, p->template.started_at_ms);
	else if (needs_template(p))
		start_template(p);
	else
		crew_look(&p->crew, false);
}

static void on_forked(void *ctx, const struct msg_forked *m)
{
	crew_forked(&((struct pool *)ctx)->crew, m);
}

static void on_refused(void *ctx, const struct msg_refused *m)
{
	crew_refused(&((struct pool *)ctx)->crew, m);
}

static void on_traced(void *ctx, const struct msg_traced *m)
{
	trace_answered(&((struct pool *)ctx)->overtime.trace, m);
}

const struct template_calls pool_template_calls = {
    .ready = on_template_ready,
    .forked = on_forked,
    .refused = on_refused,
    .traced = on_traced,
    .gone = on_template_gone,
};

/* --- crew ------------------------------------------------------------------------------- */

static void need_template(void *ctx)
{
	start_template(ctx);
}

static unsigned count_waiting(void *ctx, bool tick)
{
	struct pool *p = ctx;
	struct sockdiag_queue q = door_queue(&p->door, p->host->netlink_fd);

	/* As in php-fpm: what a worker is just about to take is no queue to tell of. */
	if (tick)
		bulletin_queue(&p->crew.bulletin, &q);
	return q.waiting;
}

static int open_outputs(void *ctx, struct slot *s, int fds[CHAN_FDS_MAX])
{
	struct pool *p = ctx;
	struct err e;

	if (!p->conf->catch_workers_output)
		return 0;
	s->output =
	    output_open(p->host->loop, p->conf, (uint32_t)p->host->conf->global.log_limit, fds, &e);
	if (s->output)
		return 2;
	log_pool(LOG_LEVEL_ERROR, p->conf->name, "no worker: %s", e.text);
	return -1;
}

static void on_arrived(void *ctx, struct slot *s)
{
	(void)ctx;
	if (s->output)
		output_start(s->output, s->pid);
}

static void on_slot_left(void *ctx, struct slot *s)
{
	struct pool *p = ctx;

	trace_slot_left(&p->overtime.trace, s);
	output_close(s->output);
	s->output = NULL;
	if (p->state != POOL_STOPPING)
		return;
	if (p->crew.taken == 0)
		template_leave(&p->template);
	p->host->changed(p->host->ctx);
}

static void on_crash(void *ctx)
{
	struct pool *p = ctx;

	p->host->crashed(p->host->ctx);
}

/*
 * An ondemand pool without a free worker: the next connection has to wake the
 * master. While a worker is free the master stays out of it, or it would be
 * woken by every connection.
 */
static void attend(void *ctx, bool watch)
{
	struct pool *p = ctx;

	if (watch)
		door_watch(&p->door, pool_called, p);
	else
		door_unwatch(&p->door);
}

const struct crew_calls pool_crew_calls = {
    .need_template = need_template,
    .waiting = count_waiting,
    .outputs = open_outputs,
    .arrived = on_arrived,
    .left = on_slot_left,
    .crashed = on_crash,
    .attend = attend,
};

/* --- serving ------------------------------------------------------------------------------ */

void pool_serve(struct pool *p)
{
	pool_move(p, POOL_SERVING);
	if (needs_template(p))
		start_template(p);
	else {
		p->settled = true;
		crew_look(&p->crew, false);
	}
}

bool pool_is_settled(const struct pool *p)
{
	return p->settled;
}

bool pool_has_failed(const struct pool *p)
{
	/* A pool that only tells of another one saves no start. */
	return p->conf->shows || (p->settled && !p->came_up && needs_template(p));
}

void pool_announced(struct pool *p)
{
	template_announced(&p->template);
}

static void send_away(struct pool *p)
{
	p->sent_away = true;
	template_leave(&p->template);
}

/*
 * The sockets have changed: the next template gets the new ones and its own
 * retire pipe; workers of the old one go when the new one is ready.
 */
static void renew(struct pool *p)
{
	struct err e;

	if (retire_renew(&p->retire, &e) < 0) {
		log_pool(LOG_LEVEL_ERROR, p->conf->name, "%s", e.text);
		return;
	}
	p->renewing = true;
	if (p->template.state == TEMPLATE_NONE)
		start_template(p);
	else
		send_away(p);
}

/* The template of a classic ondemand pool leaves when it had nothing to do for long. */
static void look_after_idle_template(struct pool *p)
{
	uint64_t now_ms = loop_now_ms(p->host->loop);

	if (needs_template(p) || p->template.state != TEMPLATE_READY || p->crew.taken > 0) {
		p->empty_at_ms = 0;
		return;
	}
	if (p->empty_at_ms == 0)
		p->empty_at_ms = now_ms;
	if (now_ms - p->empty_at_ms < p->conf->template_max_idle_ms)
		return;
	log_pool(LOG_LEVEL_DEBUG, p->conf->name, "template %d has been idle for long and leaves",
	    (int)p->template.pid);
	send_away(p);
}

void pool_tick(struct pool *p)
{
	if (p->state == POOL_SERVING) {
		/* Without any process there is nobody to be told. */
		if (door_look(&p->door) && !pool_is_empty(p))
			renew(p);
		template_tick(&p->template);
		look_after_idle_template(p);
		if (needs_template(p))
			start_template(p);
	}
	crew_look(&p->crew, true);
}

const struct crew *pool_crew(const struct pool *p)
{
	return &p->crew;
}

/* --- logs ------------------------------------------------------------------------------------ */

bool pool_has_access_log(const struct pool *p)
{
	return p->access_fd >= 0;
}

void pool_reopen_logs(struct pool *p)
{
	struct err e;
	int fd;

	if (p->access_fd >= 0) {
		fd = logfile_open("access log", p->conf->access_log, &e);
		if (fd < 0)
			log_pool(LOG_LEVEL_ERROR, p->conf->name, "%s", e.text);
		else {
			fd_close(&p->access_fd);
			p->access_fd = fd;
		}
	}
	if (p->template.state == TEMPLATE_READY)
		send_logs(p);
	else
		p->stale_logs = true;
	/* Workers have theirs from the fork: as in php-fpm, new ones take over. */
	if (p->access_fd >= 0 || p->conf->mode != POOL_MODE_CLASSIC)
		crew_replace_all(&p->crew);
}

/* --- stopping ---------------------------------------------------------------------------- */

/* Only the template that forked a worker can read where it is. */
static bool is_needed_for_traces(const struct pool *p)
{
	return p->conf->request_slowlog_timeout_ms > 0 && p->crew.taken > 0;
}

void pool_stop(struct pool *p)
{
	if (p->state != POOL_SERVING)
		return;
	pool_move(p, POOL_STOPPING);
	loop_forget(p->host->loop, &p->retry_timer);
	door_unwatch(&p->door);
	crew_stop(&p->crew);
	retire_all(&p->retire);
	if (!is_needed_for_traces(p))
		template_leave(&p->template);
}

void pool_resume(struct pool *p)
{
	struct err e;

	if (p->state != POOL_STOPPING)
		return;
	pool_move(p, POOL_SERVING);
	crew_resume(&p->crew);
	/* Those who were told to leave go; who comes now gets a pipe that is not closed. */
	if (retire_renew(&p->retire, &e) < 0)
		log_pool(LOG_LEVEL_ERROR, p->conf->name, "%s", e.text);
	if (p->template.state != TEMPLATE_NONE)
		send_away(p);
	else if (needs_template(p))
		start_template(p);
	else
		crew_look(&p->crew, false);
}

void pool_signal(struct pool *p, int signo)
{
	crew_signal(&p->crew, signo);
	if (signo == SIGTERM)
		template_leave(&p->template); /* nobody is traced any more */
	if (signo == SIGKILL)
		template_kill(&p->template, "it does not leave");
}

bool pool_is_empty(const struct pool *p)
{
	return p->state == POOL_NEW || (p->crew.taken == 0 && p->template.state == TEMPLATE_NONE);
}

void pool_hand_over(const struct pool *p, struct handover *h)
{
	door_hand_over(&p->door, h);
}

bool pool_knows(const struct pool *p, pid_t pid)
{
	return p->state != POOL_NEW && crew_knows(&p->crew, pid);
}
