/*
 * app: what the files about pools that boot share.
 *
 * Runs in: template (until the freeze), worker.
 * To PHP the whole life of such a worker is one request: it begins with the
 * script and ends with it. Each request from the web server is a frame inside
 * it: output layer, headers, superglobals, session begin and end with the frame,
 * and what a script changed elsewhere is put back by the rows of reset.h.
 * Between two frames of requests there is an outer frame too, in which the
 * script boots and loops: what is written there has no client and is logged.
 */
#ifndef FPMX_PHP_APP_H
#define FPMX_PHP_APP_H

#include "php/room.h"

#include "base/strbuf.h"

enum app_phase {
	APP_NONE,     /* a classic pool */
	APP_BOOTING,  /* the script has not come to its loop */
	APP_STARTING, /* a worker, before its first request */
	APP_WAITING,  /* in the loop, between two requests; in mode isolated before the one */
	APP_REQUEST,  /* in the script's handler, and what is called after it */
	APP_LEAVING,  /* told to leave the loop */
	APP_MAX
};

struct app {
	enum app_phase phase;
	bool loops; /* mode worker: the script serves requests by its handler */
	const struct engine_app_calls *calls;
	const char *script;
	zend_fcall_info fci; /* the handler of the request */
	zend_fcall_info_cache fcc;
	zval starters;      /* list of callables: fpmx_on_worker_start() */
	struct strbuf said; /* output of the outer frame */

	/* The request. */
	bool exited;       /* by exit() */
	bool ended;        /* PHP's own request, and with it the script, has been shut down */
	char recycle[256]; /* why the worker is to leave; "" */
};

extern struct app app;

static inline bool app_is_booted(void)
{
	return app.phase != APP_NONE;
}

/* --- apploop.c --- */

/* fpmx_handle_request(): false when the worker is to leave the loop, or has thrown. */
bool app_handle(zend_fcall_info *, zend_fcall_info_cache *);

/* engine_serve() of a booted pool. */
enum engine_outcome app_serve(
    struct engine_request *, void (*on_response)(void *ctx, struct engine_request *));

/* fpmx_recycle() */
void app_recycle(const char *reason);

/* The script is about to be booted by these calls, which are NULL in mode isolated. */
void app_set_up(const char *script, const struct engine_app_calls *);

/* PHP's own request, inside of which all the rest is. False: it does not start. */
bool app_start_script(void);

/* The script has booted, and nothing of that is the process's own. May bail out. */
void app_freeze(void);

/* After the fork: what the script wants to be done in each worker. False: logged why. */
bool app_start_worker(void);

/* True: the frame of the request is open. */
bool app_begin_request(struct engine_request *);

/* Runs the handler for the request that is under way. */
void app_run_handler(void);

/*
 * The client has gone. As in a classic pool the script ends at its next output
 * unless ignore_user_abort says otherwise, but by unwinding, as exit() does: a
 * bailout would cost the worker.
 */
void app_abort_script(void);

/* What an exit() or an exception that nobody caught leaves behind is dealt with. */
void app_settle_exception(void);

/* --- isolated.c --- */

/* engine_serve() of a pool in mode isolated. */
enum engine_outcome isolated_serve(
    struct engine_request *, void (*on_response)(void *ctx, struct engine_request *));

/* --- freeze.c --- */

/* PHP has started, and is not in a chroot yet: finds what a fork will not copy. */
void freeze_startup(void);

/* Before the fork: nothing of the boot that is one process's is left. */
void freeze_settle(void);

/* After the fork, in the worker: what a fork does not copy. */
void freeze_thaw(void);

/*
 * In the frame of a request: OPcache takes the time, folder and include_path of now
 * for those of the request, and not those of the boot.
 */
void freeze_renew_opcache(void);

/* Output without a client: kept until it is logged. */
void freeze_hear(const char *bytes, size_t n);
void freeze_tell(void);

/* --- frame.c --- */

void frame_startup(void); /* once, before the first one is closed */

/*
 * The frame of a request, or with room.request.asked NULL the outer one.
 * request_info is set. May bail out.
 */
void frame_open(void);

/*
 * Ends the output, the session, and with the headers the response. Returns false
 * when code of the script bailed out in it: then the frame is still open, and only
 * PHP's own request shutdown may follow. The functions for the end of the request
 * have been called in either case.
 */
bool frame_close(void);

/* --- outside.c: what is there in the outer frame, and not for requests --- */

void outside_save(void);  /* superglobals as the script has left them at the freeze */
void outside_enter(void); /* they are what they were at the freeze */
void outside_leave(void); /* those of the request are there: adds what every request is to see */

#endif
