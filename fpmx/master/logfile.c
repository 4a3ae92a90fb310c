/*
 * logfile: opening logs.
 *
 * Runs in: master.
 */
#include "master/logfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "base/syslog.h"
#include "master/safeopen.h"

_Static_assert(
    (int)CONF_LOG_DEBUG == (int)LOG_LEVEL_DEBUG && (int)CONF_LOG_ALERT == (int)LOG_LEVEL_ALERT,
    "levels of the configuration are those of the log");

/* Descriptors that are passed on must not be 0, 1 or 2. */
#define FIRST_FD 3

static int error_fd = -1;        /* error_log, or a copy of the first stderr */
static int first_stderr_fd = -1; /* what descriptor 2 was when we were started */
static bool has_file;            /* lines go to error_log */

static bool is_stderr(const char *path)
{
	return strcmp(path, "/dev/stderr") == 0 || strcmp(path, "/proc/self/fd/2") == 0 ||
	       strcmp(path, "/dev/fd/2") == 0;
}

/*
 * Of these even the last part may be a link, as nobody but root makes them there.
 * Folders like /dev/shm are everybody's.
 */
static bool may_be_link(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/dev/fd/", 8) == 0 ||
	       (strncmp(path, "/dev/", 5) == 0 && strchr(path + 5, '/') == NULL);
}

static int dup_stderr(struct err *e)
{
	int from = first_stderr_fd >= 0 ? first_stderr_fd : STDERR_FILENO;
	int fd = fcntl(from, F_DUPFD_CLOEXEC, FIRST_FD);

	return fd < 0 ? err_sys(e, "failed to copy stderr") : fd;
}

int logfile_open(const char *what, const char *path, struct err *e)
{
	int flags = O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct stat st;
	int fd;

	if (is_stderr(path))
		return dup_stderr(e);
	fd = may_be_link(path) ? open(path, flags, 0600) : safeopen(path, flags);
	if (fd < 0)
		return err_sys(e, "failed to open %s (%s)", what, path);
	if (fstat(fd, &st) < 0 || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode)) {
		fd_close(&fd);
		return err_set(e, "failed to open %s (%s): not a file", what, path);
	}
	return fd_raise(fd, FIRST_FD, e);
}

static bool is_syslog(const struct global_conf *conf)
{
	return strcmp(conf->error_log, "syslog") == 0;
}

static int open_error_log(const struct global_conf *conf, struct err *e)
{
	if (!is_syslog(conf))
		return logfile_open("error_log", conf->error_log, e);
	/* Templates have no syslog of their own: they write to the first stderr. */
	syslog_open(SYSLOG_PATH, conf->syslog_ident, conf->syslog_facility);
	return dup_stderr(e);
}

static int make_error_log(const struct global_conf *conf, struct err *e)
{
	int fd;

	if (is_syslog(conf))
		return 0;
	fd = logfile_open("error_log", conf->error_log, e);
	if (fd < 0)
		return -1;
	fd_close(&fd);
	return 0;
}

int logfile_configure(const struct global_conf *conf, bool to_file, struct err *e)
{
	struct log_setup setup = {
	    .mirror_fd = -1,
	    .level = (enum log_level)conf->log_level,
	    .form = LOG_FORM_STAMPED,
	    .limit_bytes = (uint32_t)conf->log_limit,
	};

	must(error_fd < 0);
	first_stderr_fd = dup_stderr(e);
	if (first_stderr_fd < 0)
		return -1;
	/* As php-fpm: a file that cannot be written is told even when stderr is the log. */
	if (!to_file && make_error_log(conf, e) < 0)
		return -1;
	error_fd = to_file ? open_error_log(conf, e) : dup_stderr(e);
	if (error_fd < 0)
		return -1;
	setup.syslog = to_file && is_syslog(conf);
	setup.fd = setup.syslog ? -1 : error_fd;
	has_file = to_file && !setup.syslog && !is_stderr(conf->error_log);
	if (has_file || setup.syslog)
		setup.mirror_fd = first_stderr_fd;
	log_configure(&setup);
	return 0;
}

void logfile_starts(void)
{
	struct log_setup setup = *log_current();

	setup.mirror_level = LOG_LEVEL_ERROR;
	log_configure(&setup);
}

void logfile_started(bool forget_stderr)
{
	struct log_setup setup = *log_current();

	setup.mirror_fd = -1;
	log_configure(&setup);
	if (has_file)
		dup2(error_fd, STDERR_FILENO);
	if (forget_stderr)
		fd_close(&first_stderr_fd);
}

int logfile_reopen(const struct global_conf *conf, struct err *e)
{
	struct log_setup setup = *log_current();
	int fd;

	if (!has_file)
		return 0;
	fd = logfile_open("error_log", conf->error_log, e);
	if (fd < 0)
		return -1;
	setup.fd = fd;
	log_configure(&setup);
	dup2(fd, STDERR_FILENO);
	fd_close(&error_fd);
	error_fd = fd;
	return 0;
}

void logfile_restore_stderr(void)
{
	int null;

	if (first_stderr_fd >= 0) {
		dup2(first_stderr_fd, STDERR_FILENO);
		return;
	}
	/* What 2 is now is the log: the next program would write its first lines twice. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	fd_close(&null);
}

int logfile_fd(void)
{
	return error_fd;
}
