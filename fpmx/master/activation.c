/*
 * activation: three variables, and the descriptors.
 *
 * Runs in: master.
 */
#include "master/activation.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/must.h"
#include "master/fdstore.h"

/* More than any limit of open files. */
#define FDS_MAX (1U << 30)

/* Decimal digits alone; 0 for anything else. */
static unsigned long number(const char *text)
{
	char *end;
	unsigned long value;

	if (!text || *text < '0' || *text > '9')
		return 0;
	value = strtoul(text, &end, 10);
	return *end == '\0' ? value : 0;
}

/* How many there are for this process; children of another one are told of its own. */
static unsigned count(void)
{
	unsigned long n = number(getenv("LISTEN_FDS"));

	return number(getenv("LISTEN_PID")) == (unsigned long)getpid() && n < FDS_MAX ? (unsigned)n
										      : 0;
}

/* By another name for its folder the same socket may be configured. */
static void find_file(struct inherited *in)
{
	struct stat st;

	if (!in->is_unix || lstat(in->key, &st) < 0 || !S_ISSOCK(st.st_mode))
		return;
	in->dev = st.st_dev;
	in->ino = st.st_ino;
}

static void take(struct inherit *t, int fd, const char *name)
{
	struct inherited *in;
	struct err e;

	if (inherit_add(t, fd, &in, &e) < 0) {
		inherit_complain(t, "\"%s\" from systemd is not used: %s", name, e.text);
		fd_close(&fd);
		return;
	}
	if (fdstore_recognize(name, in))
		return;
	in->lent = true;
	in->name = must_memory(strdup(name));
	find_file(in);
}

void activation_read(struct inherit *t, int first_fd)
{
	unsigned n = FPMX_SYSTEMD ? count() : 0;
	const char *given = getenv("LISTEN_FDNAMES");
	char *names = must_memory(strdup(given ? given : "")), *next = names;

	for (unsigned i = 0; i < n; i++) {
		char *name = strsep(&next, ":");

		if (fcntl(first_fd + (int)i, F_GETFD) < 0) {
			inherit_complain(t, "LISTEN_FDS is %u, but descriptor %d is not open", n,
			    first_fd + (int)i);
			break;
		}
		take(t, first_fd + (int)i, name && *name ? name : "unknown");
	}
	free(names);
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	unsetenv("LISTEN_FDNAMES");
}
