/* memory: what a template can read of its workers. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "template/memory.h"
#include "unit.h"

#define NSLOTS 8

static struct memory m;
static struct err e;
static volatile uint32_t secret;

static void start(void)
{
	memory_init(&m);
	ck_assert_msg(memory_open(&m, NSLOTS, &e) == 0, "%s", e.text);
}

static unsigned count_fds(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A worker that has given its memory; it stays until it is killed. */
static pid_t worker(uint32_t slot, uint32_t order, uint32_t knows)
{
	pid_t pid;

	memory_take(&m);
	pid = fork();
	if (pid != 0)
		return pid;
	secret = knows;
	memory_give(&m, slot, order);
	for (;;)
		pause();
}

static int wait_for(uint32_t slot, uint32_t order)
{
	int fd = -1;

	for (int i = 0; i < 5000 && (fd = memory_of(&m, slot, order)) < 0; i++)
		usleep(1000);
	ck_assert_int_ge(fd, 0);
	return fd;
}

static uint32_t read_secret(int fd)
{
	uint32_t value = 0;

	ck_assert_int_eq(
	    pread(fd, &value, sizeof(value), (off_t)(uintptr_t)&secret), sizeof(value));
	return value;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

START_TEST(each_worker_shows_its_own)
{
	pid_t a, b;

	start();
	a = worker(1, 10, 111);
	b = worker(2, 11, 222);
	ck_assert_uint_eq(read_secret(wait_for(1, 10)), 111);
	ck_assert_uint_eq(read_secret(wait_for(2, 11)), 222);
	ck_assert_int_eq(memory_of(&m, 3, 12), -1);
	ck_assert_int_eq(memory_of(&m, NSLOTS, 12), -1);
	end(a);
	end(b);
}
END_TEST

START_TEST(one_that_must_not_be_dumped_shows_its_own_and_stays_so)
{
	pid_t pid;

	unit_needs_root();
	start();
	memory_take(&m);
	pid = fork();
	if (pid == 0) {
		secret = 7;
		if (setgid(65534) != 0 || setuid(65534) != 0 || prctl(PR_SET_DUMPABLE, 0) != 0)
			_exit(1);
		memory_give(&m, 0, 1);
		secret = prctl(PR_GET_DUMPABLE) == 0 ? 8 : 9;
		for (;;)
			pause();
	}
	for (int fd = wait_for(0, 1), i = 0; i < 5000 && read_secret(fd) == 7; i++)
		usleep(1000);
	ck_assert_uint_eq(read_secret(wait_for(0, 1)), 8);
	end(pid);
}
END_TEST

START_TEST(the_next_in_a_slot_takes_the_place)
{
	pid_t a, b;
	unsigned before;

	start();
	a = worker(1, 10, 111);
	(void)wait_for(1, 10);
	before = count_fds();
	end(a);
	b = worker(1, 11, 222);
	ck_assert_uint_eq(read_secret(wait_for(1, 11)), 222);
	ck_assert_int_eq(memory_of(&m, 1, 10), -1);
	ck_assert_uint_eq(count_fds(), before);
	end(b);
}
END_TEST

START_TEST(no_worker_keeps_anything)
{
	unsigned before = count_fds();
	pid_t a, b;
	int status;

	start();
	a = worker(1, 10, 111);
	(void)wait_for(1, 10);
	b = fork();
	if (b == 0) {
		memory_give(&m, 2, 11);
		_exit(count_fds() == before ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(b, &status, 0), b);
	ck_assert_int_eq(status, 0);
	end(a);
}
END_TEST

START_TEST(half_of_the_descriptors_are_left)
{
	struct rlimit files;
	pid_t pids[NSLOTS];

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = 1000;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &files), 0);
	memory_init(&m);
	ck_assert_msg(memory_open(&m, 2000, &e) == 0, "%s", e.text);
	ck_assert_uint_eq(m.most, 500);
	m.most = NSLOTS / 2;
	for (uint32_t i = 0; i < NSLOTS; i++) {
		pids[i] = worker(i, i + 1, i);
		if (i < NSLOTS / 2)
			(void)wait_for(i, i + 1);
	}
	/* The rest is turned away, now or when it comes. */
	memory_take(&m);
	ck_assert_uint_eq(m.held, NSLOTS / 2);
	for (uint32_t i = 0; i < NSLOTS; i++)
		end(pids[i]);
	memory_take(&m);
	ck_assert_uint_eq(m.held, NSLOTS / 2);
}
END_TEST

START_TEST(without_it_nothing_happens)
{
	memory_init(&m);
	memory_take(&m);
	memory_give(&m, 0, 1);
	ck_assert_int_eq(memory_of(&m, 0, 1), -1);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, each_worker_shows_its_own);
	tcase_add_test(tc, one_that_must_not_be_dumped_shows_its_own_and_stays_so);
	tcase_add_test(tc, the_next_in_a_slot_takes_the_place);
	tcase_add_test(tc, no_worker_keeps_anything);
	tcase_add_test(tc, half_of_the_descriptors_are_left);
	tcase_add_test(tc, without_it_nothing_happens);
}

UNIT_MAIN("memory", add)
