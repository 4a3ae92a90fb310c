/*
 * outline: a YAML file that is being made out of statements in their order.
 *
 * Runs in: master, for --convert.
 * YAML has one mapping for all that belongs to a pool, and a name stands once
 * in it. So settings of one section come together, and what another one has
 * replaced stays as a comment. Each comment goes with the statement behind it.
 * Pure; everything lives in the arena.
 */
#ifndef FPMX_CONF_OUTLINE_H
#define FPMX_CONF_OUTLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "conf/build.h"
#include "conf/iniline.h"

/* A line between statements. */
struct outline_line {
	const char *comment;              /* "# text"; NULL: blank, or a setting */
	struct iniline_disabled disabled; /* a setting that is commented out, if it has a row */
};
struct outline_lines {
	size_t n;
	struct outline_line *items;
};

/* One value, or one element of several. */
struct outline_item {
	struct outline_lines lead;
	const char *element; /* of a map */
	const char *yaml;    /* the value as it is written */
	const char *number;  /* the same of a flag among values: 1 or 0 */
	const char *behind;  /* a comment, or NULL */
	const char *dead;    /* why it has no effect, or NULL */
};

/* What stands under one name. A scalar has one item. */
struct outline_node {
	const struct conf_row *row;
	size_t n; /* 0: its items have gone to another node */
	struct outline_item *items;
};

struct outline_section {
	const char *name; /* NULL: global */
	struct outline_lines lead, tail;
	const char *behind;
	size_t n;
	struct outline_node *nodes;
};

struct outline_include {
	struct outline_lines lead;
	const char *pattern; /* as it is written in YAML */
	const char *behind;
};

/* Where the files to include stand: what comes later replaces what came earlier. */
enum outline_order { INCLUDE_WHERE_IT_WAS, INCLUDE_FIRST, INCLUDE_LAST, INCLUDE_ORDER_MAX };

struct outline {
	struct arena *arena;
	struct outline_section *global; /* NULL: none */
	size_t npools;
	struct outline_section **pools;
	size_t nincludes;
	struct outline_include *includes;
	char blocks[4]; /* g, i and p in the order of their beginnings */
	struct outline_section *current;
	struct outline_lines pending; /* waiting for their statement */
};

struct outline *outline_new(struct arena *) __attribute__((returns_nonnull));

/* A blank line, a comment, or a setting that is commented out. */
void outline_line(struct outline *, const struct outline_line *);

/* The section goes on, or begins; NULL is [global]. behind may be NULL. */
void outline_section(struct outline *, const char *pool, const char *behind);

/* A setting of the pool. value is what was read of it, raw how it was written. */
struct outline_setting {
	const char *pool;
	const struct build_event *event;
	struct iniline_value raw;
	const char *behind;
};
void outline_set(struct outline *, const struct outline_setting *);

void outline_include(struct outline *, const char *pattern, const char *behind);

/* What waits still is the end of the last section. */
void outline_end(struct outline *);

/* The file. */
void outline_write(const struct outline *, enum outline_order, struct strbuf *);

/* A value as YAML, for a row; raw may be empty. */
const char *outline_value(struct arena *, const struct conf_row *, const char *value,
    const struct iniline_value *raw, const struct build_spelling *);

#endif
