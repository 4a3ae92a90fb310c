/*
 * keydoc: writes what people read about the directives, from keys.def.
 *
 *   keydoc config   docs/config.md
 *   keydoc main     pool.d/fpmx.yaml.sample
 *   keydoc pool     pool.d/pool.yaml.sample
 *   keydoc man      docs/fpmx.yaml.5
 *
 * Runs: while fpmx is built ("make docs"), never installed. A lint compares the
 * committed files with what this writes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/strbuf.h"
#include "conf/keys.h"

/* The samples are a configuration that starts; all else in them is a comment. */
static const struct {
	enum conf_key key;
	const char *text;
} examples[] = {
    {KEY_GLOBAL_error_log, "/var/log/fpmx.log"},
    {KEY_POOL_user, "www-data"},
    {KEY_POOL_listen, "/run/fpmx/example.sock"},
    {KEY_POOL_listen_owner, "www-data"},
    {KEY_POOL_listen_group, "www-data"},
    {KEY_POOL_pm, "dynamic"},
    {KEY_POOL_pm_max_children, "5"},
    {KEY_POOL_pm_start_servers, "2"},
    {KEY_POOL_pm_min_spare_servers, "1"},
    {KEY_POOL_pm_max_spare_servers, "3"},
};

static const char *example(enum conf_key key)
{
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		if (examples[i].key == key)
			return examples[i].text;
	return NULL;
}

static const char *type_words(enum conf_type type)
{
	static const char *const words[TYPE_MAX] = {
	    [TYPE_STRING] = "text",
	    [TYPE_PATH] = "path",
	    [TYPE_BOOL] = "yes or no",
	    [TYPE_INT] = "number",
	    [TYPE_DURATION] = "duration",
	    [TYPE_MODE] = "octal mode",
	    [TYPE_LIST] = "list",
	    [TYPE_MAP] = "mapping",
	    [TYPE_FLAGS] = "mapping to yes or no",
	    [TYPE_CORE_SIZE] = "bytes or `unlimited`",
	};

	return words[type];
}

/* This word, or the next that is not another name of an earlier one. */
static const struct conf_word *no_alias(enum conf_type type, const struct conf_word *w)
{
	while (w->word != NULL && keys_word(type, w->value) != w->word)
		w++;
	return w;
}

/* "number, 512 or more", "duration", "static, dynamic or ondemand". */
static void add_value(const struct conf_row *row, struct strbuf *out)
{
	const struct conf_word *w = keys_words(row->type);

	if (w == NULL) {
		strbuf_adds(out, type_words(row->type));
		if (row->limits == LIMITS_NONE)
			return;
		strbuf_adds(out, row->limits == LIMITS_WARN ? ", usually" : ",");
		if (row->high == INT32_MAX)
			strbuf_printf(out, " %" PRId64 " or more", row->low);
		else
			strbuf_printf(out, " %" PRId64 " to %" PRId64, row->low, row->high);
		return;
	}
	w = no_alias(row->type, w);
	for (const char *mark = ""; w->word != NULL;) {
		strbuf_printf(out, "%s%s", mark, w->word);
		w = no_alias(row->type, w + 1);
		mark = w->word != NULL && no_alias(row->type, w + 1)->word == NULL ? " or " : ", ";
	}
}

static const char *state_words(const struct conf_row *row)
{
	return row->state == STATE_ACTED ? "" : "Read and checked, but not acted on yet.";
}

/* One row, and what its values are in words. */
typedef void row_fn(const struct conf_row *, struct strbuf *value);

static void each_row(enum conf_scope scope, row_fn *write)
{
	for (size_t i = 0; i < KEY_MAX; i++) {
		struct strbuf value;

		if (conf_rows[i].scope != scope)
			continue;
		strbuf_init(&value, 1024);
		add_value(&conf_rows[i], &value);
		write(&conf_rows[i], &value);
		strbuf_free(&value);
	}
}

/* ---- docs/config.md ---- */

static const char introduction[] =
    "# Directives\n"
    "\n"
    "<!-- Written by docs/keydoc.c from fpmx/conf/keys.def: change that, then `make docs`. -->\n"
    "\n"
    "All directives in both formats. A file that ends in `.yaml` or `.yml` is YAML, any other\n"
    "is read as php-fpm reads it; either may include the other.\n"
    "\n"
    "```yaml\n"
    "global:\n"
    "  error_log: /var/log/fpmx.log\n"
    "include: [ pool.d/*.yaml, /etc/php/8.2/fpm/pool.d/*.conf ]\n"
    "pools:\n"
    "  shop:\n"
    "    listen: /run/fpmx/shop.sock\n"
    "    user: www-data\n"
    "    pm: { mode: ondemand, max_children: 5 }     # or pm: ondemand, pm.max_children: 5\n"
    "    env: { APP_ENV: production, TOKEN: \"${TOKEN}\" }\n"
    "    php_admin_value: { memory_limit: 256M }\n"
    "```\n"
    "\n"
    "* In YAML names may be nested at their dots; inside `pm` the key `mode` is `pm` itself.\n"
    "  A list or mapping of php-fpm's files (`env[X] = y`) is a list or mapping in YAML.\n"
    "* A duration is a number of seconds, or one with `s`, `m`, `h` or `d`. A yes or no may also\n"
    "  be on or off, true or false, 1 or 0.\n"
    "* `$pool` in a text is the name of the pool. `${NAME}` is a variable of the environment\n"
    "  that the master was started with; between single quotes it stays as it is. Inside\n"
    "  `{ }` and `[ ]` YAML wants it between double quotes.\n"
    "* A relative path begins at the pool's `prefix`, else at the one given with `-p`, else at\n"
    "  the compiled one. A relative `include` of a YAML file begins at the folder of that file,\n"
    "  or at the prefix if only there something matches.\n"
    "* In YAML a directive stands once in a file; a file that is included later replaces what\n"
    "  earlier files set. YAML's anchors, aliases and tags are not used, but for\n"
    "  `!!binary`, which is how bytes that are not UTF-8 are said.\n"
    "* In `php_value` and `php_admin_value` yes and no mean `1` and nothing, as in php.ini; quote\n"
    "  them to mean the words. `\\${` stands for `${` where single quotes are no choice.\n"
    "* **change** says when a new value is taken: at the next *reload*, or only by a master\n"
    "  that is started anew (*restart*).\n"
    "  Directives marked **fpmx** are not php-fpm's.\n"
    "\n";

static void config_row(const struct conf_row *row, struct strbuf *value)
{
	printf("| `%s` | %s", row->name, strbuf_str(value));
	if (row->standard != NULL)
		printf(" | `%s`", row->standard);
	else
		printf(" | none");
	printf(" | %s | %s%s", row->change == CHANGE_RELOAD ? "reload" : "restart",
	    row->maker == MAKER_OWN ? "**fpmx.** " : "", row->doc);
	if (row->state != STATE_ACTED)
		printf(" *%s*", state_words(row));
	puts(" |");
}

static void config_scope(enum conf_scope scope)
{
	puts("| directive | value | default | change | |");
	puts("|---|---|---|---|---|");
	each_row(scope, config_row);
}

static void config(void)
{
	fputs(introduction, stdout);
	puts("## Of the master (`global:`, `[global]`)\n");
	config_scope(SCOPE_GLOBAL);
	puts("\n## Of a pool (`pools: NAME:`, `[NAME]`)\n");
	config_scope(SCOPE_POOL);
}

/* ---- the samples ---- */

static void put_comment(int indent, const char *text)
{
	int column = 0;

	while (*text != '\0') {
		int n = (int)strcspn(text, " ");

		if (column == 0 || column + 1 + n > 88) {
			printf("%s%*s# %.*s", column == 0 ? "" : "\n", indent, "", n, text);
			column = indent + 2 + n;
		} else {
			printf(" %.*s", n, text);
			column += 1 + n;
		}
		text += n + (text[n] == ' ');
	}
	if (column > 0)
		putchar('\n');
}

/* A default is quoted where YAML would take it for something else than text. */
static void put_default(const struct conf_row *row)
{
	if (row->type == TYPE_LIST)
		printf(" []");
	if (row->standard == NULL)
		return;
	if (row->type == TYPE_STRING || row->type == TYPE_PATH)
		printf(" '%s'", row->standard);
	else
		printf(" %s", row->standard);
}

/* A comment on a line of its own shows how elements are written. */
static void put_setting(const struct conf_row *row, int indent)
{
	const char *text = example(key_of(row));

	if (text != NULL) {
		printf("%*s%s: %s\n", indent, "", row->name, text);
		return;
	}
	printf("%*s#%s:", indent, "", row->name);
	put_default(row);
	putchar('\n');
	if (row->type == TYPE_MAP)
		printf("%*s#  NAME: value\n", indent, "");
	if (row->type == TYPE_FLAGS)
		printf("%*s#  FLAG: yes\n", indent, "");
}

static void sample_key(const struct conf_row *row, int indent)
{
	struct strbuf value;

	strbuf_init(&value, 1024);
	strbuf_addc(&value, '(');
	add_value(row, &value);
	strbuf_printf(&value, "%s)", row->maker == MAKER_OWN ? "; not php-fpm's" : "");
	putchar('\n');
	put_comment(indent, row->doc);
	put_comment(indent, strbuf_str(&value));
	put_comment(indent, state_words(row));
	put_setting(row, indent);
	strbuf_free(&value);
}

static void sample_scope(enum conf_scope scope, int indent)
{
	for (size_t i = 0; i < KEY_MAX; i++)
		if (conf_rows[i].scope == scope)
			sample_key(&conf_rows[i], indent);
}

static const char written_by[] =
    "# Every directive that fits here, with its default where it has one. Lines that begin with\n"
    "# '#' and a directive are the defaults; docs/config.md has the rules of the format.\n"
    "# (Written by docs/keydoc.c from fpmx/conf/keys.def.)\n";

static void main_sample(void)
{
	puts("# The main file of fpmx: what belongs to the master, and where the pools are.\n#");
	fputs(written_by, stdout);
	puts("\nglobal:");
	sample_scope(SCOPE_GLOBAL, 2);
	puts("\n# Further files, YAML or php-fpm's format, in the order of their names.\n"
	     "include: [ pool.d/*.yaml ]");
}

static void pool_sample(void)
{
	puts("# A pool: one application, its socket, its user and its workers.\n#");
	fputs(written_by, stdout);
	puts("\npools:\n  example:");
	sample_scope(SCOPE_POOL, 4);
}

/* ---- docs/fpmx.yaml.5 ---- */

/* One character that roff would not take as it is. */
static void man_char(char c)
{
	if (c == '\\')
		fputs("\\e", stdout);
	else if (c == '-')
		fputs("\\-", stdout);
	else if (c == '\'')
		fputs("\\(aq", stdout);
	else
		putchar(c);
}

/* A line of Markdown: `code` and **strong** are bold, *emphasis* is italic. */
static void man_text(const char *text, size_t n)
{
	bool open = false;

	if (n > 0 && *text == '.')
		fputs("\\&", stdout);
	for (size_t i = 0; i < n; i++) {
		bool pair = i + 1 < n && text[i] == '*' && text[i + 1] == '*';
		bool mark = text[i] == '`' || pair ||
			    (text[i] == '*' && (open || (i + 1 < n && text[i + 1] != '.')));

		if (!mark) {
			man_char(text[i]);
			continue;
		}
		open = !open;
		fputs(!open ? "\\fR" : text[i] == '*' && !pair ? "\\fI" : "\\fB", stdout);
		i += pair;
	}
	putchar('\n');
}

/* The rules of the format, which docs/config.md begins with. */
static void man_introduction(void)
{
	bool code = false;
	size_t n;

	for (const char *line = introduction; *line != '\0'; line += n + 1) {
		n = strcspn(line, "\n");
		if (strncmp(line, "```", 3) == 0) {
			code = !code;
			puts(code ? ".PP\n.RS 4\n.nf" : ".fi\n.RE");
		} else if (*line == '#' || *line == '<') {
			continue; /* the title, and where the text comes from */
		} else if (n == 0) {
			if (line[1] != '*' && line[1] != '`' && line[1] != '<' && line[1] != '\0')
				puts(".PP");
		} else if (code) {
			man_text(line, n);
		} else if (strncmp(line, "* ", 2) == 0) {
			puts(".IP \\(bu 2");
			man_text(line + 2, n - 2);
		} else {
			n -= strspn(line, " ");
			line += strspn(line, " ");
			man_text(line, n);
		}
	}
}

static void man_row(const struct conf_row *row, struct strbuf *value)
{
	printf(".TP\n.B ");
	man_text(row->name, strlen(row->name));
	man_text(row->doc, strlen(row->doc));
	puts(".br");
	strbuf_printf(value, "; default `%s`", row->standard != NULL ? row->standard : "none");
	strbuf_printf(
	    value, "; taken by a %s", row->change == CHANGE_RELOAD ? "reload" : "restart only");
	strbuf_adds(value, row->maker == MAKER_OWN ? "; not php-fpm's." : ".");
	man_text(strbuf_str(value), value->len);
	if (row->state != STATE_ACTED)
		man_text(state_words(row), strlen(state_words(row)));
}

static void man(void)
{
	puts(
	    ".\\\" Written by docs/keydoc.c from fpmx/conf/keys.def: change that, then make docs.\n"
	    ".TH FPMX.YAML 5 \"\" \"fpmx " FPMX_VERSION "\" \"File formats\"\n"
	    ".SH NAME\n"
	    "fpmx.yaml \\- configuration of fpmx, the FastCGI process manager for PHP\n"
	    ".SH DESCRIPTION");
	man_introduction();
	puts(".SH DIRECTIVES OF THE MASTER\nBelow\n.BR global: ,\nor in the section\n.B [global]\n"
	     "of php\\-fpm\\(aqs format.");
	each_row(SCOPE_GLOBAL, man_row);
	puts(
	    ".SH DIRECTIVES OF A POOL\nBelow\n.B pools:\nand the name of the pool, or in a section "
	    "of that name.");
	each_row(SCOPE_POOL, man_row);
	puts(".SH FILES\n.TP\n.I /etc/fpmx/fpmx.yaml\n"
	     "What is read without\n.BR \\-y ,\nif it is there; else php\\-fpm\\(aqs own default. "
	     "The folder is the sysconfdir that was "
	     "configured.\n"
	     ".SH SEE ALSO\n.BR fpmx (8)");
}

int main(int argc, char **argv)
{
	const char *what = argc == 2 ? argv[1] : "";

	if (strcmp(what, "config") == 0) {
		config();
	} else if (strcmp(what, "main") == 0) {
		main_sample();
	} else if (strcmp(what, "pool") == 0) {
		pool_sample();
	} else if (strcmp(what, "man") == 0) {
		man();
	} else {
		fputs("usage: keydoc config | main | pool | man\n", stderr);
		return 64;
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
