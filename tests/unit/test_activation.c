/* activation, fdstore: what systemd gives, and what it is to keep. */
#include <fcntl.h>
#include <stdbool.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "master/activation.h"
#include "master/fdstore.h"
#include "notifysocket.h"
#include "unit.h"

/* 3 belongs to libcheck. */
#define FIRST 40

static struct inherit table;

/* A listening socket under that number. */
static void listen_at(int number)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	ck_assert_int_eq(listen(fd, 5), 0);
	if (fd != number) {
		ck_assert_int_eq(dup2(fd, number), number);
		close(fd);
	}
}

static void give(const char *pid, const char *n, const char *names)
{
	char self[16];

	snprintf(self, sizeof(self), "%d", (int)getpid());
	setenv("LISTEN_PID", pid ? pid : self, 1);
	setenv("LISTEN_FDS", n, 1);
	if (names)
		setenv("LISTEN_FDNAMES", names, 1);
	activation_read(&table, FIRST);
	ck_assert_ptr_null(getenv("LISTEN_PID"));
	ck_assert_ptr_null(getenv("LISTEN_FDS"));
	ck_assert_ptr_null(getenv("LISTEN_FDNAMES"));
}

START_TEST(what_is_given_is_lent_under_its_name)
{
	for (int fd = FIRST; fd < FIRST + 3; fd++)
		listen_at(fd);
	give(NULL, "3", "www::a name");
	ck_assert_uint_eq(table.n, 3);
	ck_assert_str_eq(table.items[0].name, "www");
	ck_assert_str_eq(table.items[1].name, "unknown");
	ck_assert_str_eq(table.items[2].name, "a name");
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(table.items[i].fd, FIRST + i);
		ck_assert(table.items[i].lent);
		ck_assert_int_eq(fcntl(FIRST + i, F_GETFD), FD_CLOEXEC);
	}
	ck_assert(!table.reloaded);
	inherit_free(&table);
}
END_TEST

START_TEST(names_may_be_missing)
{
	listen_at(FIRST);
	listen_at(FIRST + 1);
	give(NULL, "2", NULL);
	ck_assert_uint_eq(table.n, 2);
	ck_assert_str_eq(table.items[1].name, "unknown");
	inherit_free(&table);
}
END_TEST

START_TEST(what_is_not_ours_is_left_alone)
{
	listen_at(FIRST);
	give("1", "1", "www");
	give("", "1", "www");
	give(NULL, "-1", "www");
	give(NULL, "", "www");
	give(NULL, "1x", "www");
	give(NULL, "99999999999999999999", "www");
	ck_assert_uint_eq(table.n, 0);
	ck_assert_int_ne(fcntl(FIRST, F_GETFD), -1);
}
END_TEST

START_TEST(what_does_not_listen_is_closed_and_told)
{
	int null = open("/dev/null", O_RDONLY);

	listen_at(FIRST + 1);
	ck_assert_int_eq(dup2(null, FIRST), FIRST);
	give(NULL, "2", "null:www");
	ck_assert_uint_eq(table.n, 1);
	ck_assert_str_eq(table.items[0].name, "www");
	ck_assert_int_eq(fcntl(FIRST, F_GETFD), -1);
	ck_assert_ptr_nonnull(strstr(table.complaints, "\"null\" from systemd is not used"));
	inherit_free(&table);
}
END_TEST

/* --- the store ---------------------------------------------------------------- */

static int other;
static struct notify notify;
static struct fdstore store;

static void open_store(const char *size)
{
	other = notifysocket_open();
	setenv("FDSTORE", size, 1);
	notify_init(&notify);
	fdstore_init(&store, &notify);
}

static void keep(const struct listener *l, size_t n)
{
	struct handover h = {0};

	for (size_t i = 0; i < n; i++)
		handover_add(&h, &l[i]);
	fdstore_keep(&store, &h);
	handover_free(&h);
}

/* The name in the next message, which must begin so; "" for none. */
static const char *hear(const char *kind)
{
	static char text[512];
	ssize_t n = recv(other, text, sizeof(text) - 1, 0);
	const char *name;

	if (n < 0)
		return "";
	text[n] = '\0';
	ck_assert_int_eq(strncmp(text, kind, strlen(kind)), 0);
	name = strstr(text, "FDNAME=");
	ck_assert_ptr_nonnull(name);
	return name + strlen("FDNAME=");
}

static struct listener listener_at(int fd, const char *key)
{
	struct listener l = {.fd = fd, .dev = 7, .ino = 8};

	listen_at(fd);
	snprintf(l.key, sizeof(l.key), "%s", key);
	return l;
}

START_TEST(the_store_follows_the_configuration)
{
	struct listener l[3];
	char first[300], second[300];

	open_store("4");
	l[0] = listener_at(20, "127.0.0.1:20");
	l[1] = listener_at(21, "/run/\303\244.sock");
	l[2] = listener_at(22, "lent");
	l[2].lent = true;
	keep(l, 3);
	snprintf(first, sizeof(first), "%s", hear("FDSTORE=1\n"));
	snprintf(second, sizeof(second), "%s", hear("FDSTORE=1\n"));
	ck_assert_str_eq(hear(""), "");
	ck_assert_ptr_nonnull(strstr(first, "-7-8-127.0.0.1_20"));
	ck_assert_ptr_nonnull(strstr(second, "-7-8-/run/__.sock"));
	keep(l, 3);
	ck_assert_str_eq(hear(""), "");
	/* Bound again: another socket of the same address. */
	l[0] = listener_at(23, "127.0.0.1:20");
	keep(l, 3);
	ck_assert_str_eq(hear("FDSTOREREMOVE=1\n"), first);
	ck_assert_str_ne(hear("FDSTORE=1\n"), first);
	keep(NULL, 0);
	hear("FDSTOREREMOVE=1\n");
	hear("FDSTOREREMOVE=1\n");
	ck_assert_str_eq(hear(""), "");
	ck_assert_uint_eq(store.n, 0);
	fdstore_free(&store);
	notify_free(&notify);
}
END_TEST

START_TEST(what_comes_back_is_ours_and_goes_if_nobody_wants_it)
{
	struct listener l;
	char name[300];

	open_store("4");
	l = listener_at(FIRST, "127.0.0.1:40");
	keep(&l, 1);
	snprintf(name, sizeof(name), "%s", hear("FDSTORE=1\n"));
	give(NULL, "1", name);
	ck_assert_uint_eq(table.n, 1);
	ck_assert(!table.items[0].lent);
	ck_assert_uint_eq(table.items[0].dev, 7);
	ck_assert_uint_eq(table.items[0].ino, 8);
	/* The next master does not have it in its configuration. The key is the kernel's. */
	fdstore_free(&store);
	fdstore_init(&store, &notify);
	fdstore_expect(&store, &table);
	keep(NULL, 0);
	ck_assert_int_eq(strncmp(hear("FDSTOREREMOVE=1\n"), name, strlen("stored-1")), 0);
	fdstore_free(&store);
	notify_free(&notify);
	inherit_free(&table);
}
END_TEST

START_TEST(a_name_alone_makes_nothing_ours)
{
	static const char *const names[] = {"stored-", "stored-1-2-3-x", "stored-x", "stored", ""};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		listen_at(FIRST);
		give(NULL, "1", names[i]);
		ck_assert_uint_eq(table.n, 1);
		ck_assert(table.items[0].lent);
		inherit_free(&table);
	}
}
END_TEST

START_TEST(without_a_store_nothing_is_sent)
{
	struct listener l;

	open_store("0");
	l = listener_at(20, "x");
	keep(&l, 1);
	keep(NULL, 0);
	ck_assert_str_eq(hear(""), "");
	fdstore_free(&store);
	notify_free(&notify);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, what_is_given_is_lent_under_its_name);
	tcase_add_test(tc, names_may_be_missing);
	tcase_add_test(tc, what_is_not_ours_is_left_alone);
	tcase_add_test(tc, what_does_not_listen_is_closed_and_told);
	tcase_add_test(tc, the_store_follows_the_configuration);
	tcase_add_test(tc, what_comes_back_is_ours_and_goes_if_nobody_wants_it);
	tcase_add_test(tc, a_name_alone_makes_nothing_ours);
	tcase_add_test(tc, without_a_store_nothing_is_sent);
}

UNIT_MAIN("activation", add)
