/*
 * outbox: what goes out on a connection, as records.
 *
 * Runs in: worker.
 * Invariant: between two calls len <= OUTBOX_BYTES + padding of one record, so
 * OUTBOX_SPARE always holds what outbox_add_record() may bring.
 */
#include "fcgi/outbox.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/clock.h"
#include "base/must.h"
#include "fcgi/ready.h"
#include "fcgi/records.h"

/*
 * A piece that does not fit is copied all the same when it is this small: it
 * would make a tiny record of its own.
 */
#define DIRECT_BYTES 2048

/* Records sent by one call: 512 KiB, more than a socket takes at once. */
#define BATCH_RECORDS 8

void outbox_init(struct outbox *o, int fd, uint32_t stall_ms)
{
	o->fd = fd;
	o->stall_ms = stall_ms;
	o->result = OUTBOX_OK;
	o->id = 0;
	o->open = false;
	o->len = 0;
}

void outbox_set_id(struct outbox *o, uint16_t id)
{
	must(!o->open);
	o->id = id;
}

static uint8_t padding_for(size_t content)
{
	return (uint8_t)(-content & 7);
}

/* The open record will not grow any more: writes its head and padding. */
static void close_record(struct outbox *o)
{
	size_t content;
	uint8_t padding;

	if (!o->open)
		return;
	content = o->len - o->open_at - FCGI_HEAD_BYTES;
	padding = padding_for(content);
	fcgi_put_head(o->bytes + o->open_at, o->type, o->id, (uint16_t)content, padding);
	memset(o->bytes + o->len, 0, padding);
	o->len += padding;
	o->open = false;
}

/* Forgets the first n bytes of the vectors; returns those that are left. */
static size_t skip_sent(struct iovec *iov, size_t count, size_t n)
{
	size_t gone = 0;

	while (gone < count && n >= iov[gone].iov_len)
		n -= iov[gone++].iov_len;
	memmove(iov, iov + gone, (count - gone) * sizeof(*iov));
	if (gone < count) {
		iov[0].iov_base = (uint8_t *)iov[0].iov_base + n;
		iov[0].iov_len -= n;
	}
	return count - gone;
}

/* Sends all of it, whatever it takes. sendmsg: a peer that left makes no SIGPIPE. */
static enum outbox_result send_all(struct outbox *o, struct iovec *iov, size_t count)
{
	while (count > 0) {
		struct msghdr msg = {.msg_iov = iov, .msg_iovlen = count};
		ssize_t n = sendmsg(o->fd, &msg, MSG_NOSIGNAL);

		if (n >= 0) {
			count = skip_sent(iov, count, (size_t)n);
		} else if (errno == EAGAIN) {
			if (!ready_wait(o->fd, POLLOUT, clock_now_ms() + o->stall_ms))
				return o->result = OUTBOX_LATE;
		} else if (errno != EINTR) {
			return o->result = OUTBOX_CLOSED;
		}
	}
	return OUTBOX_OK;
}

enum outbox_result outbox_flush(struct outbox *o)
{
	struct iovec iov = {.iov_base = o->bytes};

	close_record(o);
	iov.iov_len = o->len;
	o->len = 0;
	if (o->result != OUTBOX_OK || iov.iov_len == 0)
		return o->result;
	return send_all(o, &iov, 1);
}

/* The buffer, then n bytes from where they lie. */
static enum outbox_result send_direct(
    struct outbox *o, uint8_t type, const uint8_t *bytes, size_t n)
{
	static const uint8_t zeros[8];
	uint8_t heads[BATCH_RECORDS][FCGI_HEAD_BYTES];

	close_record(o);
	while (n > 0) {
		struct iovec iov[2 + 2 * BATCH_RECORDS];
		size_t count = 0;

		if (o->len > 0)
			iov[count++] = (struct iovec){o->bytes, o->len};
		for (size_t i = 0; i < BATCH_RECORDS && n > 0; i++) {
			size_t part = n < FCGI_CONTENT_MAX ? n : FCGI_CONTENT_MAX;
			uint8_t padding = padding_for(part);

			fcgi_put_head(heads[i], type, o->id, (uint16_t)part, padding);
			iov[count++] = (struct iovec){heads[i], FCGI_HEAD_BYTES};
			iov[count++] = (struct iovec){(void *)bytes, part};
			if (padding > 0) /* only ever after the last */
				iov[count++] = (struct iovec){(void *)zeros, padding};
			bytes += part;
			n -= part;
		}
		o->len = 0;
		if (send_all(o, iov, count) != OUTBOX_OK)
			return o->result;
	}
	return OUTBOX_OK;
}

enum outbox_result outbox_add(struct outbox *o, uint8_t type, const void *bytes, size_t n)
{
	size_t head;

	if (o->result != OUTBOX_OK || n == 0)
		return o->result;
	if (o->type != type)
		close_record(o);
	head = o->open ? 0 : FCGI_HEAD_BYTES;
	if (n + head > OUTBOX_BYTES || o->len > OUTBOX_BYTES - n - head) {
		if (n >= DIRECT_BYTES)
			return send_direct(o, type, bytes, n);
		if (outbox_flush(o) != OUTBOX_OK)
			return o->result;
	}
	if (!o->open) {
		o->open = true;
		o->type = type;
		o->open_at = o->len;
		o->len += FCGI_HEAD_BYTES;
	}
	memcpy(o->bytes + o->len, bytes, n);
	o->len += n;
	return OUTBOX_OK;
}

void outbox_add_record(struct outbox *o, const uint8_t *record, size_t n)
{
	close_record(o);
	must(n <= sizeof(o->bytes) - o->len);
	memcpy(o->bytes + o->len, record, n);
	o->len += n;
}
