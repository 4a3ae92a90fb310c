/*
 * engine: the program that embeds PHP. It is started by the master, and is no
 * command for people:
 *
 *   fpmx-engine ROLE FD
 *
 * FD is the heritage. A template becomes the parent of workers; the other roles
 * print what -v, -m and -i of the master ask for.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "php/engine.h"
#include "proc/exits.h"
#include "proc/heritage.h"
#include "proc/role.h"
#include "proc/title.h"
#include "template/boot.h"
#include "template/template.h"

#define HERITAGE_BLOCK_BYTES 4096u

/* The roles that print: PHP is started without a pool. */
static int print_with(int heritage_fd, int (*print)(void))
{
	struct arena *arena = arena_new(HERITAGE_BLOCK_BYTES);
	struct heritage h;
	struct err e;
	int code;

	if (heritage_open(heritage_fd, arena, &h, &e) != 0) {
		fprintf(stderr, "fpmx-engine: %s\n", e.text);
		return EXIT_HERITAGE;
	}
	if (boot_check_version(&e) != 0 || engine_start(&h.php, NULL, &e) != 0) {
		fprintf(stderr, "fpmx-engine: %s\n", e.text);
		return EXIT_PHP_START;
	}
	code = print();
	engine_stop();
	arena_free(arena);
	return code;
}

static int run_version(int heritage_fd)
{
	return print_with(heritage_fd, engine_print_version);
}

static int run_modules(int heritage_fd)
{
	return print_with(heritage_fd, engine_print_modules);
}

static int run_info(int heritage_fd)
{
	return print_with(heritage_fd, engine_print_info);
}

static const struct role version_role = {.name = "version", .run = run_version};
static const struct role modules_role = {.name = "modules", .run = run_modules};
static const struct role info_role = {.name = "info", .run = run_info};

static const struct role *const roles[] = {
    &template_role, &version_role, &modules_role, &info_role};

static const struct role *role_find(const char *name)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(roles[i]->name, name) == 0)
			return roles[i];
	}
	return NULL;
}

/* -1 when the text is no descriptor. */
static int fd_parse(const char *text)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && n >= 0 && n <= INT_MAX ? (int)n : -1;
}

int main(int argc, char **argv)
{
	const struct role *role = argc == 3 ? role_find(argv[1]) : NULL;
	int heritage_fd = argc == 3 ? fd_parse(argv[2]) : -1;

	if (role == NULL || heritage_fd < 0) {
		fprintf(stderr, "fpmx-engine is started by fpmx, not by hand.\n");
		return EXIT_USAGE;
	}
	title_init(argc, argv);
	return role->run(heritage_fd);
}
