/*
 * apploop: a script that loops on fpmx_handle_request(), from its start to its
 * end.
 *
 * Runs in: template (boot), worker.
 * The script is run once, inside of one request of PHP's. Its first call of
 * fpmx_handle_request() is the freeze: in a template the process stays in that
 * call for good, and the workers forked there go on from it.
 * exit(), an exception that nobody caught and a client that has gone unwind the
 * handler and cost nothing but the request. A bailout (a fatal error, a limit)
 * leaves a state that cannot be trusted: the request is answered with what PHP's
 * own shutdown of everything gives, and PHP is not returned to.
 */
#include "php/app.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/must.h"
#include "php/reset.h"

struct app app;

/* As php.ini says it; while the script boots there is none. */
static zend_long max_input_time;

/* --- the request ------------------------------------------------------------------ */

void app_recycle(const char *reason)
{
	snprintf(app.recycle, sizeof(app.recycle), "%s",
	    *reason != '\0' ? reason : "the script asked for it");
}

const char *engine_recycle_reason(void)
{
	return app.recycle;
}

/*
 * PHP's own way of calling it forgets an exception that it throws itself, unless
 * nothing is under way any more.
 */
static void call_exception_handler(void)
{
	zval handler, argument, result;

	ZVAL_OBJ(&argument, EG(exception));
	EG(exception) = NULL;
	ZVAL_COPY_VALUE(&handler, &EG(user_exception_handler));
	ZVAL_UNDEF(&EG(user_exception_handler));
	ZVAL_UNDEF(&result);
	if (call_user_function(NULL, NULL, &handler, &result, 1, &argument) == SUCCESS)
		zval_ptr_dtor(&result);
	zval_ptr_dtor(&argument);
	if (Z_ISUNDEF(EG(user_exception_handler)))
		ZVAL_COPY_VALUE(&EG(user_exception_handler), &handler);
	else
		zval_ptr_dtor(&handler);
}

void app_settle_exception(void)
{
	zend_object *thrown = EG(exception);

	if (thrown == NULL)
		return;
	if (zend_is_unwind_exit(thrown) || zend_is_graceful_exit(thrown)) {
		zend_clear_exception();
		return;
	}
	if (Z_TYPE(EG(user_exception_handler)) != IS_UNDEF)
		call_exception_handler();
	/* Nobody took it, or who did has thrown. It ends here like one at the top of a script. */
	if (EG(exception) != NULL && !zend_is_unwind_exit(EG(exception)))
		zend_exception_error(EG(exception), E_ERROR);
	zend_clear_exception();
}

void app_abort_script(void)
{
	PG(connection_status) = PHP_CONNECTION_ABORTED;
	php_output_set_status(PHP_OUTPUT_DISABLED);
	if (PG(ignore_user_abort) || app.phase != APP_REQUEST || room.request.over ||
	    EG(exception) != NULL || EG(current_execute_data) == NULL)
		return;
	zend_throw_unwind_exit();
}

/* Was it the script that left by exit(), and not us who unwound it? */
static bool left_by_exit(void)
{
	return EG(exception) != NULL && zend_is_unwind_exit(EG(exception)) &&
	       PG(connection_status) != PHP_CONNECTION_ABORTED;
}

void app_run_handler(void)
{
	zval result;

	ZVAL_UNDEF(&result);
	app.fci.retval = &result;
	app.fci.params = NULL;
	app.fci.param_count = 0;
	app.fci.named_params = NULL;
	zend_try
	{
		if (zend_call_function(&app.fci, &app.fcc) == SUCCESS)
			zval_ptr_dtor(&result);
		app.exited = left_by_exit();
		app_settle_exception();
	}
	zend_end_try();
}

bool app_begin_request(struct engine_request *r)
{
	volatile bool begun = false;

	zend_try
	{
		begun = frame_close();
	}
	zend_end_try();
	freeze_tell();
	if (!begun)
		return false;
	exec_forget();
	begun = false;
	app.phase = APP_REQUEST;
	zend_memory_reset_peak_usage();
	room.request.asked = r;
	SG(server_context) = &room;
	zend_try
	{
		resetglobals_begin();
		exec_prepare(r);
		frame_open();
		begun = true;
	}
	zend_end_try();
	return begun && !CG(unclean_shutdown);
}

/*
 * PHP shuts down as at the end of a classic request. What the boot has ordered
 * for the end of the script (frameworks show their page of errors there) is
 * called too, while the client can still be answered.
 */
static void end_php(struct engine_request *r, bool reported,
    void (*on_response)(void *ctx, struct engine_request *))
{
	app.ended = true;
	app.phase = APP_LEAVING;
	/* Who sent another request on it would send it to a worker that is about to end. */
	r->may_keep = false;
	if (EG(exception) != NULL)
		zend_clear_exception();
	if (!SG(headers_sent) && SG(sapi_headers).http_response_code == 200)
		SG(sapi_headers).http_response_code = 500;
	if (!reported)
		exec_report(r, on_response);
	reset_end();
	(void)exec_shut_down();
	if (!conn_is_finished(r->conn))
		exec_answer_without_php(r);
}

static enum engine_outcome after_request(void)
{
	const char *row;

	app.phase = APP_WAITING;
	row = reset_restore();
	if (!ini_undo_wire())
		row = "settings of the web server";
	if (row != NULL && app.recycle[0] == '\0')
		snprintf(app.recycle, sizeof(app.recycle), "cannot undo its change of: %s", row);
	if (app.exited && room.pool->exit == EXIT_POLICY_RECYCLE && app.recycle[0] == '\0')
		app_recycle("exit() in a request");
	return app.recycle[0] != '\0' || room.request.spoils_worker ? ENGINE_RECYCLE
								    : ENGINE_SERVED;
}

static void open_outer_frame(void)
{
	exec_forget();
	zend_try
	{
		frame_open();
	}
	zend_end_try();
}

enum engine_outcome app_serve(
    struct engine_request *r, void (*on_response)(void *ctx, struct engine_request *))
{
	volatile enum engine_outcome outcome = ENGINE_UNSAFE;
	volatile bool reported = false;
	bool begun;

	app.exited = false;
	CG(unclean_shutdown) = false;
	EG(exit_status) = 0;
	begun = app_begin_request(r);
	if (begun) {
		exec_respond(r);
		if (!CG(unclean_shutdown)) {
			exec_report(r, on_response);
			reported = true;
			begun = frame_close();
		}
	}
	zend_try
	{
		if (begun && !CG(unclean_shutdown))
			outcome = after_request();
	}
	zend_end_try();
	if (*room.ours == 0)
		_exit(EG(exit_status));
	if (CG(unclean_shutdown) || !begun)
		outcome = ENGINE_UNSAFE;
	if (outcome == ENGINE_UNSAFE)
		end_php(r, reported, on_response);
	signals_restore();
	PG(max_input_time) = max_input_time;
	if (outcome == ENGINE_UNSAFE)
		exec_forget();
	else
		open_outer_frame();
	return outcome;
}

/* --- the loop ----------------------------------------------------------------------- */

static bool may_handle(void)
{
	if (!app.loops)
		zend_throw_error(NULL,
		    "fpmx_handle_request() is for the worker script of a pool in mode worker");
	else if (*room.ours == 0)
		zend_throw_error(
		    NULL, "A process that the script has forked cannot handle requests");
	else if (app.phase == APP_REQUEST)
		zend_throw_error(NULL, "A request is being handled already");
	else if (EG(active_fiber) != NULL)
		zend_throw_error(NULL, "fpmx_handle_request() cannot be called in a Fiber");
	return EG(exception) == NULL;
}

_Noreturn static void go(void)
{
	app.calls->gone(app.calls->ctx);
	must(!"a worker that PHP is through with");
	abort();
}

/* What the script wants to be done in each worker. */
static void run_starters(void)
{
	zval *starter, result;

	if (Z_TYPE(app.starters) != IS_ARRAY)
		return;
	ZEND_HASH_FOREACH_VAL(Z_ARRVAL(app.starters), starter)
	{
		ZVAL_UNDEF(&result);
		if (call_user_function(NULL, NULL, starter, &result, 0, NULL) == SUCCESS)
			zval_ptr_dtor(&result);
		if (EG(exception) != NULL || CG(unclean_shutdown))
			return;
	}
	ZEND_HASH_FOREACH_END();
}

bool app_start_worker(void)
{
	volatile bool started = false;

	freeze_thaw();
	app.recycle[0] = '\0'; /* who boots is no worker yet */
	zend_try
	{
		run_starters();
		started = EG(exception) == NULL;
		app_settle_exception();
	}
	zend_end_try();
	freeze_tell();
	if (!started || CG(unclean_shutdown)) {
		log_pool(LOG_LEVEL_ERROR, room.pool->name,
		    "child %d failed to start: fpmx_on_worker_start()", (int)getpid());
		return false;
	}
	signals_accept();
	zend_unset_timeout();
	return true;
}

/* A worker that could not start is not let loose on requests. */
static void start_worker(void)
{
	if (!app_start_worker()) {
		app.ended = true;
		go();
	}
	reset_save();
	app.calls->begin(app.calls->ctx);
	app.phase = APP_WAITING;
}

void app_freeze(void)
{
	app.phase = APP_STARTING;
	freeze_settle();
	exec_forget();
	frame_open();
	PG(max_input_time) = max_input_time;
	signals_restore();
}

bool app_handle(zend_fcall_info *fci, zend_fcall_info_cache *fcc)
{
	if (!may_handle())
		return false;
	if (app.phase == APP_BOOTING) {
		app_freeze();
		if (app.calls->freeze != NULL)
			app.calls->freeze(app.calls->ctx);
		start_worker();
	}
	if (app.phase == APP_LEAVING)
		return false;
	zend_unset_timeout();
	app.fci = *fci;
	app.fcc = *fcc;
	if (!app.calls->next(app.calls->ctx)) {
		app.phase = APP_LEAVING;
		return false;
	}
	if (app.ended)
		go();
	return true;
}

/* --- the script ------------------------------------------------------------------------ */

bool app_start_script(void)
{
	volatile bool started = false;

	max_input_time = PG(max_input_time);

	zend_first_try
	{
		memset(&SG(request_info), 0, sizeof(SG(request_info)));
		SG(request_info).path_translated = estrdup(app.script);
		SG(sapi_headers).http_response_code = 200;
		SG(server_context) = NULL;
		/* The boot has a limit of its own, which is the master's. */
		PG(max_input_time) = -1;
		started = php_request_startup() == SUCCESS;
		zend_unset_timeout();
	}
	zend_end_try();
	return started;
}

static bool run_script(void)
{
	volatile bool opened = false;
	zend_file_handle file;

	zend_try
	{
		opened = exec_open_script(&file);
		if (opened) {
			exec_enter_folder_of(ZSTR_VAL(file.filename));
			php_execute_script(&file);
			zend_destroy_file_handle(&file);
		}
	}
	zend_end_try();
	return opened;
}

static void say_why(struct err *why, bool opened)
{
	const char *text = PG(last_error_message) != NULL ? ZSTR_VAL(PG(last_error_message)) : NULL;

	if (!opened)
		(void)err_sys(why, "cannot open the worker script %s", app.script);
	else if (EG(exit_status) == 255 && text != NULL)
		(void)err_set(why, "%s ended before its first fpmx_handle_request(): %s in %s:%d",
		    app.script, text,
		    PG(last_error_file) != NULL ? ZSTR_VAL(PG(last_error_file)) : "?",
		    PG(last_error_lineno));
	else
		(void)err_set(why,
		    "%s ended without calling fpmx_handle_request() (exit status %d)", app.script,
		    EG(exit_status));
}

void app_set_up(const char *script, const struct engine_app_calls *calls)
{
	app = (struct app){
	    .phase = APP_BOOTING, .loops = calls != NULL, .calls = calls, .script = script};
	ZVAL_UNDEF(&app.starters);
	CG(unclean_shutdown) = false;
	EG(exit_status) = 0;
	compat_take_signal_handlers();
}

enum engine_app_end engine_run_app(
    const char *script, const struct engine_app_calls *calls, struct err *why)
{
	enum app_phase last;
	bool opened;

	app_set_up(script, calls);
	if (room_claim(why) != 0)
		return ENGINE_APP_FAILED;
	if (!app_start_script()) {
		(void)err_set(why, "PHP does not start a request for %s", script);
		return ENGINE_APP_FAILED;
	}
	errno = 0;
	opened = run_script();
	last = app.phase;
	if (last == APP_BOOTING)
		say_why(why, opened);
	app.phase = APP_LEAVING;
	zval_ptr_dtor(&app.starters);
	ZVAL_UNDEF(&app.starters);
	if (last > APP_STARTING)
		reset_end();
	(void)exec_shut_down();
	freeze_tell();
	if (*room.ours == 0)
		_exit(EG(exit_status));
	return last == APP_BOOTING   ? ENGINE_APP_FAILED
	       : last == APP_LEAVING ? ENGINE_APP_LEFT
				     : ENGINE_APP_ENDED;
}
