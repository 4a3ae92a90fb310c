/*
 * spawn: the only file that makes processes.
 *
 * Runs in: master (engines, other programs), template (workers).
 */
#ifndef FPMX_PROC_SPAWN_H
#define FPMX_PROC_SPAWN_H

#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"
#include "proc/privs.h"

/*
 * Opens the engine program O_PATH, so that it can be run where the pool's user
 * could not reach it by path: beside the program of this process in a build
 * tree, else in libexecdir. Returns the descriptor, or -1.
 */
int spawn_open_engine(struct err *) __attribute__((warn_unused_result));

struct spawn_engine {
	int engine_fd;             /* from spawn_open_engine() */
	const char *const *argv;   /* NULL-terminated */
	const char *const *envp;   /* NULL-terminated; the whole environment */
	const struct privs *privs; /* taken before exec; NULL: stay who we are */
	const char *title;         /* comm of the process until it names itself */
	const int *keep;           /* survive exec, each >= 3; all others above 2 close */
	size_t nkeep;
	int stdout_fd, stderr_fd;   /* -1: /dev/null */
	const sigset_t *mask;       /* signal mask after exec */
	const struct rlimit *files; /* limit of open files after exec; NULL: as it is */
	/*
	 * NULL: the caller waits for the exec. Else it gets a descriptor to watch
	 * for reading, non-blocking, and asks spawn_report() then: from the moment
	 * it has become the pool's user the process can be stopped by that user,
	 * and nobody else is to wait for it.
	 */
	int *report_fd;
};

/*
 * Forks and executes. In the child: privileges in php-fpm's order, SIGTERM when
 * the master dies, every signal at its default, then execveat() by descriptor. A
 * failure before exec comes back here through a pipe with the child's reason,
 * and the child is reaped. Waits for the exec, but five seconds at most, where
 * report_fd does not ask for it otherwise. Returns the pid and in *pidfd its
 * pidfd (close-on-exec), or -1.
 */
pid_t spawn_engine(const struct spawn_engine *, int *pidfd, struct err *)
    __attribute__((warn_unused_result));

/*
 * What became of the exec: 0 for success, -1 with the child's reason, which is
 * about to end then. For a report_fd that is readable; the caller closes it.
 */
int spawn_report(int report_fd, struct err *) __attribute__((warn_unused_result));

struct spawn_program {
	const char *const *argv;    /* argv[0] is looked for as execvp() does */
	const char *const *envp;    /* NULL-terminated; the whole environment */
	int output_fd;              /* becomes stdout and stderr */
	int keep_fd;                /* survives exec under its number, >= 3; -1: none */
	const struct rlimit *files; /* limit of open files after exec; NULL: as it is */
};

/*
 * Runs another program beside us, as who we are: no signal blocked or ignored,
 * no other descriptor open, SIGKILL when the master dies. A failure before or of
 * the exec is a sentence on output_fd and exit code 70. Does not wait. Returns
 * the pid and in *pidfd its pidfd (close-on-exec), or -1.
 */
pid_t spawn_program(const struct spawn_program *, int *pidfd, struct err *)
    __attribute__((warn_unused_result));

/*
 * In the template: a copy of this process whose parent is our parent (the
 * master), so that the master reaps it and our own death is not noticed by it.
 * Returns 0 in the child, its pid here, -1 with *e on failure. pthread_atfork
 * handlers do not run: the caller does by hand what libraries need. The child
 * gets SIGQUIT when the master dies (finish the request, leave), and has checked
 * that its parent is still parent. Where the kernel has no PR_GET_TID_ADDRESS
 * this forks twice and waits for the process between, so SIGCHLD must not be
 * ignored.
 */
pid_t spawn_sibling(pid_t parent, struct err *) __attribute__((warn_unused_result));

/* Plain fork for daemon.c. */
pid_t spawn_fork(struct err *) __attribute__((warn_unused_result));

#endif
