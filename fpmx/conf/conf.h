/*
 * conf: configuration as everybody reads it.
 *
 * Runs in: master (made there), engine (made again from the heritage).
 * Immutable once conf_load() or pool_conf_parse() has returned; lives in the
 * arena of its generation and is freed with it.
 * Never: opens sockets, changes anything, logs. What is wrong goes into the
 * report, all of it, not only the first.
 */
#ifndef FPMX_CONF_CONF_H
#define FPMX_CONF_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/strbuf.h"

struct conf_list {
	size_t n;
	const char **items;
};

/* Where a value came from: for messages and for the annotated dump. */
struct conf_origin {
	const char *file;      /* NULL: not set, or set to nothing: the default holds */
	uint32_t line, column; /* from 1; column 0 where the reader has none */
};

/*
 * php-fpm keeps array directives as a stack: of two equal names the first in
 * the file wins at run time. Pairs are in file order here.
 */
struct conf_pair {
	const char *name, *value;
	struct conf_origin at;
};
struct conf_map {
	size_t n;
	struct conf_pair *pairs;
};

/* rlimit_core: a number of bytes, or unlimited. */
struct conf_core {
	bool unlimited;
	int32_t bytes;
};

/* listen.mode: permission bits, and how they were written. */
struct conf_mode {
	uint32_t bits;
	const char *text; /* NULL or "": not set */
};

/* enum conf_pm { PM_STATIC, ..., PM_MAX } and so on. */
#define ENUM_BEGIN(TYPE, type) \
	enum conf_##type       \
	{
#define WORD(TYPE, ident, word) TYPE##_##ident,
#define ALIAS(TYPE, ident, word)
#define ENUM_END(TYPE) \
	TYPE##_MAX     \
	}              \
	;
#include "conf/enums.def"
#undef ENUM_BEGIN
#undef WORD
#undef ALIAS
#undef ENUM_END

#define CONF_FIELD_STRING(f) const char *f;
#define CONF_FIELD_PATH(f) const char *f;
#define CONF_FIELD_BOOL(f) bool f;
#define CONF_FIELD_INT(f) int32_t f;
#define CONF_FIELD_DURATION(f) uint32_t f##_ms;
#define CONF_FIELD_MODE(f) struct conf_mode f;
#define CONF_FIELD_LIST(f) struct conf_list f;
#define CONF_FIELD_MAP(f) struct conf_map f;
#define CONF_FIELD_FLAGS(f) /* kept as 1 and 0 in the map of values, in file order */
#define CONF_FIELD_CORE_SIZE(f) struct conf_core f;
#define CONF_FIELD_FACILITY(f) int f; /* LOG_DAEMON, ... of syslog.h */
#define CONF_FIELD_PM(f) enum conf_pm f;
#define CONF_FIELD_LOG_LEVEL(f) enum conf_log_level f;
#define CONF_FIELD_POOL_MODE(f) enum conf_pool_mode f;
#define CONF_FIELD_EXIT_POLICY(f) enum conf_exit_policy f;
#define CONF_FIELD_AFTERWARDS(f) enum conf_afterwards f;
#define CONF_FIELD_FREEZE_AUDIT(f) enum conf_freeze_audit f;
#define CONF_FIELD_OTHER_SCRIPTS(f) enum conf_other_scripts f;
#define CONF_FIELD_WIRE_INI(f) enum conf_wire_ini f;

/* One number per row: KEY_GLOBAL_pid, ..., KEY_POOL_php_admin_flag, KEY_MAX. */
enum conf_key {
#define KEY(scope, f, name, type, def, check, origin, change, state, doc) KEY_##scope##_##f,
#include "conf/keys.def"
#undef KEY
	KEY_MAX
};

struct global_conf {
#define CONF_ONLY_GLOBAL(x) x
#define CONF_ONLY_POOL(x)
#define KEY(scope, f, name, type, def, check, origin, change, state, doc) \
	CONF_ONLY_##scope(CONF_FIELD_##type(f))
#include "conf/keys.def"
#undef KEY
#undef CONF_ONLY_GLOBAL
#undef CONF_ONLY_POOL
	struct conf_origin origin[KEY_MAX];
};

struct pool_conf {
	const char *name;
#define CONF_ONLY_GLOBAL(x)
#define CONF_ONLY_POOL(x) x
#define KEY(scope, f, name, type, def, check, origin, change, state, doc) \
	CONF_ONLY_##scope(CONF_FIELD_##type(f))
#include "conf/keys.def"
#undef KEY
#undef CONF_ONLY_GLOBAL
#undef CONF_ONLY_POOL
	struct conf_origin origin[KEY_MAX];
	struct conf_origin declared; /* its [section] or YAML mapping */
	bool damaged;                /* a value could not be read: not worth checking */
	/* A hidden pool of pm.status_listen: whose status it tells. Not in a dump. */
	const struct pool_conf *shows;
};

struct conf {
	struct arena *arena;
	const char *path;   /* the main file, as given or found */
	const char *prefix; /* -p, else the compiled prefix */
	struct global_conf global;
	size_t npools;
	struct pool_conf **pools; /* in the order of the files, hidden ones among them */
};

/* Whether a key was set by a file (and not left at its default). */
#define global_is_set(g, f) ((g)->origin[KEY_GLOBAL_##f].file != NULL)
#define pool_is_set(p, f) ((p)->origin[KEY_POOL_##f].file != NULL)

/* What php-fpm says after the findings of each of these is not the same. */
enum conf_stage {
	CONF_STAGE_READ,  /* a reader, or build.c; a text begins with its place */
	CONF_STAGE_CHECK, /* values that do not fit together or into this machine */
	CONF_STAGE_NAMES, /* users and groups that nobody knows; the prefix */
	CONF_STAGE_MAX
};

/* One finding about a configuration. */
enum conf_grade { CONF_NOTICE, CONF_WARNING, CONF_ERROR, CONF_ALERT, CONF_GRADE_MAX };
struct conf_finding {
	enum conf_grade grade;
	const char *pool;      /* NULL: global or syntax */
	struct conf_origin at; /* file NULL: no place to name */
	const char *text;      /* php-fpm's words, without place and pool */
	const char *hint;      /* key's sentence, "did you mean"; or NULL */
	enum conf_stage stage; /* what found it */
	bool ours;             /* php-fpm has no such finding */
};
struct conf_report {
	struct arena *arena;
	size_t n;
	struct conf_finding *findings;
	size_t nfatal;    /* findings of CONF_ERROR and above */
	const char *path; /* the main file, as conf.path; NULL until it is known */
	bool bare_names;  /* tell of unknown users and groups as php-fpm does, without help */
};

struct conf_source {
	const char *path;   /* -y; NULL: the default places */
	const char *prefix; /* -p or NULL */
	bool root;          /* effective uid is 0 */
	bool allow_root;    /* -R */
	bool start;         /* not -t: findings that php-fpm has at a start only are made */
};

/*
 * Reads, completes and checks everything that can be checked without touching
 * the system's state (names of users and groups are looked up). Returns the
 * configuration, or NULL when the report holds a CONF_ERROR or CONF_ALERT.
 * Findings are in the report in both cases. Free with conf_free().
 */
struct conf *conf_load(const struct conf_source *, struct conf_report *)
    __attribute__((warn_unused_result));
void conf_free(struct conf *);

void conf_report_init(struct conf_report *);
void conf_report_free(struct conf_report *);

/*
 * The line that php-fpm logs for a finding, byte for byte: its own tests match
 * whole lines. What is ours alone has its place behind it.
 */
void conf_finding_text(const struct conf_finding *, struct strbuf *);

/*
 * What helps with a finding, for a line of its own: its place and its hint.
 * False, and nothing, where php-fpm's line says it all.
 */
bool conf_finding_help(const struct conf_finding *, struct strbuf *);

/*
 * All that is to be logged of a report, in order: each finding as a line, help
 * as a notice behind it, and at the end, when a finding was fatal, php-fpm's
 * closing sentence, which depends on the stage of the first fatal one (a failed
 * stage NAMES has none). "FPM initialization failed" is the caller's to say.
 */
void conf_report_tell(const struct conf_report *,
    void (*emit)(void *ctx, enum conf_grade, const char *line), void *ctx);

/*
 * The -tt dump in php-fpm's form, one line per call of emit without newline.
 * Byte for byte php-fpm's for its own keys; ours follow where they were set.
 */
void conf_dump_fpm(const struct conf *, void (*emit)(void *ctx, const char *line), void *ctx);

/* The same with "  ; FILE:LINE" behind what a file has set. */
void conf_dump_places(const struct conf *, void (*emit)(void *ctx, const char *line), void *ctx);

/* The whole configuration as YAML; conf_load() of it gives the same again. */
void conf_dump_yaml(const struct conf *, struct strbuf *);

/*
 * One pool, for the heritage: dump in the master, parse in the engine. Every
 * key that was set is in it, with absolute paths; parse(dump(p)) equals p but
 * for the origins.
 */
void pool_conf_dump(const struct pool_conf *, struct strbuf *);
struct pool_conf *pool_conf_parse(struct arena *, const char *text, size_t n, struct err *)
    __attribute__((warn_unused_result));

/* The word of an enum's value ("dynamic"). */
const char *conf_pm_word(enum conf_pm);
const char *conf_pool_mode_word(enum conf_pool_mode);

/* Whether an address of listen is a socket path, by php-fpm's rule: no colon, not only digits. */
bool conf_listen_is_path(const char *address);

#endif
