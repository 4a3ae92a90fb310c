/*
 * ini: php-fpm's INI files, read as php-fpm reads them.
 *
 * Runs in: master.
 * Never: knows what a name means; build.c does.
 * A file is read line by line, so no value spans lines. What php's grammar
 * accepts is accepted, its order of findings is kept (an entry counts as soon
 * as its value ends, even when rubbish follows), and a line with a syntax error
 * does not hide the lines behind it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/must.h"
#include "conf/build.h"
#include "conf/iniscan.h"

/* Parentheses and signs within each other; more is not a configuration. */
#define NESTING_MAX 32

/* Longest value of a line, after ${VAR} and constants. */
#define VALUE_BYTES (4u << 20)

struct ini {
	struct conf_build *build;
	const char *file;
	uint32_t line;
	struct ini_scan scan;
	unsigned nesting;
	const char *pattern; /* the include of this line */
	struct conf_origin pattern_at;
	bool failed;
};

static struct conf_origin here(const struct ini *ini)
{
	return (struct conf_origin){
	    .file = ini->file, .line = ini->line, .column = (uint32_t)ini->scan.column};
}

static int complain(
    struct ini *ini, const struct conf_origin *at, const char *hint, const char *text)
{
	ini->failed = true;
	return build_complain(ini->build, CONF_ERROR, NULL, at, hint, "%s", text);
}

/* php's sentence; expecting is what it would have liked, or NULL. */
static int syntax_error(struct ini *ini, const char *expecting)
{
	struct conf_origin at = here(ini);
	const char *hint = NULL;
	char room[24];

	if (ini->scan.token == INI_TRUE || ini->scan.token == INI_FALSE ||
	    ini->scan.token == INI_NULL)
		hint = "yes, no, on, off, none, true, false and null need quotes to be text";
	ini->failed = true;
	return build_complain(ini->build, CONF_ERROR, NULL, &at, hint,
	    "syntax error, unexpected %s%s%s", ini_token_name(&ini->scan, room),
	    expecting != NULL ? ", expecting " : "", expecting != NULL ? expecting : "");
}

static bool is_char(const struct ini *ini, char c)
{
	return ini->scan.token == INI_CHAR && *ini->scan.text == c;
}

/* ---- constants ---- */

/* Major, minor and release of the PHP that was built against. */
static void php_version(long part[3])
{
	char *rest = NULL;
	const char *text = FPMX_PHP_VERSION;

	for (int i = 0; i < 3; i++) {
		part[i] = strtol(text, &rest, 10);
		text = *rest == '.' ? rest + 1 : rest;
	}
}

static bool versioned_constant(const char *name, struct strbuf *out)
{
	long v[3];

	php_version(v);
	if (strcmp(name, "PHP_VERSION") == 0)
		strbuf_adds(out, FPMX_PHP_VERSION);
	else if (strcmp(name, "PHP_MAJOR_VERSION") == 0)
		strbuf_printf(out, "%ld", v[0]);
	else if (strcmp(name, "PHP_MINOR_VERSION") == 0)
		strbuf_printf(out, "%ld", v[1]);
	else if (strcmp(name, "PHP_RELEASE_VERSION") == 0)
		strbuf_printf(out, "%ld", v[2]);
	else if (strcmp(name, "PHP_VERSION_ID") == 0)
		strbuf_printf(out, "%ld", v[0] * 10000 + v[1] * 100 + v[2]);
	else if (strcmp(name, "E_ALL") == 0) /* 8.4 dropped E_STRICT from it */
		strbuf_adds(out, v[0] * 100 + v[1] >= 804 ? "30719" : "32767");
	else
		return false;
	return true;
}

/* For the witness of the builder: this is not what was written. */
static void note_computed(struct ini *ini)
{
	build_spelling(ini->build)->computed = true;
}

static void add_known_constant(const struct ini_scan *s, struct strbuf *out)
{
	static const struct {
		const char *name, *value;
	} constants[] = {
#define TEXT(name, value) {name, value},
#define NUMBER(name, value) {name, #value},
#include "conf/iniconst.def"
#undef TEXT
#undef NUMBER
	};
	char name[32];

	if (s->n >= sizeof(name)) {
		strbuf_add(out, s->text, s->n);
		return;
	}
	memcpy(name, s->text, s->n);
	name[s->n] = '\0';
	if (versioned_constant(name, out))
		return;
	/* Behind "=" these three are tokens of their own. */
	if (strcasecmp(name, "true") == 0) {
		strbuf_addc(out, '1');
		return;
	}
	if (strcasecmp(name, "false") == 0 || strcasecmp(name, "null") == 0)
		return;
	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		if (strcmp(constants[i].name, name) == 0) {
			strbuf_adds(out, constants[i].value);
			return;
		}
	}
	strbuf_adds(out, name);
}

static void add_constant(struct ini *ini, struct strbuf *out)
{
	size_t from = out->len;

	add_known_constant(&ini->scan, out);
	if (out->len - from != ini->scan.n ||
	    memcmp(out->bytes + from, ini->scan.text, ini->scan.n) != 0)
		note_computed(ini);
}

/* ---- strings ---- */

static void note_variable(struct ini *ini, size_t from, size_t to)
{
	struct build_spelling *spelling = build_spelling(ini->build);
	const struct ini_scan *s = &ini->scan;

	if (spelling->n == BUILD_VARIABLES_MAX) {
		spelling->sealed = true;
		return;
	}
	spelling->variables[spelling->n++] = (struct build_variable){
	    .from = from, .to = to, .name = arena_strndup(build_arena(ini->build), s->text, s->n)};
}

/* ${NAME}: the master's environment; nothing where it has no such variable. */
static int add_variable(struct ini *ini, struct strbuf *out)
{
	struct ini_scan *s = &ini->scan;
	const char *value;
	size_t from = out->len;
	char *name;

	ini_scan_next(s);
	if (s->token != INI_VARNAME)
		return syntax_error(ini, "TC_VARNAME");
	name = strndup(s->text, s->n);
	value = name != NULL ? getenv(name) : NULL;
	if (value != NULL)
		strbuf_adds(out, value);
	free(name);
	note_variable(ini, from, out->len);
	ini_scan_next(s);
	if (s->token != INI_CURLY_CLOSE)
		return syntax_error(ini, "'}'");
	return 0;
}

static int add_quoted(struct ini *ini, struct strbuf *out)
{
	for (;;) {
		ini_scan_next(&ini->scan);
		switch (ini->scan.token) {
		case INI_QUOTED:
			ini_scan_unescape(&ini->scan, out);
			break;
		case INI_DOLLAR_CURLY:
			if (add_variable(ini, out) != 0)
				return -1;
			break;
		case INI_QUOTE:
			return 0;
		default:
			return syntax_error(ini, "TC_DOLLAR_CURLY or TC_QUOTED_STRING or '\"'");
		}
	}
}

/*
 * Whatever makes up a text, until a token that does not: that one is left as
 * the current one. *pieces counts. Returns -1 after a complaint.
 */
static int add_pieces(struct ini *ini, struct strbuf *out, size_t *pieces)
{
	struct ini_scan *s = &ini->scan;
	int status = 0;

	for (*pieces = 0; status == 0; (*pieces)++, ini_scan_next(s)) {
		switch (s->token) {
		case INI_CONSTANT:
			add_constant(ini, out);
			break;
		case INI_NUMBER:
		case INI_STRING:
		case INI_WHITESPACE:
		case INI_RAW:
			strbuf_add(out, s->text, s->n);
			break;
		case INI_QUOTE:
			status = add_quoted(ini, out);
			break;
		case INI_DOLLAR_CURLY:
			status = add_variable(ini, out);
			break;
		default:
			return 0;
		}
		if (status != 0)
			break;
	}
	return status;
}

/* ---- expressions ---- */

/* As C's atoi on a machine where nothing is undefined: php counts in int. */
static int32_t number_of(const struct strbuf *text)
{
	return (int32_t)(uint32_t)(uint64_t)strtoll(strbuf_str(text), NULL, 10);
}

static void set_number(struct ini *ini, struct strbuf *text, int32_t n)
{
	note_computed(ini);
	build_spelling(ini->build)->sealed = true;
	strbuf_clear(text);
	strbuf_printf(text, "%d", n);
}

static int expression(struct ini *ini, struct strbuf *out);

static int parenthesis(struct ini *ini, struct strbuf *out)
{
	ini_scan_next(&ini->scan);
	if (expression(ini, out) != 0)
		return -1;
	if (!is_char(ini, ')'))
		return syntax_error(ini, "'^' or '|' or '&' or ')'");
	ini_scan_next(&ini->scan);
	return 0;
}

/* A text, or ~x, !x, (x). */
static int operand(struct ini *ini, struct strbuf *out)
{
	size_t pieces;
	int status;

	if (!is_char(ini, '~') && !is_char(ini, '!') && !is_char(ini, '(')) {
		if (add_pieces(ini, out, &pieces) != 0)
			return -1;
		return pieces > 0 ? 0 : syntax_error(ini, NULL);
	}
	if (ini->nesting >= NESTING_MAX)
		return syntax_error(ini, "less nesting");
	ini->nesting++;
	if (is_char(ini, '(')) {
		status = parenthesis(ini, out);
	} else {
		bool inverts = is_char(ini, '~');

		ini_scan_next(&ini->scan);
		status = operand(ini, out);
		if (status == 0)
			set_number(ini, out, inverts ? ~number_of(out) : number_of(out) == 0);
	}
	ini->nesting--;
	return status;
}

/* All operators bind alike, from the left. */
static int expression(struct ini *ini, struct strbuf *out)
{
	struct strbuf right;
	int32_t a, b;
	char operator;

	if (operand(ini, out) != 0)
		return -1;
	while (is_char(ini, '|') || is_char(ini, '&') || is_char(ini, '^')) {
		operator= * ini->scan.text;
		strbuf_init(&right, VALUE_BYTES);
		ini_scan_next(&ini->scan);
		if (operand(ini, &right) != 0) {
			strbuf_free(&right);
			return -1;
		}
		a = number_of(out);
		b = number_of(&right);
		strbuf_free(&right);
		set_number(ini, out, operator== '|' ? (a | b) : operator== '&' ? (a & b) : (a ^ b));
	}
	return 0;
}

/* What stands behind "=", the "=" being the current token. */
static int value(struct ini *ini, struct strbuf *out)
{
	*build_spelling(ini->build) = (struct build_spelling){0};
	ini_scan_next(&ini->scan);
	switch (ini->scan.token) {
	case INI_TRUE:
		strbuf_addc(out, '1');
		break;
	case INI_FALSE:
	case INI_NULL:
	case INI_END_OF_LINE:
		strbuf_adds(out, "");
		break;
	default:
		return expression(ini, out);
	}
	ini_scan_next(&ini->scan);
	return 0;
}

/* ---- statements ---- */

static const char *keep(struct ini *ini, const struct strbuf *text)
{
	return arena_strdup(build_arena(ini->build), strbuf_str(text));
}

/* A name without the blanks around it. */
static const char *keep_name(struct ini *ini)
{
	const char *from = ini->scan.text, *to = from + ini->scan.n;

	while (from < to && *from == ' ')
		from++;
	while (to > from && to[-1] == ' ')
		to--;
	return arena_strndup(build_arena(ini->build), from, (size_t)(to - from));
}

static void remember_include(struct ini *ini, const char *pattern, const struct conf_origin *at)
{
	if (ini->pattern != NULL)
		complain(ini, at, NULL, "two includes at the same time !");
	ini->pattern = pattern;
	ini->pattern_at = *at;
}

/* name, and "= value" if it follows. */
static int entry(struct ini *ini)
{
	struct conf_origin at = here(ini);
	const char *name = keep_name(ini);
	struct strbuf text;
	int status;

	ini_scan_next(&ini->scan);
	if (ini->scan.token != INI_EQUALS) {
		complain(ini, &at, "a directive is written as: name = value",
		    "value is NULL for a ZEND_INI_PARSER_ENTRY");
		return 0;
	}
	strbuf_init(&text, VALUE_BYTES);
	status = value(ini, &text);
	if (status == 0 && strcmp(name, "include") == 0)
		remember_include(ini, keep(ini, &text), &at);
	else if (status == 0 && build_set(ini->build, build_section(ini->build), name, NULL,
				    strbuf_str(&text), &at) != 0)
		ini->failed = true;
	strbuf_free(&text);
	return status;
}

/* Text between brackets, and the closing one. */
static int bracketed(struct ini *ini, struct strbuf *out)
{
	size_t pieces;

	ini_scan_next(&ini->scan);
	if (add_pieces(ini, out, &pieces) != 0)
		return -1;
	if (ini->scan.token != INI_CLOSE)
		return syntax_error(ini, "']'");
	ini_scan_next(&ini->scan);
	return 0;
}

/* name[element] = value */
static int array_entry(struct ini *ini)
{
	struct conf_origin at = here(ini);
	const char *name = keep_name(ini), *element;
	struct strbuf text;
	int status = -1;

	strbuf_init(&text, VALUE_BYTES);
	if (bracketed(ini, &text) != 0)
		goto out;
	if (ini->scan.token != INI_EQUALS) {
		syntax_error(ini, "'='");
		goto out;
	}
	element = keep(ini, &text);
	strbuf_clear(&text);
	status = value(ini, &text);
	if (status == 0 && build_set(ini->build, build_section(ini->build), name, element,
			       strbuf_str(&text), &at) != 0)
		ini->failed = true;
out:
	strbuf_free(&text);
	return status;
}

static int section(struct ini *ini)
{
	struct conf_origin at = here(ini);
	struct pool_conf *pool = NULL;
	struct strbuf name;
	int status;

	strbuf_init(&name, VALUE_BYTES);
	status = bracketed(ini, &name);
	if (status == 0) {
		if (strcasecmp(strbuf_str(&name), "global") != 0)
			pool = build_pool(ini->build, strbuf_str(&name), &at);
		build_enter_section(ini->build, pool, &at);
	}
	strbuf_free(&name);
	return status;
}

static void warn_of_rest(struct ini *ini)
{
	struct conf_origin at = here(ini);

	build_complain(ini->build, CONF_WARNING, NULL, &at, NULL,
	    "nothing closes this quote: the rest of the line is left out, as php does");
}

/* One line of the file; a \r within makes more of it, as for php. */
static void read_line(struct ini *ini, const char *bytes, size_t n)
{
	int status = 0;

	ini_scan_init(&ini->scan, bytes, n);
	ini->pattern = NULL;
	ini->nesting = 0;
	ini_scan_next(&ini->scan);
	while (status == 0 && ini->scan.token != INI_END) {
		switch (ini->scan.token) {
		case INI_END_OF_LINE:
			ini_scan_next(&ini->scan);
			break;
		case INI_LABEL:
			status = entry(ini);
			break;
		case INI_OFFSET:
			status = array_entry(ini);
			break;
		case INI_SECTION:
			status = section(ini);
			break;
		default:
			status = syntax_error(ini, NULL);
			break;
		}
	}
	if (status == 0 && ini->scan.cut)
		warn_of_rest(ini);
	if (ini->pattern != NULL && status == 0 &&
	    build_include(ini->build, ini->pattern, false, &ini->pattern_at) != 0)
		ini->failed = true;
}

/* A byte order mark, as some editors put it in front. */
static void skip_mark(const char **text, size_t *n)
{
	if (*n < 3 || memcmp(*text, "\xef\xbb\xbf", 3) != 0)
		return;
	*text += 3;
	*n -= 3;
}

int ini_read(struct conf_build *b, const char *file, const char *text, size_t n)
{
	struct ini ini = {.build = b, .file = file};
	const char *end, *next;

	skip_mark(&text, &n);
	for (end = text + n; text < end; text = next) {
		next = memchr(text, '\n', (size_t)(end - text));
		next = next != NULL ? next + 1 : end;
		ini.line++;
		if (memchr(text, '\0', (size_t)(next - text)) != NULL) {
			struct conf_origin at = {.file = file, .line = ini.line};

			complain(&ini, &at, NULL, "a NUL byte: this is no text file");
			break;
		}
		read_line(&ini, text, (size_t)(next - text));
	}
	return ini.failed ? -1 : 0;
}
