/*
 * reload: the line that tells of it, and the exec.
 *
 * Runs in: master.
 */
#include "master/reload.h"

#include <unistd.h>

#include "base/log.h"
#include "base/strbuf.h"
#include "master/logfile.h"

/* php-fpm tells no more of its command line. */
#define WORDS_TOLD 10
#define LINE_MAX_BYTES 4096

static void tell(char *const *argv)
{
	struct strbuf line;

	strbuf_init(&line, LINE_MAX_BYTES);
	strbuf_printf(&line, "reloading: execvp(\"%s\", {", argv[0]);
	for (int i = 0; argv[i] && i < WORDS_TOLD; i++)
		strbuf_printf(&line, "%s\"%s\"", i > 0 ? ", " : "", argv[i]);
	strbuf_adds(&line, "})");
	log_notice("%s", strbuf_str(&line));
	strbuf_free(&line);
}

int reload_exec(char *const *argv, const struct handover *h, struct err *e)
{
	tell(argv);
	if (handover_write(h, e) < 0)
		return -1;
	logfile_restore_stderr();
	execvp(argv[0], argv);
	return err_sys(e, "failed to reload: execvp(\"%s\")", argv[0]);
}
