/*
 * yamlevent: YAML text as a row of events.
 *
 * Runs in: master, engine.
 * The face of libyaml: nobody else knows it. Says where text stops being YAML
 * and what to do about it; what an event means is the reader's business.
 */
#ifndef FPMX_CONF_YAMLEVENT_H
#define FPMX_CONF_YAMLEVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "conf/build.h"

enum yaml_kind {
	EVENT_NONE, /* begin of the stream, begin and end of a document */
	EVENT_TEXT,
	EVENT_MAPPING,
	EVENT_MAPPING_END,
	EVENT_LIST,
	EVENT_LIST_END,
	EVENT_ALIAS,
	EVENT_STREAM_END,
	EVENT_MAX
};

enum yaml_quotes { QUOTES_NONE, QUOTES_SINGLE, QUOTES_OTHER };

struct yaml_event {
	enum yaml_kind kind;
	struct conf_origin at;
	const char *text; /* of a text, NUL behind it; of an alias its name; else "" */
	size_t n;
	enum yaml_quotes quotes; /* of a text */
	const char *tag;         /* or NULL */
};

struct yaml_events;

/* NULL without memory. The text has to stay until yaml_events_close(). */
struct yaml_events *yaml_events_open(const char *file, const char *text, size_t n);
void yaml_events_close(struct yaml_events *);

/* The next event, until the one after it; NULL, with a complaint, where text is no YAML. */
const struct yaml_event *yaml_events_next(struct yaml_events *, struct conf_build *);

#endif
