/*
 * status: fpm_get_status(), the status page as an array.
 *
 * Runs in: worker.
 * Names are php-fpm's: those of the page with "-" for blanks.
 */
#include "php/room.h"

#include <string.h>

#include "base/clock.h"
#include "status/render.h"

static void put_count(zval *array, const char *name, uint64_t n)
{
	add_assoc_long(array, name, (zend_long)n);
}

/* The board is cleared with "": php-fpm shows a dash. */
static void put_text(zval *array, const char *name, const char *text)
{
	add_assoc_string(array, name, text);
}

static void put_text_or_dash(zval *array, const char *name, const char *text)
{
	put_text(array, name, *text != '\0' ? text : "-");
}

/* A request that is not over yet has neither. */
static bool is_idle(const struct worker_view *w)
{
	return w->state == WORKER_IDLE;
}

static double cpu_percent(const struct worker_view *w)
{
	if (!is_idle(w) || w->request_duration_us == 0)
		return 0;
	return (double)w->cpu_us / (double)w->request_duration_us * 100.0;
}

static uint64_t duration_us(const struct status_view *v, const struct worker_view *w)
{
	if (is_idle(w) || w->request_started_us == 0)
		return w->request_duration_us;
	return v->now_us > w->request_started_us ? v->now_us - w->request_started_us : 0;
}

static uint64_t since_s(const struct status_view *v, const struct worker_view *w)
{
	return v->now_wall_us > w->started_wall_us ? (v->now_wall_us - w->started_wall_us) / 1000000
						   : 0;
}

static void put_worker(zval *list, const struct status_view *v, const struct worker_view *w)
{
	zval one;

	array_init(&one);
	put_count(&one, "pid", (uint64_t)w->pid);
	put_text(&one, "state", worker_state_names[w->state]);
	put_count(&one, "start-time", w->started_wall_us / 1000000);
	put_count(&one, "start-since", since_s(v, w));
	put_count(&one, "requests", w->requests);
	put_count(&one, "request-duration", duration_us(v, w));
	put_text_or_dash(&one, "request-method", w->method);
	put_text(&one, "request-uri", w->uri);
	put_text(&one, "query-string", w->query);
	put_count(&one, "request-length", w->content_length);
	put_text_or_dash(&one, "user", w->user);
	put_text_or_dash(&one, "script", w->script);
	add_assoc_double(&one, "last-request-cpu", cpu_percent(w));
	put_count(&one, "last-request-memory", is_idle(w) ? w->peak_memory_bytes : 0);
	add_next_index_zval(list, &one);
}

static void put_pool(zval *array, const struct status_view *v)
{
	put_text(array, "pool", v->pool);
	put_text(array, "process-manager", v->manager);
	put_count(array, "start-time", v->start_wall);
	put_count(array, "start-since", v->start_since_s);
	put_count(array, "accepted-conn", v->accepted);
	put_count(array, "listen-queue", v->listen_queue);
	put_count(array, "max-listen-queue", v->listen_queue_max);
	put_count(array, "listen-queue-len", v->listen_queue_len);
	put_count(array, "idle-processes", v->idle);
	put_count(array, "active-processes", v->active);
	put_count(array, "total-processes", v->total);
	put_count(array, "max-active-processes", v->active_max);
	put_count(array, "max-children-reached", v->children_max_reached);
	put_count(array, "slow-requests", v->slow);
}

void status_to_array(zval *return_value)
{
	struct status_view v;
	struct worker_view *workers;
	zval list;

	if (room.board == NULL)
		RETURN_FALSE;
	memset(&v, 0, sizeof(v));
	v.pool = room.pool->name;
	v.manager = conf_pm_word(room.pool->pm);
	workers = safe_emalloc(board_nslots(room.board), sizeof(*workers), 0);
	status_collect(room.board, &v, workers, true);
	array_init(return_value);
	put_pool(return_value, &v);
	array_init(&list);
	for (uint32_t i = 0; i < v.nworkers; i++)
		put_worker(&list, &v, &workers[i]);
	add_assoc_zval(return_value, "procs", &list);
	efree(workers);
}
