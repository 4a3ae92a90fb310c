/*
 * isolated: a boot script that is run to its end, and the one request that each
 * process forked from there serves.
 *
 * Runs in: template (boot), worker.
 * To PHP the boot script and the script of the request are one: what the boot has
 * made is there, and the shutdown of the request is that of both. The boot has its
 * own frame (php/app.h), which the freeze ends, so that nothing of it that is a
 * process's or a client's comes into the request.
 * Never: a second request in one process. What the first has changed is not put
 * back: it ends with the process.
 */
#include "php/app.h"
#include "php/reset.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"

/* --- the boot --------------------------------------------------------------------- */

enum boot {
	BOOT_UNOPENED,
	BOOT_STOPPED, /* by exit(), an exception or an error */
	BOOT_DONE
};

/*
 * Without auto_prepend_file and auto_append_file, which are each request's. Only a
 * script that comes to its end gives a value back.
 */
static enum boot run_boot_script(void)
{
	volatile enum boot result = BOOT_UNOPENED;
	int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	zend_file_handle file;
	zval value;

	ZVAL_UNDEF(&value);
	errno = 0;
	zend_try
	{
		if (exec_open_script(&file)) {
			result = BOOT_STOPPED;
			exec_enter_folder_of(ZSTR_VAL(file.filename));
			(void)php_execute_simple_script(&file, &value);
			zend_destroy_file_handle(&file);
		}
	}
	zend_end_try();
	/* Where a request begins, and what is called at its end runs. */
	if (here < 0 || fchdir(here) != 0)
		engine_log(LOG_LEVEL_WARNING, "failed to return from the boot script's folder");
	fd_close(&here);
	if (!Z_ISUNDEF(value) && !CG(unclean_shutdown))
		result = BOOT_DONE;
	zval_ptr_dtor(&value);
	return result;
}

static void say_why(struct err *why, enum boot result)
{
	const char *text = PG(last_error_message) != NULL ? ZSTR_VAL(PG(last_error_message)) : NULL;

	if (result == BOOT_UNOPENED)
		(void)err_sys(why, "cannot open the boot script %s", app.script);
	else if (EG(exit_status) == 255 && text != NULL)
		(void)err_set(why, "%s did not come to its end: %s in %s:%d", app.script, text,
		    PG(last_error_file) != NULL ? ZSTR_VAL(PG(last_error_file)) : "?",
		    PG(last_error_lineno));
	else
		(void)err_set(why, "%s did not come to its end (exit status %d)", app.script,
		    EG(exit_status));
}

/* False: code that the script has ordered for the end of its frame has failed. */
static bool settle(void)
{
	volatile bool settled = false;

	zend_try
	{
		app_freeze();
		settled = true;
	}
	zend_end_try();
	return settled && !CG(unclean_shutdown);
}

int engine_boot(const char *script, struct err *why)
{
	enum boot result;

	app_set_up(script, NULL);
	if (room_claim(why) != 0)
		return -1;
	if (!app_start_script())
		return err_set(why, "PHP does not start a request for %s", script);
	result = run_boot_script();
	if (*room.ours == 1 && result == BOOT_DONE && settle())
		return 0;
	say_why(why, result);
	app.phase = APP_LEAVING;
	reset_bring_back_shutdown();
	(void)exec_shut_down();
	freeze_tell();
	if (*room.ours == 0)
		_exit(EG(exit_status));
	return -1;
}

bool engine_thaw(void)
{
	if (!app_start_worker())
		return false;
	app.phase = APP_WAITING;
	return true;
}

/* --- the request ------------------------------------------------------------------ */

/* What PHP keeps from one look to the next, and begins anew with each request. */
static void renew(void)
{
	zend_try
	{
		php_clear_stat_cache(0, NULL, 0);
		freeze_renew_opcache();
	}
	zend_end_try();
}

/*
 * PHP's shutdown of all that there is. A page of ours is not what the boot's
 * shutdown functions and destructors are for.
 */
static void shut_down(struct engine_request *r)
{
	app.phase = APP_LEAVING;
	if (r->action == ENGINE_RUN)
		reset_bring_back_shutdown();
	else
		zend_objects_store_mark_destructed(&EG(objects_store));
	(void)exec_shut_down();
}

enum engine_outcome isolated_serve(
    struct engine_request *r, void (*on_response)(void *ctx, struct engine_request *))
{
	CG(unclean_shutdown) = false;
	EG(exit_status) = 0;
	if (app_begin_request(r)) {
		renew();
		exec_respond(r);
		exec_report(r, on_response);
		shut_down(r);
	}
	if (*room.ours == 0)
		_exit(EG(exit_status));
	if (!conn_is_finished(r->conn))
		exec_answer_without_php(r);
	exec_forget();
	return ENGINE_SPENT;
}
