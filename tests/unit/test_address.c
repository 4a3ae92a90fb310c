/* address: what a listen value means, and the key of a bound address. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/un.h>

#include "master/address.h"
#include "unit.h"

static void expect_host(const char *text, const char *host, unsigned port)
{
	struct address a;
	struct err e;

	ck_assert_int_eq(address_parse(text, &a, &e), 0);
	ck_assert_int_eq(a.kind, ADDRESS_HOST);
	ck_assert_str_eq(a.host, host);
	ck_assert_uint_eq(a.port, port);
}

START_TEST(a_colon_makes_it_tcp)
{
	expect_host("127.0.0.1:9000", "127.0.0.1", 9000);
	expect_host("[::1]:9001", "::1", 9001);
	expect_host("[::]:65535", "::", 65535);
	expect_host("localhost:1", "localhost", 1);
	expect_host("::1:9002", "::1", 9002);
}
END_TEST

START_TEST(digits_only_are_a_port)
{
	struct address a;
	struct err e;

	ck_assert_int_eq(address_parse("9000", &a, &e), 0);
	ck_assert_int_eq(a.kind, ADDRESS_PORT);
	ck_assert_uint_eq(a.port, 9000);
}
END_TEST

START_TEST(all_else_is_a_path)
{
	static const char *const paths[] = {"/run/php/www.sock", "relative.sock", "9000.sock", "a"};
	struct address a;
	struct err e;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		ck_assert_int_eq(address_parse(paths[i], &a, &e), 0);
		ck_assert_int_eq(a.kind, ADDRESS_UNIX);
		ck_assert_ptr_eq(a.path, paths[i]);
	}
}
END_TEST

START_TEST(wrong_ports_are_refused_in_php_fpms_words)
{
	static const char *const wrong[] = {"127.0.0.1:69002", "127.0.0.1:0",
	    "127.0.0.1:", "[::1]:x", "h:-1", "h:80x", "h:99999999999999999999"};
	struct address a;
	struct err e;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_int_eq(address_parse(wrong[i], &a, &e), -1);
	ck_assert_int_eq(address_parse("127.0.0.1:69002", &a, &e), -1);
	ck_assert_str_eq(e.text, "invalid port value '69002'");
	ck_assert_int_eq(address_parse("69002", &a, &e), -1);
	ck_assert_str_eq(e.text, "invalid port value '69002'");
}
END_TEST

START_TEST(hosts_must_be_there_and_fit)
{
	char text[400];
	struct address a;
	struct err e;

	ck_assert_int_eq(address_parse(":9000", &a, &e), -1);
	ck_assert_int_eq(address_parse("[]:9000", &a, &e), -1);
	ck_assert_int_eq(address_parse("", &a, &e), -1);
	memset(text, 'h', sizeof(text));
	memcpy(text + 256, ":9000", 6);
	ck_assert_int_eq(address_parse(text, &a, &e), -1);
	memcpy(text + 255, ":9000", 6);
	ck_assert_int_eq(address_parse(text, &a, &e), 0);
}
END_TEST

START_TEST(keys_are_php_fpms)
{
	struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(9000)};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons(9000)};
	struct sockaddr_un un = {.sun_family = AF_UNIX, .sun_path = "/run/x.sock"};
	char key[ADDRESS_KEY_BYTES];

	inet_pton(AF_INET, "127.0.0.1", &in.sin_addr);
	address_key((struct sockaddr *)&in, key);
	ck_assert_str_eq(key, "127.0.0.1:9000");
	address_key((struct sockaddr *)&in6, key);
	ck_assert_str_eq(key, ":::9000");
	address_key((struct sockaddr *)&un, key);
	ck_assert_str_eq(key, "/run/x.sock");
	memset(un.sun_path, 'p', sizeof(un.sun_path));
	address_key((struct sockaddr *)&un, key);
	ck_assert_uint_eq(strlen(key), sizeof(un.sun_path));
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_colon_makes_it_tcp);
	tcase_add_test(tc, digits_only_are_a_port);
	tcase_add_test(tc, all_else_is_a_path);
	tcase_add_test(tc, wrong_ports_are_refused_in_php_fpms_words);
	tcase_add_test(tc, hosts_must_be_there_and_fit);
	tcase_add_test(tc, keys_are_php_fpms);
}

UNIT_MAIN("address", add)
