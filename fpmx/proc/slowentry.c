/*
 * slowentry: php-fpm's form of a slow log entry.
 *
 * Runs in: template, master.
 */
#include "proc/slowentry.h"

#include <unistd.h>

#include "base/log.h"

void slowentry_begin(struct strbuf *s, const char *pool, pid_t pid)
{
	strbuf_addc(s, '\n');
	log_stamp(s);
	strbuf_printf(s, " [pool %s] pid %d\n", pool, (int)pid);
}

void slowentry_give_up(struct strbuf *s)
{
	strbuf_adds(s, "+++ dump failed\n");
}

int slowentry_write(const struct strbuf *s, int fd, struct err *e)
{
	ssize_t n = write(fd, strbuf_str(s), s->len);

	if (n < 0)
		return err_sys(e, "failed to write to the slow log");
	if ((size_t)n < s->len)
		return err_set(e, "the slow log took %zd of %zu bytes", n, s->len);
	return 0;
}
