/* clients: whole addresses, and IPv4 however it is written. */
#include <arpa/inet.h>
#include <string.h>
#include <sys/un.h>

#include "base/must.h"
#include "unit.h"
#include "worker/clients.h"

static struct arena *arena;
static unsigned complaints;
static char complained[64];

static void setup(void)
{
	arena = arena_new(4096);
	complaints = 0;
	complained[0] = '\0';
}

static void teardown(void)
{
	arena_free(arena);
}

static void complain(void *ctx, const char *entry)
{
	(void)ctx;
	complaints++;
	snprintf(complained, sizeof(complained), "%s", entry);
}

static struct sockaddr_storage peer_of(const char *text)
{
	struct sockaddr_storage peer = {0};
	struct sockaddr_in *four = (void *)&peer;
	struct sockaddr_in6 *six = (void *)&peer;

	if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
		peer.ss_family = AF_INET;
		return peer;
	}
	must(inet_pton(AF_INET6, text, &six->sin6_addr) == 1);
	peer.ss_family = AF_INET6;
	return peer;
}

static const struct {
	const char *list, *peer;
	bool allowed;
} table[] = {
    {"127.0.0.1", "127.0.0.1", true},
    {"127.0.0.1", "127.0.0.2", false},
    {"127.0.0.1", "126.0.0.1", false},
    {"127.0.0.1", "::ffff:127.0.0.1", true},
    {"127.0.0.1", "::ffff:127.0.0.2", false},
    {"127.0.0.1", "::1", false},
    {"127.0.0.1", "::127.0.0.1", false},
    {"127.0.0.1", "64:ff9b::127.0.0.1", false},
    {"::ffff:127.0.0.1", "127.0.0.1", true},
    {"::ffff:7f00:1", "127.0.0.1", true},
    {"::ffff:127.0.0.1", "::ffff:127.0.0.1", true},
    {"::127.0.0.1", "127.0.0.1", false},
    {"::1", "::1", true},
    {"::1", "127.0.0.1", false},
    {"::1", "::2", false},
    {"::1", "::", false},
    {"0:0:0:0:0:0:0:1", "::1", true},
    /* These hosts are equal in their first 96 bits. */
    {"2001:db8::1:2", "2001:db8::1:3", false},
    {"2001:db8::1", "2001:db8::2", false},
    {"2001:db8::1", "2001:db8::ffff:ffff", false},
    {"2001:db8::1", "2001:db8::1", true},
    {"2001:DB8::A", "2001:db8::a", true},
    {"2001:db8:1::1", "2001:db8:2::1", false},
    {"fe80::1", "fe80::1", true},
    {"10.0.0.1,10.0.0.2", "10.0.0.1", true},
    {"10.0.0.1,10.0.0.2", "10.0.0.2", true},
    {"10.0.0.1,10.0.0.2", "10.0.0.3", false},
    {"10.0.0.1, 10.0.0.2", "10.0.0.2", true},
    {" 10.0.0.1 ,\t10.0.0.2 ", "10.0.0.1", true},
    {" 10.0.0.1 ,\t10.0.0.2 ", "10.0.0.2", true},
    {"127.0.0.1,::1", "::1", true},
    {"127.0.0.1,::1", "::ffff:127.0.0.1", true},
    {"127.0.0.1,::1", "::ffff:0.0.0.1", false},
    {"0.0.0.0", "0.0.0.0", true},
    {"0.0.0.0", "10.0.0.1", false},
    {"255.255.255.255", "255.255.255.255", true},
    {"xxx", "127.0.0.1", false},
    {"xxx,127.0.0.1", "127.0.0.1", true},
    {"127.0.0.1,xxx", "127.0.0.2", false},
    {"localhost", "127.0.0.1", false},
    {"127.0.0.0/8", "127.0.0.1", false},
    {"127.0.0.1:80", "127.0.0.1", false},
    {"0127.0.0.1", "127.0.0.1", false},
    {"127.1", "127.0.0.1", false},
    {"", "127.0.0.1", false},
    {",", "0.0.0.0", false},
};

START_TEST(addresses_are_compared_whole)
{
	struct sockaddr_storage peer = peer_of(table[_i].peer);
	struct clients c;

	clients_parse(arena, table[_i].list, &c, complain, NULL);
	ck_assert_msg(clients_allow(&c, &peer) == table[_i].allowed, "'%s' and %s", table[_i].list,
	    table[_i].peer);
}
END_TEST

START_TEST(without_a_list_everybody_may)
{
	struct sockaddr_storage peer = peer_of("10.1.2.3");
	struct clients c;

	clients_parse(arena, NULL, &c, complain, NULL);
	ck_assert(!c.restricted && clients_allow(&c, &peer));
}
END_TEST

START_TEST(a_list_is_not_for_unix_sockets)
{
	struct sockaddr_storage peer = {.ss_family = AF_UNIX};
	struct clients c;

	clients_parse(arena, "127.0.0.1", &c, complain, NULL);
	ck_assert(clients_allow(&c, &peer));
}
END_TEST

START_TEST(what_is_no_address_is_told)
{
	struct clients c;

	clients_parse(arena, "127.0.0.1, nonsense ,::1", &c, complain, NULL);
	ck_assert_uint_eq(complaints, 1);
	ck_assert_str_eq(complained, "nonsense");
	ck_assert_uint_eq(c.n, 2);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, addresses_are_compared_whole, 0, (int)(sizeof(table) / sizeof(table[0])));
	tcase_add_test(tc, without_a_list_everybody_may);
	tcase_add_test(tc, a_list_is_not_for_unix_sockets);
	tcase_add_test(tc, what_is_no_address_is_told);
}

UNIT_MAIN("clients", add)
