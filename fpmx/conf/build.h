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
void build_enter_section(struct conf_build *, struct pool_conf *);

/* A syntax error of a reader, or a warning of its own. Always returns -1. */
int build_complain(struct conf_build *, enum conf_grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

struct arena *build_arena(struct conf_build *);

/*
 * For conf.c: reads the main file and everything it includes into conf. What
 * is wrong is in the report.
 */
void build_run(struct conf *, struct conf_report *);

/* The readers. text is NUL-terminated; file names it in messages. 0 or -1. */
int ini_read(struct conf_build *, const char *file, const char *text, size_t n);
int yaml_read(struct conf_build *, const char *file, const char *text, size_t n);

#endif
