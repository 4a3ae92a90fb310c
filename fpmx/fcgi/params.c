/*
 * params: the parameters of a request.
 *
 * Runs in: worker.
 * Never: reserves memory for a length that was only announced.
 * The stream is gathered whole, then parsed where it lies: a pair is preceded by
 * at least two length bytes, so name and value can each be moved down to leave
 * room for their NULs, and no byte is copied elsewhere.
 * Invariants: order[] holds the parameters that are there, oldest first; the
 * table holds each name that ever was, a removed one with a NULL value.
 */
#include "fcgi/params.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/must.h"

#define FIRST_STREAM_BYTES 4096u /* what a web server usually sends is 1 to 2 KiB */
#define FIRST_TABLE_SLOTS 128u

struct params {
	struct arena *arena;
	uint8_t *stream;
	size_t stream_len;
	size_t stream_room;

	struct param **order;
	size_t count;
	size_t order_room;

	struct param **table; /* open addressing; table_slots is a power of two */
	size_t table_used;
	size_t table_slots;
};

/*
 * SipHash-1-3 (Aumasson and Bernstein, 2012), keyed at random once per process:
 * who cannot see the key cannot choose names that collide.
 */
static uint64_t hash_key[2];

static void hash_key_once(void)
{
	static bool done;

	if (done)
		return;
	must(getrandom(hash_key, sizeof(hash_key), 0) == sizeof(hash_key));
	done = true;
}

static uint64_t rotl(uint64_t x, unsigned by)
{
	return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

static uint64_t hash_of(const char *name, size_t n)
{
	uint64_t v[4] = {
	    hash_key[0] ^ 0x736f6d6570736575,
	    hash_key[1] ^ 0x646f72616e646f6d,
	    hash_key[0] ^ 0x6c7967656e657261,
	    hash_key[1] ^ 0x7465646279746573,
	};
	uint64_t word;
	size_t left = n;

	for (; left >= 8; left -= 8, name += 8) {
		memcpy(&word, name, 8);
		v[3] ^= word;
		sip_round(v);
		v[0] ^= word;
	}
	word = (uint64_t)n << 56;
	for (size_t i = 0; i < left; i++)
		word |= (uint64_t)(uint8_t)name[i] << (8 * i);
	v[3] ^= word;
	sip_round(v);
	v[0] ^= word;
	v[2] ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Where the name is in the table, or where it would go. */
static struct param **slot_of(const struct params *p, const char *name, size_t n)
{
	size_t mask = p->table_slots - 1;
	size_t at = hash_of(name, n) & mask;

	while (p->table[at] && (p->table[at]->name_len != n || memcmp(p->table[at]->name, name, n)))
		at = (at + 1) & mask;
	return &p->table[at];
}

/* Keeps the table at most half full. */
static void table_grow(struct params *p)
{
	struct param **old = p->table;
	size_t old_slots = p->table_slots;

	if (p->table_used < old_slots / 2)
		return;
	p->table_slots = old_slots * 2;
	p->table = arena_alloc(p->arena, p->table_slots, sizeof(struct param *));
	for (size_t i = 0; i < old_slots; i++)
		if (old[i])
			*slot_of(p, old[i]->name, old[i]->name_len) = old[i];
}

static void order_append(struct params *p, struct param *one)
{
	if (p->count == p->order_room) {
		struct param **old = p->order;

		p->order_room *= 2;
		p->order = arena_alloc(p->arena, p->order_room, sizeof(struct param *));
		memcpy(p->order, old, p->count * sizeof(struct param *));
	}
	p->order[p->count++] = one;
}

/*
 * Sets a name to a value; both end in NUL and stay where they are. A known name
 * keeps its place, a removed one comes back as the newest.
 */
static void put(
    struct params *p, const char *name, size_t name_len, const char *value, size_t value_len)
{
	struct param **slot, *one;

	table_grow(p);
	slot = slot_of(p, name, name_len);
	if (!*slot) {
		*slot = arena_new_of(p->arena, struct param);
		(*slot)->name = name;
		(*slot)->name_len = name_len;
		p->table_used++;
	}
	one = *slot;
	if (!one->value)
		order_append(p, one);
	one->value = value;
	one->value_len = value_len;
}

struct params *params_new(struct arena *arena)
{
	struct params *p = arena_new_of(arena, struct params);

	hash_key_once();
	p->arena = arena;
	p->table_slots = FIRST_TABLE_SLOTS;
	p->table = arena_alloc(arena, p->table_slots, sizeof(struct param *));
	p->order_room = FIRST_TABLE_SLOTS / 2;
	p->order = arena_alloc(arena, p->order_room, sizeof(struct param *));
	return p;
}

enum params_result params_feed(struct params *p, const uint8_t *bytes, size_t n)
{
	size_t room = p->stream_room ? p->stream_room : FIRST_STREAM_BYTES;

	if (n > PARAMS_MAX_BYTES - p->stream_len)
		return PARAMS_TOO_LARGE;
	while (room < p->stream_len + n)
		room *= 2;
	if (room != p->stream_room) {
		uint8_t *grown = arena_alloc(p->arena, room, 1);

		if (p->stream_len > 0)
			memcpy(grown, p->stream, p->stream_len);
		p->stream = grown;
		p->stream_room = room;
	}
	memcpy(p->stream + p->stream_len, bytes, n);
	p->stream_len += n;
	return PARAMS_OK;
}

struct cursor {
	const uint8_t *at;
	size_t left;
};

/* One length: one byte below 128, else four with the top bit set. */
static bool take_length(struct cursor *c, size_t *len)
{
	const uint8_t *b = c->at;
	size_t width;

	if (c->left == 0)
		return false;
	width = b[0] & 0x80 ? 4 : 1;
	if (c->left < width)
		return false;
	*len = width == 1
		   ? b[0]
		   : (size_t)(b[0] & 0x7f) << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
	c->at += width;
	c->left -= width;
	return true;
}

/* Values that are used as C strings to find the script. */
static bool names_a_path(const char *name)
{
	return strncmp(name, "SCRIPT_", 7) == 0 || strncmp(name, "PATH_", 5) == 0 ||
	       strcmp(name, "DOCUMENT_ROOT") == 0 || strcmp(name, "REQUEST_METHOD") == 0;
}

/* Moves n bytes down to `to` and ends them with NUL. Returns the byte after. */
static uint8_t *settle(uint8_t *to, const uint8_t *from, size_t n)
{
	memmove(to, from, n);
	to[n] = '\0';
	return to + n + 1;
}

enum params_result params_finish(struct params *p)
{
	struct cursor c = {p->stream, p->stream_len};
	uint8_t *free_at = p->stream;
	size_t pairs = 0;

	while (c.left > 0) {
		size_t name_len, value_len;
		uint8_t *name = free_at, *value;

		if (!take_length(&c, &name_len) || !take_length(&c, &value_len))
			return PARAMS_MALFORMED;
		if (name_len > c.left || value_len > c.left - name_len)
			return PARAMS_MALFORMED;
		if (++pairs > PARAMS_MAX_PAIRS)
			return PARAMS_TOO_LARGE;
		value = settle(name, c.at, name_len);
		free_at = settle(value, c.at + name_len, value_len);
		c.at += name_len + value_len;
		c.left -= name_len + value_len;
		if (memchr(name, '\0', name_len))
			return PARAMS_NUL;
		if (memchr(value, '\0', value_len) && names_a_path((const char *)name))
			return PARAMS_NUL;
		put(p, (const char *)name, name_len, (const char *)value, value_len);
	}
	return PARAMS_OK;
}

const struct param *params_find(const struct params *p, const char *name)
{
	const struct param *one = *slot_of(p, name, strlen(name));

	return one && one->value ? one : NULL;
}

const char *params_get(const struct params *p, const char *name)
{
	const struct param *one = params_find(p, name);

	return one ? one->value : NULL;
}

void params_set(struct params *p, const char *name, const char *value, size_t n)
{
	size_t name_len = strlen(name);

	put(p, arena_strndup(p->arena, name, name_len), name_len, arena_strndup(p->arena, value, n),
	    n);
}

void params_remove(struct params *p, const char *name)
{
	struct param *one = *slot_of(p, name, strlen(name));
	size_t at = 0;

	if (!one || !one->value)
		return;
	while (p->order[at] != one)
		at++;
	p->count--;
	memmove(&p->order[at], &p->order[at + 1], (p->count - at) * sizeof(struct param *));
	one->value = NULL;
	one->value_len = 0;
}

const struct param *params_at(const struct params *p, size_t i)
{
	return i < p->count ? p->order[p->count - 1 - i] : NULL;
}
