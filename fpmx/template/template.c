/*
 * template: starts PHP and forks workers; it serves nothing.
 *
 * Runs in: template, one for each pool and generation, as the pool's user.
 * The master tells it by messages what to do; it does one thing at a time and
 * waits only for the next message. It leaves by _exit: what PHP and its
 * extensions registered for the end of a process is not its to run.
 */
#include "template/template.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "php/engine.h"
#include "proc/chan.h"
#include "proc/confine.h"
#include "proc/exits.h"
#include "proc/jail.h"
#include "proc/privs.h"
#include "proc/slowentry.h"
#include "proc/spawn.h"
#include "proc/title.h"
#include "status/scoreboard.h"
#include "template/boot.h"
#include "template/memory.h"
#include "worker/worker.h"

/* The heritage is a few kilobytes of configuration. */
#define HERITAGE_BLOCK_BYTES (32u << 10)

struct template
{
	struct heritage heritage;
	struct board *board;
	struct board *shown;  /* NULL: a usual pool */
	struct memory memory; /* of its workers */
	int orphans[2];
	struct worker *worker; /* in a child: what it has become */
	bool forking;          /* a worker, and not because a script wants a child */
	struct msg_ready ready;
};

_Static_assert((int)CONF_LOG_DEBUG == (int)LOG_LEVEL_DEBUG &&
		   (int)CONF_LOG_ALERT == (int)LOG_LEVEL_ALERT &&
		   (int)CONF_LOG_MAX == (int)LOG_LEVEL_MAX,
    "the levels of a configuration are those of the log");

static void open_log(const struct heritage *h)
{
	struct log_setup log = {
	    .fd = h->log_fd,
	    .mirror_fd = -1,
	    .level = (enum log_level)h->log.level,
	    .form = LOG_FORM_STAMPED,
	    .limit_bytes = h->log.limit_bytes,
	};

	log_configure(&log);
}

/*
 * The master reset all signals. SIGQUIT waits until a worker is ready to take
 * it; a template does not take it at all.
 */
static int hold_quit(struct err *e)
{
	sigset_t quit;

	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	if (sigprocmask(SIG_SETMASK, &quit, NULL) != 0)
		return err_sys(e, "failed to block SIGQUIT");
	return 0;
}

/* The channel is the only way to be told anything: without it, leave. */
_Noreturn static void leave(const struct template *t)
{
	_exit(getppid() == t->heritage.master_pid ? EXIT_DONE : EXIT_ORPHANED);
}

static void tell(const struct template *t, const struct msg *m)
{
	struct err e;

	switch (chan_send(t->heritage.channel_fd, MSG_FROM_TEMPLATE, m, &e)) {
	case CHAN_OK:
		return;
	case CHAN_CLOSED:
		leave(t);
	default:
		log_pool(LOG_LEVEL_ERROR, t->heritage.pool->name, "%s", e.text);
		_exit(EXIT_CHANNEL);
	}
}

/* What is the template's alone is closed; output goes where the master wants. */
static int become_child(struct template *t, const struct msg *order, struct err *e)
{
	const char *hat = t->heritage.pool->apparmor_hat;

	memory_give(&t->memory, order->u.fork.slot, order->u.fork.order);
	if (order->nfds == 2 &&
	    (dup2(order->fds[0], STDOUT_FILENO) < 0 || dup2(order->fds[1], STDERR_FILENO) < 0))
		return err_sys(e, "failed to take the output pipes");
	/* While the log is still open: of who fails here nobody else would know. */
	if (hat != NULL && *hat != '\0' && confine_to_hat(hat, e) != 0)
		return -1;
	for (int i = 0; i < order->nfds; i++)
		close(order->fds[i]);
	fd_close(&t->heritage.channel_fd);
	if (t->heritage.pool->mode == POOL_MODE_CLASSIC)
		fd_close(&t->heritage.log_fd);
	return 0;
}

/*
 * In the child. It comes back from here only where the template is inside of the
 * call of a script that goes on in the worker.
 */
static void become_worker(struct template *t, const struct msg *order)
{
	const struct pool_conf *pool = t->heritage.pool;
	struct worker_start start = {
	    .heritage = &t->heritage,
	    .board = t->board,
	    .shown = t->shown,
	    .slot = order->u.fork.slot,
	    .orphans = {t->orphans[0], t->orphans[1]},
	};
	struct err e;

	if (become_child(t, order, &e) != 0) {
		log_pool(LOG_LEVEL_ERROR, pool->name, "%s", e.text);
		_exit(EXIT_SOFTWARE);
	}
	t->worker = worker_open(&start);
	if (t->worker == NULL)
		exit(EXIT_SOFTWARE);
	if (pool->mode == POOL_MODE_ISOLATED && !engine_thaw())
		_exit(EXIT_SOFTWARE);
	if (pool->mode != POOL_MODE_WORKER)
		exit(worker_run(t->worker));
	if (!pool->cow)
		exit(worker_run_script(t->worker, pool));
}

static void on_fork(struct template *t, struct msg *order)
{
	struct msg answer = {.type = MSG_FORKED};
	struct err e = {0};
	pid_t pid;

	must(order->u.fork.slot < t->heritage.nslots);
	memory_take(&t->memory);
	t->forking = true;
	pid = spawn_sibling(t->heritage.master_pid, &e);
	t->forking = false;
	if (pid == 0) {
		become_worker(t, order);
		return;
	}
	for (int i = 0; i < order->nfds; i++)
		fd_close(&order->fds[i]);
	if (pid > 0) {
		answer.u.forked = (struct msg_forked){
		    .slot = order->u.fork.slot,
		    .order = order->u.fork.order,
		    .pid = pid,
		};
	} else {
		answer.type = MSG_REFUSED;
		answer.u.refused = (struct msg_refused){
		    .slot = order->u.fork.slot,
		    .order = order->u.fork.order,
		    .sys = e.sys,
		};
	}
	tell(t, &answer);
}

static void replace_fd(const struct template *t, int *fd, struct msg *m, int *next)
{
	if (*next >= m->nfds) {
		log_pool(LOG_LEVEL_ERROR, t->heritage.pool->name,
		    "a message promised a log that did not come along");
		_exit(EXIT_CHANNEL);
	}
	fd_close(fd);
	*fd = m->fds[*next];
	m->fds[(*next)++] = -1;
}

/* For workers to come; those that run go on with what they have. */
static void on_reopen(struct template *t, struct msg *m)
{
	int next = 0;

	if (m->u.reopen.has_error_log)
		replace_fd(t, &t->heritage.log_fd, m, &next);
	if (m->u.reopen.has_access_log)
		replace_fd(t, &t->heritage.access_fd, m, &next);
	for (; next < m->nfds; next++)
		fd_close(&m->fds[next]);
	open_log(&t->heritage);
}

/* Where the worker is; false: nothing is known of it. */
static bool write_entry(struct template *t, const struct msg_trace *m, int log_fd)
{
	const struct pool_conf *pool = t->heritage.pool;
	int fd = memory_of(&t->memory, m->slot, m->order);
	enum engine_trace result = ENGINE_TRACE_NOTHING;
	struct strbuf entry;
	struct err e;

	strbuf_init(&entry, SLOWENTRY_MAX_BYTES);
	slowentry_begin(&entry, pool->name, m->pid);
	if (fd >= 0)
		result = engine_trace(fd, (uint32_t)pool->request_slowlog_trace_depth, &entry);
	if (result == ENGINE_TRACE_CUT)
		slowentry_give_up(&entry);
	if (result != ENGINE_TRACE_NOTHING && slowentry_write(&entry, log_fd, &e) < 0)
		log_pool(LOG_LEVEL_ERROR, pool->name, "%s", e.text);
	strbuf_free(&entry);
	return result != ENGINE_TRACE_NOTHING;
}

static void on_trace(struct template *t, struct msg *m)
{
	struct msg answer = {.type = MSG_TRACED, .u.traced.number = m->u.trace.number};

	if (m->nfds == 1)
		answer.u.traced.written = write_entry(t, &m->u.trace, m->fds[0]);
	for (int i = 0; i < m->nfds; i++)
		fd_close(&m->fds[i]);
	tell(t, &answer);
}

static void on_ping(struct template *t, const struct msg *m)
{
	struct msg answer = {.type = MSG_PONG, .u.ping = m->u.ping};

	tell(t, &answer);
}

static void follow(struct template *t, struct msg *m)
{
	switch (m->type) {
	case MSG_FORK:
		on_fork(t, m);
		break;
	case MSG_REOPEN:
		on_reopen(t, m);
		break;
	case MSG_TRACE:
		on_trace(t, m);
		break;
	case MSG_PING:
		on_ping(t, m);
		break;
	default:
		/* chan_recv() lets through only what a master may send. */
		must(false);
	}
}

/* Returns in the workers of a script only. */
static void serve_master(struct template *t)
{
	struct msg m;
	struct err e;

	while (t->worker == NULL) {
		switch (chan_recv(t->heritage.channel_fd, MSG_FROM_TEMPLATE, &m, &e)) {
		case CHAN_OK:
			follow(t, &m);
			break;
		case CHAN_AGAIN:
			break;
		case CHAN_CLOSED:
			leave(t);
		case CHAN_ABUSE:
			log_pool(LOG_LEVEL_ERROR, t->heritage.pool->name, "%s", e.text);
			_exit(EXIT_CHANNEL);
		}
	}
}

_Noreturn static void fail(const struct template *t, int code, const struct err *e)
{
	struct msg m = {.type = MSG_FAILED};

	snprintf(m.u.failed.text, sizeof(m.u.failed.text), "%.*s", (int)sizeof(m.u.failed.text) - 1,
	    e->text);
	tell(t, &m);
	_exit(code);
}

static int open_boards(struct template *t, struct err *e)
{
	const struct heritage *h = &t->heritage;

	t->board = board_open(h->board_fd, h->nslots, e);
	if (t->board == NULL)
		return -1;
	if (h->shown.pool == NULL)
		return 0;
	t->shown = board_open_shared(h->shown.board_fd, h->shown.nslots, e);
	return t->shown == NULL ? -1 : 0;
}

/* A pool can do without a slow log's traces. */
static void open_memory(struct template *t)
{
	struct err e;

	if (t->heritage.pool->request_slowlog_timeout_ms > 0 &&
	    memory_open(&t->memory, t->heritage.nslots, &e) < 0)
		log_pool(
		    LOG_LEVEL_WARNING, t->heritage.pool->name, "no traces of workers: %s", e.text);
}

/* --- a script that is booted here, and loops in the workers --------------------- */

static void freeze(void *ctx)
{
	struct template *t = ctx;
	struct msg ready = {.type = MSG_READY};

	boot_done(&t->ready);
	ready.u.ready = t->ready;
	tell(t, &ready);
	serve_master(t);
}

static void begin(void *ctx)
{
	worker_begin(((struct template *)ctx)->worker);
}

static bool next(void *ctx)
{
	struct template *t = ctx;

	if (worker_next(t->worker))
		return true;
	worker_leave_loop(t->worker);
	return false;
}

/* Not by exit(): what libraries have registered for it is of the state that is in doubt. */
static void gone(void *ctx)
{
	_exit(worker_close(((struct template *)ctx)->worker, WORKER_END_BROKEN));
}

/* For abandon(); a process is one template. */
static struct template *this_template;

/* In a child that a script has forked while it booted: no port is to wait for its end. */
static void abandon(void)
{
	struct heritage *h = &this_template->heritage;

	if (this_template->forking || this_template->worker != NULL)
		return;
	fd_close(&h->channel_fd);
	fd_close(&h->retire_fd);
	fd_close(&h->wake_fd);
	fd_close(&h->board_fd);
	fd_close(&h->access_fd);
	fd_close(&this_template->orphans[0]);
	fd_close(&this_template->orphans[1]);
	for (size_t i = 0; i < h->nlisten; i++)
		close(h->listen_fds[i]);
}

static void mind_forks(struct template *t)
{
	struct err e;

	this_template = t;
	if (pthread_atfork(NULL, NULL, abandon) == 0)
		return;
	(void)err_set(&e, "failed to prepare for forks");
	fail(t, EXIT_SOFTWARE, &e);
}

/* Comes back with all booted. */
static void run_boot_script(struct template *t)
{
	struct err why;

	mind_forks(t);
	if (engine_boot(t->heritage.pool->script, &why) != 0)
		fail(t, EXIT_SCRIPT, &why);
}

_Noreturn static void run_script(struct template *t)
{
	struct engine_app_calls calls = {
	    .freeze = freeze, .begin = begin, .next = next, .gone = gone, .ctx = t};
	struct err why;

	mind_forks(t);
	switch (engine_run_app(t->heritage.pool->script, &calls, &why)) {
	case ENGINE_APP_LEFT:
		exit(worker_close(t->worker, WORKER_END_TOLD));
	case ENGINE_APP_ENDED:
		exit(worker_close(t->worker, WORKER_END_LEFT));
	case ENGINE_APP_FAILED:
		break;
	}
	fail(t, EXIT_SCRIPT, &why);
}

static int template_run(int heritage_fd)
{
	struct template t = {.orphans = {-1, -1}};
	struct arena *arena = arena_new(HERITAGE_BLOCK_BYTES);
	const struct pool_conf *pool;
	struct err e;

	memory_init(&t.memory);
	if (heritage_open(heritage_fd, arena, &t.heritage, &e) != 0) {
		log_error("%s", e.text);
		_exit(EXIT_HERITAGE);
	}
	title_set("php-fpm: template %s", t.heritage.pool->name);
	must_whoami("a template");
	open_log(&t.heritage);
	/* Before any code of the pool can run: exec has made us dumpable again. */
	if (privs_settle(t.heritage.dumpable, &e) != 0 || hold_quit(&e) != 0)
		fail(&t, EXIT_SOFTWARE, &e);
	open_memory(&t);
	if (open_boards(&t, &e) != 0)
		fail(&t, EXIT_HERITAGE, &e);
	if (boot_php(&t.heritage, &t.ready, &e) != 0)
		fail(&t, EXIT_PHP_START, &e);
	if (t.heritage.jailed &&
	    jail_enter(t.heritage.pool->chroot, t.heritage.pool->chdir, &e) != 0)
		fail(&t, EXIT_SOFTWARE, &e);
	pool = t.heritage.pool;
	if (pool->mode != POOL_MODE_CLASSIC && worker_share(t.orphans, &e) != 0)
		fail(&t, EXIT_SOFTWARE, &e);
	if (pool->mode == POOL_MODE_ISOLATED)
		run_boot_script(&t);
	if (pool->mode == POOL_MODE_WORKER && pool->cow)
		run_script(&t);
	freeze(&t);
	must(!"a template that serves nobody");
	return EXIT_SOFTWARE;
}

const struct role template_role = {.name = "template", .run = template_run};
