/*
 * yamlevent: YAML text as a row of events.
 *
 * Runs in: master, engine.
 * The only includer of <yaml.h>.
 */
#include "conf/yamlevent.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "conf/yamlhint.h"

struct yaml_events {
	const char *file, *text;
	size_t n;
	yaml_parser_t parser;
	yaml_event_t raw; /* the current one, which owns what event points to */
	struct yaml_event event;
};

struct yaml_events *yaml_events_open(const char *file, const char *text, size_t n)
{
	struct yaml_events *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return NULL;
	if (yaml_parser_initialize(&e->parser) != 1) {
		free(e);
		return NULL;
	}
	e->file = file;
	e->text = text;
	e->n = n;
	yaml_parser_set_encoding(&e->parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&e->parser, (const unsigned char *)text, n);
	return e;
}

void yaml_events_close(struct yaml_events *e)
{
	yaml_event_delete(&e->raw);
	yaml_parser_delete(&e->parser);
	free(e);
}

static struct conf_origin origin_of(const struct yaml_events *e, const yaml_mark_t *mark)
{
	return (struct conf_origin){.file = e->file,
	    .line = (uint32_t)mark->line + 1,
	    .column = (uint32_t)mark->column + 1};
}

#define complain(b, at, hint, ...) \
	((void)build_complain((b), CONF_ERROR, NULL, (at), (hint), __VA_ARGS__))

static void complain_syntax(struct yaml_events *e, struct conf_build *b)
{
	const yaml_parser_t *p = &e->parser;
	struct conf_origin at = origin_of(e, &p->problem_mark);
	struct yaml_slip slip = {.context = p->context,
	    .problem = p->problem,
	    .text = e->text,
	    .n = e->n,
	    .line = p->problem_mark.line,
	    .column = p->problem_mark.column};

	if (p->error == YAML_READER_ERROR) {
		yaml_place(e->text, e->n, p->problem_offset, &at); /* it has no mark */
		complain(b, &at, "The file must be text in UTF-8.", "not text: %s", p->problem);
	} else if (p->error == YAML_MEMORY_ERROR) {
		complain(b, &at, NULL, "out of memory");
	} else if (p->context != NULL && p->context_mark.line != p->problem_mark.line) {
		complain(b, &at, yaml_hint(&slip), "not YAML: %s %s that began in line %zu",
		    p->problem, p->context, p->context_mark.line + 1);
	} else {
		complain(b, &at, yaml_hint(&slip), "not YAML: %s%s%s", p->problem,
		    p->context != NULL ? " " : "", p->context != NULL ? p->context : "");
	}
}

static void take_text(struct yaml_event *event, const yaml_event_t *raw)
{
	event->kind = EVENT_TEXT;
	event->text = (const char *)raw->data.scalar.value;
	event->n = raw->data.scalar.length;
	event->tag = (const char *)raw->data.scalar.tag;
	if (raw->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE)
		event->quotes = QUOTES_SINGLE;
	else if (raw->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		event->quotes = QUOTES_OTHER;
}

static void take(struct yaml_events *e)
{
	struct yaml_event *event = &e->event;
	const yaml_event_t *raw = &e->raw;

	*event = (struct yaml_event){.at = origin_of(e, &raw->start_mark), .text = ""};
	switch (raw->type) {
	case YAML_SCALAR_EVENT:
		take_text(event, raw);
		break;
	case YAML_MAPPING_START_EVENT:
		event->kind = EVENT_MAPPING;
		event->tag = (const char *)raw->data.mapping_start.tag;
		break;
	case YAML_SEQUENCE_START_EVENT:
		event->kind = EVENT_LIST;
		event->tag = (const char *)raw->data.sequence_start.tag;
		break;
	case YAML_ALIAS_EVENT:
		event->kind = EVENT_ALIAS;
		event->text = (const char *)raw->data.alias.anchor;
		break;
	case YAML_MAPPING_END_EVENT:
		event->kind = EVENT_MAPPING_END;
		break;
	case YAML_SEQUENCE_END_EVENT:
		event->kind = EVENT_LIST_END;
		break;
	case YAML_STREAM_END_EVENT:
		event->kind = EVENT_STREAM_END;
		break;
	default:
		break;
	}
}

const struct yaml_event *yaml_events_next(struct yaml_events *e, struct conf_build *b)
{
	yaml_event_delete(&e->raw);
	if (!yaml_parser_parse(&e->parser, &e->raw)) {
		memset(&e->raw, 0, sizeof(e->raw));
		complain_syntax(e, b);
		return NULL;
	}
	take(e);
	return &e->event;
}
