/*
 * retire: pipes that nobody writes to.
 *
 * Runs in: master.
 */
#include "master/retire.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/fd.h"

void retire_init(struct retire *r)
{
	*r = (struct retire){.in = -1, .out = -1, .before = -1};
}

void retire_close(struct retire *r)
{
	fd_close(&r->in);
	retire_all(r);
}

int retire_renew(struct retire *r, struct err *e)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(e, "pipe");
	fd_close(&r->in);
	fd_close(&r->before);
	*r = (struct retire){.in = ends[0], .out = ends[1], .before = r->out};
	return 0;
}

void retire_before(struct retire *r)
{
	fd_close(&r->before);
}

void retire_all(struct retire *r)
{
	fd_close(&r->out);
	fd_close(&r->before);
}
