/*
 * log: makes lines and gets rid of them without waiting (sink.h).
 *
 * Runs in: every process.
 * Never: blocks.
 */
#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/must.h"
#include "base/sink.h"
#include "base/strbuf.h"
#include "base/syslog.h"

#define LIMIT_DEFAULT 1024
#define LIMIT_STAMPED 2048 /* php-fpm's ceiling for the master's own lines */
#define LINE_MAX_BYTES INT32_MAX

const char *const log_level_names[LOG_LEVEL_MAX] = {
    [LOG_LEVEL_DEBUG] = "DEBUG",
    [LOG_LEVEL_NOTICE] = "NOTICE",
    [LOG_LEVEL_WARNING] = "WARNING",
    [LOG_LEVEL_ERROR] = "ERROR",
    [LOG_LEVEL_ALERT] = "ALERT",
};

static const int syslog_grades[LOG_LEVEL_MAX] = {
    [LOG_LEVEL_DEBUG] = LOG_DEBUG,
    [LOG_LEVEL_NOTICE] = LOG_NOTICE,
    [LOG_LEVEL_WARNING] = LOG_WARNING,
    [LOG_LEVEL_ERROR] = LOG_ERR,
    [LOG_LEVEL_ALERT] = LOG_ALERT,
};

static struct log_setup setup = {
    .fd = STDERR_FILENO,
    .mirror_fd = -1,
    .level = LOG_LEVEL_NOTICE,
    .form = LOG_FORM_STAMPED,
};
static struct sink sinks[2] = {{.fd = STDERR_FILENO}, {.fd = -1}};
static struct strbuf line_buf = {.max = LINE_MAX_BYTES}; /* kept from line to line */
static uint64_t dropped;

void log_configure(const struct log_setup *s)
{
	setup = *s;
	sinks[0] = (struct sink){.fd = s->fd};
	sinks[1] = (struct sink){.fd = s->mirror_fd};
}

const struct log_setup *log_current(void)
{
	return &setup;
}

uint64_t log_dropped(void)
{
	return dropped;
}

static void deliver(struct sink *to, const char *text, size_t n)
{
	if (to->fd >= 0 && !sink_write(to, text, n))
		dropped++;
}

void log_stamp(struct strbuf *s)
{
	static const char months[12][4] = {
	    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	uint64_t now_us = clock_wall_us();
	time_t now_s = (time_t)(now_us / 1000000);
	struct tm tm;

	if (!localtime_r(&now_s, &tm))
		return;
	strbuf_printf(s, "[%02d-%s-%d %02d:%02d:%02d", tm.tm_mday, months[tm.tm_mon % 12],
	    tm.tm_year + 1900, tm.tm_hour, tm.tm_min, tm.tm_sec);
	if (setup.level == LOG_LEVEL_DEBUG)
		strbuf_printf(s, ".%06u", (unsigned)(now_us % 1000000));
	strbuf_adds(s, "] ");
}

static size_t limit_bytes(void)
{
	size_t limit = setup.limit_bytes ? setup.limit_bytes : LIMIT_DEFAULT;

	if (setup.form == LOG_FORM_STAMPED && limit > LIMIT_STAMPED)
		return LIMIT_STAMPED;
	return limit < LINE_MAX_BYTES ? limit : LINE_MAX_BYTES;
}

/* Ends the line: cut to the limit with "..." where it is longer. */
static void finish_line(struct strbuf *s)
{
	size_t limit = limit_bytes();

	if (s->len + 1 > limit && limit > 4) {
		s->len = limit - 4;
		strbuf_adds(s, "...");
	}
	strbuf_addc(s, '\n');
}

static void add_head(struct strbuf *s, enum log_level level, const char *func, int line)
{
	if (setup.form == LOG_FORM_STAMPED)
		log_stamp(s);
	strbuf_printf(s, "%s: ", log_level_names[level]);
	if (setup.level != LOG_LEVEL_DEBUG)
		return;
	if (setup.form == LOG_FORM_STAMPED)
		strbuf_printf(s, "pid %d, ", (int)getpid());
	strbuf_printf(s, "%s(), line %d: ", func, line);
}

/* "[LEVEL] text": what the line says after its prefix, without its newline. */
static void send_syslog(enum log_level level, const struct strbuf *line, size_t text_at)
{
	struct strbuf s;

	strbuf_init(&s, LINE_MAX_BYTES);
	strbuf_printf(&s, "[%s] ", log_level_names[level]);
	if (text_at < line->len)
		strbuf_add(&s, line->bytes + text_at, line->len - 1 - text_at);
	if (!syslog_send(syslog_grades[level], s.bytes, s.len))
		dropped++;
	strbuf_free(&s);
}

void log_line(
    enum log_level level, const char *pool, const char *func, int line, const char *fmt, ...)
{
	struct strbuf *s = &line_buf;
	size_t text_at;
	va_list ap;

	if (level < setup.level)
		return;
	strbuf_clear(s);
	add_head(s, level, func, line);
	text_at = s->len;
	if (pool)
		strbuf_printf(s, "[pool %s] ", pool);
	va_start(ap, fmt);
	strbuf_vprintf(s, fmt, ap);
	va_end(ap);
	finish_line(s);

	deliver(&sinks[0], s->bytes, s->len);
	if (level >= LOG_LEVEL_NOTICE && level >= setup.mirror_level)
		deliver(&sinks[1], s->bytes, s->len);
	if (setup.syslog)
		send_syslog(level, s, text_at);
}

void log_head(struct strbuf *s, enum log_level level)
{
	add_head(s, level, "(null)", 0);
}

void log_raw(const char *text, size_t n)
{
	deliver(&sinks[0], text, n);
	if (setup.syslog && n > 0 &&
	    !syslog_send(LOG_NOTICE, text, text[n - 1] == '\n' ? n - 1 : n))
		dropped++;
}
