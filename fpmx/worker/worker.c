/*
 * worker: serves requests, one at a time, until it is told to retire.
 *
 * Runs in: worker, forked from the template.
 * The loop is worker_run(). What it waits for is wait.c's, what a request is
 * for route.c's, how a script runs the engine's, when to leave recycle.c's.
 * Never: returns to the template's code, keeps a request's memory.
 */
#include "worker/worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/must.h"
#include "php/engine.h"
#include "proc/exits.h"
#include "proc/title.h"
#include "worker/accesslog.h"
#include "worker/clients.h"
#include "worker/orphans.h"
#include "worker/recycle.h"
#include "worker/respond.h"
#include "worker/route.h"
#include "worker/script.h"
#include "worker/wait.h"

/* A usual request needs a few kilobytes: its parameters, and what names them. */
#define REQUEST_BLOCK_BYTES (64u << 10)
#define WORKER_BLOCK_BYTES 4096u
/* A status page of 12,800 workers is about 6 MB. */
#define PAGE_MAX_BYTES (16u << 20)
/* A request shutdown that took less is not told apart from the next request. */
#define SHUTDOWN_NOTICED_US 1000

struct worker {
	const struct heritage *heritage;
	const struct pool_conf *pool;
	struct board *board;
	const struct board *shown; /* whose status is told; usually our own */
	uint32_t slot;
	struct arena *own;     /* lives as long as the process */
	struct arena *request; /* lives as long as a request */
	struct clients clients;
	struct access_format access_format;
	struct sink access_log; /* fd -1: none */
	struct wait *wait;
	struct conn *conn;
	struct strbuf page;

	struct worker_view view; /* what the board shows of us */
	struct tms cpu;          /* before the request */
	uint64_t cpu_read_us;

	struct recycle_view life;
	enum recycle recycle; /* what the last request has led to */
	bool begun;           /* has come to wait for requests */

	/* The request being served. */
	uint32_t others_idle; /* when it came */
	bool called;          /* the master, on its account */
	const struct conn_request *fcgi;
	const struct engine_request *asked;
	enum route route;
};

static void publish(struct worker *w)
{
	*board_begin(w->board, w->slot) = w->view;
	board_end(w->board, w->slot);
}

static void set_state(struct worker *w, enum worker_state state)
{
	w->view.state = state;
	board_set_state(w->board, w->slot, state);
}

static void cut_copy(char *to, size_t room, const char *from)
{
	size_t n = from != NULL ? strnlen(from, room - 1) : 0;

	memcpy(to, from != NULL ? from : "", n);
	to[n] = '\0';
}

/*
 * We are going to be busy for longer: does the pool need more workers? A page
 * of ours is no reason to ask: who looks at the status would change it.
 */
static void call_master(void *ctx)
{
	struct worker *w = ctx;
	const uint64_t one = 1;
	struct pool_view pool;

	if (w->called)
		return;
	w->called = true;
	/* Read while its writer was at work, one number is good all the same. */
	(void)board_read_pool(w->board, &pool);
	if (w->others_idle >= pool.wake_below)
		return;
	/* A full counter means that it has been called already. */
	if (write(w->heritage->wake_fd, &one, sizeof(one)) < 0)
		return;
}

static void read_cpu(struct worker *w)
{
	times(&w->cpu);
	w->cpu_read_us = clock_now_us();
}

static void note_reading(struct worker *w)
{
	struct worker_view *v = &w->view;
	struct board_counts counts;

	v->requests++;
	v->accepted++;
	v->request_started_wall_us = clock_wall_us();
	v->request_started_us = clock_now_us();
	v->content_length = 0;
	v->method[0] = v->uri[0] = v->query[0] = v->user[0] = v->script[0] = '\0';
	set_state(w, WORKER_READING);
	counts = board_count(w->board);
	if (counts.active > v->active_max)
		v->active_max = counts.active;
	publish(w);
	w->others_idle = counts.idle;
	w->called = false;
}

static uint64_t length_of(const char *text)
{
	long long n = text != NULL ? strtoll(text, NULL, 10) : 0;

	return n > 0 ? (uint64_t)n : 0;
}

static void note_request(struct worker *w, const struct engine_request *r)
{
	const struct params *params = w->fcgi->params;
	struct worker_view *v = &w->view;

	v->state = WORKER_SETUP;
	if (r->named)
		v->content_length = length_of(params_get(params, "CONTENT_LENGTH"));
	cut_copy(v->method, sizeof(v->method), params_get(params, "REQUEST_METHOD"));
	if (r->named)
		cut_copy(v->query, sizeof(v->query), params_get(params, "QUERY_STRING"));
	cut_copy(v->uri, sizeof(v->uri), r->script_name);
	cut_copy(v->script, sizeof(v->script), r->script);
	publish(w);
	set_state(w, WORKER_SETUP);
}

static uint64_t ticks_us(clock_t later, clock_t earlier)
{
	static long per_second;

	if (per_second == 0)
		per_second = sysconf(_SC_CLK_TCK);
	return (uint64_t)(later - earlier) * 1000000 / (uint64_t)per_second;
}

/* The response is complete; PHP has not cleaned up yet. */
static void on_response(void *ctx, struct engine_request *r)
{
	struct worker *w = ctx;
	struct worker_view *v = &w->view;
	struct tms before = w->cpu;
	struct access_facts facts = {
	    .pool = w->pool->name,
	    .view = v,
	    .peer = conn_peer(w->conn),
	    .params = w->fcgi->params,
	    .header = engine_response_header,
	    .status = r->http_status,
	    .parent_pid = w->heritage->master_pid,
	};

	read_cpu(w);
	facts.cpu_user_us = ticks_us(w->cpu.tms_utime, before.tms_utime) +
			    ticks_us(w->cpu.tms_cutime, before.tms_cutime);
	facts.cpu_system_us = ticks_us(w->cpu.tms_stime, before.tms_stime) +
			      ticks_us(w->cpu.tms_cstime, before.tms_cstime);
	v->state = WORKER_ENDING;
	v->request_duration_us = w->cpu_read_us - v->request_started_us;
	v->cpu_us = facts.cpu_user_us + facts.cpu_system_us;
	v->peak_memory_bytes = r->peak_memory_bytes;
	cut_copy(v->user, sizeof(v->user), r->auth_user);
	publish(w);
	set_state(w, WORKER_ENDING);
	if (w->access_log.fd < 0)
		return;
	facts.ended_wall_us = v->request_started_wall_us + v->request_duration_us;
	if (access_write(&w->access_log, &w->access_format, &w->pool->access_suppress_path, &facts))
		engine_log(LOG_LEVEL_NOTICE,
		    "the log buffer is full (%d). The access log request has been truncated.",
		    ACCESS_LINE_MAX);
}

static void on_state(void *ctx, int state)
{
	struct worker *w = ctx;

	/* PHP's request start-up has found out who the user is. */
	if (state == WORKER_RUNNING) {
		cut_copy(w->view.user, sizeof(w->view.user), w->asked->auth_user);
		publish(w);
	}
	set_state(w, (enum worker_state)state);
}

/* What a page has told may have been seen by nobody else, and must not fall. */
static void note_active(struct worker *w, uint32_t active_max)
{
	if (w->shown != w->board || active_max <= w->view.active_max)
		return;
	w->view.active_max = active_max;
	publish(w);
}

static void make_page(void *ctx, struct engine_page *page)
{
	struct worker *w = ctx;
	const struct heritage_shown *shown = &w->heritage->shown;
	struct respond_status status = {
	    .pool = shown->pool != NULL ? shown->pool : w->pool->name,
	    .manager = shown->pool != NULL ? shown->manager : w->pool->pm,
	    .board = w->shown,
	    .method = w->view.method,
	    .asks = engine_query_asks,
	};

	if (w->route == ROUTE_PING)
		respond_ping(w->pool, page);
	else
		note_active(w, respond_status(&status, w->request, &w->page, page));
}

static char stat_kind(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return 0;
	return S_ISREG(st.st_mode) ? 'f' : S_ISDIR(st.st_mode) ? 'd' : 'o';
}

static void run(struct worker *w, const struct conn_request *fcgi)
{
	enum engine_outcome outcome;
	struct engine_cgi cgi;
	struct script script;
	struct engine_request r = {
	    .conn = w->conn,
	    .fcgi = fcgi,
	    .make_page = make_page,
	    .on_state = on_state,
	    .ctx = w,
	};

	engine_cgi(&cgi);
	script_resolve(fcgi->params, &cgi, w->request, stat_kind, &script);
	w->fcgi = fcgi;
	w->route = route_request(w->pool, &script, params_get(fcgi->params, "REQUEST_METHOD"));
	if (w->heritage->shown.pool != NULL)
		w->route = route_pages_only(w->route);
	if (w->route == ROUTE_FRONT)
		params_set(fcgi->params, "SCRIPT_FILENAME", w->pool->front_controller,
		    strlen(w->pool->front_controller));
	r.action = route_action(w->route);
	r.may_keep = wait_may_keep(w->wait);
	r.named = script.named;
	r.script = script.missing ? NULL : script.path;
	r.script_name = script.name;
	r.php_self = script.php_self;
	w->asked = &r;
	note_request(w, &r);
	if (r.action == ENGINE_RUN)
		call_master(w);
	/* Who else is connected would wait in vain for a second request. */
	if (w->pool->mode == POOL_MODE_ISOLATED)
		wait_give_away(w->wait);
	outcome = engine_serve(&r, on_response);
	w->life.spent = outcome == ENGINE_SPENT;
	w->life.unsafe = outcome == ENGINE_UNSAFE;
	w->life.asked = outcome == ENGINE_RECYCLE;
	if (w->life.asked && w->recycle == RECYCLE_NO && *engine_recycle_reason() != '\0')
		log_pool(LOG_LEVEL_NOTICE, w->pool->name, "child %d is to be replaced: %s",
		    (int)getpid(), engine_recycle_reason());
	w->life.served++;
	w->asked = NULL;
	w->fcgi = NULL;
}

/*
 * Tells the master, who reads what is said into our stderr, that the message of
 * this request ends here, newline or not. A full pipe has lost more than that.
 */
static void end_messages(const struct worker *w)
{
	static const char mark[] = {'\0', 'f', 's', 'c', 'f', '\0'};

	if (w->pool->catch_workers_output && write(STDERR_FILENO, mark, sizeof(mark)) < 0)
		return;
}

/* Without PHP when it cannot run: no descriptors, or a state that is in doubt. */
static void serve(struct worker *w, bool without_php)
{
	struct conn_request fcgi;
	enum conn_result result;

	note_reading(w);
	result = conn_read_request(w->conn, w->request, &fcgi);
	if (result == CONN_OK && without_php)
		respond_unavailable(w->conn);
	else if (result == CONN_OK)
		run(w, &fcgi);
	else if (result == CONN_REFUSED)
		respond_refused(w->conn);
	else {
		log_debug("a connection is closed before its request: %s", conn_why(w->conn));
		conn_close(w->conn);
	}

	if (clock_now_us() - w->cpu_read_us > SHUTDOWN_NOTICED_US)
		read_cpu(w);
	wait_done(w->wait, w->conn);
	end_messages(w);
	arena_reset(w->request);
	set_state(w, WORKER_IDLE);
}

static void complain_about_client(void *ctx, const char *entry)
{
	(void)ctx;
	log_error("Wrong IP address '%s' in listen.allowed_clients", entry);
}

_Static_assert((int)CONF_LOG_DEBUG == (int)LOG_LEVEL_DEBUG &&
		   (int)CONF_LOG_ALERT == (int)LOG_LEVEL_ALERT &&
		   (int)CONF_LOG_MAX == (int)LOG_LEVEL_MAX,
    "the levels of a configuration are those of the log");

static void open_log(const struct heritage *h)
{
	struct log_setup log = {
	    .fd = STDERR_FILENO,
	    .mirror_fd = -1,
	    .level = (enum log_level)h->log.level,
	    .form = LOG_FORM_PLAIN,
	    .limit_bytes = h->log.limit_bytes,
	};

	/* What a long-lived script has to say is worth more than to be dropped. */
	if (h->pool->mode != POOL_MODE_CLASSIC && h->log_fd >= 0) {
		log.fd = h->log_fd;
		log.form = LOG_FORM_STAMPED;
	}
	log_configure(&log);
}

/* For abandon(); a process is one worker. */
static struct worker *this_worker;

/*
 * In a process that a script has forked. It may outlive the request and us: a
 * connection, a port, a log must not wait for it.
 */
static void abandon(void)
{
	const struct worker *w = this_worker;

	conn_close(w->conn);
	wait_abandon(w->wait);
	if (w->access_log.fd >= 0)
		close(w->access_log.fd);
	close(w->heritage->board_fd);
}

/*
 * What may not take longer than request_terminate_timeout may not read its
 * parameters for longer: the connection ends then, and the worker stays.
 */
static uint32_t header_limit_ms(const struct pool_conf *pool)
{
	uint32_t all_ms = pool->request_terminate_timeout_ms;

	return all_ms > 0 && all_ms < pool->timeout_header_ms ? all_ms : pool->timeout_header_ms;
}

/* Order: PHP takes note of signal handlers that are in place when it enters. */
static int become_worker(struct worker *w, struct err *e)
{
	const struct pool_conf *pool = w->pool;
	struct conn_limits limits = {
	    .first_byte_ms = pool->timeout_first_byte_ms,
	    .header_ms = header_limit_ms(pool),
	    .body_ms = pool->timeout_body_ms,
	    .write_ms = pool->timeout_write_ms,
	};
	const char *format =
	    pool->access_format != NULL ? pool->access_format : ACCESS_FORMAT_DEFAULT;

	clients_parse(
	    w->own, pool->listen_allowed_clients, &w->clients, complain_about_client, NULL);
	if (w->clients.restricted && w->clients.n == 0)
		log_error("There are no allowed addresses");
	if (access_format_compile(w->own, format, &w->access_format, e) != 0)
		return -1;
	w->wait = wait_new(w->heritage, w->board, &w->clients, e);
	if (w->wait == NULL)
		return -1;
	if (engine_enter_worker(e) != 0)
		return -1;
	engine_show_board(w->board);
	w->conn = conn_new(&limits);
	conn_on_wait(w->conn, call_master, w);
	read_cpu(w);
	this_worker = w;
	if (pthread_atfork(NULL, NULL, abandon) != 0)
		return err_set(e, "failed to prepare for forks");
	return 0;
}

int worker_share(int orphans[2], struct err *e)
{
	return orphans_open(orphans, e);
}

struct worker *worker_open(const struct worker_start *start)
{
	struct worker *w = must_memory(calloc(1, sizeof(*w)));
	struct err e;

	*w = (struct worker){
	    .heritage = start->heritage,
	    .pool = start->heritage->pool,
	    .board = start->board,
	    .shown = start->shown != NULL ? start->shown : start->board,
	    .slot = start->slot,
	    .access_log = {.fd = start->heritage->access_fd},
	    .own = arena_new(WORKER_BLOCK_BYTES),
	    .request = arena_new(REQUEST_BLOCK_BYTES),
	    .view = {.pid = getpid(), .started_wall_us = clock_wall_us()},
	};
	title_set("php-fpm: pool %s", w->pool->name);
	must_whoami("a worker");
	open_log(w->heritage);
	strbuf_init(&w->page, PAGE_MAX_BYTES);
	w->view.state = WORKER_STARTING;
	publish(w);
	set_state(w, WORKER_STARTING);
	if (become_worker(w, &e) != 0) {
		log_error("%s", e.text);
		log_pool(LOG_LEVEL_ERROR, w->pool->name, "child failed to initialize");
		return NULL;
	}
	if (start->orphans[0] >= 0)
		wait_share_orphans(w->wait, start->orphans);
	return w;
}

void worker_begin(struct worker *w)
{
	w->begun = true;
	set_state(w, WORKER_IDLE);
}

bool worker_next(struct worker *w)
{
	enum wait_result what = wait_next(w->wait, w->conn);

	if (what == WAIT_LEAVE)
		return false;
	serve(w, what == WAIT_SHORT || w->life.unsafe || w->life.spent);
	w->recycle = recycle_after(w->pool, &w->life);
	if (w->recycle == RECYCLE_SPENT)
		wait_give_away(w->wait);
	if (w->recycle != RECYCLE_NO)
		wait_leave(w->wait);
	return true;
}

/*
 * Code that never ends would keep a slot for good, and nobody else would notice.
 * By a timer of the kernel, whatever the script does to its signals.
 */
static void limit_last_code(const struct worker *w)
{
	struct sigevent kill = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL};
	struct itimerspec at = {
	    .it_value.tv_sec = w->pool->leave_timeout_ms / 1000,
	    .it_value.tv_nsec = (long)(w->pool->leave_timeout_ms % 1000) * 1000000,
	};
	timer_t timer;

	if (w->pool->leave_timeout_ms == 0)
		return;
	if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 ||
	    timer_settime(timer, 0, &at, NULL) != 0)
		log_pool(LOG_LEVEL_WARNING, w->pool->name,
		    "child %d has no limit for its last code: %s", (int)getpid(), strerror(errno));
}

void worker_leave_loop(struct worker *w)
{
	set_state(w, WORKER_ENDING);
	limit_last_code(w);
}

static int end_code(const struct worker *w, enum worker_end end)
{
	if (end != WORKER_END_BROKEN)
		return EXIT_DONE;
	return w->begun ? EXIT_BAILOUT : EXIT_SOFTWARE;
}

int worker_close(struct worker *w, enum worker_end end)
{
	int code = end_code(w, end);

	/* Others can do more for them: from here on every answer is without PHP. */
	wait_give_away(w->wait);
	w->life.unsafe = true;
	wait_leave(w->wait);
	while (worker_next(w))
		continue;
	if (end != WORKER_END_BROKEN)
		engine_stop();
	return code;
}

int worker_run(struct worker *w)
{
	worker_begin(w);
	while (worker_next(w))
		continue;
	/* All that a request has is ended; the rest of PHP ends with the process. */
	if (w->life.spent)
		_exit(recycle_exit_code(w->recycle));
	/* What is in doubt is not asked to shut down in order. */
	if (!w->life.unsafe)
		engine_stop();
	return recycle_exit_code(w->recycle);
}
