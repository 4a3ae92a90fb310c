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
#include "master/crewlog.h"
#include "master/daemon.h"
#include "master/emergency.h"
#include "master/fdneeds.h"
#include "master/fdstore.h"
#include "master/handover.h"
#include "master/inherit.h"
#include "master/logfile.h"
#include "master/monitor.h"
#include "master/pool.h"
#include "master/reap.h"
#include "master/rehearse.h"
#include "master/reload.h"
#include "master/sockdiag.h"
#include "master/stop.h"
#include "master/tally.h"
#include "master/trial.h"
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

struct master {
	const struct cli *cli;
	char *const *argv;
	const struct conf *conf;
	struct pool_host host;
	size_t npools;
	struct pool **pools;
	struct pid_file pid_file;
	struct monitor monitor;
	struct fdstore fdstore;
	int report_fd;  /* to the parent of a daemon, or -1 */
	bool daemonize; /* in the background, or on its way there */
	bool up;        /* start-up was reported */
	bool ready;     /* ready to handle connections */
	struct stop stop;
	struct trial trial;
	struct emergency emergency;
	struct loop_handle tick_timer, report_timer;
	struct rlimit files; /* before it was raised */
	int exit_code;
};

/* --- stopping ------------------------------------------------------------------- */

static void drain_all(void *ctx)
{
	struct master *m = ctx;

	for (size_t i = 0; i < m->npools; i++)
		pool_stop(m->pools[i]);
}

static void tell_cut(void *ctx)
{
	const struct master *m = ctx;

	for (size_t i = 0; i < m->npools; i++)
		crewlog_cut(pool_crew(m->pools[i]));
}

static void signal_all(void *ctx, int signo)
{
	struct master *m = ctx;

	for (size_t i = 0; i < m->npools; i++)
		pool_signal(m->pools[i], signo);
}

static bool all_gone(const struct master *m)
{
	for (size_t i = 0; i < m->npools; i++)
		if (!pool_is_empty(m->pools[i]))
			return false;
	return true;
}

/* What takes over is what was tested: while we waited it may have been edited. */
static bool is_over(void *ctx)
{
	const struct master *m = ctx;

	return all_gone(m) && (m->stop.aim != STOP_RELOAD || trial_holds(&m->trial));
}

static const struct stop_calls stop_calls = {
    .drain = drain_all,
    .cut = tell_cut,
    .signal = signal_all,
    .is_over = is_over,
};

static void stop(struct master *m, enum stop_aim aim)
{
	trial_cancel(&m->trial);
	stop_begin(&m->stop, aim, m->conf->global.process_control_timeout_ms);
}

/* --- reload --------------------------------------------------------------------- */

/* All stays as it was; where processes have left already, others come. */
static void give_up_reload(struct master *m, const char *why)
{
	log_error("the reload is given up, all stays as it was%s%s", *why ? ": " : "", why);
	monitor_reload_failed(&m->monitor, *why ? why : "see the log; all stays as it was");
	if (m->stop.aim != STOP_RELOAD)
		return;
	stop_cancel(&m->stop);
	for (size_t i = 0; i < m->npools; i++)
		pool_resume(m->pools[i]);
}

static void test(struct master *m)
{
	struct err e;

	if (trial_start(&m->trial, &e) < 0)
		give_up_reload(m, e.text);
}

/* The next program tests the configuration before anything is touched. */
static void try_reload(struct master *m)
{
	if (m->stop.aim > STOP_RELOAD)
		return;
	if (m->stop.aim == STOP_NOT && !trial_runs(&m->trial)) {
		log_notice("Reloading in progress ...");
		monitor_reloading(&m->monitor);
	}
	/* On the way already: what was edited since is tested, too. */
	test(m);
}

static void collect_sockets(struct master *m, struct handover *h)
{
	for (size_t i = 0; i < m->npools; i++)
		pool_hand_over(m->pools[i], h);
}

static int list_sockets(void *ctx, struct err *e)
{
	struct handover h = {.rest = ((struct master *)ctx)->host.inherit};
	int fd;

	collect_sockets(ctx, &h);
	fd = rehearse_list(&h, e);
	handover_free(&h);
	return fd;
}

static void on_trial_done(void *ctx, bool passed)
{
	struct master *m = ctx;

	if (!passed)
		give_up_reload(m, "");
	else if (m->stop.aim == STOP_RELOAD)
		stop_look(&m->stop);
	else
		stop(m, STOP_RELOAD);
}

static void on_crash(void *ctx)
{
	struct master *m = ctx;
	const struct emergency *y = &m->emergency;

	if (m->stop.aim != STOP_NOT || !emergency_count(&m->emergency, loop_now_ms(m->host.loop)))
		return;
	log_warn("failed processes threshold (%u in %u sec) is reached, initiating reload",
	    y->threshold, y->interval_ms / 1000);
	try_reload(m);
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
	if (m->ready || m->stop.aim != STOP_NOT)
		return;
	for (size_t i = 0; i < m->npools; i++)
		if (!pool_is_settled(m->pools[i]))
			return;
	if (all_failed(m)) {
		log_error("FPM initialization failed");
		m->exit_code = EXIT_SOFTWARE;
		monitor_stopping(&m->monitor, "No pool could start PHP");
		stop(m, STOP_TERMINATE);
		return;
	}
	m->ready = true;
	log_notice("ready to handle connections");
	monitor_ready(&m->monitor);
	m->host.announced = true;
	for (size_t i = 0; i < m->npools; i++)
		pool_announced(m->pools[i]);
	report_up(m);
}

static void on_change(void *ctx)
{
	struct master *m = ctx;

	if (m->stop.aim == STOP_NOT) {
		look_for_ready(m);
		return;
	}
	if (m->stop.aim == STOP_RELOAD && all_gone(m) && !is_over(m)) {
		stop_hold(&m->stop);
		if (!trial_runs(&m->trial))
			test(m);
	}
	stop_look(&m->stop);
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
		if (!stop_may(&m->stop, STOP_TERMINATE))
			return;
		log_notice("Terminating ...");
		monitor_stopping(&m->monitor, "Terminating");
		stop(m, STOP_TERMINATE);
		break;
	case SIGQUIT:
		if (!stop_may(&m->stop, STOP_FINISH))
			return;
		log_notice("Finishing ...");
		monitor_stopping(&m->monitor, "Finishing");
		stop(m, STOP_FINISH);
		break;
	case SIGUSR1:
		if (m->stop.aim == STOP_NOT)
			reopen_logs(m);
		break;
	case SIGUSR2:
	case SIGHUP:
		try_reload(m);
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
	return trial_knows(&m->trial, pid);
}

/* Those of all pools: systemd is to have them for the next master. */
static void store_sockets(struct master *m)
{
	struct handover h = {0};

	collect_sockets(m, &h);
	fdstore_keep(&m->fdstore, &h);
	handover_free(&h);
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
	monitor_tick(&m->monitor);
	if (m->stop.aim == STOP_NOT)
		store_sockets(m);
}

static void look_at_pools(void *ctx, struct monitor_view *v)
{
	struct master *m = ctx;

	for (size_t i = 0; i < m->npools; i++) {
		const struct crew *crew = pool_crew(m->pools[i]);

		tally_add(&v->tally, crew->set.board);
		if (crew->passed_at_ms < v->passed_at_ms)
			v->passed_at_ms = crew->passed_at_ms;
	}
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

static void prepare_stops(struct master *m)
{
	const struct global_conf *g = &m->conf->global;
	struct trial_setup trial = {
	    .loop = m->host.loop,
	    .argv = m->argv,
	    .files = m->host.files,
	    .list = list_sockets,
	    .done = on_trial_done,
	    .ctx = m,
	};

	stop_init(&m->stop, m->host.loop, &stop_calls, m);
	trial_init(&m->trial, &trial);
	emergency_init(
	    &m->emergency, g->emergency_restart_threshold, g->emergency_restart_interval_ms);
}

static int open_host(struct master *m, struct err *e)
{
	m->host.engine_fd = spawn_open_engine(e);
	if (m->host.engine_fd < 0)
		return -1;
	m->host.netlink_fd = sockdiag_open();
	m->host.loop = loop_new(e);
	if (!m->host.loop)
		return -1;
	prepare_stops(m);
	return take_signals(m, e);
}

static int open_pools(struct master *m, struct err *e)
{
	inherit_announce(m->host.inherit);
	fdstore_expect(&m->fdstore, m->host.inherit);
	m->pools = must_memory(calloc(m->conf->npools, sizeof(struct pool *)));
	for (size_t i = 0; i < m->conf->npools; i++) {
		m->pools[m->npools++] = pool_new(&m->host, m->conf->pools[i]);
		if (pool_open(m->pools[i], e) < 0)
			return -1;
		/* A hidden pool stands behind the one that it tells of. */
		if (m->conf->pools[i]->shows && pool_show(m->pools[i], m->pools[i - 1], e) < 0)
			return -1;
	}
	store_sockets(m);
	inherit_drop_rest(m->host.inherit);
	return 0;
}

/* After a reload requests wait: that they are served matters more than the file. */
static int write_pid(struct master *m, struct err *e)
{
	const char *path = m->conf->global.pid;

	if (path && *path && daemon_write_pid(&m->pid_file, path, e) < 0) {
		if (!m->host.inherit->reloaded)
			return -1;
		log_error("%s", e->text);
	}
	if (m->host.inherit->reloaded)
		daemon_drop_pid(m->host.inherit->pid_path, &m->pid_file);
	return 0;
}

/* php-fpm's order. What fails here ends the start. */
static int start(struct master *m, struct err *e)
{
	if (set_limits(m, e) < 0)
		return -1;
	/* After a reload we are in the background already. */
	if (m->daemonize && !m->host.inherit->reloaded && daemon_detach(&m->report_fd, e) < 0)
		return -1;
	title_set("php-fpm: master process (%s)", m->conf->path);
	if (open_host(m, e) < 0 || open_pools(m, e) < 0)
		return -1;
	if (write_pid(m, e) < 0)
		return -1;
	return daemon_close_stdio(e);
}

static void serve(struct master *m)
{
	logfile_starts();
	log_notice("fpm is running, pid %d", (int)getpid());
	loop_every(m->host.loop, TICK_MS, on_tick, m, &m->tick_timer);
	loop_timer(m->host.loop, REPORT_AFTER_MS, report_up, m, &m->report_timer);
	monitor_start(&m->monitor, m->host.loop, look_at_pools, m);
	for (size_t i = 0; i < m->npools; i++)
		pool_serve(m->pools[i]);
	look_for_ready(m);
	loop_run(m->host.loop);
}

/* Comes back only if it fails. */
static void give_way(struct master *m)
{
	struct handover h = {.rest = m->host.inherit, .pid_path = m->pid_file.path};
	struct err e;

	report_up(m); /* it was up, whatever comes next */
	collect_sockets(m, &h);
	if (m->host.files && setrlimit(RLIMIT_NOFILE, m->host.files) < 0)
		log_warn("setrlimit(RLIMIT_NOFILE) failed: errno %d", errno);
	notify_flush(m->monitor.notify);
	if (notify_restore(m->monitor.notify, &e) < 0 || reload_exec(m->argv, &h, &e) < 0)
		log_error("%s", e.text);
	handover_free(&h);
	m->exit_code = EXIT_SOFTWARE;
}

static void close_all(struct master *m)
{
	trial_cancel(&m->trial);
	inherit_drop_rest(m->host.inherit);
	emergency_free(&m->emergency);
	/* What is still in the store after a start that failed is for the next one. */
	for (size_t i = 0; i < m->npools; i++)
		pool_free(m->pools[i], m->fdstore.n == 0);
	free(m->pools);
	fdstore_free(&m->fdstore);
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
	    .argv = s->argv,
	    .conf = s->conf,
	    .daemonize = s->daemonize,
	    .report_fd = -1,
	    .host = host_of(s),
	};
	struct err e;

	m.host.changed = on_change;
	m.host.crashed = on_crash;
	m.host.ctx = &m;
	monitor_init(&m.monitor, s->notify, &s->conf->global);
	fdstore_init(&m.fdstore, s->notify);
	if (start(&m, &e) < 0) {
		log_error("%s", e.text);
		log_error("FPM initialization failed");
		m.exit_code = EXIT_CONFIG;
	} else {
		serve(&m);
		if (m.stop.aim == STOP_RELOAD)
			give_way(&m);
		fdstore_keep(&m.fdstore, &(struct handover){0});
		log_notice("exiting, bye-bye!");
	}
	close_all(&m);
	return m.exit_code;
}
