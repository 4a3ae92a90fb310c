/*
 * build: what a reader of one format does to the configuration being made.
 *
 * Runs in: master, engine.
 * The two readers (ini.c, yaml.c) know syntax only; names, types, defaults,
 * ranges, "did you mean" and includes are here, so both formats mean the same
 * and can include each other.
 */
#ifndef FPMX_CONF_BUILD_H
#define FPMX_CONF_BUILD_H

#include "conf/conf.h"

struct conf_build;
struct conf_row;

/* The pool of that name, made if it is new; names are case-insensitive. */
struct pool_conf *build_pool(struct conf_build *, const char *name, const struct conf_origin *at);

/*
 * Sets name (dotted, any case) of the pool, or of [global] when pool is NULL,
 * from its text. For a MAP, element is the key between the brackets. For a LIST
 * NULL replaces what the list had, and "" appends (x[] of an INI file, further
 * items of a YAML list). Values of an INI file come after php's own scanning
 * (booleans are "1" or ""). Failures go to the report; returns -1 then, and the
 * reader may go on to find more.
 *
 * What is set later replaces what was set earlier, but elements of an INI file
 * pile up as php-fpm's do. That a YAML file says one thing twice is for its
 * reader to find.
 */
int build_set(struct conf_build *, struct pool_conf *pool, const char *name, const char *element,
    const char *value, const struct conf_origin *at);

/*
 * include: globs the pattern and reads each file by its ending. Relative ones
 * start at the prefix for INI, at the folder of the including file for YAML
 * unless only the prefix has a match. Five levels at most.
 */
int build_include(
    struct conf_build *, const char *pattern, bool from_yaml, const struct conf_origin *at);

/*
 * Where an INI file stands: php-fpm takes an included file as if its lines were
 * in the including one, so a [section] lasts from file to file. NULL: [global].
 */
struct pool_conf *build_section(const struct conf_build *);
void build_enter_section(struct conf_build *, struct pool_conf *, const struct conf_origin *at);

/* A syntax error of a reader, or a warning of its own. Always returns -1. */
int build_complain(struct conf_build *, enum conf_grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

struct arena *build_arena(struct conf_build *);

/*
 * How the value of the next build_set() was written: filled in by the reader of
 * INI files, for convert.c, which is to write it again.
 */
struct build_variable {
	size_t from, to; /* the bytes of the value that are the variable's */
	const char *name;
};
#define BUILD_VARIABLES_MAX 8
struct build_spelling {
	bool computed; /* constants or operators have made something else of it */
	bool sealed;   /* a number that operators made, or more variables than fit */
	size_t n;
	struct build_variable variables[BUILD_VARIABLES_MAX];
};
struct build_spelling *build_spelling(struct conf_build *);

/* What is read, one after the other; strings are valid during the call only. */
enum build_event_kind {
	BUILD_FILE, /* a file begins: at.file, text */
	BUILD_FILE_END,
	BUILD_SECTION, /* of an INI file: pool, or NULL for [global] */
	BUILD_SETTING, /* that was taken, of either format */
	BUILD_INCLUDE, /* of either format: value is the whole pattern */
	BUILD_INCLUDE_END,
	BUILD_EVENT_MAX
};
struct build_event {
	enum build_event_kind kind;
	struct conf_origin at;
	const struct pool_conf *pool;
	const struct conf_row *row;
	const char *element, *value;
	const struct build_spelling *spelling;
	const char *text; /* of a file, n bytes */
	size_t n;
	bool yaml;
};
struct build_witness {
	void (*note)(void *ctx, const struct build_event *);
	void *ctx;
};

/*
 * For convert.c: as build_run(), with somebody who is told what is read; and the
 * same of a YAML text that is in no file, but has the name conf->path.
 */
void build_run_watched(struct conf *, struct conf_report *, const struct build_witness *);
void build_run_yaml(struct conf *, struct conf_report *, const char *text, size_t n);

/*
 * For conf.c: reads the main file and everything it includes into conf. What
 * is wrong is in the report.
 */
void build_run(struct conf *, struct conf_report *);

/* The readers. text is NUL-terminated; file names it in messages. 0 or -1. */
int ini_read(struct conf_build *, const char *file, const char *text, size_t n);
int yaml_read(struct conf_build *, const char *file, const char *text, size_t n);

#endif
