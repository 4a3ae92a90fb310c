/*
 * Tests of conf/yamldump: reading a dump gives the same configuration, and
 * dumping that the same bytes. Both formats include each other.
 */
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fd.h"
#include "conf/build.h"
#include "conf/keys.h"
#include "conf/value.h"
#include "unit.h"

static char dir[PATH_MAX];

static void make_dir(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(dir, sizeof(dir), "%s/fpmx-yamldump-XXXXXX", tmp != NULL ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void remove_dir(void)
{
	ck_assert_int_eq(nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The path, in static memory, of a file below dir. */
static const char *path_of(const char *name)
{
	static char path[PATH_MAX];

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", dir, name), (int)sizeof(path));
	return path;
}

static void write_file(const char *name, const char *text)
{
	int fd = open(path_of(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text), NULL), 0);
	fd_close(&fd);
}

/* Reads without the checks, which look at the system. */
static struct conf *read_conf(const char *path)
{
	struct arena *arena = arena_new(16384);
	struct conf *c = arena_new_of(arena, struct conf);
	struct conf_report report;

	conf_report_init(&report);
	c->arena = arena;
	c->path = arena_strdup(arena, path);
	c->prefix = dir;
	value_defaults(SCOPE_GLOBAL, &c->global, arena);
	build_run(c, &report);
	for (size_t i = 0; i < report.n; i++)
		ck_assert_msg(report.findings[i].grade < CONF_ERROR, "%s:%u: %s",
		    report.findings[i].at.file, report.findings[i].at.line,
		    report.findings[i].text);
	conf_report_free(&report);
	return c;
}

static void add_line(void *ctx, const char *line)
{
	strbuf_adds(ctx, line);
	strbuf_addc(ctx, '\n');
}

/* Everything that a configuration says, by the other dumps. */
static void tell(const struct conf *c, struct strbuf *out)
{
	conf_dump_fpm(c, add_line, out);
	for (size_t i = 0; i < c->npools; i++)
		pool_conf_dump(c->pools[i], out);
}

static void expect_fixed_point(const struct conf *c)
{
	struct strbuf first, second, told, again;
	struct conf *copy;

	strbuf_init(&first, 1 << 24);
	strbuf_init(&second, 1 << 24);
	strbuf_init(&told, 1 << 24);
	strbuf_init(&again, 1 << 24);
	conf_dump_yaml(c, &first);
	write_file("dump.yaml", strbuf_str(&first));
	copy = read_conf(path_of("dump.yaml"));
	conf_dump_yaml(copy, &second);
	ck_assert_str_eq(strbuf_str(&second), strbuf_str(&first));
	tell(c, &told);
	tell(copy, &again);
	ck_assert_str_eq(strbuf_str(&again), strbuf_str(&told));
	conf_free(copy);
	strbuf_free(&first);
	strbuf_free(&second);
	strbuf_free(&told);
	strbuf_free(&again);
}

static void expect_dump(const char *path, const char *dump)
{
	struct conf *c = read_conf(path);
	struct strbuf out;

	strbuf_init(&out, 1 << 20);
	conf_dump_yaml(c, &out);
	ck_assert_str_eq(strbuf_str(&out), dump);
	strbuf_free(&out);
	expect_fixed_point(c);
	conf_free(c);
}

START_TEST(a_dump_has_what_was_set)
{
	make_dir();
	write_file("a.conf", "[global]\n"
			     "daemonize = no\n"
			     "[a b]\n"
			     "listen = /run/$pool.sock\n"
			     "pm = ondemand\n"
			     "listen.mode = 0600\n"
			     "request_terminate_timeout = 2m\n"
			     "security.limit_extensions =\n"
			     "env[A] = $HOME\n"
			     "env[B] = \"a: b #c\"\n"
			     "php_value[x] = off\n"
			     "php_value[y] = 'off'\n"
			     "php_flag[z] = on\n"
			     "access.suppress_path[] = /p\n"
			     "access.suppress_path[] = /q r\n");
	expect_dump(path_of("a.conf"), "global:\n"
				       "  daemonize: no\n"
				       "pools:\n"
				       "  'a b':\n"
				       "    listen: '/run/a b.sock'\n"
				       "    listen.mode: 0600\n"
				       "    pm: ondemand\n"
				       "    access.suppress_path:\n"
				       "      - /p\n"
				       "      - '/q r'\n"
				       "    request_terminate_timeout: 120s\n"
				       "    security.limit_extensions: ''\n"
				       "    env:\n"
				       "      A: '$HOME'\n"
				       "      B: 'a: b #c'\n"
				       "    php_value:\n"
				       "      x: ''\n"
				       "      'y': 'off'\n"
				       "      z: 1\n");
	remove_dir();
}
END_TEST

START_TEST(of_two_elements_with_one_name_the_first_is_dumped)
{
	struct strbuf out;
	struct conf *c;

	make_dir();
	write_file("a.conf", "[a]\nenv[A] = 1\nenv[B] = 2\nenv[A] = 3\n");
	c = read_conf(path_of("a.conf"));
	strbuf_init(&out, 1 << 20);
	conf_dump_yaml(c, &out);
	ck_assert_str_eq(strbuf_str(&out), "pools:\n  a:\n    env:\n      A: 1\n      B: 2\n");
	strbuf_free(&out);
	conf_free(c);
	remove_dir();
}
END_TEST

START_TEST(nothing_dumps_to_something_that_reads_as_nothing)
{
	make_dir();
	write_file("empty.yaml", "");
	expect_dump(path_of("empty.yaml"), "");
	write_file("bare.yaml", "pools: {a: }\n");
	expect_dump(path_of("bare.yaml"), "pools:\n  a: {}\n");
	remove_dir();
}
END_TEST

START_TEST(each_format_includes_the_other)
{
	static const char dump[] = "pools:\n"
				   "  old:\n"
				   "    listen: 9001\n"
				   "    pm: static\n"
				   "    pm.max_children: 7\n"
				   "    php_value:\n"
				   "      a: 3\n"
				   "      b: 2\n"
				   "  new:\n"
				   "    listen:\n"
				   "      - 9002\n"
				   "      - 9003\n"
				   "    pm: dynamic\n";

	make_dir();
	ck_assert_int_eq(mkdir(path_of("pools"), 0700), 0);
	write_file("pools/old.conf", "[old]\nlisten = 9001\npm = static\npm.max_children = 5\n"
				     "php_value[a] = 1\nphp_value[b] = 2\n");
	write_file("pools/new.yaml", "pools: {new: {listen: [9002, 9003], pm: dynamic}}\n");
	write_file("over.yaml", "pools: {OLD: {pm.max_children: 7, php_value: {a: 3}}}\n");

	write_file(
	    "main.yaml", "include: [pools/*.conf, over.yaml, pools/*.yaml, pools/new.yaml]\n");
	expect_dump(path_of("main.yaml"), dump);
	write_file("main.conf", "include = pools/*.conf\ninclude = over.yaml\n[global]\n"
				"include = pools/*.yaml\ninclude = pools/n*\n");
	expect_dump(path_of("main.conf"), dump);
	remove_dir();
}
END_TEST

START_TEST(yaml_includes_begin_beside_the_file)
{
	make_dir();
	ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
	write_file("sub/main.yaml", "include: [pool.yaml, behind.yaml]\n");
	write_file("sub/pool.yaml", "pools: {beside: }\n");
	write_file("pool.yaml", "pools: {wrong: }\n");
	write_file("behind.yaml", "pools: {behind: }\n"); /* the prefix is dir */
	expect_dump(path_of("sub/main.yaml"), "pools:\n  beside: {}\n  behind: {}\n");
	remove_dir();
}
END_TEST

/* What ships, and what Debian ships, where it is installed. */
START_TEST(files_that_ship_are_fixed_points)
{
	static const char *const files[] = {"pool.d/fpmx.yaml.sample", "pool.d/pool.yaml.sample",
	    "pool.d/www.yaml", "pool.d/tasks.yaml", "pool.d/api.conf",
	    "/etc/php/" FPMX_PHP_XY "/fpm/php-fpm.conf"};
	const char *src = getenv("FPMX_SRC");

	make_dir();
	ck_assert_int_eq(mkdir(path_of("pool.d"), 0700), 0); /* that a sample includes */
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[PATH_MAX], *text;
		bool yaml = strstr(files[i], ".yaml") != NULL;
		struct conf *c;
		size_t n;
		int fd;

		snprintf(path, sizeof(path), "%s/%s",
		    files[i][0] == '/' ? ""
		    : src              ? src
				       : ".",
		    files[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 && files[i][0] == '/')
			continue;
		ck_assert_msg(fd >= 0, "%s", path);
		ck_assert_int_eq(fd_slurp(fd, 1 << 20, &text, &n, NULL), 0);
		fd_close(&fd);
		write_file(yaml ? "shipped.yaml" : "shipped.conf", text);
		free(text);
		c = read_conf(path_of(yaml ? "shipped.yaml" : "shipped.conf"));
		expect_fixed_point(c);
		conf_free(c);
	}
	remove_dir();
}
END_TEST

/* A sample with each '#name:' line in force is one that says all defaults. */
START_TEST(samples_stay_right_when_uncommented)
{
	static const char *const files[] = {"pool.d/fpmx.yaml.sample", "pool.d/pool.yaml.sample"};
	const char *src = getenv("FPMX_SRC");

	make_dir();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char path[PATH_MAX], line[1024];
		struct strbuf text;
		struct conf *c;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", src ? src : ".", files[i]);
		f = fopen(path, "re");
		ck_assert_ptr_nonnull(f);
		strbuf_init(&text, 1 << 20);
		while (fgets(line, sizeof(line), f) != NULL) {
			size_t indent = strspn(line, " ");

			/* A comment goes on with "# "; its examples with "#  ". */
			if (line[indent] == '#' &&
			    (line[indent + 1] != ' ' || line[indent + 2] == ' '))
				strbuf_printf(
				    &text, "%.*s%s", (int)indent, line, line + indent + 1);
			else if (strncmp(line, "include:", 8) != 0)
				strbuf_adds(&text, line);
		}
		fclose(f);
		for (size_t key = 0; key < KEY_MAX; key++) {
			snprintf(line, sizeof(line), "\n%*s%s:", i == 0 ? 2 : 4, "",
			    conf_rows[key].name);
			ck_assert_msg(
			    conf_rows[key].scope != (i == 0 ? SCOPE_GLOBAL : SCOPE_POOL) ||
				strstr(strbuf_str(&text), line) != NULL,
			    "%s is not in %s", conf_rows[key].name, files[i]);
		}
		write_file("all.yaml", strbuf_str(&text));
		strbuf_free(&text);
		c = read_conf(path_of("all.yaml"));
		expect_fixed_point(c);
		conf_free(c);
	}
	remove_dir();
}
END_TEST

static unsigned seed;

static int dice(int n)
{
	return rand_r(&seed) / 7 % n;
}

/* Text as unpleasant as bytes without NUL get. */
static const char *some_text(struct arena *arena, size_t least)
{
	static const char *const pieces[] = {"a", "b c", " ", "\t", "\n", "'", "\"", "\\", "${",
	    "${HOME}", "\\${", "}", ": ", " #", "- ", "*", "&", "!", "%", "@", "`", "|", ">", "?",
	    "[", "]", "{", ",", "~", "null", "yes", "0", "1e3", "\x01", "\x7F", "\xC2\x85",
	    "\xC3\xA9", "\xE9", "\xFF", "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xF0\x9F\x98\x80", "<<",
	    "\r", "$", "$$", "/", "."};
	char text[256] = "";
	size_t len = 0;
	int n = dice(6) + (int)least;

	for (int i = 0; i < n; i++) {
		const char *piece = pieces[dice(sizeof(pieces) / sizeof(pieces[0]))];

		memcpy(text + len, piece, strlen(piece) + 1);
		len += strlen(piece);
	}
	return arena_strdup(arena, text);
}

static void set_text(const struct conf_row *row, void *record, struct arena *arena)
{
	const struct conf_word *words = keys_words(row->type);
	struct value_verdict verdict;
	char text[64];
	int n = 0;

	while (words != NULL && words[n].word != NULL)
		n++;
	if (words != NULL)
		snprintf(text, sizeof(text), "%s", words[dice(n)].word);
	else if (row->type == TYPE_BOOL)
		snprintf(text, sizeof(text), "%s", dice(2) ? "on" : "no");
	else if (row->type == TYPE_DURATION)
		snprintf(text, sizeof(text), "%d%c", dice(500), "smh"[dice(3)]);
	else if (row->type == TYPE_MODE)
		snprintf(text, sizeof(text), "0%o", (unsigned)dice(512));
	else
		snprintf(text, sizeof(text), "%lld",
		    (long long)(row->limits == LIMITS_NONE ? 1 : row->low) + dice(3));
	ck_assert_msg(
	    value_read(row, record, arena, text, &verdict) == 0, "%s: %s", row->name, text);
}

/* Sets a row to something; every kind of field in turn. */
static void set_row(const struct conf_row *row, void *record, struct arena *arena)
{
	struct conf_map *map = value_field(row, record);
	int n = dice(4);

	switch (row->type) {
	case TYPE_STRING:
	case TYPE_PATH:
		*(const char **)value_field(row, record) = some_text(arena, 0);
		break;
	case TYPE_LIST:
		for (int i = 0; i <= n; i++)
			list_add(value_field(row, record), arena,
			    arena_printf(arena, "/%s", some_text(arena, 0)));
		break;
	case TYPE_MAP:
		for (int i = 0; i <= n; i++) {
			struct conf_pair pair = {
			    .name = arena_printf(arena, "%d%s", i, some_text(arena, 0)),
			    .value = some_text(arena, 1)};

			map_add(map, arena, &pair);
		}
		break;
	case TYPE_FLAGS:
		break;
	default:
		set_text(row, record, arena);
	}
}

static void set_some(
    enum conf_scope scope, void *record, struct conf_origin *origin, struct arena *arena)
{
	for (size_t key = 0; key < KEY_MAX; key++) {
		const struct conf_row *row = &conf_rows[key];

		if (row->scope != scope || row->type == TYPE_FLAGS || dice(3) == 0)
			continue;
		set_row(row, record, arena);
		origin[key].file = "random";
	}
}

START_TEST(random_configurations_are_fixed_points)
{
	make_dir();
	for (unsigned turn = 1; turn <= 300; turn++) {
		struct arena *arena = arena_new(16384);
		struct pool_conf *pools[3];
		struct conf c = {.arena = arena, .prefix = dir, .pools = pools};

		seed = turn;
		value_defaults(SCOPE_GLOBAL, &c.global, arena);
		set_some(SCOPE_GLOBAL, &c.global, c.global.origin, arena);
		c.npools = (size_t)dice(4);
		for (size_t i = 0; i < c.npools; i++) {
			pools[i] = arena_new_of(arena, struct pool_conf);
			value_defaults(SCOPE_POOL, pools[i], arena);
			pools[i]->name = arena_printf(arena, "p%zu%s", i, some_text(arena, 0));
			set_some(SCOPE_POOL, pools[i], pools[i]->origin, arena);
		}
		expect_fixed_point(&c);
		arena_free(arena);
	}
	remove_dir();
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_test(tc, a_dump_has_what_was_set);
	tcase_add_test(tc, of_two_elements_with_one_name_the_first_is_dumped);
	tcase_add_test(tc, nothing_dumps_to_something_that_reads_as_nothing);
	tcase_add_test(tc, each_format_includes_the_other);
	tcase_add_test(tc, yaml_includes_begin_beside_the_file);
	tcase_add_test(tc, files_that_ship_are_fixed_points);
	tcase_add_test(tc, samples_stay_right_when_uncommented);
	tcase_add_test(tc, random_configurations_are_fixed_points);
}

UNIT_MAIN("yamldump", add)
