/*
 * exec: one request, from PHP's start-up of it to its shutdown.
 *
 * Runs in: worker.
 * Order, as in php-fpm: the wire's settings, request start-up (which reads a
 * form), the script or the page, on_response, request shutdown (shutdown
 * functions, destructors, the end of the response).
 * A bailout in a script is caught by PHP and costs nothing but the request; one
 * that comes out of PHP's start-up or shutdown of the request leaves a state
 * that cannot be trusted.
 * A process that a script has forked ends here: it is no worker.
 */
#include "php/app.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"

static void set_state(const struct engine_request *r, enum worker_state state)
{
	if (r->on_state != NULL && room_asked() != NULL)
		r->on_state(r->ctx, state);
}

static char *copy_param(const char *name)
{
	const char *value = room_param(name);

	return value != NULL ? estrdup(value) : NULL;
}

/* What PHP wants to know before request start-up. */
static void set_request_info(const struct engine_request *r)
{
	sapi_request_info *info = &SG(request_info);
	const char *type = r->named ? room_param("CONTENT_TYPE") : NULL;

	memset(info, 0, sizeof(*info));
	info->proto_num = 1000; /* php-fpm answers as if to HTTP/1.0 */
	SG(sapi_headers).http_response_code = 200;
	info->request_method = room_param("REQUEST_METHOD");
	info->content_type = type != NULL ? type : "";
	if (!r->named)
		return;
	info->query_string = copy_param("QUERY_STRING");
	info->request_uri = r->script_name != NULL ? estrdup(r->script_name) : NULL;
	info->path_translated = r->script != NULL ? estrdup(r->script) : NULL;
	info->content_length = room.request.body_length > 0 ? room.request.body_length : 0;
	php_handle_auth_data(room_param("HTTP_AUTHORIZATION"));
}

/*
 * Only a body takes time to read. Without one the limit of the script may as
 * well begin here, which saves a system call.
 */
static bool body_may_take_time(void)
{
	const char *method = SG(request_info).request_method;

	return room.request.body_length > 0 ||
	       (room.request.body_length < 0 && method != NULL && strcmp(method, "POST") == 0);
}

void exec_prepare(struct engine_request *r)
{
	body_begin();
	set_request_info(r);
	ini_apply_wire();
	if (!body_may_take_time())
		PG(max_input_time) = -1;
}

static bool start_request(struct engine_request *r)
{
	volatile bool started = false;

	zend_first_try
	{
		exec_prepare(r);
		started = php_request_startup() == SUCCESS;
	}
	zend_end_try();
	return started;
}

static void answer(int status, const char *text)
{
	SG(sapi_headers).http_response_code = status;
	PUTS(text);
}

static void refuse_script(const char *path)
{
	int why = errno;

	engine_log(LOG_LEVEL_ERROR, "Unable to open primary script: %s (%s)", path, strerror(why));
	if (why == EACCES)
		answer(403, "Access denied.\n");
	else
		answer(404, "No input file specified.\n");
}

/* A script runs in its folder, and what is called after it where we were before. */
void exec_enter_folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	char folder[MAXPATHLEN];
	size_t n;

	if (slash == NULL)
		return;
	n = slash == path ? 1 : (size_t)(slash - path);
	if (n >= sizeof(folder))
		return;
	memcpy(folder, path, n);
	folder[n] = '\0';
	/* A folder that may be read but not entered is no reason not to run. */
	if (chdir(folder) != 0)
		return;
}

bool exec_open_script(zend_file_handle *file)
{
	bool display_errors = PG(display_errors);
	volatile bool opened = false;

	errno = ENOENT; /* not every refusal sets it */
	zend_try
	{
		opened = php_fopen_primary_script(file) == SUCCESS;
	}
	zend_catch
	{
		/* It is off while PHP opens the file, and would stay so. */
		PG(display_errors) = display_errors;
		zend_bailout();
	}
	zend_end_try();
	return opened;
}

static void run_script(const struct engine_request *r)
{
	zend_file_handle file;

	if (!exec_open_script(&file)) {
		refuse_script(r->script);
		return;
	}
	exec_enter_folder_of(ZSTR_VAL(file.filename));
	php_execute_script(&file);
	zend_destroy_file_handle(&file);
	if (room.home != NULL && chdir(room.home) != 0)
		engine_log(
		    LOG_LEVEL_WARNING, "failed to return to %s: %s", room.home, strerror(errno));
}

bool engine_query_asks(const char *word)
{
	const zval *get = &PG(http_globals)[TRACK_VARS_GET];
	zend_string *key;

	if (Z_TYPE_P(get) != IS_ARRAY)
		return false;
	ZEND_HASH_FOREACH_STR_KEY(Z_ARRVAL_P(get), key)
	{
		if (key != NULL && strncmp(word, ZSTR_VAL(key), ZSTR_LEN(key)) == 0)
			return true;
	}
	ZEND_HASH_FOREACH_END();
	return false;
}

static void add_header(const char *line)
{
	sapi_add_header_ex(line, strlen(line), true, true);
}

static void add_type(const struct engine_page *page)
{
	char line[256];

	if (page->content_type == NULL)
		return;
	snprintf(line, sizeof(line), "Content-Type: %s", page->content_type);
	add_header(line);
}

static void send_page(struct engine_request *r)
{
	struct engine_page page = {.status = 200};

	r->make_page(r->ctx, &page);
	SG(sapi_headers).http_response_code = page.status;
	if (page.type_first)
		add_type(&page);
	for (const char *const *line = page.headers; line != NULL && *line != NULL; line++)
		add_header(*line);
	if (!page.type_first)
		add_type(&page);
	PHPWRITE(page.body, page.body_len);
}

static void act(struct engine_request *r)
{
	if (room.request.body_cut) {
		engine_log(LOG_LEVEL_NOTICE, "The request body ended early, the script is not run");
		answer(400, "Request body incomplete.\n");
		return;
	}
	switch (r->action) {
	case ENGINE_RUN:
		if (app.loops)
			app_run_handler();
		else
			run_script(r);
		break;
	case ENGINE_PAGE:
		send_page(r);
		break;
	case ENGINE_NOT_FOUND:
		engine_log(LOG_LEVEL_DEBUG, "Primary script unknown");
		answer(404, "File not found.\n");
		break;
	case ENGINE_DENIED:
		engine_log(LOG_LEVEL_NOTICE,
		    "Access to the script '%s' has been denied (see security.limit_extensions)",
		    r->script);
		answer(403, "Access denied.\n");
		break;
	case ENGINE_HEADERS_ONLY:
		break;
	case ENGINE_HEADERS_NOT_FOUND:
		answer(404, "");
		break;
	}
}

/* What an operator wants a failed script to answer with. */
static void set_error_header(void)
{
	sapi_header_line line = {0};

	if (EG(exit_status) != 255 || room.ini.error_header == NULL ||
	    *room.ini.error_header == '\0' || SG(headers_sent))
		return;
	line.line = room.ini.error_header;
	line.line_len = strlen(line.line);
	sapi_header_op(SAPI_HEADER_REPLACE, &line);
}

void exec_respond(struct engine_request *r)
{
	zend_try
	{
		r->auth_user = SG(request_info).auth_user;
		set_state(r, WORKER_RUNNING);
		act(r);
		set_error_header();
	}
	zend_end_try();
}

/* Returns whether PHP came to the end of it. */
bool exec_shut_down(void)
{
	volatile bool ended = false;

	zend_try
	{
		php_request_shutdown(NULL);
		ended = true;
	}
	zend_end_try();
	return ended;
}

void exec_report(struct engine_request *r, void (*on_response)(void *ctx, struct engine_request *))
{
	r->http_status = SG(sapi_headers).http_response_code;
	r->peak_memory_bytes = zend_memory_peak_usage(true);
	if (on_response != NULL && room_asked() != NULL)
		on_response(r->ctx, r);
	r->auth_user = NULL;
}

/* PHP would not start the request: nothing of it can be used to answer. */
void exec_answer_without_php(struct engine_request *r)
{
	static const char text[] = "Status: 500 Internal Server Error\r\n"
				   "Content-type: text/plain; charset=UTF-8\r\n"
				   "\r\n"
				   "Internal Server Error\n";

	/* PHP may have shown the reason (display_startup_errors): that is the answer then. */
	if (SG(headers_sent) || conn_write(r->conn, text, sizeof(text) - 1) == CONN_OK)
		(void)conn_finish(r->conn, false);
}

void exec_forget(void)
{
	body_end();
	memset(&SG(request_info), 0, sizeof(SG(request_info)));
	SG(server_context) = NULL;
	memset(&room.request, 0, sizeof(room.request));
	room.request.body_file = -1;
}

enum engine_outcome engine_serve(
    struct engine_request *r, void (*on_response)(void *ctx, struct engine_request *))
{
	zend_long max_input_time = PG(max_input_time);
	bool safe;

	if (r->action == ENGINE_RUN)
		signals_begin();
	if (app.loops)
		return app_serve(r, on_response);
	if (app_is_booted())
		return isolated_serve(r, on_response);
	app.recycle[0] = '\0';
	room.request.asked = r;
	SG(server_context) = &room;
	EG(exit_status) = 0;
	safe = start_request(r);
	if (safe) {
		exec_respond(r);
		exec_report(r, on_response);
		safe = exec_shut_down();
	} else {
		exec_answer_without_php(r);
	}
	if (*room.ours == 0)
		_exit(EG(exit_status));
	safe = ini_undo_wire() && safe && !room.request.spoils_worker;
	signals_restore();
	PG(max_input_time) = max_input_time;
	exec_forget();
	if (!safe)
		return ENGINE_UNSAFE;
	return app.recycle[0] != '\0' ? ENGINE_RECYCLE : ENGINE_SERVED;
}
