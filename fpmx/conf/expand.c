/*
 * expand: variables of the environment in values.
 *
 * Runs in: master.
 */
#include "conf/expand.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

static const char *variable(struct arena *arena, const char *name, size_t n)
{
	const char *value = getenv(arena_strndup(arena, name, n));

	return value != NULL ? value : "";
}

const char *expand_env(struct arena *arena, const char *text, size_t max)
{
	const char *open, *close, *result;
	struct strbuf out;

	if (strstr(text, "${") == NULL)
		return text;
	strbuf_init(&out, max);
	while ((open = strstr(text, "${")) != NULL) {
		if (open > text && open[-1] == '\\') {
			strbuf_add(&out, text, (size_t)(open - text) - 1);
			strbuf_adds(&out, "${");
			text = open + 2;
			continue;
		}
		close = strchr(open, '}');
		if (close == NULL)
			break;
		strbuf_add(&out, text, (size_t)(open - text));
		strbuf_adds(&out, variable(arena, open + 2, (size_t)(close - open) - 2));
		text = close + 1;
	}
	strbuf_adds(&out, text);
	result = out.truncated ? NULL : arena_strdup(arena, strbuf_str(&out));
	strbuf_free(&out);
	return result;
}
