/*
 * trial: PROGRAM -t, and what it says.
 *
 * Runs in: master.
 */
#include "master/trial.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "master/reap.h"
#include "master/rehearse.h"
#include "proc/exits.h"
#include "proc/spawn.h"

/* Names of a slow name service may have to be looked up. */
#define LIMIT_MS 30000
/*
 * A configuration that was good so long ago may be another one by now. The
 * processes of most pools leave in less.
 */
#define HOLDS_MS 1000
#define OUTPUT_MAX_BYTES ((size_t)64 << 10)
#define READS_PER_TURN 16

void trial_init(struct trial *t, const struct trial_setup *s)
{
	*t = (struct trial){.set = *s, .pidfd = -1, .output = -1};
	strbuf_init(&t->text, OUTPUT_MAX_BYTES);
}

bool trial_runs(const struct trial *t)
{
	return t->pid > 0;
}

bool trial_holds(const struct trial *t)
{
	return !trial_runs(t) && t->passed && loop_now_ms(t->set.loop) - t->passed_at_ms < HOLDS_MS;
}

bool trial_knows(const struct trial *t, pid_t pid)
{
	return t->pid > 0 && t->pid == pid;
}

/* --- what it says ------------------------------------------------------------ */

/* The level that a line of a log names; *line is moved behind it. */
static enum log_level level_of(const char **line)
{
	const char *s = *line;

	if (*s == '[' && strchr(s, ']'))
		s = strchr(s, ']') + 1;
	s += strspn(s, " ");
	for (int level = 0; level < LOG_LEVEL_MAX; level++) {
		size_t n = strlen(log_level_names[level]);

		if (strncmp(s, log_level_names[level], n) == 0 && strncmp(s + n, ": ", 2) == 0) {
			*line = s + n + 2;
			return (enum log_level)level;
		}
	}
	return LOG_LEVEL_ERROR;
}

/* What was wrong; that something is good will be said by the process that uses it. */
static void tell_findings(const struct trial *t)
{
	char *copy = must_memory(strdup(strbuf_str(&t->text))), *next;

	for (char *line = strtok_r(copy, "\n", &next); line; line = strtok_r(NULL, "\n", &next)) {
		const char *text = line;
		enum log_level level = level_of(&text);

		log_at(level, NULL, "%s", text);
	}
	free(copy);
}

static void close_output(struct trial *t)
{
	loop_forget(t->set.loop, &t->output_watch);
	fd_close(&t->output);
}

static void read_output(struct trial *t)
{
	char bytes[4096];
	ssize_t got;

	for (int i = 0; t->output >= 0 && i < READS_PER_TURN; i++) {
		got = read(t->output, bytes, sizeof(bytes));
		if (got > 0)
			strbuf_add(&t->text, bytes, (size_t)got); /* cut at its limit */
		else if (got == 0)
			close_output(t);
		else if (errno != EINTR)
			return;
	}
}

static void on_output(void *ctx, int fd, uint32_t events)
{
	(void)fd;
	(void)events;
	read_output(ctx);
}

/* --- its end ------------------------------------------------------------------ */

/* Also of one that never came to life. */
static void clear(struct trial *t)
{
	close_output(t);
	loop_forget(t->set.loop, &t->exit_watch);
	loop_forget(t->set.loop, &t->timer);
	fd_close(&t->pidfd);
	strbuf_free(&t->text);
	strbuf_init(&t->text, OUTPUT_MAX_BYTES);
	t->pid = 0;
	t->again = t->late = false;
}

static bool judge(const struct trial *t, const struct reap_end *end)
{
	char words[REAP_WORDS_BYTES];

	if (!end->by_signal && end->code == EXIT_DONE)
		return true;
	tell_findings(t);
	reap_words(end, words);
	if (t->late)
		log_error("the test of the configuration did not end in %d s and was killed",
		    LIMIT_MS / 1000);
	else
		log_error("the test of the configuration %s", words);
	return false;
}

static void on_exit_ready(void *ctx, int fd, uint32_t events)
{
	struct trial *t = ctx;
	struct reap_end end = {.code = EXIT_SOFTWARE};
	bool passed, again = t->again;
	struct err e;
	int rc = reap_collect(fd, &end, &e);

	(void)events;
	if (rc == 0)
		return;
	if (rc < 0)
		log_error("%s", e.text);
	read_output(t);
	if (again) {
		clear(t);
		if (trial_start(t, &e) == 0)
			return;
		log_error("%s", e.text);
		passed = false;
	} else {
		passed = judge(t, &end);
		clear(t);
	}
	t->passed = passed;
	t->passed_at_ms = loop_now_ms(t->set.loop);
	t->set.done(t->set.ctx, passed);
}

static void is_late(void *ctx)
{
	struct trial *t = ctx;

	t->late = true;
	t->again = false;
	reap_signal(t->pidfd, SIGKILL);
}

void trial_cancel(struct trial *t)
{
	if (!trial_runs(t))
		return;
	/* The sweep of unknown children collects it. */
	reap_signal(t->pidfd, SIGKILL);
	clear(t);
}

/* --- its start ---------------------------------------------------------------- */

static bool is_daemonize(const char *word)
{
	return strcmp(word, "-D") == 0 || strcmp(word, "--daemonize") == 0;
}

/*
 * As we were started, but to test, and to say on stderr alone what is wrong:
 * in our log it appears once, through us. Free with free().
 */
static const char **words_of(char *const *argv)
{
	static const char *const test[] = {"-t", "-F", "-O"};
	const size_t ntest = sizeof(test) / sizeof(test[0]);
	size_t n = 0, at = 0;
	const char **words;

	while (argv[n])
		n++;
	words = must_memory(calloc(n + ntest + 1, sizeof(*words)));
	words[at++] = argv[0];
	for (size_t i = 0; i < ntest; i++)
		words[at++] = test[i];
	for (size_t i = 1; i < n; i++)
		if (!is_daemonize(argv[i]))
			words[at++] = argv[i];
	return words;
}

/* Our environment and what asks for a rehearsal. Free with free(). */
static const char **environ_with(const char *assignment)
{
	const char **env;
	size_t n = 0;

	while (environ[n])
		n++;
	env = must_memory(calloc(n + 2, sizeof(*env)));
	for (size_t i = 0; i < n; i++)
		env[i] = environ[i];
	env[n] = assignment;
	return env;
}

static int spawn(struct trial *t, int output, int list, struct err *e)
{
	char assignment[sizeof(REHEARSE_NAME) + 16];
	const char **words = words_of(t->set.argv), **env = environ_with(assignment);
	struct spawn_program how = {
	    .argv = words,
	    .envp = env,
	    .output_fd = output,
	    .keep_fd = list,
	    .files = t->set.files,
	};

	snprintf(assignment, sizeof(assignment), REHEARSE_NAME "=%d", list);
	t->pid = spawn_program(&how, &t->pidfd, e);
	free(words);
	free(env);
	if (t->pid > 0)
		return 0;
	t->pid = 0;
	return -1;
}

static int spawn_with_list(struct trial *t, int output, struct err *e)
{
	int list = t->set.list(t->set.ctx, e), rc;

	if (list < 0)
		return -1;
	rc = spawn(t, output, list, e);
	fd_close(&list);
	return rc;
}

int trial_start(struct trial *t, struct err *e)
{
	int ends[2], rc;

	if (trial_runs(t)) {
		t->again = true;
		return 0;
	}
	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_sys(e, "pipe2");
	t->output = ends[0];
	rc = fd_nonblock(t->output, true, e) < 0 ? -1 : spawn_with_list(t, ends[1], e);
	fd_close(&ends[1]);
	if (rc < 0 ||
	    loop_watch(t->set.loop, t->output, EPOLLIN, on_output, t, &t->output_watch, e) < 0 ||
	    loop_watch(t->set.loop, t->pidfd, EPOLLIN, on_exit_ready, t, &t->exit_watch, e) < 0) {
		if (trial_runs(t))
			reap_signal(t->pidfd, SIGKILL);
		clear(t);
		return -1;
	}
	loop_timer(t->set.loop, LIMIT_MS, is_late, t, &t->timer);
	return 0;
}
