/*
 * engine: PHP as seen from outside php/. The only header of this room that
 * other rooms include; it names no Zend type.
 *
 * Runs in: template (start), worker (serve), info commands (-i -m -v).
 */
#ifndef FPMX_PHP_ENGINE_H
#define FPMX_PHP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/strbuf.h"
#include "conf/conf.h"
#include "fcgi/conn.h"
#include "proc/heritage.h"
#include "status/scoreboard.h"

/*
 * PHP's module start-up with php-fpm's ini rules: php.ini as for the fpm SAPI,
 * then -d, then the pool's php_value and php_admin_value. pool may be NULL
 * (-i, -m, -v). 0 or -1.
 */
int engine_start(const struct php_options *, const struct pool_conf *pool, struct err *)
    __attribute__((warn_unused_result));

/*
 * After the fork, in the worker, once its signal handlers are in place: PHP takes
 * those of now for its own, and seeds its random numbers anew. A request may be
 * served afterwards. The template is outside of any request when it forks, so
 * OPcache counts no reader that a fork could lose.
 */
int engine_enter_worker(struct err *) __attribute__((warn_unused_result));

/* The board that fpm_get_status() reads; without one it returns false. */
void engine_show_board(const struct board *);

/* Module shutdown: at the end of a worker or an info command. */
void engine_stop(void);

/* What -v, -m and -i print, to stdout. */
int engine_print_version(void);
int engine_print_modules(void);
int engine_print_info(void);

uint32_t engine_php_version_id(void); /* of the library that is loaded */

/* Settings of the SAPI as they stand now, for request set-up. */
struct engine_cgi {
	bool fix_pathinfo;    /* cgi.fix_pathinfo */
	bool discard_path;    /* cgi.discard_path */
	const char *doc_root; /* ini doc_root, NULL when empty */
};
void engine_cgi(struct engine_cgi *);

/*
 * For a page: does a key of the query, as PHP has read it, begin word? Settings
 * say what a query is (arg_separator.input, variables_order).
 */
bool engine_query_asks(const char *word);

/* What request set-up (worker/script.h) has found. */
enum engine_action {
	ENGINE_RUN,              /* run the script */
	ENGINE_PAGE,             /* send the page that make_page writes (ping, status) */
	ENGINE_NOT_FOUND,        /* 404 "File not found.\n", "Primary script unknown" */
	ENGINE_DENIED,           /* 403 "Access denied.\n": limit_extensions */
	ENGINE_HEADERS_ONLY,     /* no REQUEST_METHOD */
	ENGINE_HEADERS_NOT_FOUND /* nor a script */
};

struct engine_page {
	int status; /* 200, ... */
	const char *content_type;
	const char *const *headers; /* further lines, NULL-terminated */
	bool type_first;            /* content type before (ping) or after (status) them */
	const char *body;
	size_t body_len;
};

struct engine_request {
	struct conn *conn;
	const struct conn_request *fcgi;
	enum engine_action action;
	bool may_keep;           /* what conn_finish() is told: false when the worker is to leave */
	bool named;              /* without a name of a script php-fpm looks at nothing else */
	const char *script;      /* path to run; NULL if none */
	const char *script_name; /* for PHP_SELF and logs */
	const char *php_self;
	/*
	 * Called between request start-up and the script when action is not
	 * known before (status pages need PHP's headers). May be NULL.
	 */
	void (*make_page)(void *ctx, struct engine_page *);
	/* State changes, for the scoreboard: WORKER_RUNNING, ... May be NULL. */
	void (*on_state)(void *ctx, int state);
	void *ctx;

	/* Filled by engine_serve(). */
	int http_status;
	const char *auth_user; /* from WORKER_RUNNING until on_response returns; or NULL */
	uint64_t peak_memory_bytes;
};

/*
 * Header of the finished response by exact name, for %{X}o; or NULL. As for
 * php-fpm a colon and one blank end a name: "X:a" has none, "X:  a" a blank more.
 */
const char *engine_response_header(const char *name);

enum engine_outcome {
	ENGINE_SERVED,  /* go on */
	ENGINE_RECYCLE, /* asked to be replaced, or to be by policy: engine_recycle_reason() */
	/*
	 * Leave after this request: PHP bailed out of its own start-up or shutdown
	 * of the request, or the wire has set what cannot be undone.
	 */
	ENGINE_UNSAFE,
	ENGINE_SPENT /* mode isolated: leave, PHP has served the one request */
};

/*
 * Runs one request from start-up to the end of its response, calling
 * on_response (access log) before PHP's request shutdown, as php-fpm does.
 * The connection is finished here, and stays open only if it may be kept.
 * Does not return in a process that a script has forked: its output is dropped,
 * and it exits with the script's status.
 */
enum engine_outcome engine_serve(
    struct engine_request *, void (*on_response)(void *ctx, struct engine_request *));

enum engine_trace {
	ENGINE_TRACE_WHOLE,
	ENGINE_TRACE_CUT,    /* not all could be read; what could is in *out */
	ENGINE_TRACE_NOTHING /* nothing could, *out is as it was */
};

/*
 * In a template: where a worker of its own is. memory_fd reads that process's
 * memory, which is not trusted; the process is stopped, or what is found may be
 * half changed. Appends php-fpm's line "script_filename = ..." and one for each
 * of at most depth frames.
 */
enum engine_trace engine_trace(int memory_fd, uint32_t depth, struct strbuf *out)
    __attribute__((warn_unused_result));

/* Why the last request made its worker leave; after ENGINE_RECYCLE. */
const char *engine_recycle_reason(void);

/*
 * A script that loops on fpmx_handle_request(). It is run once for as long as its
 * process lives, and calls these, in this order.
 */
struct engine_app_calls {
	/*
	 * The script has called fpmx_handle_request() for the first time. In a
	 * template this returns only in the workers that are forked from there; a
	 * worker that ran the script itself has NULL.
	 */
	void (*freeze)(void *ctx);
	/* What the script has ordered for the start of a worker is done. */
	void (*begin)(void *ctx);
	/* Waits for one request and serves it by engine_serve(). False: leave the loop. */
	bool (*next)(void *ctx);
	/* PHP is not to be returned to: ends the process. */
	void (*gone)(void *ctx);
	void *ctx;
};

enum engine_app_end {
	ENGINE_APP_LEFT,  /* told to leave, and came to its end */
	ENGINE_APP_ENDED, /* has left the loop of itself */
	ENGINE_APP_FAILED /* never came to the loop; why says more */
};

/*
 * Runs the script of a pool in mode worker to its end. why: for the log, when it
 * failed. Does not return in a process that the script has forked.
 */
enum engine_app_end engine_run_app(
    const char *script, const struct engine_app_calls *, struct err *why);

/*
 * Mode isolated: runs the boot script to its end. Workers forked afterwards have
 * all that it made. why: for the log, when it failed. Does not return in a process
 * that the script has forked.
 */
int engine_boot(const char *script, struct err *why) __attribute__((warn_unused_result));

/*
 * In such a worker, after engine_enter_worker(): what the script wants to be done
 * in each of them. False: it must not serve; the log says why.
 */
bool engine_thaw(void) __attribute__((warn_unused_result));

/*
 * A line of a worker to the log and, while a request runs and fastcgi.logging
 * is on, to FCGI stderr without its level, whatever the log level. level: enum
 * log_level. Those of one request are joined by "; ".
 */
void engine_log(int level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
