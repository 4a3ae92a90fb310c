/*
 * wait: what an idle worker waits for, and how it comes to its next request.
 *
 * Runs in: worker.
 * A fresh connection that has bytes costs one epoll_wait and one accept4, a
 * request on a kept connection one epoll_wait: a descriptor enters the set
 * when it is parked for the first time, and leaves it by being closed.
 */
#include "worker/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "proc/exits.h"
#include "worker/orphans.h"
#include "worker/parked.h"

/* How long a retiring worker waits for the first byte of who was accepted. */
#define RETIRE_GRACE_MS 500
/* Pauses when the system cannot give us a connection. */
#define BACK_OFF_MIN_MS 10
#define BACK_OFF_MAX_MS 100
/* A wait that took less was none: what it brought had been there before. */
#define AT_ONCE_US 20
/* How long a worker leaves new connections to others after parking a silent one. */
#define HOLD_OFF_MS 5

/* What an event is of: these with generation 0, else a parked connection. */
enum source { SOURCE_QUIT, SOURCE_RETIRE, SOURCE_ORPHANS, SOURCE_LISTEN };

struct wait {
	const struct heritage *heritage;
	const struct board *board;
	const struct clients *clients;
	int epoll_fd;
	int quit_fd;  /* eventfd, written by the handler of SIGQUIT */
	int spare_fd; /* given up to accept one more when descriptors run out */
	bool leaving;
	bool listening;        /* the listening sockets are in the set */
	uint64_t listen_at_ms; /* if not: when they will be */
	size_t owed;           /* listening sockets to try once more before leaving */
	uint32_t pause_ms;     /* of the next back-off; 0 after a success */
	struct parked parked;
	int orphans[2]; /* -1: nobody hands any on */

	/* The connection in hand. */
	uint32_t place; /* where it is parked, PARKED_NONE for a fresh one */
	bool waited;    /* its request was there when we came back from another */
	struct sockaddr_storage peer;
	socklen_t peer_len;
};

/* For the signal handler; a process has one struct wait. */
static int quit_event_fd = -1;
static volatile sig_atomic_t quit_told;

static void on_quit(int signo)
{
	const uint64_t one = 1;
	int saved = errno;

	(void)signo;
	quit_told = 1;
	/* Cannot fail but by being full, and then it is readable already. */
	if (write(quit_event_fd, &one, sizeof(one)) < 0)
		errno = saved;
}

static int take_quit(struct wait *w, struct err *e)
{
	struct sigaction action = {.sa_handler = on_quit, .sa_flags = SA_RESTART};
	sigset_t quit;

	quit_event_fd = w->quit_fd;
	quit_told = 0;
	sigemptyset(&action.sa_mask);
	sigemptyset(&quit);
	sigaddset(&quit, SIGQUIT);
	if (sigaction(SIGQUIT, &action, NULL) != 0 || sigprocmask(SIG_UNBLOCK, &quit, NULL) != 0)
		return err_sys(e, "failed to take SIGQUIT");
	return 0;
}

static int watch(struct wait *w, int fd, uint32_t events, uint32_t generation, uint32_t index)
{
	struct epoll_event ev = {.events = events};

	ev.data.u64 = (uint64_t)generation << 32 | index;
	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
}

/*
 * EPOLLEXCLUSIVE: of all idle workers only one wakes for a connection, the one
 * whose watch is the oldest.
 */
static int watch_listening(struct wait *w)
{
	for (size_t i = 0; i < w->heritage->nlisten; i++) {
		if (watch(w, w->heritage->listen_fds[i], EPOLLIN | EPOLLEXCLUSIVE, 0,
			SOURCE_LISTEN + (uint32_t)i) != 0)
			return -1;
	}
	w->listening = true;
	return 0;
}

static void stop_listening(struct wait *w)
{
	for (size_t i = 0; w->listening && i < w->heritage->nlisten; i++)
		must(epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, w->heritage->listen_fds[i], NULL) == 0);
	w->listening = false;
}

static void listen_again(struct wait *w)
{
	if (!w->leaving && !w->listening)
		must(watch_listening(w) == 0);
}

/*
 * A worker that parks one more connection goes to the end of the queue of those
 * who wake for a new one. So parked connections spread over the workers, and
 * seldom wait for each other's requests.
 */
static void queue_last(struct wait *w)
{
	stop_listening(w);
	listen_again(w);
}

/*
 * A client that has just connected is about to speak. Of several that come at
 * once each has woken another worker: one that takes them all because it is the
 * first to run would serve them one after the other.
 */
static void hold_off(struct wait *w)
{
	stop_listening(w);
	w->listen_at_ms = clock_now_ms();
	if (board_count(w->board).idle > 1)
		w->listen_at_ms += HOLD_OFF_MS;
}

static int watch_parked(struct wait *w, uint32_t place)
{
	const struct parked_conn *p = &w->parked.places[place];

	return watch(w, p->fd, EPOLLIN | EPOLLRDHUP, p->generation, place);
}

/* A set that knows all that there is to wait for now, and nothing else. */
static int make_set(struct wait *w, struct err *e)
{
	fd_close(&w->epoll_fd);
	w->listening = false;
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->epoll_fd < 0)
		return err_sys(e, "failed to create an epoll set");
	for (uint32_t i = 0; i < PARKED_MAX; i++) {
		if (w->parked.places[i].fd >= 0 && watch_parked(w, i) != 0)
			return err_sys(e, "failed to watch a connection");
	}
	if (w->leaving)
		return 0;
	if (watch(w, w->quit_fd, EPOLLIN, 0, SOURCE_QUIT) != 0 ||
	    watch(w, w->heritage->retire_fd, EPOLLIN | EPOLLRDHUP, 0, SOURCE_RETIRE) != 0 ||
	    watch_listening(w) != 0)
		return err_sys(e, "failed to watch the listening sockets");
	if (w->orphans[0] >= 0 &&
	    watch(w, w->orphans[0], EPOLLIN | EPOLLEXCLUSIVE, 0, SOURCE_ORPHANS) != 0)
		return err_sys(e, "failed to watch for orphans");
	return 0;
}

static void remake_set(struct wait *w)
{
	struct err e;

	if (make_set(w, &e) != 0) {
		log_error("%s", e.text);
		/* Deaf, and so of no use to anybody: the master replaces us. */
		exit(EXIT_SOFTWARE);
	}
}

static void open_spare(struct wait *w)
{
	if (w->spare_fd < 0)
		w->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

struct wait *wait_new(const struct heritage *h, const struct board *board,
    const struct clients *clients, struct err *e)
{
	struct wait *w = calloc(1, sizeof(*w));

	if (w == NULL) {
		err_sys(e, "failed to allocate");
		return NULL;
	}
	w->heritage = h;
	w->board = board;
	w->clients = clients;
	w->epoll_fd = w->spare_fd = w->orphans[0] = w->orphans[1] = -1;
	w->place = PARKED_NONE;
	parked_init(&w->parked);
	w->quit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (w->quit_fd < 0) {
		err_sys(e, "failed to create an eventfd");
		free(w);
		return NULL;
	}
	if (take_quit(w, e) != 0 || make_set(w, e) != 0)
		return NULL;
	open_spare(w);
	return w;
}

static void back_off(struct wait *w, const char *why)
{
	struct timespec pause;

	if (w->pause_ms == 0) {
		log_warn("failed to accept a connection: %s", why);
		w->pause_ms = BACK_OFF_MIN_MS;
	}
	pause = (struct timespec){.tv_nsec = (long)w->pause_ms * 1000000};
	nanosleep(&pause, NULL);
	w->pause_ms *= 2;
	if (w->pause_ms > BACK_OFF_MAX_MS)
		w->pause_ms = BACK_OFF_MAX_MS;
}

static void close_parked(struct wait *w, uint32_t place)
{
	int fd = w->parked.places[place].fd;

	parked_remove(&w->parked, place);
	fd_close(&fd);
}

/* Returns its place, or PARKED_NONE when it had to be closed. */
static uint32_t park(struct wait *w, int fd, uint32_t for_ms)
{
	uint64_t until_ms = clock_now_ms() + for_ms;
	uint32_t place = parked_add(&w->parked, fd, &w->peer, w->peer_len, until_ms);

	if (place == PARKED_NONE) {
		close_parked(w, parked_earliest_silent(&w->parked));
		place = parked_add(&w->parked, fd, &w->peer, w->peer_len, until_ms);
	}
	if (watch_parked(w, place) != 0) {
		log_warn("failed to watch a connection");
		close_parked(w, place);
		return PARKED_NONE;
	}
	return place;
}

/* What has bytes is for the caller, what is silent is parked, else closed. */
static enum wait_result look_at_new(struct wait *w, struct conn *c)
{
	uint32_t for_ms = RETIRE_GRACE_MS;

	switch (conn_look(c)) {
	case CONN_OK:
		return WAIT_REQUEST;
	case CONN_LATE:
		if (!w->leaving)
			for_ms = w->heritage->pool->timeout_first_byte_ms;
		(void)park(w, conn_release(c), for_ms);
		hold_off(w);
		return WAIT_NOTHING;
	default:
		conn_close(c);
		return WAIT_NOTHING;
	}
}

static enum wait_result take_parked(struct wait *w, struct conn *c, uint32_t place)
{
	const struct parked_conn *p = &w->parked.places[place];

	conn_open(c, p->fd, &p->peer, p->peer_len);
	switch (conn_look(c)) {
	case CONN_OK:
		w->place = place;
		return WAIT_REQUEST;
	case CONN_LATE:
		(void)conn_release(c);
		if (p->until_ms <= clock_now_ms())
			close_parked(w, place);
		return WAIT_NOTHING;
	default:
		parked_remove(&w->parked, place);
		conn_close(c);
		return WAIT_NOTHING;
	}
}

/* conn is opened with the next connection of this socket; false with errno. */
static bool accept_one(struct wait *w, struct conn *c, int listen_fd)
{
	int fd;

	w->peer = (struct sockaddr_storage){0};
	w->peer_len = sizeof(w->peer);
	fd = accept4(listen_fd, (void *)&w->peer, &w->peer_len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0)
		return false;
	conn_open(c, fd, &w->peer, w->peer_len);
	return true;
}

static bool is_welcome(const struct wait *w, const struct conn *c)
{
	if (clients_allow(w->clients, &w->peer))
		return true;
	log_error("Connection disallowed: IP address '%s' has been dropped.", conn_peer(c));
	return false;
}

/*
 * Out of descriptors. Somebody parked goes first; else the spare one makes room
 * for one connection that gets an answer instead of none.
 */
static enum wait_result take_short(struct wait *w, struct conn *c, int listen_fd)
{
	uint32_t place = parked_earliest_silent(&w->parked);

	if (place == PARKED_NONE)
		place = parked_earliest(&w->parked);
	if (place != PARKED_NONE) {
		w->parked.places[place].until_ms = 0;
		return WAIT_NOTHING;
	}
	fd_close(&w->spare_fd);
	if (accept_one(w, c, listen_fd)) {
		if (is_welcome(w, c) && conn_look(c) == CONN_OK)
			return WAIT_SHORT;
		conn_close(c);
	} else {
		back_off(w, "out of descriptors");
	}
	open_spare(w);
	return WAIT_NOTHING;
}

static enum wait_result take_new(struct wait *w, struct conn *c, int listen_fd)
{
	if (accept_one(w, c, listen_fd)) {
		w->pause_ms = 0;
		if (is_welcome(w, c))
			return look_at_new(w, c);
		conn_close(c);
		return WAIT_NOTHING;
	}
	if (errno == EMFILE || errno == ENFILE)
		return take_short(w, c, listen_fd);
	/* Another worker was quicker, or the client has gone. */
	if (errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
		back_off(w, strerrordesc_np(errno));
	return WAIT_NOTHING;
}

/* Accepted by a worker that has ended since. */
static enum wait_result take_orphan(struct wait *w, struct conn *c)
{
	struct orphan orphan = {.peer_len = 0};
	int fd = orphans_take(w->orphans[0], &orphan);

	if (fd < 0)
		return WAIT_NOTHING;
	w->peer = orphan.peer;
	w->peer_len = orphan.peer_len;
	conn_open(c, fd, &w->peer, w->peer_len);
	return look_at_new(w, c);
}

void wait_share_orphans(struct wait *w, const int ends[2])
{
	w->orphans[0] = ends[0];
	w->orphans[1] = ends[1];
	remake_set(w);
}

/*
 * The next worker of an ondemand pool comes with the next connection of a
 * listening socket, which these are not; but one of mode isolated is always
 * followed by another.
 */
static bool will_be_taken(const struct wait *w)
{
	const struct pool_conf *pool = w->heritage->pool;

	return pool->pm != PM_ONDEMAND || pool->mode == POOL_MODE_ISOLATED ||
	       board_count(w->board).idle > 0;
}

void wait_give_away(struct wait *w)
{
	if (w->orphans[1] < 0 || !will_be_taken(w))
		return;
	for (uint32_t i = 0; i < PARKED_MAX; i++) {
		const struct parked_conn *p = &w->parked.places[i];
		struct orphan orphan = {.peer = p->peer, .peer_len = p->peer_len};

		if (p->fd < 0 || i == w->place || !orphans_give(w->orphans[1], p->fd, &orphan))
			continue;
		/* Under way it is open, and would stay in the set. */
		(void)epoll_ctl(w->epoll_fd, EPOLL_CTL_DEL, p->fd, NULL);
		close_parked(w, i);
	}
}

static void retire(struct wait *w)
{
	uint64_t now_ms = clock_now_ms();

	w->leaving = true;
	/*
	 * Kept connections are looked at once more at once: what was sent on one
	 * is served, and closing those that are idle loses nothing.
	 */
	for (uint32_t i = 0; i < PARKED_MAX; i++) {
		struct parked_conn *p = &w->parked.places[i];
		uint64_t until_ms = p->kept ? now_ms : now_ms + RETIRE_GRACE_MS;

		if (p->fd >= 0 && p->until_ms > until_ms)
			p->until_ms = until_ms;
	}
	remake_set(w);
}

void wait_abandon(struct wait *w)
{
	quit_event_fd = -1; /* the worker's: nobody tells it to leave from here */
	fd_close(&w->quit_fd);
	fd_close(&w->epoll_fd);
	fd_close(&w->spare_fd);
	fd_close(&w->orphans[0]);
	fd_close(&w->orphans[1]);
	for (uint32_t i = 0; i < PARKED_MAX; i++)
		fd_close(&w->parked.places[i].fd);
	for (size_t i = 0; i < w->heritage->nlisten; i++)
		close(w->heritage->listen_fds[i]);
	close(w->heritage->retire_fd);
	close(w->heritage->wake_fd);
}

void wait_leave(struct wait *w)
{
	/* We were not waiting, so nobody has woken us for anything. */
	w->owed = w->heritage->nlisten;
	if (!w->leaving)
		retire(w);
}

static enum wait_result take_event(struct wait *w, struct conn *c, uint64_t data)
{
	uint32_t generation = (uint32_t)(data >> 32), index = (uint32_t)data;
	uint32_t place;

	if (generation == 0 && index >= SOURCE_LISTEN)
		return take_new(w, c, w->heritage->listen_fds[index - SOURCE_LISTEN]);
	if (generation == 0 && index == SOURCE_ORPHANS)
		return take_orphan(w, c);
	if (generation == 0) {
		retire(w);
		return WAIT_NOTHING;
	}
	place = parked_find(&w->parked, index, generation);
	if (place != PARKED_NONE)
		return take_parked(w, c, place);
	/*
	 * A child that a script has forked holds a copy of a connection that we
	 * have closed: it can only be taken out of the set with the set.
	 */
	remake_set(w);
	return WAIT_NOTHING;
}

static enum wait_result step(struct wait *w, struct conn *c)
{
	uint32_t place = parked_earliest(&w->parked);
	uint64_t until_ms = place == PARKED_NONE ? CLOCK_NEVER : w->parked.places[place].until_ms;
	uint64_t began_us = clock_now_us(), now_ms = clock_now_ms();
	struct epoll_event ev;
	int n;

	w->waited = false;
	/* It may have spoken while we were busy; if not, it is closed. */
	if (place != PARKED_NONE && until_ms <= now_ms)
		return take_parked(w, c, place);
	if (w->listen_at_ms <= now_ms)
		listen_again(w);
	else if (!w->listening && !w->leaving && w->listen_at_ms < until_ms)
		until_ms = w->listen_at_ms;
	n = epoll_wait(w->epoll_fd, &ev, 1, clock_until_ms(until_ms));
	must(n >= 0 || errno == EINTR);
	w->waited = clock_now_us() - began_us < AT_ONCE_US;
	return n > 0 ? take_event(w, c, ev.data.u64) : WAIT_NOTHING;
}

enum wait_result wait_next(struct wait *w, struct conn *c)
{
	enum wait_result r = WAIT_NOTHING;

	must(conn_fd(c) < 0 && w->place == PARKED_NONE);
	while (r == WAIT_NOTHING) {
		/*
		 * A connection may have woken us, and nobody else, just when we were
		 * told to leave: each listening socket is tried once more.
		 */
		if (w->leaving && w->owed < w->heritage->nlisten)
			r = take_new(w, c, w->heritage->listen_fds[w->owed++]);
		else if (w->leaving && w->parked.n == 0)
			r = WAIT_LEAVE;
		else
			r = step(w, c);
	}
	return r;
}

bool wait_may_keep(const struct wait *w)
{
	if (w->leaving)
		return false;
	return w->parked.nkept < KEPT_MAX ||
	       (w->place != PARKED_NONE && w->parked.places[w->place].kept);
}

/*
 * Clients of kept connections must not wait for each other while workers are
 * idle. Which is told to go is the one that waited; if it has sent another
 * request by now, it stays for that.
 */
static bool is_better_off_elsewhere(const struct wait *w, const struct conn *c)
{
	char byte;

	if (!w->waited || w->parked.nkept < 2 || board_count(w->board).idle == 0)
		return false;
	return recv(conn_fd(c), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

/* Who has left its place is forgotten, who stays open is parked. */
static void put_back(struct wait *w, struct conn *c, uint32_t place)
{
	uint32_t keep_ms = w->leaving ? 0 : w->heritage->pool->timeout_keep_ms;

	if (conn_fd(c) < 0) {
		if (place != PARKED_NONE)
			parked_remove(&w->parked, place);
		return;
	}
	if (place == PARKED_NONE) {
		place = park(w, conn_release(c), keep_ms);
		queue_last(w);
	} else {
		(void)conn_release(c);
	}
	if (place != PARKED_NONE)
		parked_keep(&w->parked, place, clock_now_ms() + keep_ms);
}

void wait_done(struct wait *w, struct conn *c)
{
	uint32_t place = w->place;

	w->place = PARKED_NONE;
	open_spare(w);
	listen_again(w);
	if (place != PARKED_NONE && conn_fd(c) >= 0 && is_better_off_elsewhere(w, c))
		conn_close(c);
	put_back(w, c, place);
	if (quit_told)
		wait_leave(w); /* told during the request: who connects now has woken nobody */
}
