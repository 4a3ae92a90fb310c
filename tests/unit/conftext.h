/*
 * conftext: what the tests of conf/ share: a folder of configuration files, and
 * what loading one of them says.
 */
#ifndef FPMX_TESTS_CONFTEXT_H
#define FPMX_TESTS_CONFTEXT_H

#include <fcntl.h>
#include <ftw.h>
#include <limits.h>

#include "base/fd.h"
#include "conf/conf.h"
#include "unit.h"

static char conf_dir[PATH_MAX];
static struct conf *conf;
static struct conf_report report;
static struct strbuf said; /* all lines of the report */

static const char *conf_path(const char *name)
{
	static char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", conf_dir, name);
	return path;
}

static void conf_write(const char *name, const char *text)
{
	int fd;

	unlink(conf_path(name)); /* some file systems write at once what is cut to nothing */
	fd = open(conf_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text), NULL), 0);
	fd_close(&fd);
}

static void conf_setup(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(conf_dir, sizeof(conf_dir), "%s/fpmx-conf-XXXXXX", tmp != NULL ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(conf_dir));
	strbuf_init(&said, 1 << 20);
}

static int conf_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static void conf_unload(void)
{
	if (report.arena != NULL)
		conf_report_free(&report);
	conf_free(conf);
	conf = NULL;
	strbuf_clear(&said);
}

static void conf_teardown(void)
{
	conf_unload();
	strbuf_free(&said);
	ck_assert_int_eq(nftw(conf_dir, conf_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Adds a line with the folder of the test written as @. */
static void conf_hear(void *ctx, enum conf_grade grade, const char *line)
{
	static const char marks[] = {'N', 'W', 'E', 'A'};
	size_t n = strlen(conf_dir);

	(void)ctx;
	strbuf_printf(&said, "%c ", marks[grade]);
	for (const char *p = line; *p != '\0';) {
		if (strncmp(p, conf_dir, n) == 0) {
			strbuf_addc(&said, '@');
			p += n;
		} else {
			strbuf_addc(&said, *p++);
		}
	}
	strbuf_addc(&said, '\n');
}

/* The text with the folder of the test for each @. */
static inline const char *with_dir(const char *text)
{
	static char out[8192];
	size_t n = 0;

	for (; *text != '\0' && n < sizeof(out) - PATH_MAX; text++) {
		if (*text == '@')
			n += (size_t)snprintf(out + n, sizeof(out) - n, "%s", conf_dir);
		else
			out[n++] = *text;
	}
	out[n] = '\0';
	return out;
}

/* Loads a file of the folder as -t would, for root where so told. */
static inline void conf_load_named(const char *name, bool root)
{
	struct conf_source source = {.path = conf_path(name), .prefix = conf_dir, .root = root};

	conf_unload();
	conf_report_init(&report);
	conf = conf_load(&source, &report);
	conf_report_tell(&report, conf_hear, NULL);
}

/* The same of a text, behind a first line that sets an error log that is there. */
static inline void conf_load_text(const char *text, bool root)
{
	struct strbuf all;

	strbuf_init(&all, 1 << 20);
	strbuf_printf(&all, "error_log = /dev/null\n%s", text);
	conf_write("main.conf", strbuf_str(&all));
	strbuf_free(&all);
	conf_load_named("main.conf", root);
}

#define POOL "[www]\nuser = root\nlisten = /run/www.sock\npm = static\npm.max_children = 2\n"

#endif
