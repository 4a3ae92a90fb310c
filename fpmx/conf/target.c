/*
 * target: which path a converted file gets.
 *
 * Runs in: master, for --convert.
 */
#include "conf/target.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Length of the folder in front, with its slash; 0 where there is none. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

static const char *whole(struct arena *arena, const char *path)
{
	char *here;
	const char *joined;

	if (*path == '/')
		return path;
	here = getcwd(NULL, 0);
	joined = arena_printf(arena, "%s/%s", here != NULL ? here : "", path);
	free(here);
	return joined;
}

const char *target_absolute(struct arena *arena, const char *path)
{
	const char *all = whole(arena, path), *folder;
	size_t n = folder_length(all);
	char *real;

	folder = arena_strndup(arena, all, n);
	real = strpbrk(folder, "*?[") == NULL ? realpath(folder, NULL) : NULL;
	if (real != NULL)
		all = arena_printf(arena, "%s/%s", strcmp(real, "/") == 0 ? "" : real, all + n);
	free(real);
	return all;
}

/* "www.conf" and "*.conf" lose their ending, "www" and "*" have none. */
static const char *with_ending(struct arena *arena, const char *path)
{
	const char *name = path + folder_length(path), *dot = strrchr(name, '.');

	if (dot == NULL || dot == name || strpbrk(dot, "*?[]") != NULL)
		return arena_printf(arena, "%s.yaml", path);
	return arena_printf(arena, "%.*s.yaml", (int)(dot - path), path);
}

const char *target_of(struct arena *arena, const char *base, const char *path)
{
	const char *all = target_absolute(arena, path);
	size_t n = folder_length(base);

	all += strncmp(all, base, n) == 0 ? n : 1;
	return with_ending(arena, all);
}

const char *target_between(struct arena *arena, const char *from, const char *to)
{
	size_t common = 0;
	const char *up = "";

	for (size_t i = 0; from[i] != '\0' && from[i] == to[i]; i++)
		if (from[i] == '/')
			common = i + 1;
	for (const char *slash = strchr(from + common, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/'))
		up = arena_printf(arena, "../%s", up);
	return arena_printf(arena, "%s%s", up, to + common);
}
