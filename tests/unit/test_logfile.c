/* logfile: what may be a log, and what never is one. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "master/logfile.h"
#include "unit.h"

static char dir[] = "/tmp/fpmx-unit-XXXXXX", path[128];

static const char *in_dir(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return path;
}

static void make_dir(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void clean(void)
{
	static const char *const names[] = {"a.log", "target", "link", "fifo"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(in_dir(names[i]));
	rmdir(dir);
}

START_TEST(files_are_made_and_appended_to)
{
	struct stat st;
	struct err e;
	int fd;

	make_dir();
	umask(0);
	fd = logfile_open("access log", in_dir("a.log"), &e);
	ck_assert_int_ge(fd, 3);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert(fcntl(fd, F_GETFL) & O_APPEND);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode & 07777, 0600);
	close(fd);
	clean();
}
END_TEST

START_TEST(links_folders_and_fifos_are_refused)
{
	struct err e;

	make_dir();
	ck_assert_int_eq(symlink("target", in_dir("link")), 0);
	ck_assert_int_eq(logfile_open("access log", in_dir("link"), &e), -1);
	ck_assert_int_eq(access(in_dir("target"), F_OK), -1);
	ck_assert_int_eq(mkfifo(in_dir("fifo"), 0600), 0);
	/* Without a reader a plain open would wait for ever. */
	ck_assert_int_eq(logfile_open("access log", in_dir("fifo"), &e), -1);
	ck_assert_int_eq(logfile_open("access log", dir, &e), -1);
	ck_assert_int_eq(logfile_open("access log", in_dir("none/x.log"), &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "failed to open access log ("));
	clean();
}
END_TEST

/* Below /dev, but a folder where anybody may put a link. */
START_TEST(links_in_shared_memory_are_refused)
{
	char link[64];
	struct err e;

	make_dir();
	snprintf(link, sizeof(link), "/dev/shm/fpmx-link-%d", (int)getpid());
	ck_assert_int_eq(symlink(in_dir("target"), link), 0);
	ck_assert_int_eq(logfile_open("access log", link, &e), -1);
	ck_assert_int_eq(access(in_dir("target"), F_OK), -1);
	unlink(link);
	clean();
}
END_TEST

START_TEST(devices_are_fine)
{
	struct err e;
	int fd = logfile_open("access log", "/dev/null", &e);

	ck_assert_int_ge(fd, 3);
	close(fd);
}
END_TEST

/* The same open file as descriptor 2 has. */
static bool is_same(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

START_TEST(stderr_stays_the_first_one)
{
	struct global_conf conf = {.log_level = CONF_LOG_NOTICE, .log_limit = 1024};
	struct err e;
	int first, fd;

	make_dir();
	first = open("/dev/null", O_WRONLY);
	ck_assert_int_eq(dup2(first, STDERR_FILENO), STDERR_FILENO);
	conf.error_log = in_dir("a.log");
	ck_assert_int_eq(logfile_configure(&conf, true, &e), 0);
	ck_assert_int_ge(logfile_fd(), 3);
	logfile_started(false);
	ck_assert(is_same(STDERR_FILENO, logfile_fd()));
	fd = logfile_open("access log", "/dev/stderr", &e);
	ck_assert_int_ge(fd, 3);
	ck_assert(is_same(fd, first));
	close(fd);

	/* A daemon forgets it: whoever started it sees the end of its pipe. */
	logfile_started(true);
	fd = logfile_open("access log", "/dev/stderr", &e);
	ck_assert(is_same(fd, logfile_fd()));
	clean();
}
END_TEST

START_TEST(a_moved_log_is_opened_again)
{
	struct global_conf conf = {.log_level = CONF_LOG_NOTICE, .log_limit = 1024};
	char moved[160];
	struct stat st;
	struct err e;

	make_dir();
	conf.error_log = in_dir("a.log");
	ck_assert_int_eq(logfile_configure(&conf, true, &e), 0);
	logfile_started(true);
	snprintf(moved, sizeof(moved), "%s/target", dir);
	ck_assert_int_eq(rename(path, moved), 0);
	ck_assert_int_eq(logfile_reopen(&conf, &e), 0);
	log_notice("into the new one");
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_gt(st.st_size, 0);
	ck_assert_int_eq(stat(moved, &st), 0);
	ck_assert_int_eq(st.st_size, 0);
	clean();
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, files_are_made_and_appended_to);
	tcase_add_test(tc, links_folders_and_fifos_are_refused);
	tcase_add_test(tc, links_in_shared_memory_are_refused);
	tcase_add_test(tc, devices_are_fine);
	tcase_add_test(tc, stderr_stays_the_first_one);
	tcase_add_test(tc, a_moved_log_is_opened_again);
}

UNIT_MAIN("logfile", add)
