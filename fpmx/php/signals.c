/*
 * signals: what a script did to the signals of its process ends with it.
 *
 * Runs in: template (startup), worker.
 * php-fpm comes without pcntl, libphp brings it: an alarm would end the worker
 * in the next request, an ignored SIGCHLD would hide exit codes from it, a
 * blocked SIGQUIT would keep the worker from leaving. The functions that change
 * such things take note first, so that requests without them pay nothing.
 */
#include "php/room.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"pcntl_alarm", "pcntl_signal", "pcntl_sigprocmask"};
#define NAMES (sizeof(names) / sizeof(names[0]))

static struct {
	const zend_function *function;
	zif_handler handler;
} noted[NAMES];

/* As it was before the first of them was called; valid while touched. */
static bool touched;
static sigset_t mask;
static struct sigaction actions[NSIG];

static void take_note(void)
{
	if (touched)
		return;
	touched = true;
	sigprocmask(SIG_SETMASK, NULL, &mask);
	for (int signo = 1; signo < NSIG; signo++)
		sigaction(signo, NULL, &actions[signo]); /* libc's own fail, here and later */
}

static void note_and_call(INTERNAL_FUNCTION_PARAMETERS)
{
	take_note();
	for (size_t i = 0; i < NAMES; i++) {
		if (noted[i].function == execute_data->func) {
			noted[i].handler(INTERNAL_FUNCTION_PARAM_PASSTHRU);
			return;
		}
	}
}

void signals_startup(void)
{
	for (size_t i = 0; i < NAMES; i++) {
		zend_function *f =
		    zend_hash_str_find_ptr(CG(function_table), names[i], strlen(names[i]));

		if (f == NULL || f->type != ZEND_INTERNAL_FUNCTION)
			continue;
		noted[i].function = f;
		noted[i].handler = f->internal_function.handler;
		f->internal_function.handler = note_and_call;
	}
}

void signals_restore(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t pending;

	if (!touched)
		return;
	touched = false;
	alarm(0);
	sigpending(&pending);
	/* What waits for the end of a mask was for the script, but for our orders. */
	sigdelset(&pending, SIGQUIT);
	sigdelset(&pending, SIGTERM);
	for (int signo = 1; signo < NSIG; signo++) {
		if (sigismember(&pending, signo) == 1)
			sigaction(signo, &ignore, NULL);
		sigaction(signo, &actions[signo], NULL);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
}
