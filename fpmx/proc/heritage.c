/*
 * heritage: the struct as bytes, and back.
 *
 * Runs in: heritage_seal in the master, heritage_open in the engine.
 * Form: numbers in the machine's order, for both ends are one build on one
 * machine; magic, version, length of the whole, then the fields in a fixed
 * order. A string is its length and its bytes, NO_STRING for NULL; a list is its
 * count and its strings.
 * Never: reads beyond the bytes that are there. The reader's first failure
 * sticks and everything after it reads as zero, so there is one check at the end.
 */
#include "proc/heritage.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"

#define MAGIC 0x786d7066u /* "fpmx" */
#define NO_STRING UINT32_MAX
#define SEALED_BYTES_MAX (64u << 20)
#define SLOTS_MAX (1u << 20)
#define LISTEN_MAX 65536u
#define OWN_FDS 7  /* those of the struct besides the listening sockets */
#define MUST_FDS 5 /* the first of them: no pool can lack one */

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL)

struct prologue {
	uint32_t magic, version;
	uint64_t bytes; /* of everything, this included */
};

/* --- writing ------------------------------------------------------------- */

static void put_u32(struct strbuf *s, uint32_t n)
{
	strbuf_add(s, &n, sizeof(n));
}

static void put_i32(struct strbuf *s, int32_t n)
{
	strbuf_add(s, &n, sizeof(n));
}

static void put_u64(struct strbuf *s, uint64_t n)
{
	strbuf_add(s, &n, sizeof(n));
}

static void put_string(struct strbuf *s, const char *text)
{
	size_t n;

	if (!text) {
		put_u32(s, NO_STRING);
		return;
	}
	n = strlen(text);
	must(n < SEALED_BYTES_MAX);
	put_u32(s, (uint32_t)n);
	strbuf_add(s, text, n);
}

static void put_list(struct strbuf *s, const struct conf_list *list)
{
	must(list->n < NO_STRING);
	put_u32(s, (uint32_t)list->n);
	for (size_t i = 0; i < list->n; i++)
		put_string(s, list->items[i]);
}

static void put_pool(struct strbuf *s, const struct pool_conf *pool)
{
	struct strbuf text;

	if (!pool) {
		put_string(s, NULL);
		return;
	}
	strbuf_init(&text, SEALED_BYTES_MAX);
	pool_conf_dump(pool, &text);
	s->truncated |= text.truncated;
	put_string(s, strbuf_str(&text));
	strbuf_free(&text);
}

static void put_php(struct strbuf *s, const struct php_options *php)
{
	put_string(s, php->ini_path);
	put_u32(s, php->no_ini);
	put_u32(s, php->extended_info);
	put_list(s, &php->defines);
	put_string(s, php->config_path);
	put_list(s, &php->startup_env);
}

static void put_fds(struct strbuf *s, const struct heritage *h)
{
	const int own[OWN_FDS] = {h->channel_fd, h->retire_fd, h->wake_fd, h->board_fd, h->log_fd,
	    h->access_fd, h->shown.board_fd};

	for (size_t i = 0; i < OWN_FDS; i++)
		put_i32(s, own[i]);
	must(h->nlisten <= LISTEN_MAX);
	put_u32(s, (uint32_t)h->nlisten);
	for (size_t i = 0; i < h->nlisten; i++)
		put_i32(s, h->listen_fds[i]);
}

int heritage_seal(const struct heritage *h, struct err *e)
{
	struct prologue p = {.magic = MAGIC, .version = HERITAGE_VERSION};
	struct strbuf s;
	int fd = -1;

	strbuf_init(&s, SEALED_BYTES_MAX);
	strbuf_add(&s, &p, sizeof(p));
	put_pool(&s, h->pool);
	put_php(&s, &h->php);
	put_u32(&s, h->log.level);
	put_u32(&s, h->log.limit_bytes);
	put_string(&s, h->user);
	put_string(&s, h->home);
	put_u64(&s, h->generation);
	put_u32(&s, h->nslots);
	put_u32(&s, h->dumpable);
	put_u32(&s, h->jailed);
	put_i32(&s, h->master_pid);
	put_string(&s, h->shown.pool);
	put_u32(&s, h->shown.manager);
	put_u32(&s, h->shown.nslots);
	put_fds(&s, h);

	if (s.truncated)
		err_set(e, "heritage: more than %u bytes", SEALED_BYTES_MAX);
	else {
		p.bytes = s.len;
		memcpy(s.bytes, &p, sizeof(p));
		fd = fd_sealed("fpmx-heritage", s.bytes, s.len, e);
	}
	strbuf_free(&s);
	return fd;
}

/* --- reading ------------------------------------------------------------- */

struct reader {
	struct arena *arena;
	const char *at;
	size_t left;
	bool failed;
	struct err *err; /* the first thing that was wrong; never NULL */
};

static void fail(struct reader *r, const char *fault)
{
	if (!r->failed)
		err_set(r->err, "heritage: %s", fault);
	r->failed = true;
	r->left = 0;
}

static void get(struct reader *r, void *to, size_t n)
{
	if (n > r->left) {
		fail(r, "it ends early");
		memset(to, 0, n);
		return;
	}
	memcpy(to, r->at, n);
	r->at += n;
	r->left -= n;
}

static uint32_t get_u32(struct reader *r)
{
	uint32_t n;

	get(r, &n, sizeof(n));
	return n;
}

static int32_t get_i32(struct reader *r)
{
	int32_t n;

	get(r, &n, sizeof(n));
	return n;
}

static uint64_t get_u64(struct reader *r)
{
	uint64_t n;

	get(r, &n, sizeof(n));
	return n;
}

static const char *get_string(struct reader *r)
{
	uint32_t n = get_u32(r);
	const char *text;

	if (r->failed || n == NO_STRING)
		return NULL;
	if (n > r->left || memchr(r->at, '\0', n)) {
		fail(r, n > r->left ? "a string ends early" : "a string holds a NUL");
		return NULL;
	}
	text = arena_strndup(r->arena, r->at, n);
	r->at += n;
	r->left -= n;
	return text;
}

static struct conf_list get_list(struct reader *r)
{
	struct conf_list list = {.n = get_u32(r)};

	if (list.n > r->left / sizeof(uint32_t)) { /* each item has its length at least */
		fail(r, "a list is longer than what is left");
		return (struct conf_list){0};
	}
	list.items = arena_alloc(r->arena, list.n, sizeof(*list.items));
	for (size_t i = 0; i < list.n; i++) {
		list.items[i] = get_string(r);
		if (!list.items[i])
			fail(r, "a list holds no string");
	}
	return list;
}

static const struct pool_conf *get_pool(struct reader *r)
{
	const char *text = get_string(r);
	const struct pool_conf *pool;

	if (!text)
		return NULL;
	pool = pool_conf_parse(r->arena, text, strlen(text), r->err);
	if (!pool) {
		err_wrap(r->err, "heritage");
		r->failed = true;
	}
	return pool;
}

static struct php_options get_php(struct reader *r)
{
	struct php_options php = {0};

	php.ini_path = get_string(r);
	php.no_ini = get_u32(r);
	php.extended_info = get_u32(r);
	php.defines = get_list(r);
	php.config_path = get_string(r);
	php.startup_env = get_list(r);
	return php;
}

static void get_fds(struct reader *r, struct heritage *h)
{
	int *const own[OWN_FDS] = {&h->channel_fd, &h->retire_fd, &h->wake_fd, &h->board_fd,
	    &h->log_fd, &h->access_fd, &h->shown.board_fd};
	int *listen_fds;

	for (size_t i = 0; i < OWN_FDS; i++)
		*own[i] = get_i32(r);
	h->nlisten = get_u32(r);
	if (h->nlisten > LISTEN_MAX || h->nlisten > r->left / sizeof(int32_t)) {
		fail(r, "it names more sockets than what is left");
		h->nlisten = 0;
	}
	listen_fds = arena_alloc(r->arena, h->nlisten, sizeof(*listen_fds));
	for (size_t i = 0; i < h->nlisten; i++)
		listen_fds[i] = get_i32(r);
	h->listen_fds = listen_fds;
}

static void get_prologue(struct reader *r)
{
	struct prologue p;

	get(r, &p, sizeof(p));
	if (p.magic != MAGIC)
		fail(r, "these are not the bytes of one");
	else if (p.version != HERITAGE_VERSION)
		fail(r, "it is of another version than this engine");
	else if (p.bytes != r->left + sizeof(p))
		fail(r, "its length is wrong");
}

static int get_heritage(struct reader *r, struct heritage *h)
{
	get_prologue(r);
	h->pool = get_pool(r);
	h->php = get_php(r);
	h->log.level = get_u32(r);
	h->log.limit_bytes = get_u32(r);
	h->user = get_string(r);
	h->home = get_string(r);
	h->generation = get_u64(r);
	h->nslots = get_u32(r);
	h->dumpable = get_u32(r);
	h->jailed = get_u32(r);
	h->master_pid = get_i32(r);
	h->shown.pool = get_string(r);
	h->shown.manager = get_u32(r);
	h->shown.nslots = get_u32(r);
	get_fds(r, h);

	if (r->left > 0)
		fail(r, "there are bytes behind its end");
	if (h->log.level >= CONF_LOG_MAX || h->nslots > SLOTS_MAX || h->shown.manager >= PM_MAX ||
	    h->shown.nslots > SLOTS_MAX)
		fail(r, "a number is out of its range");
	return r->failed ? -1 : 0;
}

/* --- descriptors --------------------------------------------------------- */

/* Adds a descriptor to those that stay; what stays is close-on-exec. */
static int settle_fd(int fd, int *keep, size_t *n, struct err *e)
{
	if (fd < 3)
		return err_set(e, "heritage: it names descriptor %d", fd);
	if (fd_cloexec(fd, true, e) < 0)
		return err_wrap(e, "heritage: a descriptor that it names");
	keep[(*n)++] = fd;
	return 0;
}

static int settle_fds(struct arena *a, const struct heritage *h, struct err *e)
{
	const int own[OWN_FDS] = {h->channel_fd, h->retire_fd, h->wake_fd, h->board_fd, h->log_fd,
	    h->access_fd, h->shown.board_fd};
	int *keep = arena_alloc(a, h->nlisten + OWN_FDS, sizeof(*keep));
	size_t n = 0;

	for (size_t i = 0; i < OWN_FDS; i++) {
		bool may_lack = !h->pool || i >= MUST_FDS;

		if ((own[i] != -1 || !may_lack) && settle_fd(own[i], keep, &n, e) < 0)
			return -1;
	}
	for (size_t i = 0; i < h->nlisten; i++)
		if (settle_fd(h->listen_fds[i], keep, &n, e) < 0)
			return -1;
	fd_close_others(3, keep, n);
	return 0;
}

int heritage_open(int fd, struct arena *a, struct heritage *h, struct err *e)
{
	struct err nobody_cares;
	struct reader r = {.arena = a, .err = e ? e : &nobody_cares};
	int seals = fcntl(fd, F_GET_SEALS), rc;
	char *bytes;
	size_t n;

	*h = (struct heritage){0};
	if (seals < 0)
		return err_sys(e, "heritage: descriptor %d is no memfd", fd);
	if ((seals & SEALS) != SEALS)
		return err_set(e, "heritage: it is not sealed");
	if (lseek(fd, 0, SEEK_SET) < 0)
		return err_sys(e, "heritage: lseek");
	if (fd_slurp(fd, SEALED_BYTES_MAX, &bytes, &n, e) < 0)
		return err_wrap(e, "heritage");
	fd_close(&fd);
	r.at = bytes;
	r.left = n;
	rc = get_heritage(&r, h);
	free(bytes);
	return rc < 0 ? -1 : settle_fds(a, h, e);
}
