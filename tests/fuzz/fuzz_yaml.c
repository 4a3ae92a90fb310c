/*
 * fuzz_yaml: bytes to conf/yaml, and texts through conf/yamldump and back.
 *
 * Input that begins with 'T' is a text for a directive: its dump must read as
 * that text. Any other input is a YAML file: whatever it says, each complaint
 * names a place inside it, and reading fails exactly when there is one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/utf8.h"
#include "conf/build.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct conf_build {
	struct arena *arena;
	uint32_t lines;
	unsigned complaints, sets;
	const char *pool, *value; /* the last that were told */
};

static void check_place(const struct conf_build *b, const struct conf_origin *at)
{
	must(at->file != NULL && at->line >= 1 && at->line <= b->lines && at->column >= 1);
}

struct pool_conf *build_pool(struct conf_build *b, const char *name, const struct conf_origin *at)
{
	struct pool_conf *p = arena_new_of(b->arena, struct pool_conf);

	check_place(b, at);
	p->name = b->pool = arena_strdup(b->arena, name);
	return p;
}

int build_set(struct conf_build *b, struct pool_conf *pool, const char *name, const char *element,
    const char *value, const struct conf_origin *at)
{
	check_place(b, at);
	(void)pool;
	must(strlen(name) + (element ? strlen(element) : 0) < SIZE_MAX);
	b->sets++;
	b->value = arena_strdup(b->arena, value);
	return 0;
}

int build_include(
    struct conf_build *b, const char *pattern, bool from_yaml, const struct conf_origin *at)
{
	check_place(b, at);
	must(from_yaml && strlen(pattern) < SIZE_MAX);
	return 0;
}

int build_complain(struct conf_build *b, enum conf_grade grade, const char *pool,
    const struct conf_origin *at, const char *hint, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	(void)grade, (void)pool, (void)hint;
	check_place(b, at);
	va_start(ap, fmt);
	must(vsnprintf(text, sizeof(text), fmt, ap) > 0);
	va_end(ap);
	b->complaints++;
	return -1;
}

struct arena *build_arena(struct conf_build *b)
{
	return b->arena;
}

static int read_text(struct conf_build *b, const char *text, size_t n)
{
	b->lines = 2; /* the end of the stream has a line of its own */
	for (size_t i = 0; i < n; i++)
		/* libyaml counts CR, and in YAML 1.1 NEL, LS and PS, as ends of lines. */
		b->lines += text[i] == '\n' || text[i] == '\r' || (unsigned char)text[i] >= 0x80;
	return yaml_read(b, "f.yaml", text, n);
}

static void check_file(const char *text, size_t n)
{
	struct conf_build b = {.arena = arena_new(4096)};
	int rc = read_text(&b, text, n);

	must((rc != 0) == (b.complaints > 0));
	arena_free(b.arena);
}

static bool is_utf8(const char *text)
{
	while (*text != '\0')
		if (utf8_next(&text) == UTF8_BAD)
			return false;
	return true;
}

static void check_dump(const char *text)
{
	struct pool_conf pool = {.name = text, .ping_response = text};
	struct pool_conf *pools[] = {&pool};
	struct conf c = {.npools = 1, .pools = pools};
	struct conf_build b = {.arena = arena_new(4096)};
	struct strbuf out;

	pool.origin[KEY_POOL_ping_response].file = "f.yaml";
	strbuf_init(&out, 1 << 24);
	conf_dump_yaml(&c, &out);
	must(!out.truncated);
	must(read_text(&b, strbuf_str(&out), out.len) == 0);
	must(b.sets == 1);
	must(!is_utf8(text) || (strcmp(b.value, text) == 0 && strcmp(b.pool, text) == 0));
	strbuf_free(&out);
	arena_free(b.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text = malloc(n + 1);

	must(text != NULL);
	memcpy(text, bytes, n);
	text[n] = '\0';
	/* "<<" and a NUL cannot be names of pools. */
	if (text[0] == 'T' && strcmp(text + 1, "<<") != 0)
		check_dump(text + 1);
	else
		check_file(text, n);
	free(text);
	return 0;
}
