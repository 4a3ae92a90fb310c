/*
 * accesslog: a line for each request.
 *
 * Runs in: worker.
 */
#include "worker/accesslog.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/must.h"

/*
 * A pipe that is read as fast as lines can be made is full at times: then its
 * reader sets the pace. One that is not read at all must not.
 */
#define PATIENCE_MS 100

/* One value, before it is seen whether it fits; with room to escape one more byte. */
struct value {
	char text[ACCESS_LINE_MAX + sizeof("\\xHH")];
};

/* The text of the format itself may fill the line to its end. */
static void add_text(struct access_line *l, const char *text)
{
	size_t n = strlen(text), room = ACCESS_LINE_MAX - l->n;

	l->cut = n > room;
	if (l->cut)
		n = room;
	memcpy(l->text + l->n, text, n);
	l->n += n;
}

/* A value that reaches the end is cut one short of it, as php-fpm does. */
static void add_value(struct access_line *l, const char *value)
{
	size_t n = strlen(value), room = ACCESS_LINE_MAX - l->n;

	l->cut = n >= room;
	if (l->cut)
		n = room > 0 ? room - 1 : 0;
	memcpy(l->text + l->n, value, n);
	l->n += n;
}

static void put_escaped(struct value *v, const char *text)
{
	static const char hex[] = "0123456789abcdef";
	size_t n = 0;

	for (; *text != '\0' && n + 4 < sizeof(v->text); text++) {
		unsigned char c = (unsigned char)*text;

		if (c >= 0x20 && c != 0x7f) {
			v->text[n++] = (char)c;
			continue;
		}
		v->text[n++] = '\\';
		v->text[n++] = 'x';
		v->text[n++] = hex[c >> 4];
		v->text[n++] = hex[c & 15];
	}
	v->text[n] = '\0';
}

static void put_if_set(struct value *v, const char *text)
{
	put_escaped(v, text[0] != '\0' ? text : "-");
}

/* What is there and empty is not "-". */
static void put_if_there(struct value *v, const char *text)
{
	put_escaped(v, text != NULL ? text : "-");
}

/* A header without a value is as good as none. */
static void put_header(struct value *v, const char *text)
{
	put_if_set(v, text != NULL ? text : "");
}

static void put_cpu(struct value *v, enum access_unit unit, const struct access_facts *f)
{
	uint64_t cpu_us = f->cpu_user_us + f->cpu_system_us;
	double duration_us = (double)f->view->request_duration_us;

	if (unit == ACCESS_CPU_USER)
		cpu_us = f->cpu_user_us;
	else if (unit == ACCESS_CPU_SYSTEM)
		cpu_us = f->cpu_system_us;
	snprintf(v->text, sizeof(v->text), "%.2f",
	    duration_us > 0 ? (double)cpu_us / duration_us * 100.0 : 0.0);
}

static void put_duration(struct value *v, enum access_unit unit, uint64_t us)
{
	if (unit == ACCESS_MICROSECONDS)
		snprintf(v->text, sizeof(v->text), "%llu", (unsigned long long)us);
	else
		snprintf(v->text, sizeof(v->text), "%.3f",
		    (double)us / (unit == ACCESS_SECONDS ? 1000000.0 : 1000.0));
}

static void put_memory(struct value *v, enum access_unit unit, uint64_t bytes)
{
	if (unit == ACCESS_KILOBYTES)
		bytes /= 1024;
	else if (unit == ACCESS_MEGABYTES)
		bytes /= 1024 * 1024;
	snprintf(v->text, sizeof(v->text), "%llu", (unsigned long long)bytes);
}

static void put_time(struct value *v, const char *format, uint64_t wall_us)
{
	time_t at = (time_t)(wall_us / 1000000);
	struct tm tm;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* it is the configuration's */
	if (localtime_r(&at, &tm) == NULL || strftime(v->text, sizeof(v->text), format, &tm) == 0)
		v->text[0] = '\0';
#pragma GCC diagnostic pop
}

static void put_number(struct value *v, uint64_t number)
{
	snprintf(v->text, sizeof(v->text), "%llu", (unsigned long long)number);
}

static void put_token(struct value *v, const struct access_item *item, const struct access_facts *f)
{
	switch (item->token) {
	case ACCESS_CPU:
		put_cpu(v, item->unit, f);
		break;
	case ACCESS_DURATION:
		put_duration(v, item->unit, f->view->request_duration_us);
		break;
	case ACCESS_PARAMETER:
		put_if_there(v, params_get(f->params, item->name));
		break;
	case ACCESS_SCRIPT:
		put_if_set(v, f->view->script);
		break;
	case ACCESS_LENGTH:
		put_number(v, f->view->content_length);
		break;
	case ACCESS_METHOD:
		put_if_set(v, f->view->method);
		break;
	case ACCESS_MEMORY:
		put_memory(v, item->unit, f->view->peak_memory_bytes);
		break;
	case ACCESS_POOL:
		snprintf(v->text, sizeof(v->text), "%.31s", f->pool);
		break;
	case ACCESS_HEADER:
		put_header(v, f->header(item->name));
		break;
	case ACCESS_PID:
		put_number(v, (uint64_t)f->view->pid);
		break;
	case ACCESS_PARENT_PID:
		put_number(v, (uint64_t)f->parent_pid);
		break;
	case ACCESS_QUERY:
		put_escaped(v, f->view->query);
		break;
	case ACCESS_QUERY_MARK:
		put_escaped(v, f->view->query[0] != '\0' ? "?" : "");
		break;
	case ACCESS_URI:
		put_escaped(v, f->view->uri);
		break;
	case ACCESS_PEER:
		put_if_set(v, f->peer);
		break;
	case ACCESS_STATUS:
		/* A script may say any number. */
		snprintf(v->text, sizeof(v->text), "%d", f->status);
		break;
	case ACCESS_STARTED:
		put_time(v, item->name, f->view->request_started_wall_us);
		break;
	case ACCESS_ENDED:
		put_time(v, item->name, f->ended_wall_us);
		break;
	case ACCESS_USER:
		put_escaped(v, f->view->user);
		break;
	case ACCESS_TEXT:
	case ACCESS_TOKEN_MAX:
		must(false);
	}
}

void access_line(
    const struct access_format *format, const struct access_facts *f, struct access_line *l)
{
	struct value v;

	l->n = 0;
	l->cut = false;
	for (size_t i = 0; i < format->n && !l->cut; i++) {
		if (format->items[i].token == ACCESS_TEXT) {
			add_text(l, format->items[i].name);
			continue;
		}
		put_token(&v, &format->items[i], f);
		add_value(l, v.text);
	}
	if (l->n > 0)
		l->text[l->n++] = '\n';
}

bool access_suppressed(const struct conf_list *paths, const struct access_facts *f)
{
	const struct worker_view *v = f->view;

	if (strcmp(v->method, "GET") != 0 && strcmp(v->method, "HEAD") != 0)
		return false;
	if (f->status < 200 || f->status > 299 || v->content_length != 0 || v->query[0] != '\0')
		return false;
	for (size_t i = 0; i < paths->n; i++) {
		if (strcmp(paths->items[i], v->uri) == 0)
			return true;
	}
	return false;
}

bool access_write(struct sink *to, const struct access_format *format,
    const struct conf_list *suppress, const struct access_facts *f)
{
	struct access_line l;

	if (access_suppressed(suppress, f))
		return false;
	access_line(format, f, &l);
	/* A log that takes nothing, a full disk or a pipe that nobody reads, stops no request. */
	if (l.n > 0 && !sink_write_within(to, l.text, l.n, PATIENCE_MS))
		return l.cut;
	return l.cut;
}
