/*
 * respond: answers that no script writes.
 *
 * Runs in: worker.
 */
#include "worker/respond.h"

#include <string.h>

#include "status/render.h"

static const char *const page_headers[] = {
    "Expires: Thu, 01 Jan 1970 00:00:00 GMT",
    "Cache-Control: no-cache, no-store, must-revalidate, max-age=0",
    NULL,
};

void respond_ping(const struct pool_conf *pool, struct engine_page *page)
{
	const char *body = pool->ping_response != NULL ? pool->ping_response : "pong";

	*page = (struct engine_page){
	    .status = 200,
	    .content_type = "text/plain",
	    .headers = page_headers,
	    .type_first = true,
	    .body = body,
	    .body_len = strlen(body),
	};
}

uint32_t respond_status(const struct respond_status *s, struct arena *arena, struct strbuf *body,
    struct engine_page *page)
{
	bool full = s->asks("full");
	enum status_format format = status_format_of(s->asks);
	struct status_view v = {.pool = s->pool, .manager = conf_pm_word(s->manager)};
	struct worker_view *workers = NULL;

	*page = (struct engine_page){.status = 200, .headers = page_headers, .body = ""};
	/* php-fpm leaves a HEAD with PHP's default type, and writes nothing. */
	if (strcmp(s->method, "HEAD") == 0)
		return 0;
	if (full)
		workers = arena_alloc(arena, board_nslots(s->board), sizeof(*workers));
	status_collect(s->board, &v, workers, full);
	strbuf_clear(body);
	status_render(&v, format, full, body);
	page->content_type = status_content_type(format);
	page->body = strbuf_str(body);
	page->body_len = body->len;
	return v.active_max;
}

static void answer(struct conn *c, const char *text)
{
	if (conn_write(c, text, strlen(text)) == CONN_OK)
		(void)conn_finish(c, false);
	conn_close(c);
}

void respond_refused(struct conn *c)
{
	answer(c, "Status: 400 Bad Request\r\n"
		  "Content-type: text/plain; charset=UTF-8\r\n"
		  "\r\n"
		  "Bad Request\n");
}

void respond_unavailable(struct conn *c)
{
	answer(c, "Status: 503 Service Unavailable\r\n"
		  "Retry-After: 1\r\n"
		  "Content-type: text/plain; charset=UTF-8\r\n"
		  "\r\n"
		  "Service Unavailable\n");
}
