/*
 * vars: what scripts see of the request's parameters: $_SERVER and getenv().
 *
 * Runs in: worker.
 * Order as in php-fpm: the process's environment, the parameters newest first,
 * then PHP_SELF. Parameters never become environment of the process.
 * HTTP_PROXY is a request header that looks like a setting: it is kept out.
 */
#include "php/room.h"

#include <string.h>

/* PHP's own, which reads the process's environment. */
static void (*import_environment)(zval *);

static bool is_hidden(const struct param *p)
{
	return strcmp(p->name, "HTTP_PROXY") == 0;
}

/* The environment as $_SERVER, $_ENV and getenv() show it. */
static void import_with_params(zval *array)
{
	struct engine_request *r = room.request.asked;
	const zval *env = &PG(http_globals)[TRACK_VARS_ENV];
	int source =
	    Z_TYPE_P(env) == IS_ARRAY && Z_ARR_P(array) == Z_ARR_P(env) ? PARSE_ENV : PARSE_SERVER;
	const struct param *p;

	import_environment(array);
	for (size_t i = 0; r != NULL && (p = params_at(r->fcgi->params, i)) != NULL; i++) {
		size_t n = p->value_len;
		char *value;

		if (is_hidden(p))
			continue;
		value = estrndup(p->value, n);
		if (sapi_module.input_filter(source, p->name, &value, n, &n))
			php_register_variable_safe(p->name, value, n, array);
		efree(value);
	}
}

void vars_startup(void)
{
	import_environment = php_import_environment_variables;
	php_import_environment_variables = import_with_params;
}

void vars_register(zval *server)
{
	struct engine_request *r = room.request.asked;
	const char *self = r != NULL && r->php_self != NULL ? r->php_self : "";
	size_t n = strlen(self);
	char *value;

	php_import_environment_variables(server);
	value = estrndup(self, n);
	if (sapi_module.input_filter(PARSE_SERVER, "PHP_SELF", &value, n, &n))
		php_register_variable_safe("PHP_SELF", value, n, server);
	efree(value);
}

/* For getenv(NAME). PHP copies it. */
char *vars_getenv(const char *name, size_t n)
{
	struct engine_request *r = room.request.asked;
	const struct param *p;

	(void)n;
	if (r == NULL)
		return NULL;
	p = params_find(r->fcgi->params, name);
	return p != NULL && !is_hidden(p) ? (char *)(uintptr_t)p->value : NULL;
}

const char *room_param(const char *name)
{
	struct engine_request *r = room.request.asked;

	return r != NULL ? params_get(r->fcgi->params, name) : NULL;
}
