/*
 * sapi: what PHP calls when it wants something of the outside.
 *
 * Runs in: template, worker, info commands.
 * The name is php-fpm's: scripts look at PHP_SAPI, and OPcache refuses names
 * that it does not know.
 * A process that a script has forked neither answers nor reads.
 */
#include "php/app.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

/*
 * php-fpm writes to its buffer what comes after fastcgi_finish_request(), and
 * finds out that nobody listens when that is full.
 */
#define SWALLOW_MAX 8192u

/* What is not PHP's is cut here, whatever log_limit is: php-fpm's buffer for it. */
#define OWN_TEXT_MAX 2048u

struct room room;

static size_t write_stdout(const char *bytes, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t wrote = write(STDOUT_FILENO, bytes + done, n - done);

		if (wrote < 0)
			break;
		done += (size_t)wrote;
	}
	return done;
}

/* The client has gone, or nobody listens any more. */
static void on_abort(void)
{
	if (app.loops)
		app_abort_script();
	else
		php_handle_aborted_connection();
}

/* May not return: an aborted script is unwound from here. */
static size_t sapi_write(const char *bytes, size_t n)
{
	struct engine_request *r;

	if (room.request.asked == NULL && app_is_booted()) {
		freeze_hear(bytes, n);
		return n;
	}
	if (room.request.asked == NULL)
		return write_stdout(bytes, n);
	r = room_asked();
	if (r == NULL)
		return n;
	if (conn_is_finished(r->conn)) {
		room.request.swallowed += n;
		if (room.request.swallowed <= SWALLOW_MAX)
			return n;
	} else if (conn_write(r->conn, bytes, n) == CONN_OK) {
		return n;
	}
	on_abort();
	return 0;
}

static void sapi_flush_output(void *context)
{
	struct engine_request *r = room_asked();

	(void)context;
	if (r == NULL)
		return;
	if (conn_is_finished(r->conn)) {
		if (room.request.swallowed > 0)
			on_abort();
		return;
	}
	if (COMPAT_FLUSH_SENDS_HEADERS)
		php_header();
	if (conn_flush(r->conn) != CONN_OK || conn_peer_gone(r->conn))
		on_abort();
}

static char *sapi_cookies(void)
{
	return (char *)(uintptr_t)room_param("HTTP_COOKIE");
}

/* How many bytes of text a log line of this level has room for. */
static size_t text_max(enum log_level level)
{
	const struct log_setup *log = log_current();
	size_t line = log->limit_bytes != 0 ? log->limit_bytes : 1024;
	size_t around = strlen(log_level_names[level]) + strlen(": \n");

	return line > around ? line - around : 0;
}

/* The messages of a request, joined by "; ". */
static void log_to_client(const char *text, size_t max)
{
	struct engine_request *r = room_asked();
	size_t n = strlen(text);
	bool cut = n > max && max > 3;

	if (r == NULL || !room.ini.logging || conn_is_finished(r->conn) || n == 0)
		return;
	if (room.request.err_begun && conn_write_err(r->conn, "; ", 2) != CONN_OK)
		return;
	room.request.err_begun = true;
	/* A client that has gone is noticed with the body. */
	if (conn_write_err(r->conn, text, cut ? max - 3 : n) == CONN_OK && cut)
		(void)conn_write_err(r->conn, "...", 3);
}

static void tell(enum log_level level, size_t max, const char *text)
{
	log_to_client(text, max);
	log_line(level, NULL, __func__, __LINE__, "%s", text);
}

void engine_log(int level, const char *fmt, ...)
{
	int saved = errno;
	char *text;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	tell((enum log_level)level, OWN_TEXT_MAX, text);
	free(text);
	errno = saved; /* PHP logs before it looks why something failed */
}

static void sapi_log(const char *message, int syslog_type)
{
	int saved = errno;
	char *text;

	(void)syslog_type;
	if (asprintf(&text, "PHP message: %s", message) < 0)
		return;
	tell(LOG_LEVEL_NOTICE, text_max(LOG_LEVEL_NOTICE), text);
	free(text);
	errno = saved;
}

static int sapi_activate_request(void)
{
	struct engine_request *r = room.request.asked;

	if (r != NULL && SG(request_info).path_translated != NULL)
		userini_activate(SG(request_info).path_translated);
	return SUCCESS;
}

/* PHP is through with the request: nothing more will be written. */
static int sapi_deactivate_request(void)
{
	struct engine_request *r = room_asked();

	if (r != NULL && !conn_is_finished(r->conn))
		(void)conn_finish(r->conn, r->may_keep && !room.request.spoils_worker);
	return SUCCESS;
}

static int sapi_start(sapi_module_struct *module)
{
	return php_module_startup(module, &room_module);
}

sapi_module_struct room_sapi = {
    .name = "fpm-fcgi",
    .pretty_name = "FPM/FastCGI",
    .startup = sapi_start,
    .shutdown = php_module_shutdown_wrapper,
    .COMPAT_BEFORE_REQUEST = sapi_activate_request,
    .deactivate = sapi_deactivate_request,
    .ub_write = sapi_write,
    .flush = sapi_flush_output,
    .getenv = vars_getenv,
    .sapi_error = php_error,
    .send_headers = headers_send,
    .read_post = body_read,
    .read_cookies = sapi_cookies,
    .register_server_variables = vars_register,
    .log_message = sapi_log,
    .default_post_reader = php_default_post_reader,
};
