/*
 * chan: the typed channel between master and template, a SOCK_SEQPACKET pair.
 *
 * Runs in: master, template.
 * The master's end never blocks and takes nothing at its word: sizes, senders
 * and numbers of descriptors are checked here; what a payload claims (a pid) is
 * checked by who handles it.
 * Workers have no channel: they speak through the scoreboard and by exiting.
 */
#ifndef FPMX_PROC_CHAN_H
#define FPMX_PROC_CHAN_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct msg_fork {
	uint32_t slot;
	uint32_t order;
};
struct msg_reopen {
	uint32_t has_error_log;
	uint32_t has_access_log;
};
struct msg_ping {
	uint64_t number;
};
struct msg_trace {
	uint64_t number;
	uint32_t slot;
	uint32_t order;
	int32_t pid; /* for the entry only */
};
struct msg_traced {
	uint64_t number;
	uint32_t written; /* 0: nothing could be read of the worker */
};
struct msg_ready {
	uint64_t boot_us;
	uint32_t php_version_id;
	uint32_t threads;
};
struct msg_forked {
	uint32_t slot;
	uint32_t order;
	int32_t pid;
};
struct msg_refused {
	uint32_t slot;
	uint32_t order;
	int32_t sys;
};
struct msg_failed {
	char text[512];
};

enum msg_type {
	MSG_NONE, /* zero is not a message */
#define MESSAGE(IDENT, from, payload, fds, doc) MSG_##IDENT,
#include "proc/messages.def"
#undef MESSAGE
	MSG_MAX
};

enum msg_side { MSG_FROM_MASTER, MSG_FROM_TEMPLATE };

#define CHAN_FDS_MAX 2

struct msg {
	enum msg_type type;
	union {
		struct msg_fork fork;
		struct msg_reopen reopen;
		struct msg_trace trace;
		struct msg_traced traced;
		struct msg_ping ping;
		struct msg_ready ready;
		struct msg_forked forked;
		struct msg_refused refused;
		struct msg_failed failed;
	} u;
	int nfds;
	int fds[CHAN_FDS_MAX]; /* received: owned by who received them */
};

/* Both ends close-on-exec; ends[0] (the master's) is non-blocking. */
int chan_pair(int ends[2], struct err *) __attribute__((warn_unused_result));

enum chan_result {
	CHAN_OK,
	CHAN_AGAIN,  /* nothing to read, or no room to send: try later */
	CHAN_CLOSED, /* the other side is gone */
	CHAN_ABUSE   /* the other side broke the table; *e says how */
};

/* side: who we are. Sending a message that is not ours is our bug (panic). */
enum chan_result chan_send(int fd, enum msg_side side, const struct msg *, struct err *)
    __attribute__((warn_unused_result));
enum chan_result chan_recv(int fd, enum msg_side side, struct msg *, struct err *)
    __attribute__((warn_unused_result));

const char *msg_name(enum msg_type);

#endif
