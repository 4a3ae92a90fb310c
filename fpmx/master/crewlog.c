/*
 * crewlog: php-fpm's lines about workers.
 *
 * Runs in: master.
 */
#include "master/crewlog.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/strbuf.h"
#include "proc/exits.h"
#include "status/escape.h"

/* php-fpm calls a pool busy from this rate on. */
#define BUSY_RATE 8

/* More than a line of the log holds. */
#define REQUEST_MAX_BYTES 8192

void crewlog_limits(struct crew *c, const struct scale_step *step, const struct scale_view *v)
{
	const char *key = c->set.conf->pm == PM_ONDEMAND ? "max_children" : "pm.max_children";

	if (step->at_limit && !c->at_limit && v->waiting > 0)
		log_pool(LOG_LEVEL_WARNING, c->set.conf->name,
		    "server reached %s setting (%d), consider raising it (listen queue: %u)", key,
		    c->set.conf->pm_max_children, v->waiting);
	else if (step->at_limit && !c->at_limit)
		log_pool(LOG_LEVEL_WARNING, c->set.conf->name,
		    "server reached %s setting (%d), consider raising it", key,
		    c->set.conf->pm_max_children);
	if (step->at_process_max && !c->set.total->warned) {
		log_warn("The maximum number of processes has been reached. Please review your "
			 "configuration and consider raising 'process.max'");
		c->set.total->warned = true;
	}
	if (v->tick && c->set.conf->pm == PM_DYNAMIC && step->spawn > 0 && v->rate >= BUSY_RATE)
		log_pool(LOG_LEVEL_WARNING, c->set.conf->name,
		    "seems busy (you may need to increase pm.start_servers, or "
		    "pm.min/max_spare_servers), spawning %u children, there are %u idle, and %u "
		    "total children",
		    step->spawn, v->idle, v->idle + v->busy + v->starting + v->retiring);
}

/* php-fpm has a line of its own for whom it had sent away itself. */
static bool has_left_as_told(const struct slot *s, const struct reap_end *end)
{
	return s->surplus && s->state == SLOT_RETIRING && !end->by_signal && end->code == EXIT_DONE;
}

/*
 * Whose words these are: a client's and, the page being the worker's to write,
 * a script's. Nothing in them may look like a line of the log.
 */
static const char *words_of(const struct worker_view *w, struct strbuf *words)
{
	strbuf_init(words, REQUEST_MAX_BYTES);
	strbuf_adds(words, "script '");
	escape_plain(words, w->script);
	strbuf_adds(words, "' (request: \"");
	escape_plain(words, w->method);
	strbuf_addc(words, ' ');
	escape_plain(words, w->uri);
	if (w->query[0])
		strbuf_addc(words, '?');
	escape_plain(words, w->query);
	strbuf_adds(words, "\")");
	return strbuf_str(words);
}

void crewlog_end(const struct crew *c, const struct slot *s, const struct reap_end *end,
    const struct worker_view *w)
{
	uint64_t age_us = clock_now_us() - s->started_us;
	enum log_level level = reap_level(end, c->stopping);
	struct strbuf request;
	char words[REAP_WORDS_BYTES] = "has been killed by the process management";

	if (has_left_as_told(s, end))
		level = LOG_LEVEL_DEBUG;
	else
		reap_words(end, words);
	log_pool(level, c->set.conf->name, "child %d %s after %llu.%06llu seconds from start",
	    (int)s->pid, words, (unsigned long long)(age_us / 1000000),
	    (unsigned long long)(age_us % 1000000));
	if (!end->by_signal && end->code != EXIT_DONE && !reap_is_served(end))
		log_pool(
		    level, c->set.conf->name, "child %d: %s", (int)s->pid, exit_word(end->code));
	/* Whose request it was: php-fpm leaves that to guessing. */
	if (level == LOG_LEVEL_WARNING && w->state > WORKER_IDLE && w->uri[0]) {
		log_pool(level, c->set.conf->name, "child %d was at %s", (int)s->pid,
		    words_of(w, &request));
		strbuf_free(&request);
	}
}

void crewlog_overtime(const struct crew *c, const struct slot *s, const struct worker_view *w,
    uint64_t elapsed_us, enum crewlog_overtime what)
{
	static const char *const words[CREWLOG_OVERTIME_MAX][2] = {
	    [CREWLOG_SLOW] = {"executing too slow", "logging"},
	    [CREWLOG_TERMINATE] = {"execution timed out", "terminating"},
	    [CREWLOG_KILL] = {"execution timed out", "killing it, for it did not terminate"},
	};
	struct strbuf request;

	log_pool(LOG_LEVEL_WARNING, c->set.conf->name, "child %d, %s %s (%llu.%06llu sec), %s",
	    (int)s->pid, words_of(w, &request), words[what][0],
	    (unsigned long long)(elapsed_us / 1000000), (unsigned long long)(elapsed_us % 1000000),
	    words[what][1]);
	strbuf_free(&request);
}

void crewlog_cut(const struct crew *c)
{
	struct strbuf request;
	struct worker_view w;

	for (uint32_t i = 0; i < c->high; i++) {
		if (!slot_has_process(&c->slots[i]) || !board_read(c->set.board, i, &w) ||
		    w.state <= WORKER_IDLE)
			continue;
		log_pool(LOG_LEVEL_WARNING, c->set.conf->name,
		    "child %d, %s is cut off by the stop", (int)c->slots[i].pid,
		    words_of(&w, &request));
		strbuf_free(&request);
	}
}
