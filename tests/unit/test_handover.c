/* handover: what is written is read again, what is stale or strange is not. */
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/fd.h"
#include "master/handover.h"
#include "unit.h"

static struct inherit table;
static struct err e;

static int open_listening(void)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&in, sizeof(in)), 0);
	ck_assert_int_eq(listen(fd, 5), 0);
	return fd;
}

static struct listener *make_listeners(size_t n)
{
	struct listener *all = calloc(n, sizeof(*all));
	struct sockaddr_in name;
	socklen_t bytes;

	for (size_t i = 0; i < n; i++) {
		bytes = sizeof(name);
		all[i].fd = open_listening();
		ck_assert_int_eq(getsockname(all[i].fd, (struct sockaddr *)&name, &bytes), 0);
		address_key((struct sockaddr *)&name, all[i].key);
	}
	return all;
}

static void write_all(const struct listener *all, size_t n)
{
	struct handover h = {0};

	for (size_t i = 0; i < n; i++)
		handover_add(&h, &all[i]);
	ck_assert_int_eq(handover_write(&h, &e), 0);
	handover_free(&h);
}

static int record_fd(void)
{
	return (int)strtol(getenv("FPMX_HANDOVER"), NULL, 10);
}

START_TEST(what_is_written_is_read_with_all_that_belongs_to_it)
{
	struct listener *all = make_listeners(2);
	char text[300];

	all[0].dev = 7;
	all[0].ino = UINT64_MAX;
	all[1].lent = true;
	all[1].name = "a name of two words";
	write_all(all, 2);
	snprintf(text, sizeof(text), "%s=%d,%s=%d", all[0].key, all[0].fd, all[1].key, all[1].fd);
	ck_assert_str_eq(getenv("FPM_SOCKETS"), text);
	ck_assert_ptr_null(getenv("FPM_SOCKETS_1"));
	ck_assert_int_eq(fcntl(all[0].fd, F_GETFD), 0);
	ck_assert_int_eq(fcntl(all[0].fd, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(fcntl(record_fd(), F_GETFD), 0);

	handover_read(&table);
	ck_assert_ptr_null(table.complaints);
	ck_assert_uint_eq(table.n, 2);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(table.items[i].fd, all[i].fd);
		ck_assert_str_eq(table.items[i].key, all[i].key);
		ck_assert_int_eq(table.items[i].lent, all[i].lent);
	}
	ck_assert_ptr_null(table.items[0].name);
	ck_assert_str_eq(table.items[1].name, "a name of two words");
	ck_assert_uint_eq(table.items[0].dev, 7);
	ck_assert_uint_eq(table.items[0].ino, UINT64_MAX);
	ck_assert_ptr_null(getenv("FPM_SOCKETS"));
	ck_assert_ptr_null(getenv("FPMX_HANDOVER"));
	free(all);
}
END_TEST

START_TEST(a_list_holds_128_and_the_next_one_is_unset)
{
	struct listener *all = make_listeners(300);

	setenv("FPM_SOCKETS_3", "old", 1);
	setenv("FPM_SOCKETS_2", "old", 1);
	setenv("FPM_SOCKETS_1", "old", 1);
	setenv("FPM_SOCKETS", "old", 1);
	write_all(all, 300);
	ck_assert_ptr_nonnull(strstr(getenv("FPM_SOCKETS_2"), all[299].key));
	ck_assert_ptr_null(strstr(getenv("FPM_SOCKETS"), all[128].key));
	ck_assert_ptr_nonnull(strstr(getenv("FPM_SOCKETS_1"), all[128].key));
	ck_assert_ptr_null(getenv("FPM_SOCKETS_3"));
	unsetenv("FPMX_HANDOVER");
	handover_read(&table);
	ck_assert_uint_eq(table.n, 300);
	ck_assert_ptr_null(getenv("FPM_SOCKETS_2"));
	/* 128 and 129: a full list is no reason for an empty one. */
	write_all(all, 128);
	ck_assert_ptr_null(getenv("FPM_SOCKETS_1"));
	write_all(all, 129);
	ck_assert_ptr_nonnull(getenv("FPM_SOCKETS_1"));
	free(all);
}
END_TEST

START_TEST(php_fpms_list_is_enough)
{
	struct listener *all = make_listeners(1);
	char text[300];

	snprintf(text, sizeof(text), "no,=,x=y,/gone=9999,stderr=2,127.0.0.1:1=%d", all[0].fd);
	setenv("FPM_SOCKETS", text, 1);
	handover_read(&table);
	ck_assert_uint_eq(table.n, 1);
	ck_assert_str_eq(table.items[0].key, all[0].key); /* whatever the list says */
	ck_assert_ptr_nonnull(strstr(table.complaints, "\"/gone=9999\" is not used: "));
	ck_assert_ptr_nonnull(strstr(table.complaints, "\"stderr=2\" is not used: "));
	free(all);
}
END_TEST

START_TEST(a_socket_under_an_old_number_is_not_taken_for_it)
{
	struct listener *all = make_listeners(1);
	int other;

	all[0].lent = true;
	write_all(all, 1);
	other = open_listening();
	ck_assert_int_eq(dup2(other, all[0].fd), all[0].fd);
	unsetenv("FPM_SOCKETS");
	handover_read(&table);
	ck_assert_uint_eq(table.n, 0);
	free(all);
}
END_TEST

/* Puts a record of our own making into the environment. */
static void set_record(const char *text)
{
	char number[16];
	int fd = fd_sealed("test", text, strlen(text), &e);

	ck_assert_int_gt(fd, 2);
	snprintf(number, sizeof(number), "%d", fd);
	setenv("FPMX_HANDOVER", number, 1);
}

START_TEST(a_record_that_is_not_ours_is_refused)
{
	static const char *const wrong[] = {
	    "", "fpmx-handover 2\nmaster 1\n", "fpmx-handover 1\n", "fpmx-handover 1\nmaster x\n"};
	char text[128];

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		set_record(wrong[i]);
		handover_read(&table);
		ck_assert_msg(table.complaints, "record %zu", i);
		inherit_free(&table);
	}
	snprintf(text, sizeof(text), "fpmx-handover 1\nmaster %d\nkitten 7\n", (int)getpid());
	set_record(text);
	handover_read(&table);
	ck_assert_ptr_nonnull(table.complaints);
	inherit_free(&table);

	/* One that another process has written says nothing about this one. */
	set_record("fpmx-handover 1\nmaster 1\nkitten 7\n");
	handover_read(&table);
	ck_assert_ptr_null(table.complaints);
	ck_assert_uint_eq(table.n, 0);
}
END_TEST

START_TEST(a_descriptor_that_is_no_record_is_left_open)
{
	int fd = open("/dev/null", O_RDONLY);
	char number[16];

	snprintf(number, sizeof(number), "%d", fd);
	setenv("FPMX_HANDOVER", number, 1);
	handover_read(&table);
	ck_assert_int_ge(fcntl(fd, F_GETFD), 0);
	setenv("FPMX_HANDOVER", "0", 1);
	handover_read(&table);
	setenv("FPMX_HANDOVER", "77 and more", 1);
	handover_read(&table);
	ck_assert_int_ge(fcntl(STDIN_FILENO, F_GETFD), 0);
	ck_assert_uint_eq(table.n, 0);
}
END_TEST

START_TEST(a_record_that_would_be_cut_is_not_written)
{
	struct listener *one = make_listeners(1);
	struct handover h = {0};
	char name[1000];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	one->lent = true;
	one->name = name;
	for (int i = 0; i < 5000; i++)
		handover_add(&h, one);
	ck_assert_int_eq(handover_write(&h, &e), -1);
	ck_assert_str_eq(e.text, "more sockets than a hand-over can tell of");
	ck_assert_ptr_null(getenv("FPMX_HANDOVER"));
	handover_free(&h);
	close(one->fd);
	free(one);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, what_is_written_is_read_with_all_that_belongs_to_it);
	tcase_add_test(tc, a_list_holds_128_and_the_next_one_is_unset);
	tcase_add_test(tc, php_fpms_list_is_enough);
	tcase_add_test(tc, a_socket_under_an_old_number_is_not_taken_for_it);
	tcase_add_test(tc, a_record_that_is_not_ours_is_refused);
	tcase_add_test(tc, a_descriptor_that_is_no_record_is_left_open);
	tcase_add_test(tc, a_record_that_would_be_cut_is_not_written);
}

UNIT_MAIN("handover", add)
