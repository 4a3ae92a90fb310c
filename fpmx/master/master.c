/*
 * master: the supervisor.
 *
 * Runs in: master.
 */
#include "master/master.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/loop.h"
#include "base/must.h"
#include "master/daemon.h"
#include "master/fdneeds.h"
#include "master/inherit.h"
#include "master/logfile.h"
#include "master/pool.h"
#include "master/reap.h"
#include "master/sockdiag.h"
#include "proc/exits.h"
#include "proc/privs.h"
#include "proc/spawn.h"
#include "proc/title.h"

#define TICK_MS 1000

/*
 * The parent of a daemon waits 10 s for our report: it gets it before that even
 * when a template still starts.
 */
#define REPORT_AFTER_MS 8000

/* SIGQUIT with no process_control_timeout: requests get so long to finish. */
#define DRAIN_DEFAULT_MS 30000
/* From SIGTERM to SIGKILL, where process_control_timeout does not say. */
#define TERM_LIMIT_MS 1000
#define KILL_EVERY_MS 1000
/* What survives so many SIGKILLs is in the kernel's hands: we leave it there. */
#define KILL_TRIES 10

enum stop_stage {
	STOP_NONE,
	STOP_DRAIN, /* QUIT: requests may finish */
	STOP_TERM,
	STOP_KILL,
	STOP_STAGE_MAX
};

struct master {
	const struct cli *cli;
	const struct conf *conf;
	struct pool_host host;
	size_t npools;
	struct pool **pools;
	struct pid_file pid_file;
	int report_fd; /* to the parent of a daemon, or -1 */
	bool daemonize;
	bool up;    /* start-up was reported */
	bool ready; /* ready to handle connections */
	enum stop_stage stop;
	unsigned kills;
	struct loop_handle tick_timer, report_timer, stop_timer;
	struct rlimit files; /* before it was raised */
	int exit_code;
};

/* A stop only gets stronger; a repeated signal changes nothing. */
static const unsigned moves[STOP_STAGE_MAX] = {
    [STOP_NONE] = 1U << STOP_DRAIN | 1U << STOP_TERM,
    [STOP_DRAIN] = 1U << STOP_TERM,
    [STOP_TERM] = 1U << STOP_KILL,
    [STOP_KILL] = 0,
};

static bool may_stop(const struct master *m, enum stop_stage to)
{
	return moves[m->stop] & (1U << to);
}

static void move(struct master *m, enum stop_stage to)
{
	must(may_stop(m, to));
	m->stop = to;
}

/* --- stopping ------------------------------------------------------------------- */

static void set_stop_timer(struct master *m, uint32_t after_ms, loop_timer_fn *call)
{
	loop_forget(m->host.loop, &m->stop_timer);
	loop_timer(m->host.loop, after_ms, call, m, &m->stop_timer);
}

static void signal_all(struct master *m, int signo)
{
	for (size_t i = 0; i < m->npools; i++)
		pool_signal(m->pools[i], signo);
}

static void kill_again(void *ctx)
{
	struct master *m = ctx;

	if (m->kills++ == KILL_TRIES) {
		log_error("processes do not die, leaving them behind");
		loop_stop(m->host.loop);
		return;
	}
	signal_all(m, SIGKILL);
	set_stop_timer(m, KILL_EVERY_MS, kill_again);
}

static void term_is_late(void *ctx)
{
	move(ctx, STOP_KILL);
	kill_again(ctx);
}

static void enter_term(struct master *m, uint32_t limit_ms)
{
	move(m, STOP_TERM);
	for (size_t i = 0; i < m->npools; i++) {
		pool_stop(m->pools[i]);
		pool_log_cut(m->pools[i]);
	}
	signal_all(m, SIGTERM);
	set_stop_timer(m, limit_ms, term_is_late);
}

static void drain_is_late(void *ctx)
{
	enter_term(ctx, TERM_LIMIT_MS);
}

static void look_for_end(struct master *m);

static void terminate(struct master *m)
{
	uint32_t limit_ms = m->conf->global.process_control_timeout_ms;

	enter_term(m, limit_ms > 0 ? limit_ms : TERM_LIMIT_MS);
	look_for_end(m);
}

static void finish(struct master *m)
{
	uint32_t limit_ms = m->conf->global.process_control_timeout_ms;

	move(m, STOP_DRAIN);
	for (size_t i = 0; i < m->npools; i++)
		pool_stop(m->pools[i]);
	set_stop_timer(m, limit_ms > 0 ? limit_ms : DRAIN_DEFAULT_MS, drain_is_late);
	look_for_end(m);
}

static void look_for_end(struct master *m)
{
	for (size_t i = 0; i < m->npools; i++)
		if (!pool_is_empty(m->pools[i]))
			return;
	loop_stop(m->host.loop);
}

/* --- start-up's end ---------------------------------------------------------------- */

static void report_up(void *ctx)
{
	struct master *m = ctx;

	if (m->up)
		return;
	m->up = true;
	loop_forget(m->host.loop, &m->report_timer);
	logfile_started(m->daemonize);
	daemon_report(&m->report_fd);
}

/* Every pool that needs PHP at start has failed to get it. */
static bool all_failed(const struct master *m)
{
	for (size_t i = 0; i < m->npools; i++)
		if (!pool_has_failed(m->pools[i]))
			return false;
	return true;
}

static void look_for_ready(struct master *m)
{
	if (m->ready || m->stop != STOP_NONE)
		return;
	for (size_t i = 0; i < m->npools; i++)
		if (!pool_is_settled(m->pools[i]))
			return;
	if (all_failed(m)) {
		log_error("FPM initialization failed");
		m->exit_code = EXIT_SOFTWARE;
		terminate(m);
		return;
	}
	m->ready = true;
	log_notice("ready to handle connections");
	m->host.announced = true;
	for (size_t i = 0; i < m->npools; i++)
		pool_announced(m->pools[i]);
	report_up(m);
}

static void on_change(void *ctx)
{
	struct master *m = ctx;

	if (m->stop != STOP_NONE)
		look_for_end(m);
	else
		look_for_ready(m);
}

/* --- signals -------------------------------------------------------------------------- */

static void reopen_logs(struct master *m)
{
	bool access_logs = false;
	struct err e;

	if (logfile_reopen(&m->conf->global, &e) < 0) {
		log_error("%s", e.text);
		return;
	}
	log_notice("error log file re-opened");
	for (size_t i = 0; i < m->npools; i++) {
		pool_reopen_logs(m->pools[i]);
		access_logs |= pool_has_access_log(m->pools[i]);
	}
	if (access_logs)
		log_notice("access log file re-opened");
}

static void on_signal(void *ctx, int signo)
{
	struct master *m = ctx;

	switch (signo) {
	case SIGTERM:
	case SIGINT:
		if (!may_stop(m, STOP_TERM))
			return;
		log_notice("Terminating ...");
		terminate(m);
		break;
	case SIGQUIT:
		if (!may_stop(m, STOP_DRAIN))
			return;
		log_notice("Finishing ...");
		finish(m);
		break;
	case SIGUSR1:
		if (m->stop == STOP_NONE)
			reopen_logs(m);
		break;
	case SIGUSR2:
	case SIGHUP:
		log_warn("reload is not available in this version, nothing was changed");
		break;
	default:
		must(!"a signal that we asked for");
	}
}

static void ignore(int signo)
{
	(void)signo;
}

/*
 * SIGPIPE gets a handler instead of being ignored: that an exec undoes, and
 * what scripts start finds the signal as it should be. SIGCHLD must not be
 * ignored, or the kernel would collect our children before we see them.
 */
static int take_signals(struct master *m, struct err *e)
{
	static const int ours[] = {SIGTERM, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGHUP};
	struct sigaction pipe_action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
	struct sigaction child_action = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigaction(SIGPIPE, &pipe_action, NULL);
	sigaction(SIGCHLD, &child_action, NULL);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		sigaddset(&set, ours[i]);
	return loop_signals(m->host.loop, &set, on_signal, m, e);
}

/* --- each second ------------------------------------------------------------------------ */

static bool is_known(void *ctx, pid_t pid)
{
	struct master *m = ctx;

	for (size_t i = 0; i < m->npools; i++)
		if (pool_knows(m->pools[i], pid))
			return true;
	return false;
}

static void on_tick(void *ctx)
{
	struct master *m = ctx;
	struct crew_total *total = &m->host.total;

	for (size_t i = 0; i < m->npools; i++)
		pool_tick(m->pools[i]);
	if (total->workers < total->max)
		total->warned = false;
	reap_strangers(is_known, m);
}

/* --- start-up ------------------------------------------------------------------------------ */

/* Templates get the old limit back: scripts see what they would see under php-fpm. */
static int raise_files(struct master *m, struct err *e)
{
	unsigned *max = &m->host.total.max;

	switch (fdneeds_raise(m->conf, &m->files, max, e)) {
	case FDNEEDS_ENOUGH:
		return 0;
	case FDNEEDS_RAISED:
		m->host.files = &m->files;
		return 0;
	default:
		return -1;
	}
}

static int set_limits(struct master *m, struct err *e)
{
	const struct global_conf *g = &m->conf->global;

	if (privs_limit_self(g->rlimit_files, g->rlimit_core, e) < 0)
		return -1;
	if (m->host.root && global_is_set(g, process_priority) &&
	    setpriority(PRIO_PROCESS, 0, g->process_priority) < 0)
		return err_sys(e, "Unable to set priority for the master process");
	return raise_files(m, e);
}

static int open_host(struct master *m, struct err *e)
{
	m->host.engine_fd = spawn_open_engine(e);
	if (m->host.engine_fd < 0)
		return -1;
	m->host.netlink_fd = sockdiag_open();
	m->host.loop = loop_new(e);
	return m->host.loop ? take_signals(m, e) : -1;
}

static int open_pools(struct master *m, struct err *e)
{
	inherit_announce(m->host.inherit);
	m->pools = must_memory(calloc(m->conf->npools, sizeof(struct pool *)));
	for (size_t i = 0; i < m->conf->npools; i++) {
		m->pools[m->npools++] = pool_new(&m->host, m->conf->pools[i]);
		if (pool_open(m->pools[i], e) < 0)
			return -1;
	}
	inherit_drop_rest(m->host.inherit);
	return 0;
}

/* php-fpm's order. What fails here ends the start. */
static int start(struct master *m, struct err *e)
{
	const char *pid_path = m->conf->global.pid;

	if (set_limits(m, e) < 0)
		return -1;
	if (m->daemonize && daemon_detach(&m->report_fd, e) < 0)
		return -1;
	title_set("php-fpm: master process (%s)", m->conf->path);
	if (open_host(m, e) < 0 || open_pools(m, e) < 0)
		return -1;
	if (pid_path && *pid_path && daemon_write_pid(&m->pid_file, pid_path, e) < 0)
		return -1;
	return daemon_close_stdio(e);
}

static void serve(struct master *m)
{
	log_notice("fpm is running, pid %d", (int)getpid());
	loop_every(m->host.loop, TICK_MS, on_tick, m, &m->tick_timer);
	loop_timer(m->host.loop, REPORT_AFTER_MS, report_up, m, &m->report_timer);
	for (size_t i = 0; i < m->npools; i++)
		pool_serve(m->pools[i]);
	look_for_ready(m);
	loop_run(m->host.loop);
}

static void close_all(struct master *m)
{
	for (size_t i = 0; i < m->npools; i++)
		pool_free(m->pools[i], true);
	free(m->pools);
	daemon_remove_pid(&m->pid_file);
	loop_free(m->host.loop);
	fd_close(&m->host.engine_fd);
	fd_close(&m->host.netlink_fd);
	fd_close(&m->report_fd);
}

int master_run(const struct master_start *s)
{
	struct master m = {
	    .cli = s->cli,
	    .conf = s->conf,
	    .daemonize = s->daemonize,
	    .report_fd = -1,
	    .host = {.conf = s->conf,
		.php = s->cli->php,
		.environ = s->environ,
		.engine_fd = -1,
		.netlink_fd = -1,
		.inherit = s->inherit,
		.root = geteuid() == 0,
		.allow_root = s->cli->allow_root,
		.total = {.max = (unsigned)s->conf->global.process_max},
		.changed = on_change},
	};
	struct err e;

	m.host.ctx = &m;
	m.host.php.config_path = s->conf->path;
	if (start(&m, &e) < 0) {
		log_error("%s", e.text);
		log_error("FPM initialization failed");
		m.exit_code = EXIT_CONFIG;
	} else {
		serve(&m);
		log_notice("exiting, bye-bye!");
	}
	close_all(&m);
	return m.exit_code;
}
