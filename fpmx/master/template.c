/*
 * template: life of a template process, seen from above.
 *
 * Runs in: master.
 */
#include "master/template.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/output.h"
#include "master/reap.h"
#include "proc/exits.h"
#include "proc/spawn.h"

#define PING_LIMIT_MS 5000
#define LEAVE_LIMIT_MS 2000
#define MESSAGES_PER_TURN 16
/*
 * The channel of a dead template holds some hundreds at most. A process that it
 * left behind may have the other end and go on talking.
 */
#define MESSAGES_AT_END 4096

#define BIT(s) (1U << (s))

const char *const template_state_names[TEMPLATE_STATE_MAX] = {
    [TEMPLATE_NONE] = "none",
    [TEMPLATE_STARTING] = "starting",
    [TEMPLATE_READY] = "ready",
    [TEMPLATE_LEAVING] = "leaving",
};

static const unsigned moves[TEMPLATE_STATE_MAX] = {
    [TEMPLATE_NONE] = BIT(TEMPLATE_STARTING),
    [TEMPLATE_STARTING] = BIT(TEMPLATE_READY) | BIT(TEMPLATE_LEAVING) | BIT(TEMPLATE_NONE),
    [TEMPLATE_READY] = BIT(TEMPLATE_LEAVING) | BIT(TEMPLATE_NONE),
    [TEMPLATE_LEAVING] = BIT(TEMPLATE_NONE),
};

bool template_may_move(enum template_state from, enum template_state to)
{
	must(from < TEMPLATE_STATE_MAX && to < TEMPLATE_STATE_MAX);
	return moves[from] & BIT(to);
}

static void move(struct template *t, enum template_state to)
{
	must(template_may_move(t->state, to));
	t->state = to;
}

void template_init(struct template *t, struct loop *loop, const char *pool,
    const struct template_calls *calls, void *ctx)
{
	*t = (struct template){
	    .loop = loop,
	    .pool = pool,
	    .calls = calls,
	    .ctx = ctx,
	    .pidfd = -1,
	    .channel = -1,
	    .report = -1,
	};
}

/* --- its end --------------------------------------------------------------- */

static void close_channel(struct template *t)
{
	loop_forget(t->loop, &t->channel_watch);
	fd_close(&t->channel);
}

static void close_report(struct template *t)
{
	loop_forget(t->loop, &t->report_watch);
	fd_close(&t->report);
}

static void close_output(struct template *t)
{
	output_close(t->output);
	t->output = NULL;
}

/* It has executed, or it has ended or says why it will. */
static void on_report(void *ctx, int fd, uint32_t events)
{
	struct template *t = ctx;
	struct err e;

	(void)events;
	if (spawn_report(fd, &e) < 0) {
		t->not_executed = true;
		log_pool(LOG_LEVEL_ERROR, t->pool, "failed to start the template: %s", e.text);
	}
	close_report(t);
}

static void leave_is_late(void *ctx)
{
	struct template *t = ctx;

	log_pool(LOG_LEVEL_WARNING, t->pool, "template %d does not leave, killing it", (int)t->pid);
	reap_signal(t->pidfd, SIGKILL);
}

/* From here on it gets no orders and has a limited time to go. */
static void enter_leaving(struct template *t)
{
	move(t, TEMPLATE_LEAVING);
	loop_forget(t->loop, &t->timer);
	loop_timer(t->loop, LEAVE_LIMIT_MS, leave_is_late, t, &t->timer);
}

void template_leave(struct template *t)
{
	if (t->state != TEMPLATE_STARTING && t->state != TEMPLATE_READY)
		return;
	/* It reads the end of our side, and we hear the answers to older orders. */
	shutdown(t->channel, SHUT_WR);
	t->told = true;
	enter_leaving(t);
}

void template_kill(struct template *t, const char *why)
{
	if (t->state == TEMPLATE_NONE)
		return;
	log_pool(LOG_LEVEL_ERROR, t->pool, "killing template %d: %s", (int)t->pid, why);
	reap_signal(t->pidfd, SIGKILL);
	if (t->state != TEMPLATE_LEAVING)
		enter_leaving(t);
}

void template_distrust(struct template *t, const char *why)
{
	template_kill(t, why);
	close_channel(t);
}

static void log_end(const struct template *t, const struct reap_end *end)
{
	uint64_t age_us = clock_now_us() - t->started_us;
	/* A signal for all of us, as from a terminal, is no failure of one that is told to go. */
	bool obeyed = t->told && end->by_signal && end->code != SIGKILL;
	bool failed = !obeyed && (end->by_signal || end->code != EXIT_DONE);
	char words[REAP_WORDS_BYTES];

	reap_words(end, words);
	log_pool(failed || !t->told ? LOG_LEVEL_WARNING : LOG_LEVEL_DEBUG, t->pool,
	    "template %d %s after %llu.%06llu seconds from start", (int)t->pid, words,
	    (unsigned long long)(age_us / 1000000), (unsigned long long)(age_us % 1000000));
	if (!end->by_signal && failed)
		log_pool(LOG_LEVEL_WARNING, t->pool, "template %d: %s", (int)t->pid,
		    exit_word(end->code));
}

static void read_channel(struct template *t, int limit);

static void on_exit_ready(void *ctx, int fd, uint32_t events)
{
	struct template *t = ctx;
	struct reap_end end = {0};
	struct err e;
	int rc;

	(void)events;
	rc = reap_collect(fd, &end, &e);
	if (rc == 0)
		return;
	if (rc < 0)
		log_pool(LOG_LEVEL_ERROR, t->pool, "template %d: %s", (int)t->pid, e.text);
	/* What it said before it died still counts: its last workers are in there. */
	read_channel(t, MESSAGES_AT_END);
	if (t->report >= 0)
		on_report(t, t->report, 0);
	if (!t->not_executed)
		log_end(t, &end);
	close_channel(t);
	loop_forget(t->loop, &t->timer);
	loop_forget(t->loop, &t->exit_watch);
	fd_close(&t->pidfd);
	close_output(t);
	t->pid = 0;
	move(t, TEMPLATE_NONE);
	t->calls->gone(t->ctx, t->was_ready);
}

/* --- what it says ----------------------------------------------------------- */

static void handle_ready(struct template *t, const struct msg_ready *m)
{
	move(t, TEMPLATE_READY);
	t->was_ready = true;
	loop_forget(t->loop, &t->timer);
	log_pool(LOG_LEVEL_DEBUG, t->pool, "template %d is ready after %llu us", (int)t->pid,
	    (unsigned long long)m->boot_us);
	if (m->threads > 1)
		log_pool(LOG_LEVEL_WARNING, t->pool,
		    "template %d runs %u threads: what they hold at a fork stays held in the "
		    "workers",
		    (int)t->pid, m->threads);
	t->calls->ready(t->ctx);
}

/* It exits after this; should it not, it is not heard a second time. */
static void handle_failed(struct template *t, const struct msg_failed *m)
{
	log_pool(LOG_LEVEL_ERROR, t->pool, "template %d failed to start: %.*s", (int)t->pid,
	    (int)sizeof(m->text), m->text);
	enter_leaving(t);
}

/* Is this the time for such a message? A leaving template may still answer. */
static bool is_timely(const struct template *t, const struct msg *m)
{
	switch (m->type) {
	case MSG_READY:
	case MSG_FAILED:
		return t->state == TEMPLATE_STARTING || t->state == TEMPLATE_LEAVING;
	case MSG_PONG:
		return t->ping_open && m->u.ping.number == t->ping;
	case MSG_TRACED:
		return t->trace_open && m->u.traced.number == t->trace;
	default:
		return t->was_ready;
	}
}

static void handle(struct template *t, const struct msg *m)
{
	if (!is_timely(t, m)) {
		template_distrust(t, "it sent a message at the wrong time");
		return;
	}
	switch (m->type) {
	case MSG_READY:
		if (t->state == TEMPLATE_STARTING)
			handle_ready(t, &m->u.ready);
		break;
	case MSG_FAILED:
		if (t->state == TEMPLATE_STARTING)
			handle_failed(t, &m->u.failed);
		break;
	case MSG_FORKED:
		t->calls->forked(t->ctx, &m->u.forked);
		break;
	case MSG_REFUSED:
		t->calls->refused(t->ctx, &m->u.refused);
		break;
	case MSG_PONG:
		t->ping_open = false;
		break;
	case MSG_TRACED:
		t->trace_open = false;
		t->calls->traced(t->ctx, &m->u.traced);
		break;
	default:
		must(!"a message of a template"); /* chan.c has refused all others */
	}
}

static void read_channel(struct template *t, int limit)
{
	struct msg m;
	struct err e;

	/* What a message says can close the channel. */
	while (t->channel >= 0 && limit-- > 0) {
		switch (chan_recv(t->channel, MSG_FROM_MASTER, &m, &e)) {
		case CHAN_OK:
			handle(t, &m);
			break;
		case CHAN_AGAIN:
			return;
		case CHAN_CLOSED:
			close_channel(t);
			if (t->state != TEMPLATE_LEAVING)
				enter_leaving(t);
			return;
		case CHAN_ABUSE:
			template_distrust(t, e.text);
			return;
		}
	}
}

static void on_channel_ready(void *ctx, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	read_channel(ctx, MESSAGES_PER_TURN);
}

/* --- its start --------------------------------------------------------------- */

static void boot_is_late(void *ctx)
{
	template_kill(ctx, "it did not start in time (template.boot_timeout)");
}

/* The descriptors that the engine gets; keep[] has room for all. */
static size_t collect_fds(const struct heritage *h, int memfd, int *keep)
{
	size_t n = 0;

	keep[n++] = memfd;
	keep[n++] = h->channel_fd;
	keep[n++] = h->retire_fd;
	keep[n++] = h->wake_fd;
	keep[n++] = h->board_fd;
	keep[n++] = h->log_fd;
	if (h->access_fd >= 0)
		keep[n++] = h->access_fd;
	if (h->shown.board_fd >= 0)
		keep[n++] = h->shown.board_fd;
	for (size_t i = 0; i < h->nlisten; i++)
		keep[n++] = h->listen_fds[i];
	return n;
}

/*
 * Extensions write to stderr when they start: in php-fpm that is a worker's
 * stderr. fds gets the ends for the new process, or stays as it is.
 */
static int open_output(
    struct template *t, const struct template_start *how, int fds[2], struct err *e)
{
	const struct heritage *h = how->heritage;

	if (!h->pool || !h->pool->catch_workers_output)
		return 0;
	t->output = output_open(t->loop, h->pool, h->log.limit_bytes, fds, e);
	if (t->output && how->hold_output)
		output_hold(t->output);
	return t->output ? 0 : -1;
}

static int spawn(struct template *t, const struct template_start *how, int memfd, struct err *e)
{
	int out[2] = {-1, -1};
	char number[16];
	const char *argv[] = {"fpmx-engine", "template", number, NULL};
	int *keep = must_memory(calloc(how->heritage->nlisten + 9, sizeof(*keep)));
	sigset_t none;
	struct spawn_engine s = {
	    .engine_fd = how->engine_fd,
	    .argv = argv,
	    .envp = how->envp,
	    .privs = how->privs,
	    .title = "php-fpm: template",
	    .keep = keep,
	    .nkeep = collect_fds(how->heritage, memfd, keep),
	    .mask = &none,
	    .files = how->files,
	    .report_fd = &t->report,
	};

	sigemptyset(&none); /* whatever we were started with */
	snprintf(number, sizeof(number), "%d", memfd);
	if (open_output(t, how, out, e) == 0) {
		s.stdout_fd = out[0];
		s.stderr_fd = out[1];
		t->pid = spawn_engine(&s, &t->pidfd, e);
	} else
		t->pid = -1;
	fd_close(&out[0]);
	fd_close(&out[1]);
	free(keep);
	if (t->pid < 0)
		close_output(t);
	else if (t->output)
		output_start(t->output, t->pid);
	return t->pid < 0 ? -1 : 0;
}

/* Watches the new process. On failure it is left to be killed by the caller. */
static int watch(struct template *t, struct err *e)
{
	if (loop_watch(t->loop, t->channel, EPOLLIN, on_channel_ready, t, &t->channel_watch, e) <
		0 ||
	    loop_watch(t->loop, t->report, EPOLLIN, on_report, t, &t->report_watch, e) < 0)
		return -1;
	return loop_watch(t->loop, t->pidfd, EPOLLIN, on_exit_ready, t, &t->exit_watch, e);
}

int template_start(struct template *t, const struct template_start *how, struct err *e)
{
	int ends[2], memfd, rc;

	must(t->state == TEMPLATE_NONE);
	if (chan_pair(ends, e) < 0)
		return -1;
	how->heritage->generation = t->generation + 1;
	how->heritage->channel_fd = ends[1];
	memfd = heritage_seal(how->heritage, e);
	rc = memfd < 0 ? -1 : spawn(t, how, memfd, e);
	fd_close(&memfd);
	fd_close(&ends[1]);
	if (rc < 0) {
		fd_close(&ends[0]);
		return -1;
	}
	t->channel = ends[0];
	t->generation++;
	t->was_ready = t->told = t->ping_open = t->trace_open = t->not_executed = false;
	t->started_us = clock_now_us();
	t->started_at_ms = loop_now_ms(t->loop);
	move(t, TEMPLATE_STARTING);
	loop_timer(t->loop, how->boot_timeout_ms, boot_is_late, t, &t->timer);
	if (watch(t, e) < 0) {
		/* The sweep of unknown children collects it. */
		reap_signal(t->pidfd, SIGKILL);
		close_channel(t);
		close_report(t);
		loop_forget(t->loop, &t->timer);
		fd_close(&t->pidfd);
		close_output(t);
		t->pid = 0;
		move(t, TEMPLATE_NONE);
		return -1;
	}
	log_pool(LOG_LEVEL_DEBUG, t->pool, "template %d started", (int)t->pid);
	return 0;
}

void template_announced(struct template *t)
{
	output_release(t->output);
}

/* --- orders and pings --------------------------------------------------------- */

bool template_send(struct template *t, const struct msg *m)
{
	struct err e;

	if (t->state != TEMPLATE_READY)
		return false;
	switch (chan_send(t->channel, MSG_FROM_MASTER, m, &e)) {
	case CHAN_OK:
		return true;
	case CHAN_AGAIN:
		return false;
	case CHAN_CLOSED:
		return false; /* its end is about to be noticed */
	case CHAN_ABUSE:
		log_pool(LOG_LEVEL_ERROR, t->pool, "template %d: %s", (int)t->pid, e.text);
		return false;
	}
	must(!"a result of chan_send");
	return false;
}

bool template_trace(struct template *t, struct msg_trace *order, int log_fd)
{
	struct msg m = {.type = MSG_TRACE, .nfds = 1, .fds = {log_fd}};

	must(!t->trace_open);
	order->number = t->trace + 1;
	m.u.trace = *order;
	if (!template_send(t, &m))
		return false;
	t->trace++;
	t->trace_open = true;
	return true;
}

void template_tick(struct template *t)
{
	uint64_t now_ms = loop_now_ms(t->loop);
	struct msg m = {.type = MSG_PING};

	if (t->state != TEMPLATE_READY)
		return;
	if (t->ping_open) {
		if (now_ms - t->ping_at_ms >= PING_LIMIT_MS)
			template_kill(t, "it does not answer");
		return;
	}
	m.u.ping.number = ++t->ping;
	if (!template_send(t, &m))
		return;
	t->ping_open = true;
	t->ping_at_ms = now_ms;
}
