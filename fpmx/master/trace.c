/*
 * trace: stop, have read, continue.
 *
 * Runs in: master.
 */
#include "master/trace.h"

#include <signal.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/logfile.h"
#include "master/reap.h"
#include "proc/slowentry.h"
#include "status/escape.h"

/* Only the kernel can hold a worker up that is to stop (a disk that hangs). */
#define STOP_LIMIT_MS 1000
/* A template that has nothing else to do reads in less than one. */
#define READ_LIMIT_MS 1000

static const unsigned moves[TRACE_STATE_MAX] = {
    [TRACE_NONE] = 1U << TRACE_STOPPING,
    [TRACE_STOPPING] = 1U << TRACE_READING | 1U << TRACE_NONE,
    [TRACE_READING] = 1U << TRACE_LATE | 1U << TRACE_NONE,
    [TRACE_LATE] = 1U << TRACE_NONE,
};

static void move(struct trace *t, enum trace_state to)
{
	must(moves[t->state] & (1U << to));
	t->state = to;
}

int trace_make_log(const struct pool_conf *conf, struct err *e)
{
	int fd;

	if (conf->request_slowlog_timeout_ms == 0)
		return 0;
	fd = logfile_open("slow log", conf->slowlog, e);
	if (fd < 0)
		return err_wrap(e, "[pool %s]", conf->name);
	fd_close(&fd);
	return 0;
}

void trace_init(struct trace *t, const struct trace_setup *s)
{
	*t = (struct trace){
	    .conf = s->conf,
	    .loop = s->loop,
	    .board = s->board,
	    .template = s->template,
	    .done = s->done,
	    .ctx = s->ctx,
	    .log_fd = -1,
	};
}

/* The worker goes on; from here on it is none of ours. */
static void let_go(struct trace *t)
{
	loop_forget(t->loop, &t->timer);
	if (t->slot)
		reap_signal(t->slot->pidfd, SIGCONT);
	t->slot = NULL;
}

void trace_free(struct trace *t)
{
	let_go(t);
	fd_close(&t->log_fd);
}

static void end(struct trace *t)
{
	let_go(t);
	fd_close(&t->log_fd);
	move(t, TRACE_NONE);
	/* In a turn of its own: the next may come to its end as quickly. */
	loop_timer(t->loop, 0, t->done, t->ctx, &t->timer);
}

/* The entry of a worker of which nobody can tell more. */
static void write_without_frames(struct trace *t)
{
	struct strbuf entry;
	struct err e;

	log_pool(LOG_LEVEL_WARNING, t->conf->name,
	    "child %d cannot be traced: its template is gone or never had its memory", (int)t->pid);
	strbuf_init(&entry, SLOWENTRY_MAX_BYTES);
	slowentry_begin(&entry, t->conf->name, t->pid);
	strbuf_adds(&entry, "script_filename = ");
	escape_plain(&entry, t->was.script);
	strbuf_addc(&entry, '\n');
	slowentry_give_up(&entry);
	if (slowentry_write(&entry, t->log_fd, &e) < 0)
		log_pool(LOG_LEVEL_ERROR, t->conf->name, "%s", e.text);
	strbuf_free(&entry);
}

static void finish(struct trace *t, bool written)
{
	if (!written)
		write_without_frames(t);
	log_notice("finished trace of %d", (int)t->pid);
	end(t);
}

static void read_is_late(void *ctx)
{
	struct trace *t = ctx;

	log_pool(LOG_LEVEL_WARNING, t->conf->name,
	    "child %d goes on: its template takes too long to trace it", (int)t->pid);
	let_go(t);
	move(t, TRACE_LATE);
}

/* A request may have ended, and another begun, before the worker stood still. */
static bool is_same_request(const struct trace *t)
{
	struct worker_view now;

	return board_read(t->board, t->number, &now) && now.state == WORKER_RUNNING &&
	       now.request_started_us == t->was.request_started_us;
}

static void have_read(struct trace *t)
{
	struct msg_trace order = {.slot = t->number, .order = t->slot->order, .pid = t->pid};

	log_notice("child %d stopped for tracing", (int)t->pid);
	if (!is_same_request(t)) {
		log_pool(
		    LOG_LEVEL_DEBUG, t->conf->name, "child %d: that request is over", (int)t->pid);
		end(t);
		return;
	}
	log_notice("about to trace %d", (int)t->pid);
	if (t->slot->generation != t->template->generation ||
	    !template_trace(t->template, &order, t->log_fd)) {
		finish(t, false);
		return;
	}
	move(t, TRACE_READING);
	loop_timer(t->loop, READ_LIMIT_MS, read_is_late, t, &t->timer);
}

/* Nobody tells the loop that a child has stopped; it takes microseconds. */
static void look(void *ctx)
{
	struct trace *t = ctx;

	t->timer = (struct loop_handle){0};
	if (reap_is_stopped(t->slot->pidfd)) {
		have_read(t);
	} else if (loop_now_ms(t->loop) - t->began_at_ms >= STOP_LIMIT_MS) {
		log_pool(LOG_LEVEL_WARNING, t->conf->name,
		    "child %d does not stop, so it is not traced", (int)t->pid);
		end(t);
	} else {
		loop_timer(t->loop, t->look_after_ms, look, t, &t->timer);
		t->look_after_ms *= 2;
	}
}

void trace_begin(struct trace *t, struct slot *s, uint32_t number, const struct worker_view *was)
{
	struct err e;

	must(t->state == TRACE_NONE);
	loop_forget(t->loop, &t->timer);
	t->slot = s;
	t->pid = s->pid;
	t->number = number;
	t->was = *was;
	t->began_at_ms = loop_now_ms(t->loop);
	t->look_after_ms = 1;
	/* For each entry anew: a file that was moved away stays as it is (php-fpm). */
	t->log_fd = logfile_open("slow log", t->conf->slowlog, &e);
	if (t->log_fd < 0) {
		log_pool(LOG_LEVEL_ERROR, t->conf->name, "%s", e.text);
		t->slot = NULL;
		loop_timer(t->loop, 0, t->done, t->ctx, &t->timer);
		return;
	}
	move(t, TRACE_STOPPING);
	reap_signal(s->pidfd, SIGSTOP);
	loop_timer(t->loop, 0, look, t, &t->timer);
}

void trace_answered(struct trace *t, const struct msg_traced *m)
{
	must(t->state == TRACE_READING || t->state == TRACE_LATE);
	finish(t, m->written != 0);
}

void trace_template_gone(struct trace *t)
{
	if (t->state == TRACE_READING || t->state == TRACE_LATE)
		finish(t, false);
}

void trace_slot_left(struct trace *t, const struct slot *s)
{
	if (t->slot != s || t->state == TRACE_NONE)
		return;
	t->slot = NULL;
	if (t->state == TRACE_STOPPING) {
		end(t);
		return;
	}
	loop_forget(t->loop, &t->timer);
	move(t, TRACE_LATE);
}
