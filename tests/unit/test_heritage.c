/* heritage: comes out as it went in, or not at all. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "proc/heritage.h"
#include "proc/spawn.h"
#include "unit.h"

#define BYTES_MAX (1 << 20)
#define VERSION_AT 4 /* the prologue: magic, version, length of the whole */
#define LENGTH_AT 8

static struct err e;
static struct arena *arena;
static struct conf *conf;
static const struct pool_conf *pool;

static const char pool_text[] = "error_log = /dev/null\n"
				"[www]\n"
				"listen = 127.0.0.1:9\n"
				"pm = dynamic\n"
				"pm.max_children = 7\n"
				"pm.min_spare_servers = 1\n"
				"pm.max_spare_servers = 3\n"
				"env[A] = \"b c\"\n"
				"php_admin_value[memory_limit] = 12M\n";

static void make(void)
{
	char path[] = "/tmp/fpmx-test-heritage-XXXXXX";
	struct conf_source source = {.path = path};
	struct conf_report report;
	int fd = mkstemp(path);

	ck_assert_int_eq(fd_write_all(fd, pool_text, sizeof(pool_text) - 1, &e), 0);
	close(fd);
	conf_report_init(&report);
	conf = conf_load(&source, &report);
	unlink(path);
	ck_assert_msg(conf != NULL, "%s", report.n ? report.findings[0].text : "");
	pool = conf->pools[0];
	conf_report_free(&report);
	arena = arena_new(4096);
}

static void unmake(void)
{
	arena_free(arena);
	conf_free(conf);
}

/* The end of a child: what the test made is freed there too. */
static _Noreturn void leave(int code)
{
	unmake();
	_exit(code);
}

/* --- random heritages ---------------------------------------------------- */

static const char *random_text(void)
{
	size_t n = (size_t)(rand() % 40);
	char *text;

	if (rand() % 5 == 0)
		return NULL;
	text = arena_alloc(arena, n + 1, 1);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)(1 + rand() % 255);
	return text;
}

static struct conf_list random_list(void)
{
	struct conf_list list = {.n = (size_t)(rand() % 6)};

	list.items = arena_alloc(arena, list.n, sizeof(*list.items));
	for (size_t i = 0; i < list.n; i++)
		do
			list.items[i] = random_text();
		while (!list.items[i]);
	return list;
}

static int some_fd(void)
{
	int fd = open("/dev/null", O_RDONLY);

	ck_assert_int_ge(fd, 3);
	return fd;
}

static struct heritage random_heritage(void)
{
	struct heritage h = {
	    .pool = pool,
	    .php = {.ini_path = random_text(),
		.no_ini = (uint32_t)(rand() % 2),
		.extended_info = (uint32_t)(rand() % 2),
		.defines = random_list(),
		.config_path = random_text(),
		.startup_env = random_list()},
	    .log = {.level = (enum conf_log_level)(rand() % CONF_LOG_MAX),
		.limit_bytes = (uint32_t)rand()},
	    .user = random_text(),
	    .home = random_text(),
	    .generation = (uint64_t)rand() << 32 | (uint64_t)rand(),
	    .nslots = (uint32_t)(rand() % 5000),
	    .dumpable = (uint32_t)(rand() % 2),
	    .jailed = (uint32_t)(rand() % 2),
	    .master_pid = rand(),
	    .channel_fd = some_fd(),
	    .retire_fd = some_fd(),
	    .wake_fd = some_fd(),
	    .board_fd = some_fd(),
	    .log_fd = some_fd(),
	    .access_fd = rand() % 2 ? some_fd() : -1,
	    .shown = {.pool = random_text(),
		.manager = (enum conf_pm)(rand() % PM_MAX),
		.nslots = (uint32_t)(rand() % 5000),
		.board_fd = rand() % 2 ? some_fd() : -1},
	    .nlisten = (size_t)(rand() % 5),
	};
	int *listen_fds = arena_alloc(arena, h.nlisten, sizeof(int));

	for (size_t i = 0; i < h.nlisten; i++)
		listen_fds[i] = some_fd();
	h.listen_fds = listen_fds;
	return h;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_list(const struct conf_list *a, const struct conf_list *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (!same_text(a->items[i], b->items[i]))
			return false;
	return true;
}

static bool same_pool(const struct pool_conf *a, const struct pool_conf *b)
{
	struct strbuf x, y;
	bool same;

	if (!a || !b)
		return a == b;
	strbuf_init(&x, BYTES_MAX);
	strbuf_init(&y, BYTES_MAX);
	pool_conf_dump(a, &x);
	pool_conf_dump(b, &y);
	same = x.len > 20 && same_text(strbuf_str(&x), strbuf_str(&y));
	strbuf_free(&x);
	strbuf_free(&y);
	return same;
}

/* 0, or the number of what differs. */
static int difference(const struct heritage *a, const struct heritage *b)
{
	if (!same_pool(a->pool, b->pool))
		return 1;
	if (!same_text(a->php.ini_path, b->php.ini_path) || a->php.no_ini != b->php.no_ini ||
	    a->php.extended_info != b->php.extended_info ||
	    !same_list(&a->php.defines, &b->php.defines) ||
	    !same_text(a->php.config_path, b->php.config_path) ||
	    !same_list(&a->php.startup_env, &b->php.startup_env))
		return 2;
	if (a->log.level != b->log.level || a->log.limit_bytes != b->log.limit_bytes)
		return 3;
	if (!same_text(a->user, b->user) || !same_text(a->home, b->home))
		return 4;
	if (a->generation != b->generation || a->nslots != b->nslots ||
	    a->master_pid != b->master_pid)
		return 5;
	if (a->channel_fd != b->channel_fd || a->retire_fd != b->retire_fd ||
	    a->wake_fd != b->wake_fd || a->board_fd != b->board_fd || a->log_fd != b->log_fd ||
	    a->access_fd != b->access_fd || !same_text(a->shown.pool, b->shown.pool) ||
	    a->shown.manager != b->shown.manager || a->shown.nslots != b->shown.nslots ||
	    a->shown.board_fd != b->shown.board_fd || a->nlisten != b->nlisten)
		return 6;
	for (size_t i = 0; i < a->nlisten; i++)
		if (a->listen_fds[i] != b->listen_fds[i])
			return 7;
	return 0;
}

/* Is fd to be open after heritage_open()? */
static bool is_named(const struct heritage *h, int fd)
{
	for (size_t i = 0; i < h->nlisten; i++)
		if (h->listen_fds[i] == fd)
			return true;
	return fd < 3 || fd == h->channel_fd || fd == h->retire_fd || fd == h->wake_fd ||
	       fd == h->board_fd || fd == h->log_fd || fd == h->access_fd ||
	       fd == h->shown.board_fd;
}

/* In a child, whose descriptors may go: opens it and compares with h. */
static int open_and_compare(int fd, const struct heritage *h)
{
	struct heritage got;
	int differs;

	if (heritage_open(fd, arena, &got, &e) < 0) {
		fprintf(stderr, "%s\n", e.text);
		return 99;
	}
	differs = difference(h, &got);
	if (differs)
		return differs;
	for (int i = 0; i < 200; i++) {
		int flags = fcntl(i, F_GETFD);

		if ((flags >= 0) != is_named(h, i) || (i > 2 && flags >= 0 && flags != FD_CLOEXEC))
			return 50;
	}
	return 0;
}

static void assert_survives(const struct heritage *h)
{
	int fd = heritage_seal(h, &e), status;
	pid_t pid;

	ck_assert_msg(fd >= 0, "%s", e.text);
	pid = spawn_fork(&e);
	if (pid == 0)
		leave(open_and_compare(fd, h));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	close(fd);
}

START_TEST(what_was_sealed_is_opened_and_nothing_else_stays_open)
{
	srand(5);
	for (int i = 0; i < 60; i++) {
		struct heritage h = random_heritage();

		assert_survives(&h);
		fd_close_others(100, NULL, 0);
		for (int fd = 3; fd < 100; fd++)
			if (is_named(&h, fd))
				close(fd);
	}
}
END_TEST

START_TEST(a_command_without_a_pool_needs_no_descriptors)
{
	struct heritage h = {
	    .php = {.ini_path = "/etc/php.ini", .no_ini = 1},
	    .channel_fd = -1,
	    .retire_fd = -1,
	    .wake_fd = -1,
	    .board_fd = -1,
	    .log_fd = -1,
	    .access_fd = -1,
	    .shown = {.board_fd = -1},
	};

	assert_survives(&h);
}
END_TEST

/* --- broken ones --------------------------------------------------------- */

struct sealed {
	char *bytes;
	size_t n;
};

static struct sealed bytes_of(const struct heritage *h)
{
	int fd = heritage_seal(h, &e);
	struct sealed s;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(fd_slurp(fd, BYTES_MAX, &s.bytes, &s.n, &e), 0);
	close(fd);
	return s;
}

static void assert_refused(const char *bytes, size_t n, const char *why)
{
	struct arena *a = arena_new(1024);
	struct heritage h;

	e.text[0] = '\0';
	ck_assert_int_eq(heritage_open(fd_sealed("test", bytes, n, NULL), a, &h, &e), -1);
	ck_assert_int_eq(strncmp(e.text, "heritage: ", 10), 0);
	if (why)
		ck_assert_msg(strstr(e.text, why) != NULL, "%s", e.text);
	arena_free(a);
}

/* Says in the bytes that they are as many as they are. */
static void set_length(char *bytes, uint64_t n)
{
	memcpy(bytes + LENGTH_AT, &n, sizeof(n));
}

START_TEST(every_truncation_is_refused)
{
	struct heritage h;
	struct sealed s;

	srand(9);
	h = random_heritage();
	s = bytes_of(&h);
	for (size_t n = 0; n < s.n; n++)
		assert_refused(s.bytes, n, n < 16 ? NULL : "its length is wrong");
	for (size_t n = s.n - 1; n >= 16; n--) {
		set_length(s.bytes, n);
		assert_refused(s.bytes, n, NULL);
	}
	free(s.bytes);
}
END_TEST

START_TEST(bytes_behind_the_end_are_refused)
{
	struct heritage h = random_heritage();
	struct sealed s = bytes_of(&h);
	char *longer = calloc(1, s.n + 4);

	memcpy(longer, s.bytes, s.n);
	assert_refused(longer, s.n + 4, "its length is wrong");
	set_length(longer, s.n + 4);
	assert_refused(longer, s.n + 4, "there are bytes behind its end");
	free(longer);
	free(s.bytes);
}
END_TEST

START_TEST(another_version_and_other_bytes_are_refused)
{
	struct heritage h = random_heritage();
	struct sealed s = bytes_of(&h);
	const uint32_t next = HERITAGE_VERSION + 1;

	memcpy(s.bytes + VERSION_AT, &next, sizeof(next));
	assert_refused(s.bytes, s.n, "another version");
	s.bytes[0] ^= 1;
	assert_refused(s.bytes, s.n, "not the bytes of one");
	free(s.bytes);
}
END_TEST

START_TEST(what_is_not_sealed_is_refused)
{
	struct heritage h = random_heritage(), got;
	struct sealed s = bytes_of(&h);
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(fd_write_all(fd, s.bytes, s.n, &e), 0);
	ck_assert_int_eq(heritage_open(fd, arena, &got, &e), -1);
	ck_assert_str_eq(e.text, "heritage: it is not sealed");
	ck_assert_int_eq(heritage_open(some_fd(), arena, &got, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "is no memfd"));
	ck_assert_int_eq(heritage_open(12345, arena, &got, NULL), -1);
	free(s.bytes);
}
END_TEST

static void assert_fds_refused(const struct heritage *h, const char *why)
{
	struct sealed s = bytes_of(h);

	assert_refused(s.bytes, s.n, why);
	free(s.bytes);
}

START_TEST(descriptors_that_are_not_there_are_refused)
{
	struct heritage good = random_heritage(), h;
	const int bad = 777, low = 2;

	h = good;
	h.board_fd = bad;
	assert_fds_refused(&h, "Bad file descriptor");
	h = good;
	h.board_fd = low;
	assert_fds_refused(&h, "descriptor 2");
	h = good;
	h.channel_fd = -1;
	assert_fds_refused(&h, "descriptor -1");
	h = good;
	h.access_fd = -2;
	assert_fds_refused(&h, "descriptor -2");
	h = good;
	h.nlisten = 1;
	h.listen_fds = &bad;
	assert_fds_refused(&h, "Bad file descriptor");
}
END_TEST

/* In a child: many changed heritages, none of which may do more than fail. */
static int open_changed_ones(const struct sealed *s)
{
	char *bytes = malloc(s->n);

	for (int i = 0; i < 4000; i++) {
		struct arena *a = arena_new(1024);
		struct heritage h;

		memcpy(bytes, s->bytes, s->n);
		for (int k = 1 + rand() % 3; k > 0; k--) {
			size_t at = 16 + (size_t)rand() % (s->n - 16);

			bytes[at] = (char)(rand() % 3 ? rand() : rand() % 2 ? 0xff : 0);
		}
		(void)!heritage_open(fd_sealed("test", bytes, s->n, NULL), a, &h, &e);
		arena_free(a);
	}
	free(bytes);
	return 0;
}

START_TEST(changed_bytes_break_nothing)
{
	struct heritage h = random_heritage();
	struct sealed s = bytes_of(&h);
	int status;
	pid_t pid = spawn_fork(&e);

	if (pid == 0)
		leave(open_changed_ones(&s));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
	free(s.bytes);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, make, unmake);
	tcase_add_test(tc, what_was_sealed_is_opened_and_nothing_else_stays_open);
	tcase_add_test(tc, a_command_without_a_pool_needs_no_descriptors);
	tcase_add_test(tc, every_truncation_is_refused);
	tcase_add_test(tc, bytes_behind_the_end_are_refused);
	tcase_add_test(tc, another_version_and_other_bytes_are_refused);
	tcase_add_test(tc, what_is_not_sealed_is_refused);
	tcase_add_test(tc, descriptors_that_are_not_there_are_refused);
	tcase_add_test(tc, changed_bytes_break_nothing);
}

UNIT_MAIN("heritage", add)
