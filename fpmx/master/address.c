/*
 * address: text to address, address to key.
 *
 * Runs in: master.
 * Pure.
 */
#include "master/address.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static int parse_port(const char *text, uint16_t *port, struct err *e)
{
	uint32_t value = 0;
	const char *p = text;

	for (; isdigit((unsigned char)*p) && value <= UINT16_MAX; p++)
		value = value * 10 + (uint32_t)(*p - '0');
	if (p == text || *p != '\0' || value == 0 || value > UINT16_MAX)
		return err_set(e, "invalid port value '%s'", text);
	*port = (uint16_t)value;
	return 0;
}

static int parse_host(const char *text, size_t n, struct address *a, struct err *e)
{
	if (n >= 2 && text[0] == '[' && text[n - 1] == ']') {
		text++;
		n -= 2;
	}
	if (n == 0 || n >= sizeof(a->host))
		return err_set(e, "invalid host in listen address '%.*s'", (int)n, text);
	memcpy(a->host, text, n);
	a->host[n] = '\0';
	return 0;
}

int address_parse(const char *text, struct address *a, struct err *e)
{
	const char *colon = strrchr(text, ':');

	*a = (struct address){.kind = ADDRESS_UNIX};
	if (*text == '\0')
		return err_set(e, "no listen address have been defined!");
	if (colon) {
		a->kind = ADDRESS_HOST;
		if (parse_port(colon + 1, &a->port, e) < 0)
			return -1;
		return parse_host(text, (size_t)(colon - text), a, e);
	}
	if (text[strspn(text, "0123456789")] == '\0') {
		a->kind = ADDRESS_PORT;
		return parse_port(text, &a->port, e);
	}
	a->path = text;
	return 0;
}

void address_key(const struct sockaddr *sa, char key[ADDRESS_KEY_BYTES])
{
	char host[INET6_ADDRSTRLEN] = "";
	const void *bytes;
	uint16_t port;

	if (sa->sa_family == AF_UNIX) {
		const struct sockaddr_un *un = (const struct sockaddr_un *)(const void *)sa;

		snprintf(key, ADDRESS_KEY_BYTES, "%.*s", (int)sizeof(un->sun_path), un->sun_path);
		return;
	}
	if (sa->sa_family == AF_INET6) {
		const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)sa;

		bytes = &in6->sin6_addr;
		port = ntohs(in6->sin6_port);
	} else {
		const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)sa;

		bytes = &in->sin_addr;
		port = ntohs(in->sin_port);
	}
	inet_ntop(sa->sa_family, bytes, host, sizeof(host));
	snprintf(key, ADDRESS_KEY_BYTES, "%s:%u", host, port);
}
