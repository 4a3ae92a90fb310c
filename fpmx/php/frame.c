/*
 * frame: begin and end of what PHP keeps for one request, inside of a request
 * of PHP's that goes on.
 *
 * Runs in: template (at the freeze), worker.
 * Order, as in PHP's own start-up and shutdown: output layer, SAPI, time limit,
 * output buffering, superglobals, modules; functions for the end of the request,
 * output buffers, modules, headers, SAPI, superglobals.
 * Only those modules are taken through it whose state belongs to a request:
 * what another module keeps is the script's, and reset.h puts back what changed.
 */
#include "php/app.h"

#include <string.h>

#include "php/reset.h"

/*
 * session: identity, data and status. filter: copies of the superglobals. zlib:
 * compression of the output.
 */
static const char *const module_names[] = {"session", "filter", "zlib"};
#define MODULES (sizeof(module_names) / sizeof(module_names[0]))
static zend_module_entry *modules[MODULES];

void frame_startup(void)
{
	for (size_t i = 0; i < MODULES; i++)
		modules[i] = zend_hash_str_find_ptr(
		    &module_registry, module_names[i], strlen(module_names[i]));
}

static void start_modules(void)
{
	for (size_t i = 0; i < MODULES; i++)
		if (modules[i] != NULL && modules[i]->request_startup_func != NULL)
			(void)modules[i]->request_startup_func(
			    modules[i]->type, modules[i]->module_number);
}

static void shut_modules_down(void)
{
	for (size_t i = MODULES; i-- > 0;)
		if (modules[i] != NULL && modules[i]->request_shutdown_func != NULL)
			(void)modules[i]->request_shutdown_func(
			    modules[i]->type, modules[i]->module_number);
}

/* What php.ini wants of the output of every request. */
static void start_buffering(void)
{
	if (PG(output_handler) != NULL && *PG(output_handler) != '\0') {
		zval handler;

		ZVAL_STRING(&handler, PG(output_handler));
		php_output_start_user(&handler, 0, PHP_OUTPUT_HANDLER_STDFLAGS);
		zval_ptr_dtor(&handler);
	} else if (PG(output_buffering) != 0) {
		zend_long size = PG(output_buffering) > 1 ? PG(output_buffering) : 0;

		php_output_start_user(NULL, (size_t)size, PHP_OUTPUT_HANDLER_STDFLAGS);
	} else if (PG(implicit_flush)) {
		php_output_set_implicit_flush(1);
	}
}

static void open_for_request(void)
{
	zend_long limit = PG(max_input_time) == -1 ? EG(timeout_seconds) : PG(max_input_time);

	zend_set_timeout(limit, 0);
	if (PG(expose_php))
		sapi_add_header(SAPI_PHP_VERSION_HEADER, sizeof(SAPI_PHP_VERSION_HEADER) - 1, true);
	start_buffering();
	php_hash_environment();
	outside_leave();
	if (!reset_is_skipped("modules"))
		start_modules();
	/* A form has been read by now: from here on the script's own limit counts. */
	if (PG(max_input_time) != -1)
		zend_set_timeout(EG(timeout_seconds), 0);
}

void frame_open(void)
{
	PG(during_request_startup) = true;
	PG(header_is_being_sent) = 0;
	PG(connection_status) = PHP_CONNECTION_NORMAL;
	PG(in_user_include) = false;
	PG(in_error_log) = false;
	php_output_activate();
	sapi_activate();
	if (room.request.asked != NULL)
		open_for_request();
	else
		outside_enter();
	SG(sapi_started) = true;
	PG(during_request_startup) = false;
}

/*
 * A handle on php://input reads from the body, and does not count as its user:
 * it cannot outlive it.
 */
static void close_body(void)
{
	php_stream *body = SG(request_info).request_body;
	zend_resource *r;

	if (body == NULL)
		return;
	ZEND_HASH_FOREACH_PTR(&EG(regular_list), r)
	{
		php_stream *stream = r->ptr;

		if (stream != NULL && r->type == php_file_le_stream() &&
		    strcmp(stream->ops->label, "Input") == 0)
			/* As fclose(): the variable that has it keeps its part in it. */
			php_stream_free(stream, PHP_STREAM_FREE_CLOSE | PHP_STREAM_FREE_KEEP_RSRC);
	}
	ZEND_HASH_FOREACH_END();
	php_stream_close(body);
}

static void close_sapi(void)
{
	char *query = SG(request_info).query_string;
	char *uri = SG(request_info).request_uri;
	char *path = SG(request_info).path_translated;

	if (!Z_ISUNDEF(SG(callback_func))) {
		zval_ptr_dtor(&SG(callback_func));
		ZVAL_UNDEF(&SG(callback_func));
	}
	room.request.over = true;
	close_body();
	sapi_deactivate();
	if (query != NULL)
		efree(query);
	if (uri != NULL)
		efree(uri);
	if (path != NULL)
		efree(path);
	memset(&SG(request_info), 0, sizeof(SG(request_info)));
}

static void free_superglobals(void)
{
	for (size_t i = 0; i < sizeof(PG(http_globals)) / sizeof(PG(http_globals)[0]); i++) {
		zval_ptr_dtor(&PG(http_globals)[i]);
		ZVAL_UNDEF(&PG(http_globals)[i]);
	}
}

/*
 * Whatever code of the script is to be heard at the end of its request. What it
 * has ordered for its end while it was in the outer frame is for its own end.
 */
static void run_last_code(void)
{
	if (room.request.asked == NULL) {
		reset_set_aside_shutdown();
	} else {
		zend_try
		{
			php_call_shutdown_functions();
			app_settle_exception();
		}
		zend_end_try();
		php_free_shutdown_functions();
	}
	zend_try
	{
		resetglobals_restore();
		app_settle_exception();
	}
	zend_end_try();
	zend_try
	{
		php_output_end_all();
		app_settle_exception();
	}
	zend_end_try();
	/* In the outer frame there is none, see app_handle(). */
	if (room.request.asked != NULL)
		zend_unset_timeout();
	if (CG(unclean_shutdown))
		return;
	zend_try
	{
		if (!reset_is_skipped("modules"))
			shut_modules_down();
		app_settle_exception();
	}
	zend_end_try();
}

bool frame_close(void)
{
	run_last_code();
	if (CG(unclean_shutdown))
		return false;
	zend_try
	{
		/* Sends the headers, and calls what the script wants to be called then. */
		php_output_deactivate();
		app_settle_exception();
		close_sapi();
	}
	zend_end_try();
	free_superglobals();
	return !CG(unclean_shutdown);
}
