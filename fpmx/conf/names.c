/*
 * names: which names were used already, and in which line.
 *
 * Runs in: master, engine.
 * A hash table of fixed width: files of thousands of pools stay quick, and the
 * usual one costs a page or two.
 */
#include "conf/names.h"

#include <stddef.h>
#include <string.h>

#define BUCKETS 1024

struct name {
	struct name *next;
	uint32_t space, line;
	const char *text;
};
struct names {
	struct arena *arena;
	struct name *buckets[BUCKETS];
};

struct names *names_new(struct arena *arena)
{
	struct names *n = arena_new_of(arena, struct names);

	n->arena = arena;
	return n;
}

/* FNV-1a, begun at the space. */
static uint32_t hash_of(uint32_t space, const char *text)
{
	uint32_t h = (2166136261u ^ space) * 16777619u;

	for (; *text != '\0'; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h;
}

uint32_t names_add(struct names *n, uint32_t space, const char *text, uint32_t line)
{
	struct name **bucket = &n->buckets[hash_of(space, text) % BUCKETS];
	struct name *name;

	for (name = *bucket; name != NULL; name = name->next)
		if (name->space == space && strcmp(name->text, text) == 0)
			return name->line;
	name = arena_new_of(n->arena, struct name);
	*name = (struct name){
	    .next = *bucket, .space = space, .line = line, .text = arena_strdup(n->arena, text)};
	*bucket = name;
	return 0;
}
