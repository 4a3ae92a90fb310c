/*
 * arena: memory with one of our few lifetimes (configuration generation,
 * process, request), freed whole.
 *
 * Runs in: every process.
 * Never: returns NULL. Out of memory is the end of the process (a panic line,
 * then exit 70): none of our callers could do better.
 */
#ifndef FPMX_BASE_ARENA_H
#define FPMX_BASE_ARENA_H

#include <stddef.h>

struct arena;

/* block_bytes: the usual size of a block; larger requests get their own. */
struct arena *arena_new(size_t block_bytes);

/* Frees everything that came from the arena, and the arena. NULL is fine. */
void arena_free(struct arena *);

/*
 * Forgets everything that came from the arena but keeps its first block, so a
 * request after the first costs no allocation.
 */
void arena_reset(struct arena *);

/* Zeroed, aligned for any type. count * size is checked. */
void *arena_alloc(struct arena *, size_t count, size_t size)
    __attribute__((returns_nonnull, alloc_size(2, 3)));

/* A NUL-terminated copy. */
char *arena_strdup(struct arena *, const char *) __attribute__((returns_nonnull));
char *arena_strndup(struct arena *, const char *bytes, size_t n) __attribute__((returns_nonnull));
char *arena_printf(struct arena *, const char *fmt, ...)
    __attribute__((returns_nonnull, format(printf, 2, 3)));

/*
 * Room for one item more behind n items: where these are now, or a copy of
 * twice the room. Keeps no count of the room: it grows at every power of two,
 * so the same array has to be grown one by one.
 */
void *arena_grow(struct arena *, void *items, size_t n, size_t size)
    __attribute__((returns_nonnull));

#define arena_new_of(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))

#endif
