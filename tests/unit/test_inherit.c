/* inherit: what is taken for a socket, what is taken from the table, what is left. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "master/inherit.h"
#include "unit.h"

static char dir[] = "/tmp/fpmx-unit-XXXXXX", path[128];
static struct inherit table;
static struct inherited *entry;
static struct err e;

static int listen_unix(void)
{
	struct sockaddr_un un = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/x.sock", dir);
	memcpy(un.sun_path, path, strlen(path) + 1);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&un, sizeof(un)), 0);
	ck_assert_int_eq(listen(fd, 5), 0);
	return fd;
}

static int listen_loopback(uint16_t *port)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	socklen_t n = sizeof(in);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	ck_assert_int_eq(listen(fd, 5), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&in, &n), 0);
	*port = ntohs(in.sin_port);
	return fd;
}

static void clean(void)
{
	inherit_free(&table);
	unlink(path);
	rmdir(dir);
}

START_TEST(only_listening_sockets_are_taken)
{
	int ends[2], plain = socket(AF_INET, SOCK_STREAM, 0), null = open("/dev/null", O_RDONLY);

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	ck_assert_int_eq(inherit_add(&table, plain, &entry, &e), -1);
	ck_assert_ptr_nonnull(strstr(e.text, "is not a listening socket"));
	ck_assert_int_eq(inherit_add(&table, null, &entry, &e), -1);
	ck_assert_int_eq(inherit_add(&table, ends[0], &entry, &e), -1);
	ck_assert_int_eq(inherit_add(&table, 9999, &entry, &e), -1);
	ck_assert_int_eq(inherit_add(&table, -1, &entry, &e), -1);
	ck_assert_uint_eq(table.n, 0);
}
END_TEST

START_TEST(an_entry_is_named_by_the_kernel_and_taken_once)
{
	char key[64];
	uint16_t port;
	int fd = listen_loopback(&port);

	snprintf(key, sizeof(key), "127.0.0.1:%u", port);
	ck_assert_int_eq(inherit_add(&table, fd, &entry, &e), 0);
	ck_assert_str_eq(entry->key, key);
	ck_assert(!entry->is_unix);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	ck_assert(fcntl(fd, F_GETFL) & O_NONBLOCK);
	/* The same descriptor again is the same entry. */
	ck_assert_int_eq(inherit_add(&table, fd, &entry, &e), 0);
	ck_assert_uint_eq(table.n, 1);

	ck_assert_ptr_null(inherit_take(&table, "127.0.0.1:1"));
	ck_assert_ptr_eq(inherit_take(&table, key), &table.items[0]);
	ck_assert_ptr_null(inherit_take(&table, key));
	inherit_drop_rest(&table); /* nothing is left */
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	inherit_free(&table);
}
END_TEST

START_TEST(a_socket_is_found_by_another_name_of_its_file)
{
	char other[160];
	struct stat st;
	int fd = listen_unix();

	ck_assert_int_eq(inherit_add(&table, fd, &entry, &e), 0);
	ck_assert_str_eq(entry->key, path);
	snprintf(other, sizeof(other), "%s/./x.sock", dir);
	ck_assert_ptr_null(inherit_take(&table, other));
	ck_assert_ptr_null(inherit_take_file(&table, other)); /* of an unknown file */
	ck_assert_int_eq(stat(path, &st), 0);
	entry->dev = st.st_dev;
	entry->ino = st.st_ino;
	ck_assert_ptr_null(inherit_take_file(&table, "/dev/null"));
	ck_assert_ptr_eq(inherit_take_file(&table, other), entry);
	ck_assert_ptr_null(inherit_take_file(&table, other));
	clean();
}
END_TEST

START_TEST(what_is_left_is_closed_and_its_path_removed)
{
	int fd = listen_unix();

	ck_assert_int_eq(inherit_add(&table, fd, &entry, &e), 0);
	inherit_drop_rest(&table);
	ck_assert_int_eq(fcntl(fd, F_GETFD), -1);
	ck_assert_int_eq(access(path, F_OK), -1);
	clean();
}
END_TEST

START_TEST(the_path_of_a_living_or_lent_socket_stays)
{
	int fd = listen_unix(), other = dup(fd);

	/* Somebody else listens there still. */
	ck_assert_int_eq(inherit_add(&table, fd, &entry, &e), 0);
	inherit_drop_rest(&table);
	ck_assert_int_eq(access(path, F_OK), 0);
	/* It was only lent, and after a reload somebody may want it. */
	ck_assert_int_eq(inherit_add(&table, other, &entry, &e), 0);
	entry->lent = true;
	inherit_drop_rest(&table);
	ck_assert_int_eq(fcntl(other, F_GETFD), FD_CLOEXEC);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(entry->fd, other);
	clean();
}
END_TEST

START_TEST(what_another_process_has_is_taken_without_a_descriptor)
{
	int fd = listen_unix();

	inherit_hold(&table, path, 1, 2);
	inherit_hold(&table, "127.0.0.1:80", 0, 0);
	ck_assert_int_eq(inherit_add(&table, -1, &entry, &e), -1);
	ck_assert(inherit_take(&table, path)->is_unix);
	ck_assert_ptr_null(inherit_take(&table, path));
	inherit_drop_rest(&table);
	ck_assert_int_eq(access(path, F_OK), 0);
	ck_assert_int_eq(inherit_take(&table, "127.0.0.1:80")->fd, -1);
	close(fd);
	clean();
}
END_TEST

START_TEST(a_lent_socket_is_found_by_its_name)
{
	const char *addresses[] = {"/run/www.sock", "127.0.0.1:1"};
	struct pool_conf conf = {.name = (char *)"www", .listen = {.n = 2, .items = addresses}};
	uint16_t ports[4];

	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(inherit_add(&table, listen_loopback(&ports[i]), &entry, &e), 0);
	/* Not lent: whatever it is called, it is found by its address alone. */
	ck_assert_ptr_null(inherit_take_named(&table, &conf, "/run/www.sock"));
	table.items[1].name = strdup("other");
	table.items[2].name = strdup("www");
	table.items[3].name = strdup("/run/www.sock");
	ck_assert_ptr_eq(inherit_take_named(&table, &conf, "/run/www.sock"), &table.items[2]);
	ck_assert_ptr_eq(inherit_take_named(&table, &conf, "/run/www.sock"), &table.items[3]);
	ck_assert_ptr_null(inherit_take_named(&table, &conf, "/run/www.sock"));
	/* It is for another address of the pool, which comes later. */
	table.items[2].taken = false;
	addresses[1] = table.items[2].key;
	ck_assert_ptr_null(inherit_take_named(&table, &conf, "/run/www.sock"));
	inherit_free(&table);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, only_listening_sockets_are_taken);
	tcase_add_test(tc, an_entry_is_named_by_the_kernel_and_taken_once);
	tcase_add_test(tc, a_socket_is_found_by_another_name_of_its_file);
	tcase_add_test(tc, what_is_left_is_closed_and_its_path_removed);
	tcase_add_test(tc, the_path_of_a_living_or_lent_socket_stays);
	tcase_add_test(tc, what_another_process_has_is_taken_without_a_descriptor);
	tcase_add_test(tc, a_lent_socket_is_found_by_its_name);
}

UNIT_MAIN("inherit", add)
