/*
 * fuzz_ini: bytes to conf/ini, and to the reader of the lines of one pool.
 *
 * Input that begins with 'P' is the text of a pool: what is read must be
 * written as a text that reads and writes the same again. Any other input is an
 * INI file: whatever it says, each complaint names a line inside it, what is
 * told has no NUL, and reading fails exactly when there was an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "conf/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct conf_build {
	struct arena *arena;
	struct pool_conf *section;
	struct build_spelling spelling;
	uint32_t lines;
	unsigned errors;
};

static void check_place(const struct conf_build *b, const struct conf_origin *at)
{
	must(at->file != NULL && at->line >= 1 && at->line <= b->lines);
}

struct build_spelling *build_spelling(struct conf_build *b)
{
	return &b->spelling;
}

struct arena *build_arena(struct conf_build *b)
{
	return b->arena;
}

struct pool_conf *build_section(const struct conf_build *b)
{
	return b->section;
}

void build_enter_section(struct conf_build *b, struct pool_conf *pool, const struct conf_origin *at)
{
	(void)at;
	b->section = pool;
}

struct pool_conf *build_pool(struct conf_build *b, const char *name, const struct conf_origin *at)
{
	struct pool_conf *p = arena_new_of(b->arena, struct pool_conf);

	check_place(b, at);
	p->name = arena_strdup(b->arena, name);
	return p;
}

int build_set(struct conf_build *b, struct pool_conf *pool, const char *name, const char *element,
    const char *value, const struct conf_origin *at)
{
	check_place(b, at);
	must(pool == b->section && strlen(name) < SIZE_MAX && strlen(value) < SIZE_MAX);
	must(element == NULL || strlen(element) < SIZE_MAX);
	return 0;
}

int build_include(
    struct conf_build *b, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	check_place(b, at);
	must(!from_yaml && strlen(pattern) < SIZE_MAX);
	return 0;
}

int build_complain(struct conf_build *b, enum conf_grade grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	(void)pool, (void)hint;
	check_place(b, at);
	va_start(ap, fmt);
	must(vsnprintf(text, sizeof(text), fmt, ap) > 0);
	va_end(ap);
	b->errors += grade >= CONF_ERROR;
	return -1;
}

static void check_file(const char *text, size_t n)
{
	struct conf_build b = {.arena = arena_new(4096), .lines = 1};
	int rc;

	for (size_t i = 0; i < n; i++)
		b.lines += text[i] == '\n';
	rc = ini_read(&b, "f.conf", text, n);
	must((rc != 0) == (b.errors > 0));
	arena_free(b.arena);
}

static void check_pool(const char *text, size_t n)
{
	struct arena *arena = arena_new(4096);
	struct pool_conf *p = pool_conf_parse(arena, text, n, NULL), *q;
	struct strbuf once, again;

	strbuf_init(&once, 1 << 24);
	strbuf_init(&again, 1 << 24);
	if (p != NULL) {
		pool_conf_dump(p, &once);
		q = pool_conf_parse(arena, once.bytes, once.len, NULL);
		must(q != NULL);
		pool_conf_dump(q, &again);
		must(strcmp(strbuf_str(&once), strbuf_str(&again)) == 0);
	}
	strbuf_free(&once);
	strbuf_free(&again);
	arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);

	must(text != NULL);
	memcpy(text, bytes, n);
	text[n] = '\0';
	if (n > 0 && text[0] == 'P')
		check_pool(text + 1, n - 1);
	else
		check_file(text, n);
	free(text);
	return 0;
}
