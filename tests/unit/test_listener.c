/* listener: what is bound, what is respected, what is bound again. */
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "master/listener.h"
#include "unit.h"

static char dir[] = "/tmp/fpmx-unit-XXXXXX", path[128];
static struct pool_conf conf = {.name = "www", .listen_backlog = -1};
static struct err e;

static void make_path(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.sock", dir);
}

static void clean(void)
{
	unlink(path);
	rmdir(dir);
}

static int bind_path(bool listening)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	memcpy(un.sun_path, path, strlen(path) + 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	if (listening)
		ck_assert_int_eq(listen(fd, 0), 0);
	return fd;
}

/* path becomes an address with a port that was free a moment ago. */
static void make_port(void)
{
	struct sockaddr_storage sa;
	socklen_t n = sizeof(sa);
	char text[ADDRESS_KEY_BYTES];
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	ck_assert_int_eq(listen(fd, 1), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&sa, &n), 0);
	address_key((struct sockaddr *)&sa, text);
	close(fd);
	snprintf(path, sizeof(path), "127.0.0.1%.10s", strchr(text, ':'));
}

START_TEST(a_socket_is_bound_and_removed)
{
	struct listener l;
	struct stat st;

	make_path();
	umask(077);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	ck_assert_str_eq(l.key, path);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0660);
	ck_assert_int_eq(fcntl(l.fd, F_GETFD), FD_CLOEXEC);
	ck_assert(fcntl(l.fd, F_GETFL) & O_NONBLOCK);
	ck_assert_uint_eq(umask(077), 077); /* ours again */
	listener_close(&l, true);
	ck_assert_int_eq(access(path, F_OK), -1);
	clean();
}
END_TEST

START_TEST(a_stale_one_makes_way_a_live_one_does_not)
{
	struct listener l;
	int fd;

	make_path();
	fd = bind_path(true);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), -1);
	ck_assert_ptr_nonnull(
	    strstr(e.text, "Another FPM instance seems to already listen on /tmp/"));
	close(fd);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	listener_close(&l, true);
	clean();
}
END_TEST

/* Such as /dev/log: a connect of ours is refused, but somebody reads there. */
START_TEST(a_live_one_of_another_kind_is_left_alone)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct listener l;
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	make_path();
	memcpy(un.sun_path, path, strlen(path) + 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), -1);
	ck_assert_int_eq(access(path, F_OK), 0);
	close(fd);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	listener_close(&l, true);
	clean();
}
END_TEST

START_TEST(a_live_one_that_cannot_be_asked_is_left_alone)
{
	struct listener l;
	struct rlimit before, now;
	struct stat theirs, st;
	int fd;

	make_path();
	fd = bind_path(true);
	ck_assert_int_eq(stat(path, &theirs), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)fd + 2; /* its own socket, and no other */
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &now), 0);
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), -1);
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_uint_eq(st.st_ino, theirs.st_ino);
	close(fd);
	clean();
}
END_TEST

START_TEST(a_failed_one_leaves_no_path_behind)
{
	struct pool_conf odd = conf;
	struct listener l;

	make_path();
	odd.listen_owner = "no such user";
	ck_assert_int_eq(listener_open(&l, &odd, path, NULL, &e), -1);
	ck_assert_int_eq(access(path, F_OK), -1);
	clean();
}
END_TEST

/* 2^32 must not come out as root. */
START_TEST(an_owner_that_is_too_large_is_refused)
{
	struct pool_conf odd = conf;
	struct listener l;

	make_path();
	odd.listen_owner = "4294967296";
	ck_assert_int_eq(listener_open(&l, &odd, path, NULL, &e), -1);
	odd.listen_owner = NULL;
	odd.listen_group = "4294967295";
	ck_assert_int_eq(listener_open(&l, &odd, path, NULL, &e), -1);
	clean();
}
END_TEST

START_TEST(a_file_is_never_deleted)
{
	struct listener l;

	make_path();
	close(open(path, O_CREAT | O_WRONLY, 0600));
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "unable to bind listening socket for address"));
	ck_assert_int_eq(access(path, F_OK), 0);
	clean();
}
END_TEST

START_TEST(a_vanished_path_is_bound_again_a_foreign_one_left)
{
	struct listener l;
	struct stat st, now;
	int old_fd, fd;

	make_path();
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_SAME);
	unlink(path);
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_REBOUND);
	ck_assert_int_ge(old_fd, 0);
	ck_assert_int_ne(old_fd, l.fd);
	ck_assert_int_eq(access(path, F_OK), 0);
	close(old_fd);

	unlink(path);
	fd = bind_path(true);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_SAME);
	listener_close(&l, true);
	ck_assert_int_eq(stat(path, &now), 0);
	ck_assert_uint_eq(st.st_ino, now.st_ino);
	close(fd);
	clean();
}
END_TEST

START_TEST(a_unix_socket_that_was_shut_down_is_bound_again)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	struct listener l;
	int old_fd, fd;

	make_path();
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	ck_assert(!listener_is_shut(&l));
	ck_assert_int_eq(shutdown(l.fd, SHUT_RDWR), 0);
	ck_assert(listener_is_shut(&l));
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_REBOUND);
	close(old_fd);
	ck_assert(!listener_is_shut(&l));
	memcpy(un.sun_path, path, strlen(path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	close(fd);
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_SAME);
	listener_close(&l, true);
	clean();
}
END_TEST

START_TEST(a_tcp_socket_that_was_shut_down_listens_again)
{
	struct sockaddr_in at;
	socklen_t n = sizeof(at);
	struct listener l;
	int old_fd, fd;

	make_port();
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	ck_assert_int_eq(getsockname(l.fd, (struct sockaddr *)&at, &n), 0);
	ck_assert_int_eq(shutdown(l.fd, SHUT_RDWR), 0);
	ck_assert(listener_is_shut(&l));
	ck_assert_int_eq(listener_look(&l, &old_fd), LISTENER_SAME);
	ck_assert(!listener_is_shut(&l));
	fd = socket(AF_INET, SOCK_STREAM, 0);
	ck_assert_int_eq(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
	close(fd);
	listener_close(&l, true);
}
END_TEST

START_TEST(a_long_path_is_refused)
{
	char text[200];
	struct listener l;

	memset(text, 'p', sizeof(text) - 1);
	text[0] = '/';
	text[sizeof(text) - 1] = '\0';
	ck_assert_int_eq(listener_open(&l, &conf, text, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "found length: 199, maximal length: 107"));
}
END_TEST

START_TEST(tcp_is_bound_once)
{
	struct listener l, again;

	make_port();
	ck_assert_int_eq(listener_open(&l, &conf, path, NULL, &e), 0);
	ck_assert_str_eq(l.key, path);
	ck_assert_int_eq(listener_open(&again, &conf, path, NULL, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "Address already in use (98)"));
	ck_assert_int_eq(again.fd, -1);
	listener_close(&l, true);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_socket_is_bound_and_removed);
	tcase_add_test(tc, a_stale_one_makes_way_a_live_one_does_not);
	tcase_add_test(tc, a_live_one_of_another_kind_is_left_alone);
	tcase_add_test(tc, a_live_one_that_cannot_be_asked_is_left_alone);
	tcase_add_test(tc, a_failed_one_leaves_no_path_behind);
	tcase_add_test(tc, an_owner_that_is_too_large_is_refused);
	tcase_add_test(tc, a_file_is_never_deleted);
	tcase_add_test(tc, a_vanished_path_is_bound_again_a_foreign_one_left);
	tcase_add_test(tc, a_unix_socket_that_was_shut_down_is_bound_again);
	tcase_add_test(tc, a_tcp_socket_that_was_shut_down_listens_again);
	tcase_add_test(tc, a_long_path_is_refused);
	tcase_add_test(tc, tcp_is_bound_once);
}

UNIT_MAIN("listener", add)
