/*
 * main: fpmx from the command line to what it is asked for.
 *
 * Runs in: master.
 * Never: maps PHP, for any option: -i, -m and -v are answered by the engine.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/must.h"
#include "base/strbuf.h"
#include "conf/conf.h"
#include "conf/convert.h"
#include "master/activation.h"
#include "master/cli.h"
#include "master/environ.h"
#include "master/handover.h"
#include "master/inherit.h"
#include "master/info.h"
#include "master/logfile.h"
#include "master/master.h"
#include "master/rehearse.h"
#include "master/notify.h"
#include "proc/exits.h"
#include "proc/title.h"

/* No configuration becomes as long. */
#define CONVERTED_BYTES (64u << 20)

_Static_assert((int)CONF_GRADE_MAX == 4, "each grade has its level");
static const enum log_level grade_levels[CONF_GRADE_MAX] = {
    [CONF_NOTICE] = LOG_LEVEL_NOTICE,
    [CONF_WARNING] = LOG_LEVEL_WARNING,
    [CONF_ERROR] = LOG_LEVEL_ERROR,
    [CONF_ALERT] = LOG_LEVEL_ALERT,
};

static void tell_finding(void *ctx, enum conf_grade grade, const char *line)
{
	(void)ctx;
	log_at(grade_levels[grade], NULL, "%s", line);
}

static void tell_dump(void *ctx, const char *line)
{
	(void)ctx;
	log_notice("%s", line);
}

static int fail(void)
{
	log_error("FPM initialization failed");
	return EXIT_CONFIG;
}

/* What this process was started with. */
struct command {
	struct cli cli;
	char *const *argv;
	struct inherit *inherit;
	struct notify *notify;
};

static bool will_daemonize(const struct cli *cli, const struct conf *conf)
{
	if (cli->daemon != CLI_AS_CONFIGURED)
		return cli->daemon == CLI_DAEMONIZE;
	return conf->global.daemonize;
}

/* php-fpm's rule for where the log goes. */
static int open_log(const struct cli *cli, const struct conf *conf)
{
	bool to_file = will_daemonize(cli, conf) || (!isatty(STDERR_FILENO) && !cli->force_stderr);
	struct err e;

	if (logfile_configure(&conf->global, to_file, &e) == 0)
		return 0;
	log_error("%s", e.text);
	log_error("failed to post process the configuration");
	return -1;
}

static int run_test(const struct master_start *s)
{
	/* php-fpm before 8.4 ends this line with an empty one. */
	const char *more = strcmp(FPMX_PHP_XY, "8.4") < 0 ? "\n" : "";
	const struct cli *cli = s->cli;
	const struct conf *conf = s->conf;
	struct err e;

	if (cli->origins)
		conf_dump_places(conf, tell_dump, NULL);
	else if (cli->dump)
		conf_dump_fpm(conf, tell_dump, NULL);
	if (rehearse_is_asked(s->inherit) && rehearse_run(s, &e) < 0) {
		log_error("%s", e.text);
		return fail();
	}
	log_notice("configuration file %s test is successful%s", conf->path, more);
	return EXIT_DONE;
}

static int run_configured(const struct command *c, struct conf *conf)
{
	const struct cli *cli = &c->cli;
	struct master_start start = {
	    .cli = cli,
	    .conf = conf,
	    .argv = c->argv,
	    .environ = environ,
	    .inherit = c->inherit,
	    .notify = c->notify,
	    .daemonize = will_daemonize(cli, conf),
	};

	return cli->action == CLI_TEST ? run_test(&start) : master_run(&start);
}

static int check_prefix(const struct cli *cli)
{
	struct stat st;

	if (!cli->prefix || (stat(cli->prefix, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	log_error("the global prefix '%s' does not exist or is not a directory", cli->prefix);
	return -1;
}

static int run(const struct command *c)
{
	const struct cli *cli = &c->cli;
	struct conf_source source = {
	    .path = cli->config,
	    .prefix = cli->prefix,
	    .root = geteuid() == 0,
	    .allow_root = cli->allow_root,
	    .start = cli->action != CLI_TEST,
	};
	struct conf_report report;
	struct conf *conf;
	int code = EXIT_CONFIG;

	if (check_prefix(cli) < 0)
		return fail();
	conf_report_init(&report);
	report.bare_names = cli->dump && !cli->origins;
	conf = conf_load(&source, &report);
	if (conf && cli->pid_file)
		conf->global.pid = cli->pid_file;
	/* A good file decides where its notices go; of a bad one stderr is told. */
	if (conf && open_log(cli, conf) < 0) {
		conf_free(conf);
		conf = NULL;
	} else
		conf_report_tell(&report, tell_finding, NULL);
	conf_report_free(&report);
	if (!conf)
		return fail();
	code = run_configured(c, conf);
	conf_free(conf);
	return code;
}

static void tell_note(const char *line)
{
	log_notice("%s", line);
}

/* The text is the only thing on the standard output: people send it into a file. */
static int run_convert(const struct cli *cli)
{
	struct convert_order order = {
	    .path = cli->convert,
	    .prefix = cli->prefix,
	    .folder = cli->output,
	    .overwrite = cli->overwrite,
	    .tell = tell_note,
	};
	struct conf_report report;
	struct strbuf text;
	struct err e = {0};
	int status;

	conf_report_init(&report);
	strbuf_init(&text, CONVERTED_BYTES);
	status = convert(&order, &report, &text, &e);
	conf_report_tell(&report, tell_finding, NULL);
	if (status == 0)
		status = fd_write_all(STDOUT_FILENO, strbuf_str(&text), text.len, &e);
	if (status != 0 && e.text[0] != '\0')
		log_error("%s", e.text);
	strbuf_free(&text);
	conf_report_free(&report);
	return status == 0 ? EXIT_DONE : EXIT_CONFIG;
}

/* Usage first: who reads both as one expects that line in front. */
static int tell_wrong(const struct cli *cli)
{
	cli_usage(stdout);
	fflush(stdout);
	fprintf(stderr, "fpmx: '%s' %s\n", cli->wrong, cli->why);
	return EXIT_USAGE;
}

/*
 * A log rotation or a reload that comes before we can take it must not end us:
 * these wait until the master reads its signals.
 */
static void hold_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
}

/* Descriptors 0, 1 and 2 are in use from here on, so that none of ours is one of them. */
static void fill_stdio(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	fd_close(&fd);
}

int main(int argc, char **argv)
{
	struct arena *arena;
	struct inherit inherit = {0};
	struct notify notify;
	struct command command = {.argv = argv, .inherit = &inherit, .notify = &notify};
	struct cli *cli = &command.cli;
	int code = EXIT_DONE;

	fill_stdio();
	hold_signals();
	title_init(argc, argv);
	must_whoami("the master");
	arena = arena_new(4096);
	cli_parse(argc, argv, arena, cli);
	notify_init(&notify);
	if (cli->action == CLI_RUN) {
		handover_read(&inherit);
		activation_read(&inherit, ACTIVATION_FIRST_FD);
	}
	cli->php.startup_env = environ_list(environ, arena);
	switch (cli->action) {
	case CLI_RUN:
	case CLI_TEST:
		code = run(&command);
		break;
	case CLI_VERSION:
		code = info_run("version", &cli->php, environ);
		break;
	case CLI_MODULES:
		code = info_run("modules", &cli->php, environ);
		break;
	case CLI_INFO:
		code = info_run("info", &cli->php, environ);
		break;
	case CLI_CONVERT:
		code = run_convert(cli);
		break;
	case CLI_HELP:
		cli_usage(stdout);
		break;
	case CLI_OWN_VERSION:
		puts("fpmx " FPMX_VERSION " (PHP " FPMX_PHP_VERSION ")");
		break;
	case CLI_WRONG:
		code = tell_wrong(cli);
		break;
	}
	notify_free(&notify);
	inherit_free(&inherit);
	arena_free(arena);
	return code;
}
