/*
 * A test of conf/convert: random files of php-fpm's format, drawn from the table
 * of directives, mean the same as YAML. What the builder makes of both is
 * compared as -tt would show it.
 */
#include <sys/stat.h>

#include "conf/build.h"
#include "conf/convert.h"
#include "conf/keys.h"
#include "conf/value.h"
#include "conftext.h"

static unsigned seed;

static unsigned dice(unsigned n)
{
	return (unsigned)rand_r(&seed) / 7 % n;
}

static const char *one_of(const char *const *words, unsigned n)
{
	return words[dice(n)];
}
#define ONE_OF(...)                                \
	one_of((const char *const[]){__VA_ARGS__}, \
	    (unsigned)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static bool in_pool; /* where $pool means something */

/* A text in some of the ways in which INI files say one. */
static void add_text(struct strbuf *out, bool path)
{
	unsigned pieces = dice(4) + 1;

	if (path)
		strbuf_addc(out, '/');
	while (pieces-- > 0) {
		switch (dice(9)) {
		case 0:
			strbuf_printf(out, "\"%s\"",
			    ONE_OF(" b", "a: b", "; no comment", "#x ", "\\\"", "\\\\", "\\$", "\t",
				"yes", "it's", "\\${FPMX_TEST_A}", "{[", "- ", ""));
			break;
		case 1:
			strbuf_printf(out, "'%s'",
			    ONE_OF("a'\"'\"'b", "${FPMX_TEST_A}", "\"", " ", "off", "\\", "|x", "=",
				"b"));
			break;
		case 2:
			strbuf_adds(
			    out, ONE_OF("${FPMX_TEST_A}", "\"${FPMX_TEST_N}\"", "${ FPMX_TEST_A }",
				     "\"<${FPMX_TEST_A}>\"", "${FPMX_TEST_NONE}"));
			break;
		case 3:
			strbuf_adds(out, ONE_OF("E_ALL", "PHP_VERSION", "E_NOPE", "x E_ALL"));
			break;
		case 4:
			strbuf_adds(out, ONE_OF("\xE9", "\xC3\xA9", "\xE2\x80\xA8", "\xEF\xBB\xBF",
					     "\xF0\x9F\x98\x80", "\x01", "\x7F", "\xC2\x85"));
			break;
		default:
			strbuf_adds(out,
			    ONE_OF("a", "1e3", "0660", "*x", "%", "@", "`", "#c", ",", "<<", "?",
				"]", "{", "}", in_pool ? "$pool" : "$", "$HOME", "..", "0x1F",
				"a  b", "2026-01-01", "12:30", ":", "-", "_", ".inf", "\\"));
		}
	}
}

/* The pattern with the number for its #. */
static void add_number(struct strbuf *out, const char *pattern, const char *number)
{
	for (; *pattern != '\0'; pattern++) {
		if (*pattern == '#')
			strbuf_adds(out, number);
		else
			strbuf_addc(out, *pattern);
	}
}

static void add_value(struct strbuf *out, const struct conf_row *row)
{
	const struct conf_word *words = keys_words(row->type);
	char number[32];
	unsigned n = 0;

	snprintf(number, sizeof(number), row->type == TYPE_MODE ? "%o" : "%u", dice(512));
	while (words != NULL && words[n].word != NULL)
		n++;
	switch (row->type) {
	case TYPE_BOOL:
	case TYPE_FLAGS:
		strbuf_adds(out, ONE_OF("on", "Off", "YES", "no", "true", "FALSE", "none", "1", "0",
				     "'yes'", "", "null", "\"off\"", "${FPMX_TEST_N} & 1"));
		break;
	case TYPE_INT:
		add_number(out, ONE_OF("#", "-#", "\"#\"", "# | 3", "~#", "(#)", "!#"), number);
		if (dice(5) == 0)
			strbuf_adds(out, ONE_OF(" | ${FPMX_TEST_N}", " ^ E_ALL"));
		break;
	case TYPE_DURATION:
		add_number(out, ONE_OF("#", "#s", "#m", "'#h'", "#${FPMX_TEST_NONE}s"), number);
		break;
	case TYPE_MODE:
		add_number(out, ONE_OF("0#", "#", "'0#'"), number);
		break;
	case TYPE_CORE_SIZE:
		strbuf_adds(out, ONE_OF("unlimited", "0", "UNLIMITED", "4096"));
		break;
	default:
		if (words != NULL)
			strbuf_adds(out, *words[n = dice(n)].word != '\0' ? words[n].word : "off");
		else if (row->type == TYPE_MAP && dice(4) == 0 && key_of(row) != KEY_POOL_env)
			strbuf_adds(
			    out, ONE_OF("on", "OFF", "null", "", "none", "E_ALL & ~E_NOTICE"));
		else
			add_text(out,
			    row->type == TYPE_LIST || dice(3) == 0 || key_of(row) == KEY_POOL_env);
	}
}

static void add_name(struct strbuf *out, const struct conf_row *row)
{
	bool shout = dice(8) == 0 && row->type != TYPE_MAP && row->type != TYPE_FLAGS &&
		     row->type != TYPE_LIST;

	for (const char *c = row->name; *c != '\0'; c++)
		strbuf_addc(out, shout && *c >= 'a' && *c <= 'z' ? (char)(*c - 32) : *c);
	if (row->type == TYPE_MAP || row->type == TYPE_FLAGS)
		strbuf_printf(out, "[%s]",
		    ONE_OF("A", "B", "a.b", "opcache.enable", "\"x y\"", "~", "0", "<<", "'#'",
			"\xC3\xA9", "\xE9", "1", "\"a:\"", "-", "'*'", "on", "\"\\\"\""));
	else if (row->type == TYPE_LIST)
		strbuf_adds(out, key_of(row) == KEY_POOL_listen && dice(2) == 0 ? "" : "[]");
}

static void add_statements(struct strbuf *out, enum conf_scope scope)
{
	in_pool = scope == SCOPE_POOL;
	for (unsigned n = dice(30); n > 0; n--) {
		const struct conf_row *row = &conf_rows[dice(KEY_MAX)];

		if (dice(6) == 0)
			strbuf_adds(out, ONE_OF("\n", "; a comment\n", ";;;;\n", "  \n",
					     ";pm.max_children = 3\n", ";env[A] = $A\n", ";\n",
					     "; caf\xE9\n", ";php_flag[x]=on ; why\n"));
		if (row->scope != scope)
			continue;
		add_name(out, row);
		strbuf_adds(out, ONE_OF(" = ", "=", "\t=  ", " ="));
		add_value(out, row);
		strbuf_adds(out, ONE_OF("\n", "\n", "  \n", " ; behind\n", "\r\n", ";;\n"));
	}
}

static void add_sections(struct strbuf *out, unsigned n)
{
	static const char *const names[] = {"w", "two", "W", "a b", "\"x: y\"", "~", "null", "0x1F",
	    "\xC3\xA9", "'#'", "\xE9", "-", "global", "Global"};

	while (n-- > 0) {
		const char *name = one_of(names, sizeof(names) / sizeof(names[0]));

		strbuf_printf(out, "[%s]%s\n", name, ONE_OF("", " ; its own", ""));
		add_statements(out, strcasecmp(name, "global") == 0 ? SCOPE_GLOBAL : SCOPE_POOL);
	}
}

static void write_random(const char *name, unsigned sections, const char *include)
{
	struct strbuf text;

	strbuf_init(&text, 1 << 20);
	if (dice(10) == 0)
		strbuf_adds(&text, "\xEF\xBB\xBF");
	/* Other files begin in whatever section the one before them has left. */
	if (strcmp(name, "main.conf") == 0 && dice(3) == 0)
		add_statements(&text, SCOPE_GLOBAL);
	if (sections > 0)
		strbuf_printf(&text, "[%s]\n", ONE_OF("global", "w", "own"));
	if (dice(2) == 0)
		strbuf_adds(&text, include);
	add_sections(&text, sections);
	if (dice(2) == 0)
		strbuf_adds(&text, include);
	if (dice(3) == 0)
		add_sections(&text, dice(2));
	conf_write(name, strbuf_str(&text));
	strbuf_free(&text);
}

/* Reads without the checks, which look at the system. NULL if something is wrong. */
static struct conf *read_conf(const char *path)
{
	struct arena *arena = arena_new(16384);
	struct conf *c = arena_new_of(arena, struct conf);
	struct conf_report r;

	conf_report_init(&r);
	c->arena = arena;
	c->path = arena_strdup(arena, path);
	c->prefix = conf_dir;
	value_defaults(SCOPE_GLOBAL, &c->global, arena);
	build_run(c, &r);
	if (r.nfatal > 0) {
		conf_free(c);
		c = NULL;
	}
	conf_report_free(&r);
	return c;
}

/* Of two elements with one name the first counts; YAML has no second. */
static void drop_repeated(struct conf_map *map)
{
	size_t n = 0;

	for (size_t i = 0; i < map->n; i++) {
		bool repeated = false;

		for (size_t j = 0; j < n; j++)
			repeated |= strcmp(map->pairs[j].name, map->pairs[i].name) == 0;
		if (!repeated)
			map->pairs[n++] = map->pairs[i];
	}
	map->n = n;
}

static void add_line(void *ctx, const char *line)
{
	strbuf_adds(ctx, line);
	strbuf_addc(ctx, '\n');
}

/* As -tt shows them, byte for byte; and the dump of the second is a fixed point. */
static void expect_same(const char *ini, const char *yaml)
{
	struct conf *a = read_conf(conf_path(ini)), *b = read_conf(conf_path(yaml)), *c;
	struct strbuf first, second, text, again;

	ck_assert_ptr_nonnull(a);
	ck_assert_ptr_nonnull(b);
	for (size_t i = 0; i < a->npools; i++) {
		drop_repeated(&a->pools[i]->env);
		drop_repeated(&a->pools[i]->php_value);
		drop_repeated(&a->pools[i]->php_admin_value);
	}
	strbuf_init(&first, 1 << 24);
	strbuf_init(&second, 1 << 24);
	strbuf_init(&text, 1 << 24);
	strbuf_init(&again, 1 << 24);
	conf_dump_fpm(a, add_line, &first);
	conf_dump_fpm(b, add_line, &second);
	ck_assert_str_eq(strbuf_str(&second), strbuf_str(&first));
	conf_dump_yaml(b, &text);
	conf_write("dump.yaml", strbuf_str(&text));
	c = read_conf(conf_path("dump.yaml"));
	ck_assert_ptr_nonnull(c);
	conf_dump_yaml(c, &again);
	ck_assert_str_eq(strbuf_str(&again), strbuf_str(&text));
	strbuf_free(&first);
	strbuf_free(&second);
	strbuf_free(&text);
	strbuf_free(&again);
	conf_free(a);
	conf_free(b);
	conf_free(c);
}

static void hear_note(const char *line)
{
	(void)line;
}

/* main.conf becomes main.yaml, and what it includes files of their own if so asked. */
static void convert_main(bool files)
{
	struct convert_order order = {.path = conf_path("main.conf"),
	    .prefix = conf_dir,
	    .folder = files ? conf_dir : NULL,
	    .overwrite = true,
	    .tell = hear_note};
	struct strbuf text;
	struct err err;

	conf_unload();
	conf_report_init(&report);
	strbuf_init(&text, 64u << 20);
	ck_assert_msg(convert(&order, &report, &text, &err) == 0, "%u: %s", seed, err.text);
	if (!files)
		conf_write("main.yaml", strbuf_str(&text));
	strbuf_free(&text);
}

/* So many tests of so many sets of files each. */
#define TESTS 8
#define TURNS 250

/* One in so many is written into files of their own. */
#define FILES_EVERY 16

START_TEST(random_files_mean_the_same)
{
	unsigned done = 0;

	setenv("FPMX_TEST_A", "one", 1);
	setenv("FPMX_TEST_N", "7", 1);
	unsetenv("FPMX_TEST_NONE");
	ck_assert_int_eq(mkdir(conf_path("sub"), 0700), 0);
	for (unsigned turn = 0; done < TURNS; turn++) {
		bool files = turn % FILES_EVERY == 0;
		struct conf *c;

		seed = (unsigned)_i * 1000000 + turn + 1;
		write_random("sub/a.conf", 2, "");
		write_random("sub/b.conf", dice(2), ";no include\n");
		write_random("main.conf", 2, "include = sub/*.conf\n");
		c = read_conf(conf_path("main.conf"));
		if (c == NULL)
			continue; /* in the wrong section, or without its value */
		conf_free(c);
		done++;
		convert_main(files);
		expect_same("main.conf", "main.yaml");
		remove(conf_path("sub/a.yaml"));
		remove(conf_path("sub/b.yaml"));
	}
}
END_TEST

static void add(TCase *tc)
{
	tcase_add_checked_fixture(tc, conf_setup, conf_teardown);
	tcase_add_loop_test(tc, random_files_mean_the_same, 0, TESTS);
}

UNIT_MAIN("convert_random", add)
