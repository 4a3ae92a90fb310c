/*
 * cli: one table of options.
 *
 * Runs in: master.
 * Not getopt_long(): that takes abbreviated long names, which php-fpm refuses.
 */
#include "master/cli.h"

#include <limits.h>
#include <string.h>

/* Options of ours have no letter: php-fpm may want it one day. */
enum { OPTION_CONVERT = 256, OPTION_OUTPUT, OPTION_OVERWRITE, OPTION_ORIGINS, OPTION_OWN_VERSION };

struct option {
	int letter;
	const char *names[3]; /* long names */
	const char *argument; /* its name in the usage, or NULL */
	const char *doc;
};

static const struct option options[] = {
    {'c', {"php-ini"}, "path", "Take php.ini from this file or folder"},
    {'n', {"no-php-ini"}, NULL, "Take no php.ini"},
    {'d', {"define"}, "name[=value]", "Set an ini entry; may be repeated"},
    {'e', {"profile-info"}, NULL, "Generate extended information for debuggers and profilers"},
    {'h', {"help", "usage"}, NULL, "This help"},
    {'?', {NULL}, NULL, NULL},
    {'i', {"info"}, NULL, "PHP information"},
    {'m', {"modules"}, NULL, "Show the modules of PHP"},
    {'v', {"version"}, NULL, "Show the version of PHP"},
    {'p', {"prefix"}, "folder", "Where relative paths of the configuration start"},
    {'g', {"pid"}, "file", "Write the master's process id to this file"},
    {'y', {"fpm-config"}, "file",
	"Configuration: *.yaml and *.yml are YAML, else php-fpm's format"},
    {'t', {"test", "test-config"}, NULL, "Check the configuration and exit; twice: also show it"},
    {'D', {"daemonize"}, NULL, "Go to the background, whatever the configuration says"},
    {'F', {"nodaemonize"}, NULL, "Stay in the foreground, whatever the configuration says"},
    {'O', {"force-stderr"}, NULL, "In the foreground, log to stderr even if it is no terminal"},
    {'R', {"allow-to-run-as-root"}, NULL, "Let pools run as root"},
    {OPTION_ORIGINS, {"origins"}, NULL, "With -tt: say which file and line each value is from"},
    {OPTION_CONVERT, {"convert"}, "file",
	"Write php-fpm's configuration as YAML to the standard output"},
    {OPTION_OUTPUT, {"output"}, "folder", "With --convert: a file there for each that is read"},
    {OPTION_OVERWRITE, {"overwrite"}, NULL, "With --output: replace files that are there already"},
    {OPTION_OWN_VERSION, {"fpmx-version"}, NULL, "Show the version of fpmx"},
};
#define NOPTIONS (sizeof(options) / sizeof(options[0]))

/* Where we are in the words. */
struct words {
	int argc;
	char **argv;
	int at;           /* word */
	const char *more; /* further letters of a word like -tt, or NULL */
	const char *why;  /* what is wrong with the last one */
};

static const struct option *wrong(struct words *w, const char *why)
{
	w->why = why;
	return NULL;
}

#define NO_OPTION "is no option of fpmx"
#define NO_VALUE "lacks its value"

static const struct option *find_letter(unsigned char c)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].letter == c)
			return &options[i];
	return NULL;
}

static const struct option *find_name(const char *name, size_t n)
{
	for (size_t i = 0; i < NOPTIONS; i++)
		for (size_t k = 0; k < 3 && options[i].names[k]; k++)
			if (strlen(options[i].names[k]) == n &&
			    memcmp(options[i].names[k], name, n) == 0)
				return &options[i];
	return NULL;
}

static const char *next_word(struct words *w)
{
	return w->at < w->argc ? w->argv[w->at++] : NULL;
}

/* --name, --name=value, --name value. NULL: wrong. */
static const struct option *next_long(struct words *w, const char *word, const char **value)
{
	size_t n = strcspn(word, "=");
	const struct option *o = find_name(word, n);

	if (!o)
		return wrong(w, NO_OPTION);
	if (word[n] == '=' && !o->argument)
		return wrong(w, "takes no value");
	if (o->argument)
		*value = word[n] == '=' ? word + n + 1 : next_word(w);
	return o->argument && !*value ? wrong(w, NO_VALUE) : o;
}

/* -x, -xvalue, -x value, -xyz. NULL: wrong. */
static const struct option *next_short(struct words *w, const char *word, const char **value)
{
	const struct option *o = find_letter((unsigned char)word[0]);

	if (!o)
		return wrong(w, NO_OPTION);
	if (!o->argument) {
		w->more = word[1] ? word + 1 : NULL;
		return o;
	}
	*value = word[1] ? word + 1 : next_word(w);
	if (*value && word[1] == '=')
		(*value)++;
	return *value ? o : wrong(w, NO_VALUE);
}

static const struct option *next_option(struct words *w, const char **value)
{
	const char *word = w->more;

	*value = NULL;
	w->more = NULL;
	if (word)
		return next_short(w, word, value);
	word = next_word(w);
	if (word[0] != '-' || word[1] == '\0')
		return wrong(w, "is no option, and fpmx takes nothing else");
	if (word[1] == '-')
		return next_long(w, word + 2, value);
	return next_short(w, word + 1, value);
}

static void add_define(struct cli *c, struct arena *a, const char *text)
{
	struct conf_list *l = &c->php.defines;
	const char **items = arena_alloc(a, l->n + 1, sizeof(*items));

	if (l->n > 0)
		memcpy(items, l->items, l->n * sizeof(*items));
	items[l->n++] = text;
	l->items = items;
}

/* The first word that asks for something else than serving decides. */
static void choose(struct cli *c, enum cli_action action)
{
	if (c->action == CLI_RUN || c->action == CLI_TEST)
		c->action = action;
}

static void take(struct cli *c, struct arena *a, const struct option *o, const char *value)
{
	switch (o->letter) {
	case 'c':
		c->php.ini_path = value;
		break;
	case 'n':
		c->php.no_ini = 1;
		break;
	case 'd':
		add_define(c, a, value);
		break;
	case 'e':
		c->php.extended_info = 1;
		break;
	case 'i':
		choose(c, CLI_INFO);
		break;
	case 'm':
		choose(c, CLI_MODULES);
		break;
	case 'v':
		choose(c, CLI_VERSION);
		break;
	case 'p':
		c->prefix = value;
		break;
	case 'g':
		c->pid_file = value;
		break;
	case 'y':
		c->config = value;
		break;
	case 't':
		c->dump = c->action == CLI_TEST;
		choose(c, CLI_TEST);
		break;
	case 'D':
		c->daemon = CLI_DAEMONIZE;
		break;
	case 'F':
		c->daemon = CLI_FOREGROUND;
		break;
	case 'O':
		c->force_stderr = true;
		break;
	case 'R':
		c->allow_root = true;
		break;
	case OPTION_ORIGINS:
		c->origins = true;
		break;
	case OPTION_OWN_VERSION:
		choose(c, CLI_OWN_VERSION);
		break;
	case OPTION_CONVERT:
		choose(c, CLI_CONVERT);
		c->convert = value;
		break;
	case OPTION_OUTPUT:
		c->output = value;
		break;
	case OPTION_OVERWRITE:
		c->overwrite = true;
		break;
	default: /* h and ? */
		choose(c, CLI_HELP);
	}
}

/* An option alone that only says something about another one. */
static void check_company(struct cli *c)
{
	if (c->origins && !c->dump)
		c->wrong = "--origins", c->why = "goes with -tt only";
	else if (c->output && !c->convert)
		c->wrong = "--output", c->why = "goes with --convert only";
	else if (c->overwrite && !c->output)
		c->wrong = "--overwrite", c->why = "goes with --output only";
	if (c->wrong)
		c->action = CLI_WRONG;
}

void cli_parse(int argc, char **argv, struct arena *a, struct cli *c)
{
	struct words w = {.argc = argc, .argv = argv, .at = 1};

	*c = (struct cli){.action = CLI_RUN};
	while (w.more || w.at < w.argc) {
		const char *word = w.more ? w.argv[w.at - 1] : w.argv[w.at], *value;
		const struct option *o = next_option(&w, &value);

		if (!o) {
			c->wrong = word;
			c->why = w.why;
			choose(c, CLI_WRONG);
			return;
		}
		take(c, a, o, value);
	}
	check_company(c);
}

static void print_option(FILE *out, const struct option *o)
{
	const char *argument = o->argument ? o->argument : "";
	const char *gap = o->argument ? " " : "";

	const char *mark = "  ";

	if (o->letter <= UCHAR_MAX) {
		fprintf(out, "  -%c%s%s", o->letter, gap, argument);
		mark = ", ";
	}
	for (size_t k = 0; k < 3 && o->names[k]; k++, mark = ", ")
		fprintf(out, "%s--%s%s%s", mark, o->names[k], gap, argument);
	fprintf(out, "\n        %s\n", o->doc);
}

void cli_usage(FILE *out)
{
	fputs("Usage: fpmx [-n] [-e] [-h] [-i] [-m] [-v] [-t] [-p <prefix>] [-g <pid>] [-c <file>] "
	      "[-d foo[=bar]] [-y <file>] [-D] [-F [-O]] [-R]\n",
	    out);
	for (size_t i = 0; i < NOPTIONS; i++)
		if (options[i].doc)
			print_option(out, &options[i]);
	fputs("This is fpmx " FPMX_VERSION ".\n", out);
}
