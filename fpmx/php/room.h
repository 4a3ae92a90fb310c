/*
 * room: what the files of php/ share.
 *
 * Runs in: template, worker, info commands.
 * One process has one PHP and serves one request at a time, and PHP calls us
 * back without a context: so there is one struct room, and no more state than
 * what is in it.
 */
#ifndef FPMX_PHP_ROOM_H
#define FPMX_PHP_ROOM_H

#include "php/compat.h"

#include <stdbool.h>
#include <stdint.h>

#include "php/engine.h"
#include "status/scoreboard.h"

/* The SAPI's own ini settings. */
struct room_ini {
	bool rfc2616_headers;
	bool nph;
	bool fix_pathinfo;
	bool discard_path;
	bool force_redirect; /* known for php-fpm's sake; never acted on */
	bool logging;
	char *redirect_status_env;
	char *error_header;
	char *fpm_config;
};

/* The request that is being served; asked is NULL between two. */
struct room_request {
	struct engine_request *asked;
	int64_t body_length; /* CONTENT_LENGTH; -1 when there is none */
	int body_file;       /* REQUEST_BODY_FILE; -1 */
	bool body_file_tried;
	bool body_asked;    /* PHP has begun to read it */
	bool body_cut;      /* ended before body_length */
	bool over;          /* no code of the user runs any more */
	bool err_begun;     /* a message was sent to FCGI stderr */
	size_t swallowed;   /* output since fastcgi_finish_request() */
	bool spoils_worker; /* the wire asked for what cannot be undone */
};

struct room {
	const struct pool_conf *pool; /* NULL in info commands */
	struct room_ini ini;
	unsigned char *ours; /* reads 0 in a child that a script forked; NULL before the worker */
	char *home;          /* working directory between requests */
	struct room_request request;
	const struct board *board; /* for fpm_get_status() */
};

extern struct room room;
extern sapi_module_struct room_sapi;  /* sapi.c */
extern zend_module_entry room_module; /* functions.c */

/* exec.c: what a request of a booted pool has in common with one of a classic pool. */
void exec_prepare(struct engine_request *);
void exec_respond(struct engine_request *);
void exec_report(struct engine_request *, void (*on_response)(void *ctx, struct engine_request *));
void exec_answer_without_php(struct engine_request *);
bool exec_shut_down(void);
void exec_forget(void);
bool exec_open_script(zend_file_handle *);
void exec_enter_folder_of(const char *path);

/* engine.c: from now on *room.ours reads 1, and 0 in a child that a script forks. */
int room_claim(struct err *) __attribute__((warn_unused_result));

/* The request whose client is to be answered by this process, or NULL. */
static inline struct engine_request *room_asked(void)
{
	if (room.request.asked == NULL || *room.ours == 0)
		return NULL;
	return room.request.asked;
}

/* A FastCGI parameter of the request, or NULL. */
const char *room_param(const char *name);

/* --- ini.c: php_value and its kin, from the pool and from the wire --- */
void ini_pool_extensions(const struct pool_conf *, struct php_ini_builder *);
void ini_overlay(const struct pool_conf *); /* between php.ini and the extensions */
void ini_uncover(void);
void ini_apply_pool(const struct pool_conf *);
void ini_apply_wire(void);
/*
 * After request shutdown: what scripts changed has been put back by then. False:
 * something could not be, and the next request would see it.
 */
bool ini_undo_wire(void);

/* --- userini.c --- */
void userini_startup(void);
void userini_shutdown(void);
void userini_activate(const char *script_path);

/* --- headers.c --- */
int headers_send(sapi_headers_struct *);

/* --- body.c --- */
void body_begin(void);
void body_end(void);
size_t body_read(char *buffer, size_t n);

/* --- vars.c --- */
void vars_startup(void);
void vars_register(zval *server);
char *vars_getenv(const char *name, size_t n);

/* --- functions.c --- */
/* Puts wrapper before an internal function, which is found in *itself; if there is one. */
void functions_wrap(const char *name, zif_handler wrapper, zif_handler *itself);

/* --- signals.c --- */
void signals_startup(void);
void signals_begin(void);   /* before a script */
void signals_restore(void); /* after a request */
void signals_accept(void);  /* what the script has done so far is to stay */

/* --- status.c --- */
void status_to_array(zval *return_value);

#endif
