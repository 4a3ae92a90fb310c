/*
 * scoreboard: what the processes of a pool tell each other.
 *
 * Runs in: master, template, worker.
 * Layout of the memfd: the master's page, the state bytes (whole pages), one
 * page for each worker. Sizes follow from nslots alone, which every process
 * has from its configuration and never from the memory itself.
 * Never: waits for a writer, follows anything read from the memory. A reader
 * first copies word by word, each word loaded exactly once, and judges only
 * its copy.
 */
#include "status/scoreboard.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"

#define PAGE_BYTES ((size_t)4096)
#define READ_TRIES 3

/* Without these seals a worker could shrink the file: SIGBUS in the master. */
#define BOARD_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/* The count is odd while its writer is at work. */
struct master_page {
	uint32_t sequence;
	uint32_t unused;
	struct pool_view view;
};
struct worker_page {
	uint32_t sequence;
	uint32_t unused;
	struct worker_view view;
};

_Static_assert(sizeof(struct master_page) <= PAGE_BYTES, "the master's page is one page");
_Static_assert(sizeof(struct worker_page) <= PAGE_BYTES, "a worker's page is one page");
_Static_assert(sizeof(struct pool_view) % 8 == 0, "copied in words of 8");
_Static_assert(sizeof(struct worker_view) % 8 == 0, "copied in words of 8");

struct board {
	int fd;
	uint32_t nslots;
	size_t bytes;
	unsigned char *map;
};

const char *const worker_state_names[WORKER_STATE_MAX] = {
    [WORKER_GONE] = "Gone",
    [WORKER_STARTING] = "Creating",
    [WORKER_IDLE] = "Idle",
    [WORKER_READING] = "Reading headers",
    [WORKER_SETUP] = "Getting request information",
    [WORKER_RUNNING] = "Running",
    [WORKER_ENDING] = "Ending",
    [WORKER_FINISHING] = "Finishing",
};
_Static_assert(sizeof(worker_state_names) / sizeof(worker_state_names[0]) == WORKER_STATE_MAX,
    "a name for each state");

static size_t states_bytes(uint32_t nslots)
{
	return ((size_t)nslots + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
}

static size_t board_bytes(uint32_t nslots)
{
	return PAGE_BYTES + states_bytes(nslots) + (size_t)nslots * PAGE_BYTES;
}

static struct master_page *master_page(const struct board *b)
{
	return (struct master_page *)(void *)b->map;
}

static uint8_t *state_byte(const struct board *b, uint32_t slot)
{
	must(slot < b->nslots);
	return b->map + PAGE_BYTES + slot;
}

static struct worker_page *worker_page(const struct board *b, uint32_t slot)
{
	must(slot < b->nslots);
	return (struct worker_page *)(void *)(b->map + PAGE_BYTES + states_bytes(b->nslots) +
					      (size_t)slot * PAGE_BYTES);
}

static struct board *board_map(int fd, uint32_t nslots, int protection, struct err *e)
{
	struct board *b;
	void *map = mmap(NULL, board_bytes(nslots), protection, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED) {
		err_sys(e, "failed to map the scoreboard");
		return NULL;
	}
	b = calloc(1, sizeof(*b));
	if (b == NULL) {
		err_sys(e, "failed to allocate the scoreboard");
		munmap(map, board_bytes(nslots));
		return NULL;
	}
	*b = (struct board){.fd = fd, .nslots = nslots, .bytes = board_bytes(nslots), .map = map};
	return b;
}

struct board *board_new(const char *pool, uint32_t nslots, struct err *e)
{
	char name[64];
	struct board *b;
	int fd;

	must(nslots > 0);
	snprintf(name, sizeof(name), "fpmx-board-%s", pool);
	fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0) {
		err_sys(e, "failed to create the scoreboard");
		return NULL;
	}
	if (ftruncate(fd, (off_t)board_bytes(nslots)) != 0 ||
	    fcntl(fd, F_ADD_SEALS, BOARD_SEALS) != 0) {
		err_sys(e, "failed to size and seal the scoreboard");
		fd_close(&fd);
		return NULL;
	}
	b = board_map(fd, nslots, PROT_READ | PROT_WRITE, e);
	if (b == NULL)
		fd_close(&fd);
	return b;
}

static int check_sealed(int fd, uint32_t nslots, struct err *e)
{
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);

	must(nslots > 0);
	if (seals < 0 || fstat(fd, &st) != 0)
		return err_sys(e, "descriptor %d is no scoreboard", fd);
	if ((seals & BOARD_SEALS) != BOARD_SEALS || (size_t)st.st_size != board_bytes(nslots)) {
		errno = 0;
		return err_set(
		    e, "descriptor %d is no sealed scoreboard of %u workers", fd, nslots);
	}
	return 0;
}

struct board *board_open(int fd, uint32_t nslots, struct err *e)
{
	if (check_sealed(fd, nslots, e) != 0)
		return NULL;
	return board_map(fd, nslots, PROT_READ | PROT_WRITE, e);
}

/* Opened again it is a description of its own, with rights of its own. */
int board_share(const struct board *b, struct err *e)
{
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", b->fd);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? err_sys(e, "failed to share the scoreboard") : fd_raise(fd, 3, e);
}

struct board *board_open_shared(int fd, uint32_t nslots, struct err *e)
{
	if (check_sealed(fd, nslots, e) != 0)
		return NULL;
	return board_map(fd, nslots, PROT_READ, e);
}

void board_free(struct board *b)
{
	if (b == NULL)
		return;
	must(munmap(b->map, b->bytes) == 0);
	fd_close(&b->fd);
	free(b);
}

int board_fd(const struct board *b)
{
	return b->fd;
}

uint32_t board_nslots(const struct board *b)
{
	return b->nslots;
}

/*
 * The count is only made odd, never counted up from what is found: whoever
 * died in the middle has left it odd, and the next writer begins cleanly.
 */
static void sequence_begin(uint32_t *sequence)
{
	__atomic_store_n(
	    sequence, __atomic_load_n(sequence, __ATOMIC_RELAXED) | 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

static void sequence_end(uint32_t *sequence)
{
	uint32_t now = __atomic_load_n(sequence, __ATOMIC_RELAXED) | 1;

	__atomic_store_n(sequence, now + 1, __ATOMIC_RELEASE);
}

/* Relaxed atomic words: the compiler may load each of them only once. */
static void copy_words(void *to, const void *from, size_t bytes)
{
	const uint64_t *src = from;
	uint64_t *dst = to;

	for (size_t i = 0; i < bytes / sizeof(*src); i++)
		dst[i] = __atomic_load_n(&src[i], __ATOMIC_RELAXED);
}

/* One try; false when the writer was at work before, meanwhile or after. */
static bool copy_still(void *to, const void *from, size_t bytes, const uint32_t *sequence)
{
	uint32_t before = __atomic_load_n(sequence, __ATOMIC_ACQUIRE);

	if (before & 1)
		return false;
	copy_words(to, from, bytes);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(sequence, __ATOMIC_RELAXED) == before;
}

void board_set_pool(struct board *b, const struct pool_view *v)
{
	struct master_page *page = master_page(b);

	sequence_begin(&page->sequence);
	page->view = *v;
	sequence_end(&page->sequence);
}

void board_clear_slot(struct board *b, uint32_t slot)
{
	struct worker_page *page = worker_page(b, slot);

	board_set_state(b, slot, WORKER_GONE);
	sequence_begin(&page->sequence);
	memset(&page->view, 0, sizeof(page->view));
	sequence_end(&page->sequence);
}

struct worker_view *board_begin(struct board *b, uint32_t slot)
{
	struct worker_page *page = worker_page(b, slot);

	sequence_begin(&page->sequence);
	return &page->view;
}

void board_end(struct board *b, uint32_t slot)
{
	sequence_end(&worker_page(b, slot)->sequence);
}

void board_set_state(struct board *b, uint32_t slot, enum worker_state state)
{
	must(state < WORKER_STATE_MAX);
	__atomic_store_n(state_byte(b, slot), (uint8_t)state, __ATOMIC_RELEASE);
}

/* A byte that is no state says nothing: as if nobody were there. */
static enum worker_state state_of(uint8_t byte)
{
	return byte < WORKER_STATE_MAX ? (enum worker_state)byte : WORKER_GONE;
}

enum worker_state board_state(const struct board *b, uint32_t slot)
{
	return state_of(__atomic_load_n(state_byte(b, slot), __ATOMIC_ACQUIRE));
}

static void view_clamp(const struct board *b, struct worker_view *v)
{
	if (v->active_max > b->nslots)
		v->active_max = 0;
	v->method[sizeof(v->method) - 1] = '\0';
	v->uri[sizeof(v->uri) - 1] = '\0';
	v->query[sizeof(v->query) - 1] = '\0';
	v->user[sizeof(v->user) - 1] = '\0';
	v->script[sizeof(v->script) - 1] = '\0';
	if (v->pid < 0)
		v->pid = 0;
}

bool board_read(const struct board *b, uint32_t slot, struct worker_view *v)
{
	const struct worker_page *page = worker_page(b, slot);
	bool still = false;

	for (int i = 0; i < READ_TRIES && !still; i++)
		still = copy_still(v, &page->view, sizeof(*v), &page->sequence);
	if (!still) {
		/* Single words are whole even so, and totals must not drop. */
		memset(v, 0, sizeof(*v));
		v->pid = __atomic_load_n(&page->view.pid, __ATOMIC_RELAXED);
		v->accepted = __atomic_load_n(&page->view.accepted, __ATOMIC_RELAXED);
		v->active_max = __atomic_load_n(&page->view.active_max, __ATOMIC_RELAXED);
	}
	view_clamp(b, v);
	v->state = board_state(b, slot);
	return still;
}

bool board_read_pool(const struct board *b, struct pool_view *v)
{
	const struct master_page *page = master_page(b);

	for (int i = 0; i < READ_TRIES; i++)
		if (copy_still(v, &page->view, sizeof(*v), &page->sequence))
			return true;
	copy_words(v, &page->view, sizeof(*v)); /* each number by itself is one that was told */
	return false;
}

struct board_counts board_count(const struct board *b)
{
	struct board_counts n = {0};

	for (uint32_t slot = 0; slot < b->nslots; slot++) {
		switch (board_state(b, slot)) {
		case WORKER_GONE:
		case WORKER_STATE_MAX:
			continue;
		case WORKER_STARTING:
			n.starting++;
			break;
		case WORKER_IDLE:
			n.idle++;
			break;
		case WORKER_READING:
		case WORKER_SETUP:
		case WORKER_RUNNING:
		case WORKER_ENDING:
		case WORKER_FINISHING:
			n.active++;
			break;
		}
		n.total++;
	}
	return n;
}
