/*
 * signals: what a script did to the signals of its process ends with it.
 *
 * Runs in: template (startup), worker.
 * php-fpm comes without pcntl, libphp brings it: an alarm would end the worker
 * in the next request, an ignored SIGCHLD would hide exit codes from it, a
 * blocked SIGQUIT would keep the worker from leaving. The functions that change
 * such things take note first, so that requests without them pay nothing.
 * One thing stays until the next script begins, and in php-fpm with pcntl for
 * ever: a mask that keeps off SIGQUIT and SIGTERM. A worker that is idle like
 * that and is told to leave is killed after a while; if it is not told, nobody
 * sees a difference.
 */
#include "php/room.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* As it was before the first of them was called; valid while touched. */
static bool touched;
static bool deaf; /* the mask of the last script is in force in part */
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

void signals_startup(void)
{
	functions_wrap("pcntl_alarm", note_pcntl_alarm, &pcntl_alarm_itself);
	functions_wrap("pcntl_signal", note_pcntl_signal, &pcntl_signal_itself);
	functions_wrap("pcntl_sigprocmask", note_pcntl_sigprocmask, &pcntl_sigprocmask_itself);
}

void signals_accept(void)
{
	touched = false;
}

/* Of SIGQUIT and SIGTERM those that the script has blocked, unless one has come. */
static void keep_deafness(sigset_t *to, const sigset_t *now, const sigset_t *pending)
{
	static const int orders[] = {SIGQUIT, SIGTERM};

	if (sigismember(pending, SIGQUIT) == 1 || sigismember(pending, SIGTERM) == 1)
		return;
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (sigismember(now, orders[i]) == 1 && sigismember(to, orders[i]) == 0) {
			sigaddset(to, orders[i]);
			deaf = true;
		}
}

void signals_begin(void)
{
	if (!deaf)
		return;
	deaf = false;
	sigprocmask(SIG_SETMASK, &mask, NULL);
}

void signals_restore(void)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	sigset_t pending, now, to = mask;

	if (!touched)
		return;
	touched = false;
	alarm(0);
	sigpending(&pending);
	sigprocmask(SIG_SETMASK, NULL, &now);
	keep_deafness(&to, &now, &pending);
	/* What waits for the end of a mask was for the script, but for our orders. */
	sigdelset(&pending, SIGQUIT);
	sigdelset(&pending, SIGTERM);
	for (int signo = 1; signo < NSIG; signo++) {
		if (sigismember(&pending, signo) == 1)
			sigaction(signo, &ignore, NULL);
		sigaction(signo, &actions[signo], NULL);
	}
	sigprocmask(SIG_SETMASK, &to, NULL);
}
