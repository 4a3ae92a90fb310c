/* wait: nobody who is quiet is in the way, nobody who spoke is forgotten. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/must.h"
#include "unit.h"
#include "worker/parked.h"
#include "worker/wait.h"

/* BEGIN (responder), empty PARAMS, empty STDIN: a whole request. */
static const char request_kept[] = "\1\1\0\1\0\10\0\0\0\1\1\0\0\0\0\0"
				   "\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0";
static const char request_once[] = "\1\1\0\1\0\10\0\0\0\1\0\0\0\0\0\0"
				   "\1\4\0\1\0\0\0\0\1\5\0\1\0\0\0\0";
#define REQUEST_BYTES 32

static struct pool_conf pool;
static struct heritage heritage;
static struct clients clients;
static struct arena *arena;
static struct conn *conn;
static struct wait *w;
static struct board *board;
static int listen_fd, retire_end, clients_fd[256];
static struct sockaddr_storage address;
static socklen_t address_len;

static void listen_on(struct sockaddr *a, socklen_t n)
{
	listen_fd = socket(a->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	must(listen_fd >= 0 && bind(listen_fd, a, n) == 0 && listen(listen_fd, 256) == 0);
	address_len = sizeof(address);
	must(getsockname(listen_fd, (void *)&address, &address_len) == 0);
}

/* An abstract socket of a name that the kernel chooses. */
static void listen_unix(void)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	listen_on((void *)&a, sizeof(a.sun_family));
}

static void start(void)
{
	struct conn_limits limits = {1000, 1000, 1000, 1000};
	sigset_t quit;
	struct err e;
	int retire[2];

	must(pipe2(retire, O_CLOEXEC) == 0);
	retire_end = retire[1];
	pool = (struct pool_conf){.timeout_first_byte_ms = 5000, .timeout_keep_ms = 5000};
	heritage = (struct heritage){
	    .pool = &pool, .retire_fd = retire[0], .nlisten = 1, .listen_fds = &listen_fd};
	arena = arena_new(4096);
	conn = conn_new(&limits);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	must(sigprocmask(SIG_BLOCK, &quit, NULL) == 0);
	board = board_new("unit", 2, &e);
	ck_assert_ptr_nonnull(board);
	w = wait_new(&heritage, board, &clients, &e);
	ck_assert_ptr_nonnull(w);
}

static void setup(void)
{
	clients = (struct clients){0};
	listen_unix();
	start();
}

static int dial(void)
{
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	must(fd >= 0 && connect(fd, (void *)&address, address_len) == 0);
	return fd;
}

static void say(int fd, const char *request)
{
	must(send(fd, request, REQUEST_BYTES, MSG_NOSIGNAL) == REQUEST_BYTES);
}

/* Waits, reads the request and answers it. */
static void serve_one(bool may_keep)
{
	struct conn_request r;

	ck_assert_int_eq(wait_next(w, conn), WAIT_REQUEST);
	ck_assert_int_eq(conn_read_request(conn, arena, &r), CONN_OK);
	ck_assert_int_eq(conn_write(conn, "ok", 2), CONN_OK);
	(void)conn_finish(conn, may_keep && wait_may_keep(w));
	wait_done(w, conn);
	arena_reset(arena);
}

/* Was this client answered? And is its connection still open? */
static bool answered(int fd)
{
	char bytes[256];

	return recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT) > 2;
}

static bool is_open(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
}

START_TEST(silent_clients_are_passed_by)
{
	int speaks;

	for (int i = 0; i < 64; i++)
		clients_fd[i] = dial();
	speaks = dial();
	say(speaks, request_once);
	serve_one(true);
	ck_assert(answered(speaks));
	for (int i = 0; i < 64; i++)
		ck_assert(is_open(clients_fd[i]));
	say(clients_fd[63], request_once);
	serve_one(true);
	ck_assert(answered(clients_fd[63]) && !answered(clients_fd[0]));
}
END_TEST

START_TEST(who_parks_a_silent_client_leaves_the_next_to_others)
{
	uint64_t began_ms = clock_now_ms();

	board_set_state(board, 0, WORKER_IDLE);
	board_set_state(board, 1, WORKER_IDLE);
	clients_fd[0] = dial();
	clients_fd[1] = dial();
	say(clients_fd[1], request_once);
	serve_one(true);
	ck_assert(answered(clients_fd[1]) && is_open(clients_fd[0]));
	ck_assert_uint_ge(clock_now_ms() - began_ms, 4);
}
END_TEST

START_TEST(a_flood_of_silent_clients_loses_the_oldest)
{
	int speaks;

	for (int i = 0; i < PARKED_MAX + 2; i++)
		clients_fd[i] = dial();
	speaks = dial();
	say(speaks, request_once);
	serve_one(true);
	ck_assert(answered(speaks));
	ck_assert(!is_open(clients_fd[0]) && !is_open(clients_fd[1]));
	ck_assert(is_open(clients_fd[2]) && is_open(clients_fd[PARKED_MAX + 1]));
}
END_TEST

START_TEST(a_silent_client_is_closed_in_time)
{
	int silent = dial(), speaks;
	uint64_t began_ms = clock_now_ms();
	pid_t later;

	pool.timeout_first_byte_ms = 100;
	later = fork();
	if (later == 0) {
		usleep(200000);
		say(dial(), request_once);
		pause();
	}
	serve_one(true);
	speaks = 0;
	ck_assert(!is_open(silent));
	ck_assert_uint_ge(clock_now_ms() - began_ms, 200);
	kill(later, SIGKILL);
	waitpid(later, &speaks, 0);
}
END_TEST

START_TEST(kept_connections_do_not_hold_the_worker)
{
	int kept[3], other;

	for (int i = 0; i < 3; i++) {
		kept[i] = dial();
		say(kept[i], request_kept);
		serve_one(true);
		ck_assert(answered(kept[i]) && is_open(kept[i]));
	}
	other = dial();
	say(other, request_once);
	serve_one(true);
	ck_assert(answered(other) && !is_open(other));
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 3; i++) {
			say(kept[i], request_kept);
			serve_one(true);
			ck_assert(answered(kept[i]) && is_open(kept[i]));
		}
	}
}
END_TEST

START_TEST(who_always_speaks_does_not_keep_others_waiting)
{
	int busy = dial(), other;

	say(busy, request_kept);
	serve_one(true);
	ck_assert(answered(busy));
	other = dial();
	say(other, request_once);
	say(busy, request_kept);
	serve_one(true);
	if (answered(busy))
		say(busy, request_kept);
	serve_one(true);
	ck_assert(answered(other));
}
END_TEST

/* Two kept connections have sent a request each; which is served first is told. */
static void collide(const int kept[2], int *first, int *second)
{
	for (int i = 0; i < 2; i++)
		say(kept[i], request_kept);
	/* As after a request that took its time. */
	usleep(1000);
	serve_one(true);
	*first = answered(kept[0]) ? kept[0] : kept[1];
	*second = *first == kept[0] ? kept[1] : kept[0];
}

START_TEST(kept_clients_that_wait_for_each_other_are_parted)
{
	int kept[2], first, second, ended = 0;

	/* Being there "at once" is a matter of microseconds, which a busy machine takes now and
	 * then. */
	for (int round = 0; round < 20 && ended == 0; round++) {
		board_set_state(board, 1, WORKER_IDLE);
		for (int i = 0; i < 2; i++) {
			kept[i] = dial();
			say(kept[i], request_kept);
			serve_one(true);
			ck_assert(answered(kept[i]) && is_open(kept[i]));
		}
		collide(kept, &first, &second);
		serve_one(true);
		ck_assert(answered(second));
		ended = !is_open(first) + !is_open(second);
		if (ended == 0) {
			close(kept[0]);
			close(kept[1]);
		}
	}
	ck_assert_int_eq(ended, 1);
}
END_TEST

START_TEST(nobody_is_sent_away_while_all_are_busy)
{
	int kept[2], first, second;

	board_set_state(board, 1, WORKER_RUNNING);
	for (int i = 0; i < 2; i++) {
		kept[i] = dial();
		say(kept[i], request_kept);
		serve_one(true);
		ck_assert(answered(kept[i]));
	}
	for (int round = 0; round < 20; round++) {
		collide(kept, &first, &second);
		serve_one(true);
		ck_assert(answered(second) && is_open(first) && is_open(second));
	}
}
END_TEST

START_TEST(only_so_many_connections_are_kept)
{
	int extra;

	for (int i = 0; i < KEPT_MAX; i++) {
		clients_fd[i] = dial();
		say(clients_fd[i], request_kept);
		ck_assert(wait_may_keep(w));
		serve_one(true);
	}
	extra = dial();
	say(extra, request_kept);
	ck_assert_int_eq(wait_next(w, conn), WAIT_REQUEST);
	ck_assert(!wait_may_keep(w));
	conn_close(conn);
	wait_done(w, conn);
	say(clients_fd[5], request_kept);
	ck_assert_int_eq(wait_next(w, conn), WAIT_REQUEST);
	ck_assert(wait_may_keep(w));
}
END_TEST

START_TEST(a_kept_connection_that_spoke_too_late_is_still_served)
{
	int kept = dial();

	pool.timeout_keep_ms = 1;
	say(kept, request_kept);
	serve_one(true);
	ck_assert(answered(kept));
	say(kept, request_kept);
	usleep(20000);
	serve_one(true);
	ck_assert(answered(kept));
}
END_TEST

START_TEST(end_of_the_pipe_means_leave)
{
	close(retire_end);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
}
END_TEST

START_TEST(sigquit_means_leave_whenever_it_comes)
{
	ck_assert_int_eq(raise(SIGQUIT), 0);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
}
END_TEST

START_TEST(who_is_there_is_served_before_leaving)
{
	int kept = dial(), idle = dial(), silent = dial(), fresh = dial(), unused = dial();

	say(kept, request_kept);
	serve_one(true);
	say(idle, request_kept);
	serve_one(true);
	ck_assert(answered(kept) && answered(idle));
	say(fresh, request_once);
	/* silent is parked on the way to fresh. */
	serve_one(true);
	ck_assert(answered(fresh));
	say(kept, request_kept);
	close(retire_end);
	serve_one(true);
	ck_assert(answered(kept));
	say(silent, request_kept);
	serve_one(true);
	ck_assert(answered(silent) && !is_open(silent));
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
	ck_assert(!is_open(kept) && !is_open(idle));
	/* It was taken when we were told, and did not speak within the grace. */
	ck_assert(!is_open(unused));
}
END_TEST

START_TEST(after_its_last_request_a_worker_accepts_nobody)
{
	int first = dial(), second;

	say(first, request_kept);
	serve_one(false);
	ck_assert(answered(first) && !is_open(first));
	second = dial();
	say(second, request_once);
	wait_leave(w);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
	/* Whoever holds the socket next finds it there. */
	ck_assert(is_open(second));
	ck_assert_int_ge(accept(listen_fd, NULL, NULL), 0);
}
END_TEST

START_TEST(told_during_a_request_a_worker_accepts_nobody)
{
	int first = dial(), second;

	say(first, request_once);
	ck_assert_int_eq(wait_next(w, conn), WAIT_REQUEST);
	raise(SIGQUIT);
	second = dial();
	say(second, request_once);
	conn_close(conn);
	wait_done(w, conn);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
	ck_assert(is_open(second));
	ck_assert_int_ge(accept(listen_fd, NULL, NULL), 0);
}
END_TEST

START_TEST(a_stranger_is_dropped)
{
	static void *volatile aside[4];
	struct in6_addr nobody[1] = {IN6ADDR_LOOPBACK_INIT};
	struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int stranger, status;
	pid_t later;

	/* The one of set-up listens on a unix socket, where nobody is a stranger. */
	aside[0] = w;
	aside[1] = conn;
	aside[2] = arena;
	aside[3] = board;
	clients = (struct clients){.restricted = true, .n = 1, .list = nobody};
	listen_on((void *)&a, sizeof(a));
	start();
	stranger = dial();
	say(stranger, request_once);
	later = fork();
	if (later == 0) {
		usleep(50000);
		close(retire_end);
		_exit(0);
	}
	close(retire_end);
	ck_assert_int_eq(wait_next(w, conn), WAIT_LEAVE);
	ck_assert(!is_open(stranger) && !answered(stranger));
	ck_assert(aside[0] != w && aside[1] != conn && aside[2] != arena && aside[3] != board);
	waitpid(later, &status, 0);
}
END_TEST

START_TEST(out_of_descriptors_somebody_still_gets_an_answer)
{
	int first = dial(), second = dial(), top = dup(0);
	struct rlimit few = {.rlim_cur = (rlim_t)top, .rlim_max = (rlim_t)top};

	say(first, request_once);
	say(second, request_once);
	close(top);
	if (setrlimit(RLIMIT_NOFILE, &few) != 0 || dup(0) >= 0)
		unit_skip("the limit of open files is not the kernel's (valgrind)");
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(wait_next(w, conn), WAIT_SHORT);
		conn_close(conn);
		wait_done(w, conn);
	}
	ck_assert(!is_open(first) && !is_open(second));
}
END_TEST

START_TEST(out_of_descriptors_the_silent_go_first)
{
	int silent = dial(), speaks = dial(), top;
	struct rlimit few;

	say(speaks, request_once);
	/* Room for one connection more than there are. */
	top = dup(0);
	few = (struct rlimit){.rlim_cur = (rlim_t)top + 1, .rlim_max = (rlim_t)top + 1};
	close(top);
	if (setrlimit(RLIMIT_NOFILE, &few) != 0)
		unit_skip("the limit of open files is not the kernel's (valgrind)");
	serve_one(true);
	ck_assert(answered(speaks));
	ck_assert(!is_open(silent));
}
END_TEST

/* The child's copy keeps the connection in the epoll set after our close. */
START_TEST(a_copy_in_a_forked_child_does_not_wake_us_for_ever)
{
	int kept = dial(), other, status;
	struct rusage before, after;
	pid_t child, later;

	say(kept, request_kept);
	serve_one(true);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	say(kept, request_kept);
	serve_one(false);
	ck_assert(send(kept, "x", 1, MSG_NOSIGNAL) == 1);
	later = fork();
	if (later == 0) {
		usleep(300000);
		other = dial();
		say(other, request_once);
		pause();
	}
	must(getrusage(RUSAGE_SELF, &before) == 0);
	serve_one(true);
	must(getrusage(RUSAGE_SELF, &after) == 0);
	ck_assert_int_lt(after.ru_utime.tv_usec + after.ru_stime.tv_usec - before.ru_utime.tv_usec -
			     before.ru_stime.tv_usec,
	    100000);
	kill(child, SIGKILL);
	kill(later, SIGKILL);
	waitpid(child, &status, 0);
	waitpid(later, &status, 0);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, NULL);
	tcase_add_test(tc, silent_clients_are_passed_by);
	tcase_add_test(tc, who_parks_a_silent_client_leaves_the_next_to_others);
	tcase_add_test(tc, a_flood_of_silent_clients_loses_the_oldest);
	tcase_add_test(tc, a_silent_client_is_closed_in_time);
	tcase_add_test(tc, kept_connections_do_not_hold_the_worker);
	tcase_add_test(tc, who_always_speaks_does_not_keep_others_waiting);
	tcase_add_test(tc, kept_clients_that_wait_for_each_other_are_parted);
	tcase_add_test(tc, nobody_is_sent_away_while_all_are_busy);
	tcase_add_test(tc, only_so_many_connections_are_kept);
	tcase_add_test(tc, a_kept_connection_that_spoke_too_late_is_still_served);
	tcase_add_test(tc, end_of_the_pipe_means_leave);
	tcase_add_test(tc, sigquit_means_leave_whenever_it_comes);
	tcase_add_test(tc, who_is_there_is_served_before_leaving);
	tcase_add_test(tc, after_its_last_request_a_worker_accepts_nobody);
	tcase_add_test(tc, told_during_a_request_a_worker_accepts_nobody);
	tcase_add_test(tc, a_stranger_is_dropped);
	tcase_add_test(tc, out_of_descriptors_somebody_still_gets_an_answer);
	tcase_add_test(tc, out_of_descriptors_the_silent_go_first);
	tcase_add_test(tc, a_copy_in_a_forked_child_does_not_wake_us_for_ever);
}

UNIT_MAIN("wait", add)
