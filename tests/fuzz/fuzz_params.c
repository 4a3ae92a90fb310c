/*
 * fuzz_params: any bytes as a parameter stream.
 *
 * The first byte chooses the pieces in which they come. Held to: what was taken
 * is what a plain reading of the pairs finds, last value wins, newest name first;
 * every string ends in NUL; nothing over the bounds is taken.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "fcgi/params.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* A pair where it lies in the input: the plain reading. */
struct plain {
	const uint8_t *name, *value;
	size_t name_len, value_len;
};

static bool plain_length(const uint8_t **at, const uint8_t *end, size_t *len)
{
	const uint8_t *b = *at;

	if (b == end)
		return false;
	if (b[0] < 128) {
		*len = b[0];
		*at += 1;
		return true;
	}
	if (end - b < 4)
		return false;
	*len = (size_t)(b[0] - 128) * 16777216 + b[1] * 65536u + b[2] * 256u + b[3];
	*at += 4;
	return true;
}

/* Returns how many pairs there are before the first broken one. */
static size_t plain_read(const uint8_t *at, const uint8_t *end, struct plain *pairs, bool *whole)
{
	size_t count = 0;

	*whole = true;
	while (at < end && count <= PARAMS_MAX_PAIRS) {
		struct plain *p = &pairs[count];

		*whole = plain_length(&at, end, &p->name_len) &&
			 plain_length(&at, end, &p->value_len) &&
			 p->name_len <= (size_t)(end - at) &&
			 p->value_len <= (size_t)(end - at) - p->name_len;
		if (!*whole)
			break;
		p->name = at;
		p->value = at + p->name_len;
		at += p->name_len + p->value_len;
		count++;
	}
	return count;
}

static bool same_name(const struct plain *a, const struct plain *b)
{
	return a->name_len == b->name_len && memcmp(a->name, b->name, a->name_len) == 0;
}

/* Everything that was taken is what the plain reading says, in its order. */
static void compare(const struct params *p, const struct plain *pairs, size_t count)
{
	const struct param *one;
	size_t firsts = 0, at = 0;

	for (size_t i = 0; i < count; i++) {
		bool first = true;

		for (size_t j = 0; j < i && first; j++)
			first = !same_name(&pairs[i], &pairs[j]);
		firsts += first;
	}
	for (size_t i = 0; i < count; i++) {
		const struct plain *last = &pairs[i];
		bool first = true;

		for (size_t j = 0; j < i && first; j++)
			first = !same_name(&pairs[i], &pairs[j]);
		if (!first)
			continue;
		for (size_t j = i; j < count; j++)
			if (same_name(&pairs[i], &pairs[j]))
				last = &pairs[j];
		one = params_at(p, firsts - 1 - at++);
		must(one && one->name_len == last->name_len && one->value_len == last->value_len);
		must(memcmp(one->name, last->name, last->name_len) == 0);
		must(memcmp(one->value, last->value, last->value_len) == 0);
		must(one->name[one->name_len] == '\0' && one->value[one->value_len] == '\0');
		must(params_find(p, one->name) == one);
	}
	must(!params_at(p, firsts));
}

static enum params_result take(struct params *p, const uint8_t *bytes, size_t n, size_t size)
{
	for (size_t at = 0; at < n; at += size) {
		enum params_result result =
		    params_feed(p, bytes + at, n - at < size ? n - at : size);

		if (result != PARAMS_OK)
			return result;
	}
	return params_finish(p);
}

/* A few changes as request set-up makes them; the first name comes and goes. */
static void change(struct params *p)
{
	const struct param *newest = params_at(p, 0);

	params_set(p, "FUZZ_SET", "x", 1);
	must(strcmp(params_get(p, "FUZZ_SET"), "x") == 0);
	if (!newest)
		return;
	params_remove(p, newest->name);
	must(!params_find(p, newest->name));
	params_set(p, newest->name, "again", 5);
	must(params_at(p, 0) == params_find(p, newest->name));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct plain pairs[PARAMS_MAX_PAIRS + 1];
	struct arena *arena;
	struct params *p;
	enum params_result result;
	size_t count;
	bool whole;

	if (n == 0)
		return 0;
	arena = arena_new(16384);
	p = params_new(arena);
	count = plain_read(bytes + 1, bytes + n, pairs, &whole);
	result = take(p, bytes + 1, n - 1, 1 + bytes[0]);
	if (result == PARAMS_OK) {
		must(whole && count <= PARAMS_MAX_PAIRS);
		compare(p, pairs, count);
		change(p);
	}
	if (result == PARAMS_MALFORMED)
		must(!whole);
	if (result == PARAMS_TOO_LARGE)
		must(count > PARAMS_MAX_PAIRS || n - 1 > PARAMS_MAX_BYTES);
	arena_free(arena);
	return 0;
}
