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

/*
 * One wrapper each: a closure made of such a function runs its handler with a
 * copy of the function, so the function does not tell which one was called.
 */
#define NOTED(name)                                              \
	static zif_handler name##_itself;                        \
	static void note_##name(INTERNAL_FUNCTION_PARAMETERS)    \
	{                                                        \
		take_note();                                     \
		name##_itself(INTERNAL_FUNCTION_PARAM_PASSTHRU); \
	}

NOTED(pcntl_alarm)
NOTED(pcntl_signal)
NOTED(pcntl_sigprocmask)

static void wrap(const char *name, zif_handler wrapper, zif_handler *itself)
{
	zend_function *f = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));

	if (f == NULL || f->type != ZEND_INTERNAL_FUNCTION)
		return;
	*itself = f->internal_function.handler;
	f->internal_function.handler = wrapper;
}

void signals_startup(void)
{
	wrap("pcntl_alarm", note_pcntl_alarm, &pcntl_alarm_itself);
	wrap("pcntl_signal", note_pcntl_signal, &pcntl_signal_itself);
	wrap("pcntl_sigprocmask", note_pcntl_sigprocmask, &pcntl_sigprocmask_itself);
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
