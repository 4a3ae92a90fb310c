/*
 * engine: PHP's start and end in a process.
 *
 * Runs in: template (start), worker (enter), info commands.
 * Never: PHP as root; who starts us has become the pool's user.
 */
#include "php/app.h"
#include "php/reset.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/must.h"
#include "base/strbuf.h"

#define SCAN_DIR "PHP_INI_SCAN_DIR"
#define ENV_BYTES_MAX (64u << 10)

extern char **environ;

static int (*register_internal_extensions)(void);

/* php.ini has been read, no extension has started. */
static int register_extensions_and_overlay(void)
{
	if (room.pool != NULL)
		ini_overlay(room.pool);
	return register_internal_extensions();
}

/* Where php-fpm's php.ini is, or what libphp-embed brings, or NULL. */
static const char *default_ini_dir(void)
{
	static const char *const dirs[] = {FPMX_PHP_INI_DIR, FPMX_PHP_INI_FALLBACK};

	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		if (access(dirs[i], F_OK) == 0)
			return dirs[i];
	}
	return NULL;
}

static const char *env_find(char **env, const char *name)
{
	size_t n = strlen(name);

	for (; *env != NULL; env++) {
		if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
			return *env + n + 1;
	}
	return NULL;
}

/*
 * PHP_INI_SCAN_DIR for module start-up. An empty part of a given one stands for
 * the default, which is php-fpm's, not the library's.
 */
static void put_scan_dir(struct strbuf *out, const char *given, const char *dir)
{
	strbuf_printf(out, SCAN_DIR "=");
	do {
		size_t n = given != NULL ? strcspn(given, ":") : 0;

		if (n > 0)
			strbuf_add(out, given, n);
		else
			strbuf_printf(out, "%s/conf.d", dir);
		given = given != NULL && given[n] == ':' ? given + n + 1 : NULL;
		if (given != NULL)
			strbuf_addc(out, ':');
	} while (given != NULL);
}

static bool env_has_same(char **env, const char *item)
{
	size_t n = strcspn(item, "=") + 1;

	for (; *env != NULL; env++) {
		if (strncmp(*env, item, n) == 0)
			return true;
	}
	return false;
}

/*
 * The environment of module start-up: the master's, which php.ini may name, and
 * what only the pool has, which its extensions may look for. NULL-terminated,
 * malloc'd, one block of pointers. scan_dir, unless NULL, comes first and wins.
 */
static char **startup_environment(const struct php_options *options, char *scan_dir)
{
	size_t n = 0, used = 0;
	char **env;

	while (environ[n] != NULL)
		n++;
	n += options->startup_env.n;
	env = calloc(n + 2, sizeof(*env));
	if (env == NULL)
		return NULL;
	if (scan_dir != NULL)
		env[used++] = scan_dir;
	for (size_t i = 0; i < options->startup_env.n; i++) {
		char *item = (char *)(uintptr_t)options->startup_env.items[i];

		if (!env_has_same(env, item))
			env[used++] = item;
	}
	for (size_t i = 0; environ[i] != NULL; i++) {
		if (!env_has_same(env, environ[i]))
			env[used++] = environ[i];
	}
	return env;
}

static void set_ini_sources(const struct php_options *options, const struct pool_conf *pool)
{
	struct php_ini_builder lines;

	php_ini_builder_init(&lines);
	for (size_t i = 0; i < options->defines.n; i++)
		php_ini_builder_define(&lines, options->defines.items[i]);
	if (pool != NULL)
		ini_pool_extensions(pool, &lines);
	room_sapi.ini_entries = php_ini_builder_finish(&lines);
	room_sapi.php_ini_ignore = options->no_ini != 0;
	room_sapi.php_ini_path_override = (char *)(uintptr_t)options->ini_path;
}

/* What PHP_BINARY says. */
static void set_binary(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return;
	path[n] = '\0';
	room_sapi.executable_location = path;
}

/* Module start-up with the master's environment, which is gone afterwards. */
static int start_php(const struct php_options *options, struct err *e)
{
	const char *dir = options->no_ini ? NULL : default_ini_dir();
	/* PHP keeps a pointer to it, and phpinfo() shows it. */
	static struct strbuf scan_dir;
	char **saved = environ;
	char **env;
	int result;

	strbuf_init(&scan_dir, ENV_BYTES_MAX);
	env = startup_environment(options, NULL);
	if (env != NULL && dir != NULL) {
		if (room_sapi.php_ini_path_override == NULL && env_find(env, "PHPRC") == NULL)
			room_sapi.php_ini_path_override = (char *)(uintptr_t)dir;
		put_scan_dir(&scan_dir, env_find(env, SCAN_DIR), dir);
		free(env);
		env = startup_environment(options, scan_dir.bytes);
	}
	if (env == NULL)
		return err_set(e, "no memory for PHP's start-up");
	environ = env;
	result = room_sapi.startup(&room_sapi);
	environ = saved;
	room_sapi.php_ini_path_override = NULL;
	free(env);
	return result == SUCCESS ? 0 : err_set(e, "PHP failed to start");
}

int engine_start(const struct php_options *options, const struct pool_conf *pool, struct err *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	/* A client that has gone is an error of write(), not the end of a worker. */
	sigaction(SIGPIPE, &ignore, NULL);
	room.pool = pool;
	room.request.body_file = -1;
	zend_signal_startup();
	sapi_startup(&room_sapi);
	set_binary();
	set_ini_sources(options, pool);
	register_internal_extensions = php_register_internal_extensions_func;
	php_register_internal_extensions_func = register_extensions_and_overlay;
	userini_startup();
	if (start_php(options, e) != 0)
		return -1;
	vars_startup();
	signals_startup();
	if (pool != NULL && pool->mode == POOL_MODE_WORKER)
		resetprocess_startup();
	if (pool != NULL && pool->mode != POOL_MODE_CLASSIC)
		freeze_startup();
	/* A script's folder is entered by exec.c, with fewer system calls. */
	SG(options) |= SAPI_OPTION_NO_CHDIR;
	if (options->extended_info)
		CG(compiler_options) |= ZEND_COMPILE_EXTENDED_INFO;
	ini_uncover();
	if (pool != NULL)
		ini_apply_pool(pool);
	return 0;
}

/*
 * Where requests begin and scripts are brought back to. The master's folder may
 * be one that the pool's user cannot enter, or be gone: then it is the root.
 */
static int settle_home(struct err *e)
{
	room.home = getcwd(NULL, 0);
	if (room.home != NULL && chdir(room.home) == 0)
		return 0;
	free(room.home);
	room.home = must_memory(strdup("/"));
	return chdir(room.home) == 0 ? 0 : err_sys(e, "failed to change to the root folder");
}

int room_claim(struct err *e)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	void *page = room.ours;

	if (page == NULL) {
		page =
		    mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED || madvise(page, bytes, MADV_WIPEONFORK) != 0)
			return err_sys(e, "failed to map a page");
		room.ours = page;
	}
	*room.ours = 1;
	return 0;
}

int engine_enter_worker(struct err *e)
{
	if (room_claim(e) != 0 || settle_home(e) != 0)
		return -1;
	/* In the middle of a request of PHP's they are in use. */
	if (!app_is_booted())
		compat_take_signal_handlers();
	compat_forget_seeds();
	return 0;
}

void engine_stop(void)
{
	/*
	 * Extensions shut down, but their code stays mapped until the process ends,
	 * which is now: to take it away piece by piece costs more than all the rest,
	 * while a reload waits for us.
	 */
	setenv("ZEND_DONT_UNLOAD_MODULES", "1", 1);
	php_module_shutdown();
	sapi_shutdown();
	userini_shutdown();
	free((char *)(uintptr_t)room_sapi.ini_entries);
	room_sapi.ini_entries = NULL;
}

void engine_show_board(const struct board *board)
{
	room.board = board;
}

void engine_cgi(struct engine_cgi *cgi)
{
	cgi->fix_pathinfo = room.ini.fix_pathinfo;
	cgi->discard_path = room.ini.discard_path;
	cgi->doc_root = PG(doc_root) != NULL && *PG(doc_root) != '\0' ? PG(doc_root) : NULL;
}
