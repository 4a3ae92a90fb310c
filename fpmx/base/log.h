/*
 * log: lines in php-fpm's form, from whoever runs.
 *
 *   [30-Nov-2026 14:42:00] NOTICE: [pool www] child 7 started
 *
 * Runs in: every process. In a worker lines carry no time stamp (php-fpm).
 * Never: blocks on a log that is slow or full; it drops the line and counts.
 * Lines over the limit are cut and end in "...".
 */
#ifndef FPMX_BASE_LOG_H
#define FPMX_BASE_LOG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct strbuf;

/* php-fpm's levels, in its order of gravity. */
enum log_level {
	LOG_LEVEL_DEBUG,
	LOG_LEVEL_NOTICE,
	LOG_LEVEL_WARNING,
	LOG_LEVEL_ERROR,
	LOG_LEVEL_ALERT,
	LOG_LEVEL_MAX
};

/* "DEBUG", "NOTICE", ... as in log lines. */
extern const char *const log_level_names[LOG_LEVEL_MAX];

enum log_form {
	LOG_FORM_STAMPED, /* master: [time] LEVEL: text */
	LOG_FORM_PLAIN    /* worker: LEVEL: text */
};

struct log_setup {
	int fd;                      /* where lines go; not owned */
	int mirror_fd;               /* second place for NOTICE and above, or -1 */
	enum log_level mirror_level; /* lines below it do not go there either */
	enum log_level level;        /* lines below it are not written */
	enum log_form form;
	uint32_t limit_bytes; /* of one line, newline included; 0: 1024 */
	bool syslog;          /* lines also go through syslog.h, opened by the caller */
};

/* Replaces the set-up. The default before any call: stderr, NOTICE, stamped. */
void log_configure(const struct log_setup *);
const struct log_setup *log_current(void);

/* Lines that could not be written since the start of the process. */
uint64_t log_dropped(void);

/*
 * One line. pool may be NULL; else the text begins "[pool NAME] ". func and
 * line appear at log level debug, as php-fpm's do. Use the macros.
 */
void log_line(enum log_level, const char *pool, const char *func, int line, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#define log_at(level, pool, ...) log_line((level), (pool), __func__, __LINE__, __VA_ARGS__)
#define log_debug(...) log_at(LOG_LEVEL_DEBUG, NULL, __VA_ARGS__)
#define log_notice(...) log_at(LOG_LEVEL_NOTICE, NULL, __VA_ARGS__)
#define log_warn(...) log_at(LOG_LEVEL_WARNING, NULL, __VA_ARGS__)
#define log_error(...) log_at(LOG_LEVEL_ERROR, NULL, __VA_ARGS__)
#define log_alert(...) log_at(LOG_LEVEL_ALERT, NULL, __VA_ARGS__)
#define log_pool(level, pool, ...) log_at((level), (pool), __VA_ARGS__)

/* "[30-Nov-2026 14:42:00] " of now, with microseconds at log level debug. */
void log_stamp(struct strbuf *);

/*
 * What log_line() puts before the text of a line, for lines that are made
 * elsewhere and go out through log_raw(). At log level debug the place in the
 * source is php-fpm's for caught output: "(null)(), line 0".
 */
void log_head(struct strbuf *, enum log_level);

/*
 * A line that is already a line: caught worker output without decoration.
 * Written as it is; text of n bytes includes its newline.
 */
void log_raw(const char *text, size_t n);

#endif
