/*
 * address: what a `listen` value means.
 *
 * Runs in: master.
 * Pure: no name service, no sockets. Anything with a colon or of digits only
 * is TCP, all else is a path (php-fpm's rule).
 */
#ifndef FPMX_MASTER_ADDRESS_H
#define FPMX_MASTER_ADDRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/err.h"

enum address_kind {
	ADDRESS_UNIX, /* a path */
	ADDRESS_PORT, /* a port on all addresses: [::], else 0.0.0.0 */
	ADDRESS_HOST, /* host:port, numeric or a name */
	ADDRESS_KIND_MAX
};

struct address {
	enum address_kind kind;
	const char *path; /* ADDRESS_UNIX: the text itself */
	char host[256];   /* ADDRESS_HOST: without brackets */
	uint16_t port;
};

/* text must outlive *a. Words of failure are php-fpm's. */
int address_parse(const char *text, struct address *a, struct err *)
    __attribute__((warn_unused_result));

/*
 * The name of a bound address as php-fpm writes it into FPM_SOCKETS: the path,
 * or address:port without brackets ("127.0.0.1:9000", ":::9000"). Cut to fit.
 */
#define ADDRESS_KEY_BYTES 128
void address_key(const struct sockaddr *, char key[ADDRESS_KEY_BYTES]);

#endif
