/* environ: the environment of a pool, in php-fpm's order. */
#include "master/environ.h"
#include "unit.h"

static char path[] = "PATH=/bin", lang[] = "LANG=C", user_of_master[] = "USER=root";
static char *const master_env[] = {path, lang, user_of_master, NULL};

static struct conf_pair pairs[] = {
    {.name = "A", .value = "1"},
    {.name = "B", .value = "$LANG"},
    {.name = "A", .value = "second"},
    {.name = "C", .value = "$NOT_THERE"},
};

static void expect(const char *const *env, const char *const *wanted)
{
	size_t i = 0;

	for (; wanted[i]; i++) {
		ck_assert_ptr_nonnull(env[i]);
		ck_assert_str_eq(env[i], wanted[i]);
	}
	ck_assert_ptr_null(env[i]);
}

START_TEST(a_cleared_one_is_the_pools_alone)
{
	struct pool_conf conf = {.clear_env = true, .env = {.n = 4, .pairs = pairs}};
	struct arena *a = arena_new(1024);

	expect(environ_for_pool(&conf, "www-data", "/var/www", master_env, a),
	    (const char *const[]){"C=", "A=1", "B=C", "USER=www-data", "HOME=/var/www", NULL});
	expect(environ_for_pool(&conf, NULL, NULL, master_env, a),
	    (const char *const[]){"C=", "A=1", "B=C", NULL});
	arena_free(a);
}
END_TEST

START_TEST(what_the_pool_sets_wins)
{
	struct conf_pair own[] = {
	    {.name = "HOME", .value = "/srv"}, {.name = "PATH", .value = "/x"}};
	struct pool_conf conf = {.clear_env = true, .env = {.n = 2, .pairs = own}};
	struct arena *a = arena_new(1024);

	expect(environ_for_pool(&conf, "u", "/home/u", master_env, a),
	    (const char *const[]){"PATH=/x", "HOME=/srv", "USER=u", NULL});
	conf.clear_env = false;
	expect(environ_for_pool(&conf, "u", "/home/u", master_env, a),
	    (const char *const[]){"PATH=/x", "LANG=C", "USER=u", "HOME=/srv", NULL});
	arena_free(a);
}
END_TEST

START_TEST(without_clear_env_the_masters_stays)
{
	struct pool_conf conf = {.clear_env = false};
	struct arena *a = arena_new(1024);

	expect(environ_for_pool(&conf, NULL, NULL, master_env, a),
	    (const char *const[]){"PATH=/bin", "LANG=C", "USER=root", NULL});
	arena_free(a);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_cleared_one_is_the_pools_alone);
	tcase_add_test(tc, what_the_pool_sets_wins);
	tcase_add_test(tc, without_clear_env_the_masters_stays);
}

UNIT_MAIN("environ", add)
