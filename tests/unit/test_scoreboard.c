/*
 * Tests of status/scoreboard: what one process writes another reads whole, and
 * a writer that scribbles does no harm.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "status/render.h"
#include "status/scoreboard.h"
#include "unit.h"

#define SLOTS 5

static struct board *board_of(uint32_t nslots)
{
	struct err e;
	struct board *b = board_new("www", nslots, &e);

	ck_assert_msg(b != NULL, "%s", e.text);
	return b;
}

/* Starts a process that runs until it is killed. */
static pid_t start(void (*run)(struct board *), struct board *b)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run(b);
		_exit(0);
	}
	return pid;
}

static void end(pid_t pid)
{
	ck_assert_int_eq(kill(pid, SIGKILL), 0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(a_new_board_is_empty)
{
	struct board *b = board_of(SLOTS);
	struct board_counts n = board_count(b);
	struct worker_view w;
	struct pool_view p;

	ck_assert_uint_eq(board_nslots(b), SLOTS);
	ck_assert_uint_eq(n.idle + n.active + n.starting + n.total, 0);
	for (uint32_t slot = 0; slot < SLOTS; slot++) {
		ck_assert(board_read(b, slot, &w));
		ck_assert_uint_eq(w.state, WORKER_GONE);
		ck_assert_int_eq(w.pid, 0);
		ck_assert_str_eq(w.uri, "");
	}
	ck_assert(board_read_pool(b, &p));
	ck_assert_uint_eq(p.accepted_before, 0);
	board_free(b);
}
END_TEST

START_TEST(what_one_mapping_writes_the_other_reads)
{
	struct board *b = board_of(SLOTS), *other;
	struct pool_view p = {.accepted_before = 7, .wake_below = 1}, q;
	struct worker_view *w, v;
	struct err e;

	other = board_open(dup(board_fd(b)), SLOTS, &e);
	ck_assert_msg(other != NULL, "%s", e.text);
	board_set_pool(b, &p);
	ck_assert(board_read_pool(other, &q));
	ck_assert_mem_eq(&p, &q, sizeof(p));

	board_set_state(other, 3, WORKER_RUNNING);
	w = board_begin(other, 3);
	w->pid = 42;
	w->accepted = 9;
	memcpy(w->uri, "/a.php", sizeof("/a.php"));
	ck_assert(!board_read(b, 3, &v));
	board_end(other, 3);
	ck_assert(board_read(b, 3, &v));
	ck_assert_int_eq(v.pid, 42);
	ck_assert_uint_eq(v.state, WORKER_RUNNING);
	ck_assert_str_eq(v.uri, "/a.php");
	ck_assert(board_read(b, 2, &v));
	ck_assert_int_eq(v.pid, 0);
	board_free(other);
	board_free(b);
}
END_TEST

START_TEST(a_writer_at_work_leaves_only_whole_words)
{
	struct board *b = board_of(1);
	struct worker_view *w = board_begin(b, 0), v;

	w->pid = 42;
	w->accepted = 9;
	memcpy(w->uri, "/half", sizeof("/half"));
	board_set_state(b, 0, WORKER_READING);
	memset(&v, 0xAA, sizeof(v));
	ck_assert(!board_read(b, 0, &v));
	ck_assert_int_eq(v.pid, 42);
	ck_assert_uint_eq(v.accepted, 9);
	ck_assert_uint_eq(v.state, WORKER_READING);
	ck_assert_str_eq(v.uri, "");
	ck_assert_uint_eq(v.requests, 0);
	board_free(b);
}
END_TEST

START_TEST(a_slot_left_half_written_can_be_used_again)
{
	struct board *b = board_of(1);
	struct worker_view v;

	board_begin(b, 0)->pid = 1; /* died here */
	board_clear_slot(b, 0);
	ck_assert(board_read(b, 0, &v));
	ck_assert_int_eq(v.pid, 0);

	(void)board_begin(b, 0);
	board_begin(b, 0)->pid = 2; /* a successor without a clearing between */
	board_end(b, 0);
	ck_assert(board_read(b, 0, &v));
	ck_assert_int_eq(v.pid, 2);
	board_free(b);
}
END_TEST

START_TEST(counts_follow_the_state_bytes)
{
	struct board *b = board_of(WORKER_STATE_MAX + 1);
	struct board_counts n;

	for (uint32_t s = 0; s < WORKER_STATE_MAX; s++)
		board_set_state(b, s, (enum worker_state)s);
	board_set_state(b, WORKER_STATE_MAX, WORKER_IDLE);
	n = board_count(b);
	ck_assert_uint_eq(n.idle, 2);
	ck_assert_uint_eq(n.starting, 1);
	ck_assert_uint_eq(n.active, 5);
	ck_assert_uint_eq(n.total, 8);
	board_free(b);
}
END_TEST

START_TEST(its_size_cannot_be_changed)
{
	struct board *b = board_of(2);
	struct stat st;

	ck_assert_int_eq(fstat(board_fd(b), &st), 0);
	ck_assert_int_ne(ftruncate(board_fd(b), 0), 0);
	ck_assert_int_ne(ftruncate(board_fd(b), st.st_size * 2), 0);
	ck_assert_int_ne(fcntl(board_fd(b), F_ADD_SEALS, F_SEAL_WRITE), 0);
	ck_assert_int_ne(fcntl(board_fd(b), F_GETFD) & FD_CLOEXEC, 0);
	board_free(b);
}
END_TEST

START_TEST(what_is_no_board_of_that_size_is_refused)
{
	struct board *b = board_of(2);
	int plain = memfd_create("plain", MFD_ALLOW_SEALING);
	struct err e;

	ck_assert_ptr_null(board_open(board_fd(b), 3, &e));
	ck_assert_int_eq(ftruncate(plain, 4096 * 4), 0);
	ck_assert_ptr_null(board_open(plain, 2, &e)); /* right size, no seals */
	ck_assert_ptr_null(board_open(-1, 2, &e));
	close(plain);
	board_free(b);
}
END_TEST

/* Writes views whose fields all tell the same number, for ever. */
static void write_alike(struct board *b)
{
	for (uint64_t i = 0;; i++) {
		struct worker_view *w = board_begin(b, 0);

		w->requests = i;
		w->cpu_us = i;
		memset(w->query, 'a' + (int)(i % 26), sizeof(w->query) - 1);
		w->content_length = i;
		board_end(b, 0);
		/* Rest now and then, so that a slow reader finds it still sometimes. */
		if (i % 1000 == 0)
			usleep(200);
	}
}

START_TEST(no_reader_sees_halves_of_two_writes)
{
	struct board *b = board_of(1);
	pid_t writer = start(write_alike, b);
	uint64_t until = clock_now_ms() + 500;
	unsigned whole = 0;

	while (clock_now_ms() < until) {
		struct worker_view v;

		if (!board_read(b, 0, &v))
			continue;
		whole++;
		ck_assert_uint_eq(v.requests, v.cpu_us);
		ck_assert_uint_eq(v.requests, v.content_length);
		if (v.query[0] == '\0')
			continue; /* nothing was written yet */
		for (size_t i = 0; i < sizeof(v.query) - 1; i++)
			ck_assert_int_eq(v.query[i], 'a' + (int)(v.requests % 26));
	}
	ck_assert_uint_gt(whole, 0);
	end(writer);
	board_free(b);
}
END_TEST

/* Fills the whole memory, sequence counts and all, with noise, for ever. */
static void scribble(struct board *b)
{
	struct stat st;
	uint64_t *words, x = 88172645463325252u;

	if (fstat(board_fd(b), &st) != 0)
		_exit(1);
	words = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, board_fd(b), 0);
	if (words == MAP_FAILED)
		_exit(1);
	for (;;)
		for (size_t i = 0; i < (size_t)st.st_size / 8; i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			__atomic_store_n(&words[i], x, __ATOMIC_RELAXED);
		}
}

START_TEST(readers_survive_a_writer_that_scribbles)
{
	struct board *b = board_of(SLOTS);
	pid_t writer = start(scribble, b);
	uint64_t until = clock_now_ms() + 1500;
	struct worker_view views[SLOTS];
	struct strbuf page;
	unsigned turns = 0;

	strbuf_init(&page, 1 << 20);
	for (; turns < 20 || clock_now_ms() < until; turns++) {
		struct status_view v = {.pool = "www", .manager = "static"};
		struct board_counts n = board_count(b);
		struct pool_view p;

		(void)board_read_pool(b, &p);
		ck_assert_uint_eq(n.idle + n.active + n.starting, n.total);
		ck_assert_uint_le(n.total, SLOTS);
		status_collect(b, &v, views, true);
		ck_assert_uint_le(v.nworkers, SLOTS);
		for (uint32_t i = 0; i < v.nworkers; i++) {
			ck_assert_uint_lt(views[i].state, WORKER_STATE_MAX);
			ck_assert_int_ge(views[i].pid, 0);
			ck_assert_uint_lt(strlen(views[i].query), sizeof(views[i].query));
		}
		for (int f = 0; f < STATUS_FORMAT_MAX; f++) {
			strbuf_clear(&page);
			status_render(&v, (enum status_format)f, true, &page);
			ck_assert(!page.truncated);
		}
	}
	end(writer);
	strbuf_free(&page);
	board_free(b);
}
END_TEST

/* For a pool whose processes tell of this one: what they hold cannot be written. */
START_TEST(a_shared_board_can_only_be_read)
{
	struct err e;
	struct board *b = board_new("www", 3, &e), *shared;
	struct worker_view w;
	int fd = board_share(b, &e), copy = dup(fd);

	ck_assert_int_ge(fd, 3);
	board_begin(b, 1)->requests = 7;
	board_end(b, 1);
	shared = board_open_shared(fd, 3, &e);
	ck_assert_ptr_nonnull(shared);
	ck_assert(board_read(shared, 1, &w));
	ck_assert_uint_eq(w.requests, 7);
	ck_assert_ptr_null(board_open(copy, 3, &e));
	ck_assert_ptr_null(board_open_shared(copy, 4, &e));
	close(copy);
	board_free(shared);
	board_free(b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_new_board_is_empty);
	tcase_add_test(tc, what_one_mapping_writes_the_other_reads);
	tcase_add_test(tc, a_writer_at_work_leaves_only_whole_words);
	tcase_add_test(tc, a_slot_left_half_written_can_be_used_again);
	tcase_add_test(tc, counts_follow_the_state_bytes);
	tcase_add_test(tc, its_size_cannot_be_changed);
	tcase_add_test(tc, what_is_no_board_of_that_size_is_refused);
	tcase_add_test(tc, no_reader_sees_halves_of_two_writes);
	tcase_add_test(tc, readers_survive_a_writer_that_scribbles);
	tcase_add_test(tc, a_shared_board_can_only_be_read);
}

UNIT_MAIN("scoreboard", add)
