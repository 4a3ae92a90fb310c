/*
 * environ: NAME=VALUE, in php-fpm's order.
 *
 * Runs in: master.
 */
#include "master/environ.h"

#include <string.h>

static bool names(const char *assignment, const char *name, size_t n)
{
	return strncmp(assignment, name, n) == 0 && assignment[n] == '=';
}

static const char *lookup(char *const *env, const char *name)
{
	size_t n = strlen(name);

	for (; *env; env++)
		if (names(*env, name, n))
			return *env + n + 1;
	return "";
}

/* The place of the first pair of that name, or map->n. */
static size_t find(const struct conf_map *map, const char *name, size_t n)
{
	size_t i = 0;

	while (i < map->n &&
	       !(strlen(map->pairs[i].name) == n && memcmp(map->pairs[i].name, name, n) == 0))
		i++;
	return i;
}

static const char *assign(struct arena *a, const char *name, const char *value)
{
	return arena_printf(a, "%s=%s", name, value);
}

/* Does the pool say something of its own about the variable of this NAME=VALUE? */
static bool is_overridden(
    const struct pool_conf *conf, const char *user, const char *home, const char *assignment)
{
	size_t n = strcspn(assignment, "=");

	return find(&conf->env, assignment, n) < conf->env.n ||
	       (user && names(assignment, "USER", 4)) || (home && names(assignment, "HOME", 4));
}

const char *const *environ_for_pool(const struct pool_conf *conf, const char *user,
    const char *home, char *const *master_env, struct arena *a)
{
	const struct conf_map *map = &conf->env;
	size_t n = 0, room = map->n + 3;
	const char **env;

	for (char *const *m = master_env; *m; m++)
		room++;
	env = arena_alloc(a, room, sizeof(*env));
	for (char *const *m = master_env; *m && !conf->clear_env; m++)
		if (!is_overridden(conf, user, home, *m))
			env[n++] = arena_strdup(a, *m);
	for (size_t i = map->n; i-- > 0;) {
		const struct conf_pair *p = &map->pairs[i];

		if (find(map, p->name, strlen(p->name)) != i)
			continue;
		env[n++] = assign(
		    a, p->name, p->value[0] == '$' ? lookup(master_env, p->value + 1) : p->value);
	}
	if (user && find(map, "USER", 4) == map->n)
		env[n++] = assign(a, "USER", user);
	if (home && find(map, "HOME", 4) == map->n)
		env[n++] = assign(a, "HOME", home);
	return env;
}

struct conf_list environ_list(char *const *env, struct arena *a)
{
	struct conf_list list = {0};
	size_t n = 0;

	while (env[n])
		n++;
	list.items = arena_alloc(a, n + 1, sizeof(*list.items));
	for (; list.n < n; list.n++)
		list.items[list.n] = env[list.n];
	return list;
}
