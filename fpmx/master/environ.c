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

static bool is_set(const struct conf_map *map, const char *name)
{
	for (size_t i = 0; i < map->n; i++)
		if (strcmp(map->pairs[i].name, name) == 0)
			return true;
	return false;
}

/* An environment that grows; there is room for all that is put into it. */
struct growing {
	const char **items;
	size_t n;
};

/* As setenv(): what is there already keeps its place. */
static void set(struct growing *env, struct arena *a, const char *name, const char *value)
{
	size_t i = 0, n = strlen(name);

	while (i < env->n && !names(env->items[i], name, n))
		i++;
	env->items[i] = arena_printf(a, "%s=%s", name, value);
	if (i == env->n)
		env->n++;
}

const char *const *environ_for_pool(const struct pool_conf *conf, const char *user,
    const char *home, char *const *master_env, struct arena *a)
{
	const struct conf_map *map = &conf->env;
	struct growing env = {0};
	size_t room = map->n + 3;

	for (char *const *m = master_env; *m; m++)
		room++;
	env.items = arena_alloc(a, room, sizeof(*env.items));
	for (char *const *m = master_env; *m && !conf->clear_env; m++)
		env.items[env.n++] = arena_strdup(a, *m);
	for (size_t i = map->n; i-- > 0;) {
		const struct conf_pair *p = &map->pairs[i];

		set(&env, a, p->name,
		    p->value[0] == '$' ? lookup(master_env, p->value + 1) : p->value);
	}
	if (user && !is_set(map, "USER"))
		set(&env, a, "USER", user);
	if (home && !is_set(map, "HOME"))
		set(&env, a, "HOME", home);
	return env.items;
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
