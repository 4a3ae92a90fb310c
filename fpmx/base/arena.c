/*
 * arena: a chain of blocks, bumped and freed whole.
 *
 * Runs in: every process.
 * Invariant: the first block is of the usual size and is the one that a reset
 * keeps; larger requests get a block of their own behind it, so the current
 * block goes on serving small ones.
 */
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define ALIGNMENT _Alignof(max_align_t)

struct block {
	struct block *next;
	size_t room, used; /* bytes of data */
	max_align_t data[];
};

struct arena {
	size_t block_bytes;
	struct block *first;   /* kept over a reset */
	struct block *current; /* small requests are cut from this one */
};

static struct block *block_new(size_t room)
{
	struct block *b;

	must(room <= SIZE_MAX - sizeof(struct block));
	b = must_memory(malloc(sizeof(struct block) + room));
	b->next = NULL;
	b->room = room;
	b->used = 0;
	return b;
}

static void free_chain(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

struct arena *arena_new(size_t block_bytes)
{
	struct arena *a = must_memory(malloc(sizeof(*a)));

	a->block_bytes = block_bytes < 256 ? 256 : block_bytes;
	a->first = a->current = block_new(a->block_bytes);
	return a;
}

void arena_free(struct arena *a)
{
	if (!a)
		return;
	free_chain(a->first);
	free(a);
}

void arena_reset(struct arena *a)
{
	free_chain(a->first->next);
	a->first->next = NULL;
	a->first->used = 0;
	a->current = a->first;
}

/* A block that has room for n bytes, put into the chain. */
static struct block *block_for(struct arena *a, size_t n)
{
	struct block *b;

	if (n <= a->current->room - a->current->used)
		return a->current;
	b = block_new(n > a->block_bytes ? n : a->block_bytes);
	b->next = a->first->next;
	a->first->next = b;
	if (n <= a->block_bytes / 4)
		a->current = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
	struct block *b;
	size_t n;
	void *p;

	must(!__builtin_mul_overflow(count, size, &n) && n <= SIZE_MAX / 2);
	n = (n + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
	if (n == 0)
		n = ALIGNMENT; /* distinct objects have distinct addresses */
	b = block_for(a, n);
	p = (char *)b->data + b->used;
	b->used += n;
	memset(p, 0, n);
	return p;
}

char *arena_strndup(struct arena *a, const char *bytes, size_t n)
{
	char *p = arena_alloc(a, n + 1, 1);

	memcpy(p, bytes, n);
	return p;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap, again;
	char *p;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	must(n >= 0);
	p = arena_alloc(a, (size_t)n + 1, 1);
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

void *arena_grow(struct arena *a, void *items, size_t n, size_t size)
{
	void *larger;

	if (n != 0 && (n & (n - 1)) != 0)
		return items;
	larger = arena_alloc(a, n == 0 ? 1 : 2 * n, size);
	if (n != 0)
		memcpy(larger, items, n * size);
	return larger;
}
