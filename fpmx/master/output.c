/*
 * output: pipes, reads, whose turn it is.
 *
 * Runs in: master.
 */
#include "master/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "master/speech.h"

#define READ_BYTES 1023 /* php-fpm's */
#define READS_PER_TURN 16
/* A dead worker's pipe holds no more than the kernel lets it. */
#define READS_AT_END 4096
/* What is said before it is released; a flood is not held. */
#define HELD_MAX_BYTES (64u << 10)

struct stream {
	struct output *output;
	const char *name;
	int fd;
	struct loop_handle watch;
	struct speech speech;
};

struct output {
	struct loop *loop;
	const struct pool_conf *conf;
	pid_t pid;
	struct stream streams[2];
	bool holding;
	struct strbuf held; /* whole lines */
};

static void put_head(void *ctx, struct strbuf *line)
{
	struct stream *s = ctx;

	log_head(line, LOG_LEVEL_WARNING);
	strbuf_printf(line, "[pool %s] child %d said into %s: ", s->output->conf->name,
	    (int)s->output->pid, s->name);
}

void output_hold(struct output *o)
{
	o->holding = true;
	strbuf_init(&o->held, HELD_MAX_BYTES);
}

void output_release(struct output *o)
{
	const char *at, *end;

	if (!o || !o->holding)
		return;
	o->holding = false;
	at = strbuf_str(&o->held);
	end = at + o->held.len;
	while (at < end) {
		const char *next = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;

		log_raw(at, (size_t)(next - at));
		at = next;
	}
	strbuf_free(&o->held);
}

static void put_line(void *ctx, const char *text, size_t n)
{
	struct output *o = ((struct stream *)ctx)->output;

	if (log_current()->level > LOG_LEVEL_WARNING)
		return;
	if (o->holding && o->held.len + n <= HELD_MAX_BYTES) {
		strbuf_add(&o->held, text, n);
		return;
	}
	output_release(o);
	log_raw(text, n);
}

static void open_stream(
    struct stream *s, struct output *o, const char *name, int fd, uint32_t log_limit)
{
	*s = (struct stream){
	    .output = o,
	    .name = name,
	    .fd = fd,
	    .speech = {.limit = log_limit,
		.decorate = o->conf->decorate_workers_output,
		.head = put_head,
		.line = put_line,
		.ctx = s},
	};
	speech_init(&s->speech);
}

/* Only our end is non-blocking: the worker's stdout must be what it expects. */
static int make_pipe(int ends[2], struct err *e)
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe");
	if (fd_nonblock(ends[0], true, e) == 0)
		return 0;
	fd_close(&ends[0]);
	fd_close(&ends[1]);
	return -1;
}

struct output *output_open(
    struct loop *loop, const struct pool_conf *conf, uint32_t log_limit, int fds[2], struct err *e)
{
	static const char *const names[2] = {"stdout", "stderr"};
	int ends[2][2];
	struct output *o;

	if (make_pipe(ends[0], e) < 0)
		return NULL;
	if (make_pipe(ends[1], e) < 0) {
		fd_close(&ends[0][0]);
		fd_close(&ends[0][1]);
		return NULL;
	}
	o = must_memory(calloc(1, sizeof(*o)));
	o->loop = loop;
	o->conf = conf;
	for (int i = 0; i < 2; i++) {
		open_stream(&o->streams[i], o, names[i], ends[i][0], log_limit);
		fds[i] = ends[i][1];
	}
	return o;
}

static void close_stream(struct stream *s)
{
	loop_forget(s->output->loop, &s->watch);
	fd_close(&s->fd);
}

/* A message under way ends when the other stream speaks: order is kept. */
static void flush_other(struct stream *s)
{
	struct output *o = s->output;

	speech_flush(&o->streams[s == &o->streams[0] ? 1 : 0].speech);
}

static void read_stream(struct stream *s, int reads)
{
	char bytes[READ_BYTES];

	while (s->fd >= 0 && reads-- > 0) {
		ssize_t got = read(s->fd, bytes, sizeof(bytes));

		if (got > 0) {
			flush_other(s);
			speech_feed(&s->speech, bytes, (size_t)got);
		} else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
			close_stream(s);
			speech_end(&s->speech);
		} else if (errno == EAGAIN)
			return;
	}
}

static void on_bytes(void *ctx, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	read_stream(ctx, READS_PER_TURN);
}

void output_start(struct output *o, pid_t pid)
{
	struct err e;

	o->pid = pid;
	for (int i = 0; i < 2; i++) {
		struct stream *s = &o->streams[i];

		if (loop_watch(o->loop, s->fd, EPOLLIN, on_bytes, s, &s->watch, &e) < 0)
			log_pool(LOG_LEVEL_ERROR, o->conf->name, "child %d: %s", (int)pid, e.text);
	}
}

void output_close(struct output *o)
{
	if (!o)
		return;
	for (int i = 0; i < 2; i++) {
		read_stream(&o->streams[i], READS_AT_END);
		/* A program that the worker left behind may hold the pipe. */
		speech_flush(&o->streams[i].speech);
		close_stream(&o->streams[i]);
		speech_free(&o->streams[i].speech);
	}
	output_release(o);
	free(o);
}
