/* template: what the master makes of a template that crashes or talks out of turn. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>

#include "base/fd.h"
#include "base/log.h"
#include "master/template.h"
#include "unit.h"

#define MANY 200

static struct err e;

/* --- the other side: this program again, in the place of the engine ---------- */

static void say(const struct heritage *h, const struct msg *m)
{
	if (chan_send(h->channel_fd, MSG_FROM_TEMPLATE, m, NULL) != CHAN_OK)
		_exit(3);
}

/* Until we are told to leave, or killed. */
static _Noreturn void stay(const struct heritage *h)
{
	struct msg m;

	while (chan_recv(h->channel_fd, MSG_FROM_TEMPLATE, &m, NULL) == CHAN_OK)
		;
	_exit(0);
}

static void say_often(const struct heritage *h, enum msg_type type)
{
	struct msg m = {.type = type};

	for (int i = 0; i < MANY; i++)
		say(h, &m);
}

static int act(int heritage_fd)
{
	const struct msg ready = {.type = MSG_READY};
	struct arena *arena = arena_new(4096);
	const char *role = getenv("ROLE");
	struct heritage h;

	if (heritage_open(heritage_fd, arena, &h, NULL) < 0)
		return 1;
	if (strcmp(role, "repeats its failure") == 0) {
		say_often(&h, MSG_FAILED);
		pause();
	}
	say(&h, &ready);
	if (strcmp(role, "crashes") == 0)
		raise(SIGSEGV);
	if (strcmp(role, "leaves unasked") == 0)
		return 0;
	if (strcmp(role, "answers unasked") == 0)
		say_often(&h, MSG_PONG);
	if (strcmp(role, "has traced unasked") == 0)
		say_often(&h, MSG_TRACED);
	stay(&h);
}

/* --- this side ----------------------------------------------------------------- */

struct side {
	struct loop *loop;
	struct template template;
	int log_fd;
	const char *role;
	bool is_ready, is_gone;
};

static void on_ready(void *ctx)
{
	struct side *s = ctx;

	s->is_ready = true;
	if (strcmp(s->role, "obeys") == 0)
		template_leave(&s->template);
}

static void on_forked(void *ctx, const struct msg_forked *m)
{
	(void)ctx;
	(void)m;
}

static void on_refused(void *ctx, const struct msg_refused *m)
{
	(void)ctx;
	(void)m;
}

static void on_traced(void *ctx, const struct msg_traced *m)
{
	(void)ctx;
	(void)m;
	ck_abort_msg("nobody has asked for a trace");
}

static void on_gone(void *ctx, bool was_ready)
{
	struct side *s = ctx;

	ck_assert_int_eq(was_ready, s->is_ready);
	s->is_gone = true;
	loop_stop(s->loop);
}

static void give_up(void *ctx)
{
	loop_stop(((struct side *)ctx)->loop);
}

static const struct template_calls calls = {
    .ready = on_ready,
    .forked = on_forked,
    .refused = on_refused,
    .traced = on_traced,
    .gone = on_gone,
};

static void start(struct side *s)
{
	/* A crash is to be the kernel's to tell, also where AddressSanitizer is built in. */
	const char *env[] = {NULL, "ASAN_OPTIONS=detect_leaks=0:handle_segv=0", NULL};
	struct heritage h = {
	    .log = {.level = CONF_LOG_NOTICE}, .access_fd = -1, .shown = {.board_fd = -1}};
	struct template_start how = {.heritage = &h, .envp = env, .boot_timeout_ms = 20000};
	char role[64];
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	snprintf(role, sizeof(role), "ROLE=%s", s->role);
	env[0] = role;
	h.retire_fd = h.wake_fd = h.board_fd = h.log_fd = null;
	how.engine_fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	ck_assert_int_ge(how.engine_fd, 0);
	template_init(&s->template, s->loop, "p", &calls, s);
	ck_assert_msg(template_start(&s->template, &how, &e) == 0, "%s", e.text);
	close(how.engine_fd);
	close(null);
}

/* Lives through a whole template of that role; *log is what was logged. */
static void live(const char *role, char *log, size_t size)
{
	struct side s = {.role = role, .log_fd = memfd_create("log", MFD_CLOEXEC)};
	struct log_setup setup = {
	    .fd = s.log_fd, .mirror_fd = -1, .level = LOG_LEVEL_NOTICE, .form = LOG_FORM_STAMPED};
	struct loop_handle limit;
	ssize_t n;

	log_configure(&setup);
	s.loop = loop_new(&e);
	ck_assert_ptr_nonnull(s.loop);
	loop_timer(s.loop, 30000, give_up, &s, &limit);
	start(&s);
	loop_run(s.loop);
	ck_assert(s.is_gone);
	loop_free(s.loop);
	n = pread(s.log_fd, log, size - 1, 0);
	ck_assert_int_ge(n, 0);
	log[n] = '\0';
	close(s.log_fd);
}

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

START_TEST(a_crash_is_told)
{
	char log[4096];

	live("crashes", log, sizeof(log));
	ck_assert_msg(strstr(log, "WARNING: [pool p] template ") != NULL, "%s", log);
	ck_assert_msg(strstr(log, "exited on signal 11 (SIGSEGV") != NULL, "%s", log);
}
END_TEST

START_TEST(one_that_leaves_unasked_is_told)
{
	char log[4096];

	live("leaves unasked", log, sizeof(log));
	ck_assert_msg(strstr(log, "exited with code 0") != NULL, "%s", log);
}
END_TEST

START_TEST(one_that_leaves_as_told_is_not_worth_a_line)
{
	char log[4096];

	live("obeys", log, sizeof(log));
	ck_assert_str_eq(log, "");
}
END_TEST

START_TEST(a_failure_is_heard_once)
{
	char log[65536];

	live("repeats its failure", log, sizeof(log));
	ck_assert_msg(count(log, "failed to start") == 1, "%s", log);
	ck_assert_msg(count(log, "does not leave, killing it") == 1, "%s", log);
}
END_TEST

START_TEST(who_talks_out_of_turn_is_killed_and_not_heard_again)
{
	char log[65536];

	live("answers unasked", log, sizeof(log));
	ck_assert_msg(count(log, "it sent a message at the wrong time") == 1, "%s", log);
	ck_assert_msg(count(log, "exited on signal 9") == 1, "%s", log);
}
END_TEST

START_TEST(a_trace_that_nobody_asked_for_is_out_of_turn)
{
	char log[65536];

	live("has traced unasked", log, sizeof(log));
	ck_assert_msg(count(log, "it sent a message at the wrong time") == 1, "%s", log);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_crash_is_told);
	tcase_add_test(tc, one_that_leaves_unasked_is_told);
	tcase_add_test(tc, one_that_leaves_as_told_is_not_worth_a_line);
	tcase_add_test(tc, a_failure_is_heard_once);
	tcase_add_test(tc, who_talks_out_of_turn_is_killed_and_not_heard_again);
	tcase_add_test(tc, a_trace_that_nobody_asked_for_is_out_of_turn);
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "template") == 0)
		return act((int)strtol(argv[2], NULL, 10));
	if (unit_on_valgrind()) {
		printf("SKIP template: valgrind knows no pidfd_open\n");
		return 77;
	}
	return unit_run("template", add);
}
