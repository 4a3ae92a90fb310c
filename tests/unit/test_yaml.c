/*
 * Tests of conf/yaml: what the reader tells the builder. The builder here only
 * writes down what it is told, so nothing but the reader is tested.
 */
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/strbuf.h"
#include "conf/build.h"
#include "unit.h"

struct conf_build {
	struct strbuf told, complaints;
	struct arena *arena;
	struct pool_conf *last; /* of a list of all pools */
};

struct pool_conf *build_pool(struct conf_build *b, const char *name, const struct conf_origin *at)
{
	struct pool_conf *p = arena_new_of(b->arena, struct pool_conf);

	p->name = arena_strdup(b->arena, name);
	strbuf_printf(&b->told, "%u:%u pool %s\n", at->line, at->column, name);
	return p;
}

int build_set(struct conf_build *b, struct pool_conf *pool, const char *name, const char *element,
    const char *value, const struct conf_origin *at)
{
	ck_assert_str_eq(at->file, "f.yaml");
	if (strcmp(name, "no.such") == 0)
		return build_complain(b, CONF_ERROR, NULL, at, NULL, "unknown");
	strbuf_printf(&b->told, "%u:%u %s %s%s%s%s=%s\n", at->line, at->column,
	    pool ? pool->name : "global", name, element ? "[" : "", element ? element : "",
	    element ? "]" : "", value);
	return 0;
}

int build_include(
    struct conf_build *b, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	ck_assert(from_yaml);
	strbuf_printf(&b->told, "%u:%u include %s\n", at->line, at->column, pattern);
	return 0;
}

int build_complain(struct conf_build *b, enum conf_grade grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
{
	va_list ap;

	ck_assert_int_eq(grade, CONF_ERROR);
	ck_assert_ptr_null(pool); /* the place says which */
	strbuf_printf(&b->complaints, "%s:%u:%u: ", at->file, at->line, at->column);
	va_start(ap, fmt);
	strbuf_vprintf(&b->complaints, fmt, ap);
	va_end(ap);
	strbuf_printf(&b->complaints, "%s%s\n", hint ? " | " : "", hint ? hint : "");
	return -1;
}

struct arena *build_arena(struct conf_build *b)
{
	return b->arena;
}

static int read_bytes(struct conf_build *b, const char *text, size_t n)
{
	strbuf_init(&b->told, 1 << 22);
	strbuf_init(&b->complaints, 1 << 20);
	b->arena = arena_new(4096);
	return yaml_read(b, "f.yaml", text, n);
}

static void done(struct conf_build *b)
{
	strbuf_free(&b->told);
	strbuf_free(&b->complaints);
	arena_free(b->arena);
}

/* What is told, with no complaint. */
static void expect(const char *text, const char *told)
{
	struct conf_build b = {0};
	int rc = read_bytes(&b, text, strlen(text));

	ck_assert_str_eq(strbuf_str(&b.complaints), "");
	ck_assert_str_eq(strbuf_str(&b.told), told);
	ck_assert_int_eq(rc, 0);
	done(&b);
}

/* All complaints, in order. */
static void refuse_bytes(const char *text, size_t n, const char *complaints)
{
	struct conf_build b = {0};
	int rc = read_bytes(&b, text, n);

	ck_assert_str_eq(strbuf_str(&b.complaints), complaints);
	ck_assert_int_eq(rc, -1);
	done(&b);
}

static void refuse(const char *text, const char *complaints)
{
	refuse_bytes(text, strlen(text), complaints);
}

START_TEST(the_three_parts_are_read)
{
	expect("# a comment\n"
	       "global:\n"
	       "  error_log: /var/log/fpmx.log\n"
	       "include: [ pool.d/*.yaml, \"/etc/php/8.2/fpm/pool.d/*.conf\" ]\n"
	       "pools:\n"
	       "  shop:\n"
	       "    listen: /run/shop.sock\n"
	       "    pm.max_children: 5\n"
	       "  blog: {listen: 9000}\n",
	    "3:14 global error_log=/var/log/fpmx.log\n"
	    "4:12 include pool.d/*.yaml\n"
	    "4:27 include /etc/php/8.2/fpm/pool.d/*.conf\n"
	    "6:3 pool shop\n"
	    "7:13 shop listen=/run/shop.sock\n"
	    "8:22 shop pm.max_children=5\n"
	    "9:3 pool blog\n"
	    "9:18 blog listen=9000\n");
	expect("include: a.conf", "1:10 include a.conf\n");
}
END_TEST

START_TEST(nothing_is_a_configuration_too)
{
	expect("", "");
	expect("# only a comment\n", "");
	expect("---\n...\n", "");
	expect("~\n", "");
	expect("{}\n", "");
	expect("global:\npools:\ninclude:\n", "");
	expect("pools: {a: , b: ~}\n", "1:9 pool a\n1:14 pool b\n");
	expect("pools:\n  a:\n    env:\n    listen:\n    php_flag: ~\n", "2:3 pool a\n");
	expect("\xEF\xBB\xBF"
	       "global:\r\n  log_limit: 600\r\n",
	    "2:14 global log_limit=600\n");
}
END_TEST

START_TEST(nested_names_join_with_dots)
{
	expect("pools:\n"
	       "  a:\n"
	       "    pm: {mode: dynamic, max_children: 5}\n"
	       "    timeout:\n"
	       "      body: 30s\n"
	       "    listen: {owner: www, mode: 0o660}\n"
	       "    rlimit_files: 3\n",
	    "2:3 pool a\n"
	    "3:16 a pm=dynamic\n"
	    "3:39 a pm.max_children=5\n"
	    "5:13 a timeout.body=30s\n"
	    "6:21 a listen.owner=www\n"
	    "6:32 a listen.mode=0660\n"
	    "7:19 a rlimit_files=3\n");
	expect("global: {process: {max: 3}, syslog: {ident: x}}\n", "1:25 global process.max=3\n"
								    "1:45 global syslog.ident=x\n");
}
END_TEST

START_TEST(lists_and_maps_are_told_one_by_one)
{
	expect("pools:\n"
	       "  a:\n"
	       "    listen: [9000, '[::1]:9001']\n"
	       "    access.suppress_path:\n"
	       "    - /ping\n"
	       "    env: {A: 1, B.C: x y}\n"
	       "    php_admin_value:\n"
	       "      memory_limit: 5M\n"
	       "      opcache: {jit: off, jit_buffer_size: 8M}\n",
	    "2:3 pool a\n"
	    "3:14 a listen=9000\n"
	    "3:20 a listen[]=[::1]:9001\n"
	    "5:7 a access.suppress_path=/ping\n"
	    "6:14 a env[A]=1\n"
	    "6:22 a env[B.C]=x y\n"
	    "8:21 a php_admin_value[memory_limit]=5M\n"
	    "9:22 a php_admin_value[opcache.jit]=\n"
	    "9:44 a php_admin_value[opcache.jit_buffer_size]=8M\n");
}
END_TEST

START_TEST(booleans_mean_what_they_mean_in_ini_files)
{
	expect("pools:\n"
	       "  a:\n"
	       "    clear_env: No\n"
	       "    php_value: {a: On, b: \"on\", c: false, d: ~, e: none}\n"
	       "    php_flag: {f: yes}\n"
	       "    env: {G: yes, H: off, I: null}\n",
	    "2:3 pool a\n"
	    "3:16 a clear_env=No\n"
	    "4:20 a php_value[a]=1\n"
	    "4:27 a php_value[b]=on\n"
	    "4:36 a php_value[c]=\n"
	    "4:46 a php_value[d]=\n"
	    "4:52 a php_value[e]=none\n"
	    "5:19 a php_flag[f]=yes\n"
	    "6:14 a env[G]=yes\n"
	    "6:22 a env[H]=off\n"
	    "6:30 a env[I]=\n");
}
END_TEST

START_TEST(variables_come_from_the_environment)
{
	setenv("FPMX_T", "/x", 1);
	unsetenv("FPMX_NONE");
	expect("include: ${FPMX_T}/*.conf\n"
	       "global:\n"
	       "  pid: \"${FPMX_T}${FPMX_NONE}/$p.${}pid\"\n"
	       "  error_log: '${FPMX_T}'\n"
	       "  syslog.ident: a${FPMX_T\n"
	       "  control: |-\n"
	       "    ${FPMX_T}\n",
	    "1:10 include /x/*.conf\n"
	    "3:8 global pid=/x/$p.pid\n"
	    "4:14 global error_log=${FPMX_T}\n"
	    "5:17 global syslog.ident=a${FPMX_T\n"
	    "6:12 global control=/x\n");
	expect("pools: {a: {ping.response: $pool}}\n", "1:9 pool a\n1:28 a ping.response=$pool\n");
}
END_TEST

START_TEST(bytes_that_are_no_text_come_as_base64)
{
	expect("pools:\n"
	       "  a:\n"
	       "    access.log: !!binary \"L2dyw7zf\"\n"
	       "    env:\n"
	       "      !!binary 4oI=: !!binary \"JHtI\n        T01FfQ==\"\n"
	       "      '<<': x\n"
	       "    user: !!binary ''\n",
	    "2:3 pool a\n3:17 a access.log=/gr\xC3\xBC\xDF\n5:22 a env[\xE2\x82]=${HOME}\n"
	    "7:13 a env[<<]=x\n8:11 a user=\n");
	for (size_t i = 0; i < 5; i++) {
		static const char *const broken[] = {"A", "AA=A", "A===", "AAA_", "AAAA="};
		struct conf_build b = {0};
		char text[64];

		snprintf(text, sizeof(text), "pools: {a: {user: !!binary %s}}\n", broken[i]);
		ck_assert_int_eq(read_bytes(&b, text, strlen(text)), -1);
		ck_assert_str_eq(strbuf_str(&b.complaints),
		    "f.yaml:1:19: a value tagged !!binary is not base64\n");
		done(&b);
	}
	refuse("global: {pid: !!binary AA==}\n", "f.yaml:1:15: a value holds a NUL character\n");
}
END_TEST

START_TEST(a_name_used_twice_names_both_lines)
{
	refuse("pools:\n"
	       "  a:\n"
	       "    user: x\n"
	       "    group: y\n"
	       "    user: z\n"
	       "    User: z\n"
	       "    pm.max_children: 1\n"
	       "    pm: {max_children: 2}\n"
	       "    env: {A: 1, A: 2}\n"
	       "    php_value: {a.b: 1, a: {b: 2}}\n"
	       "    php_flag: {a.b: on}\n"
	       "  A:\n"
	       "    user: other\n"
	       "pools:\n"
	       "  c: {user: x}\n",
	    "f.yaml:5:5: 'user' is here a second time: the first is in line 3\n"
	    "f.yaml:6:5: 'user' is here a second time: the first is in line 3\n"
	    "f.yaml:8:10: 'pm.max_children' is here a second time: "
	    "the first is in line 7\n"
	    "f.yaml:9:17: 'A' is here a second time: the first is in line 9\n"
	    "f.yaml:10:29: 'php_value[a.b]' is here a second time: the first is in line 10\n"
	    "f.yaml:11:16: 'php_value[a.b]' is here a second time: the first is in line 10\n"
	    "f.yaml:12:3: 'a' is here a second time: the first is in line 2\n"
	    "f.yaml:14:1: 'pools' is here a second time: the first is in line 1\n");
	/* The same name in two pools, or in env and php_value, is no repetition. */
	expect("pools: {a: {env: {x: 1}, php_value: {x: 2}}, b: {env: {x: 3}}}\n",
	    "1:9 pool a\n"
	    "1:22 a env[x]=1\n"
	    "1:41 a php_value[x]=2\n"
	    "1:46 pool b\n"
	    "1:59 b env[x]=3\n");
}
END_TEST

START_TEST(all_wrong_settings_are_told_and_right_ones_kept)
{
	struct conf_build b = {0};
	static const char text[] = "globals: {log_limit: 5}\n"
				   "global: [1]\n"
				   "pools:\n"
				   "  a:\n"
				   "    no.such: 5\n"
				   "    user: [a, b]\n"
				   "    group: {name: c}\n"
				   "    env: PATH\n"
				   "    listen: [[1], 9000, {a: b}]\n"
				   "    ? [x, y]\n"
				   "    : 5\n"
				   "    php_value: {memory_limit: [1]}\n"
				   "    pm: static\n"
				   "  b: 5\n";

	ck_assert_int_eq(read_bytes(&b, text, strlen(text)), -1);
	ck_assert_str_eq(strbuf_str(&b.complaints),
	    "f.yaml:1:1: unknown entry 'globals' | The top level has: global, include, pools.\n"
	    "f.yaml:2:9: 'global' must be a mapping of directives\n"
	    "f.yaml:5:5: unknown\n"
	    "f.yaml:6:11: 'user' must be one value | User of template and workers, by "
	    "name or number; needs root.\n"
	    "f.yaml:7:12: 'group' must be one value | Group of template and workers; the "
	    "user's own if unset.\n"
	    "f.yaml:8:10: 'env' must be a mapping: 'NAME: value' on a line each | "
	    "Environment variables of the workers; $NAME takes the master's.\n"
	    "f.yaml:9:14: 'listen' must be a list of plain values | Address to accept "
	    "FastCGI on: ip:port, [ip6]:port, port, or a socket path. A list in YAML.\n"
	    "f.yaml:9:25: 'listen' must be a list of plain values | Address to accept "
	    "FastCGI on: ip:port, [ip6]:port, port, or a socket path. A list in YAML.\n"
	    "f.yaml:10:7: a key must be a word, not a list or mapping\n"
	    "f.yaml:12:31: 'memory_limit' must be one value | Ini settings that scripts "
	    "and .user.ini may change.\n"
	    "f.yaml:14:6: 'b' must be a mapping of directives\n");
	ck_assert_str_eq(strbuf_str(&b.told), "4:3 pool a\n"
					      "9:19 a listen=9000\n"
					      "13:9 a pm=static\n"
					      "14:3 pool b\n");
	done(&b);
}
END_TEST

START_TEST(what_yaml_could_do_more_is_refused_in_words)
{
	refuse("global: &g {log_limit: 600}\npools: {a: *g, b: {user: *u, <<: *g}}\n",
	    "f.yaml:2:12: aliases (*g) are not supported | Write the value out, or quote "
	    "it if it is meant to begin with '*'.\n"
	    "f.yaml:2:26: aliases (*u) are not supported | Write the value out, or quote "
	    "it if it is meant to begin with '*'.\n"
	    "f.yaml:2:30: merge keys (<<) are not supported | Write the settings out, or "
	    "include a file.\n");
	refuse("pools: {a: {user: !secret x, env: !!map {A: 1}, !k b: 1}}\n",
	    "f.yaml:1:19: tags (!secret) are not supported | Quote a value that is meant "
	    "to begin with '!'.\n"
	    "f.yaml:1:35: tags (tag:yaml.org,2002:map) are not supported | Quote a value "
	    "that is meant to begin with '!'.\n"
	    "f.yaml:1:49: tags (!k) are not supported | Quote a value that is meant to "
	    "begin with '!'.\n");
	refuse("global: {}\n---\nglobal: {}\n",
	    "f.yaml:2:1: a second document begins here: one file is one document | Put it into a "
	    "file of its own and include that.\n");
	refuse("- a\n- b\n",
	    "f.yaml:1:1: the file must be a mapping | The top level has: global, include, "
	    "pools.\n");
	refuse("global: {\"a\\0b\": 1, pid: \"x\\0y\"}\n",
	    "f.yaml:1:10: a key holds a NUL character\n"
	    "f.yaml:1:26: a value holds a NUL character\n");
}
END_TEST

START_TEST(what_is_not_yaml_names_its_place)
{
	refuse("global: # \xC3\xA9\xE2\x82\xAC\n  pid: x\n\terror_log: y\n",
	    "f.yaml:3:1: not YAML: found a tab character that violates indentation while scanning "
	    "a plain scalar that began in line 2 | YAML takes blanks for indentation, no tabs.\n");
	refuse("pools:\n  a:\n    user: x: y\n",
	    "f.yaml:3:12: not YAML: mapping values are not allowed in this context | Only one "
	    "'key: "
	    "value' fits on a line: quote a value that holds ': ', and give lines of one mapping "
	    "the same indentation.\n");
	refuse("include: *.conf\n",
	    "f.yaml:1:11: not YAML: did not find expected alphabetic or numeric character while "
	    "scanning an alias | A value that begins with '*' must be quoted; aliases are not "
	    "supported.\n");
	refuse("pools:\n  a: [b,\n  c: d\n",
	    "f.yaml:2:6: 'a' must be a mapping of directives\n"
	    "f.yaml:4:1: not YAML: did not find expected ',' or ']' while parsing a flow sequence "
	    "that began in line 2 | The list in [ ] lacks a comma or its end.\n");
	refuse("global:\n  pid: \"/run/x\n",
	    "f.yaml:3:1: not YAML: found unexpected end of stream while scanning a quoted scalar "
	    "that began in line 2 | The quote that was opened is never closed.\n");
	refuse("global:\n  pid: x\n  error_log\npools: {}\n",
	    "f.yaml:4:1: not YAML: could not find expected ':' while scanning a simple key that "
	    "began in line 3 | This line lacks the ':' between key and value.\n");
	refuse("global:\n  pid: @x\n",
	    "f.yaml:2:8: not YAML: found character that cannot start any token while scanning for "
	    "the next token | A value that begins with this character must be quoted.\n");
}
END_TEST

START_TEST(what_is_not_text_names_its_place)
{
	refuse("global:\n  pid: \xC3\xA9\xFF\n",
	    "f.yaml:2:9: not text: invalid leading UTF-8 octet | The file must be text in "
	    "UTF-8.\n");
	refuse("global:\n  pid: \x01\n",
	    "f.yaml:2:8: not text: control characters are not allowed | The file must be text in "
	    "UTF-8.\n");
	refuse_bytes("a\0: b", 5,
	    "f.yaml:1:2: not text: control characters are not allowed | The file must be text in "
	    "UTF-8.\n");
	refuse_bytes("\xFF\xFE{\0}\0", 6,
	    "f.yaml:1:1: not text: invalid leading UTF-8 octet | The file must be text in "
	    "UTF-8.\n");
}
END_TEST

START_TEST(settings_before_broken_text_are_still_told)
{
	struct conf_build b = {0};
	static const char text[] = "global:\n  bad: [1]\n  pid: x\n  error_log: {\n";

	ck_assert_int_eq(read_bytes(&b, text, strlen(text)), -1);
	ck_assert_str_eq(strbuf_str(&b.told), "2:3 global bad=\n3:8 global pid=x\n");
	ck_assert_ptr_nonnull(strstr(strbuf_str(&b.complaints), "f.yaml:5:1: not YAML: "));
	done(&b);
}
END_TEST

/* n times the text. */
static char *times(const char *text, size_t n)
{
	size_t len = strlen(text);
	char *all = malloc(n * len + 1);

	ck_assert_ptr_nonnull(all);
	for (size_t i = 0; i < n; i++)
		memcpy(all + i * len, text, len);
	all[n * len] = '\0';
	return all;
}

START_TEST(deep_files_end_early)
{
	static const char *const shapes[] = {"[", "{a: ", "{? ", "- ", "? "};
	clock_t began = clock();

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct conf_build b = {0};
		struct strbuf text;
		char *deep = times(shapes[i], 100000);

		strbuf_init(&text, 1 << 22);
		strbuf_printf(&text, "pools:\n  a:\n    env:\n      %s", deep);
		ck_assert_int_eq(read_bytes(&b, text.bytes, text.len), -1);
		ck_assert_ptr_nonnull(strstr(strbuf_str(&b.complaints), "nested deeper than 16"));
		strbuf_free(&text);
		free(deep);
		done(&b);
	}
	ck_assert_int_lt((clock() - began) / CLOCKS_PER_SEC, 10); /* of CPU */
}
END_TEST

START_TEST(variables_cannot_blow_a_value_up)
{
	char *big = times("x", 60000), *many = times("${FPMX_T}", 5000);
	struct conf_build b = {0};
	struct strbuf text;

	setenv("FPMX_T", big, 1);
	strbuf_init(&text, 1 << 20);
	strbuf_printf(&text, "global: {pid: \"%s\"}", many);
	ck_assert_int_eq(read_bytes(&b, text.bytes, text.len), -1);
	ck_assert_str_eq(
	    strbuf_str(&b.complaints), "f.yaml:1:15: a value longer than 65536 bytes\n");
	strbuf_free(&text);
	done(&b);
	free(big);
	free(many);
}
END_TEST

START_TEST(thousands_of_pools_stay_quick)
{
	clock_t began = clock();
	struct conf_build b = {0};
	struct strbuf text;

	strbuf_init(&text, 1 << 24);
	strbuf_adds(&text, "pools:\n");
	for (int i = 0; i < 10000; i++)
		strbuf_printf(
		    &text, "  p%d: {user: u%d, pm: {mode: static, max_children: 3}}\n", i, i);
	ck_assert_int_eq(read_bytes(&b, text.bytes, text.len), 0);
	ck_assert_int_lt((clock() - began) / CLOCKS_PER_SEC, 10); /* of CPU */
	strbuf_free(&text);
	done(&b);
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, the_three_parts_are_read);
	tcase_add_test(tc, nothing_is_a_configuration_too);
	tcase_add_test(tc, nested_names_join_with_dots);
	tcase_add_test(tc, lists_and_maps_are_told_one_by_one);
	tcase_add_test(tc, booleans_mean_what_they_mean_in_ini_files);
	tcase_add_test(tc, variables_come_from_the_environment);
	tcase_add_test(tc, bytes_that_are_no_text_come_as_base64);
	tcase_add_test(tc, a_name_used_twice_names_both_lines);
	tcase_add_test(tc, all_wrong_settings_are_told_and_right_ones_kept);
	tcase_add_test(tc, what_yaml_could_do_more_is_refused_in_words);
	tcase_add_test(tc, what_is_not_yaml_names_its_place);
	tcase_add_test(tc, what_is_not_text_names_its_place);
	tcase_add_test(tc, settings_before_broken_text_are_still_told);
	tcase_add_test(tc, deep_files_end_early);
	tcase_add_test(tc, variables_cannot_blow_a_value_up);
	tcase_add_test(tc, thousands_of_pools_stay_quick);
}

UNIT_MAIN("yaml", add)
