/*
 * memory: descriptors by which a template can read the memory of its workers,
 * for the slow log.
 *
 * Runs in: template; memory_give() in a worker that has just been forked.
 * A worker opens its own memory and sends the descriptor, so nobody needs the
 * right to trace another process. It happens before any code of the pool runs
 * in the worker, and no worker keeps what belongs to others.
 */
#ifndef FPMX_TEMPLATE_MEMORY_H
#define FPMX_TEMPLATE_MEMORY_H

#include <stdint.h>

#include "base/err.h"

struct memory_place {
	int fd; /* -1: none */
	uint32_t order;
};

struct memory {
	int proc_fd;   /* /proc, from before any chroot; -1: nobody is to be read */
	int in, out;   /* of a socket pair: workers send, the template receives */
	uint32_t n;    /* places: one for each slot */
	uint32_t held; /* places with a descriptor */
	uint32_t most; /* that may be held */
	struct memory_place *places;
};

/* As if nobody were ever to be read. */
void memory_init(struct memory *);

/* From here on workers give theirs. */
int memory_open(struct memory *, uint32_t nslots, struct err *) __attribute__((warn_unused_result));

/*
 * In the worker of that order: sends its own memory and closes all the rest.
 * Without success it cannot be read, and nothing else is amiss.
 */
void memory_give(struct memory *, uint32_t slot, uint32_t order);

/*
 * Takes what workers have sent so far. To be called before each fork, so that
 * the socket never fills and few descriptors are under way at a time.
 */
void memory_take(struct memory *);

/* The descriptor of that worker's memory, owned by the memory, or -1. */
int memory_of(struct memory *, uint32_t slot, uint32_t order);

#endif
