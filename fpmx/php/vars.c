/*
 * vars: what scripts see of the request's parameters: $_SERVER and getenv().
 *
 * Runs in: worker.
 * Order as in php-fpm: the process's environment, the parameters newest first,
 * then PHP_SELF. Parameters never become environment of the process.
 * HTTP_PROXY is a request header that looks like a setting: it is kept out.
 */
#include "php/app.h"

#include <string.h>

/* PHP's own, which reads the process's environment. */
static void (*import_environment)(zval *);

static bool is_hidden(const struct param *p)
{
	return strcmp(p->name, "HTTP_PROXY") == 0;
}

static void add_params(zval *array, int source)
{
	struct engine_request *r = room.request.asked;
	const struct param *p;

	for (size_t i = 0; r != NULL && (p = params_at(r->fcgi->params, i)) != NULL; i++) {
		size_t n = strlen(p->value); /* php-fpm shows a value up to its NUL */
		char *value;

		if (is_hidden(p))
			continue;
		value = estrndup(p->value, n);
		if (sapi_module.input_filter(source, p->name, &value, n, &n))
			php_register_variable_safe(p->name, value, n, array);
		efree(value);
	}
}

static bool is_filled(const zval *array)
{
	return Z_TYPE_P(array) == IS_ARRAY && zend_hash_num_elements(Z_ARRVAL_P(array)) > 0;
}

/* Fills $_SERVER or $_ENV. Whichever comes second is a copy of the first. */
static void import_with_params(zval *array)
{
	zval *env = &PG(http_globals)[TRACK_VARS_ENV];
	zval *server = &PG(http_globals)[TRACK_VARS_SERVER];
	bool is_env = Z_TYPE_P(env) == IS_ARRAY && Z_ARR_P(array) == Z_ARR_P(env);
	zval *other = is_env ? server : env;

	if (is_filled(other) && Z_ARR_P(other) != Z_ARR_P(array)) {
		zval_ptr_dtor(array);
		ZVAL_ARR(array, zend_array_dup(Z_ARR_P(other)));
		return;
	}
	import_environment(array);
	add_params(array, is_env ? PARSE_ENV : PARSE_SERVER);
}

/* The environment as getenv() shows it: not filtered. */
static void load_with_params(zval *array)
{
	struct engine_request *r = room.request.asked;
	const struct param *p;

	import_environment(array);
	for (size_t i = 0; r != NULL && (p = params_at(r->fcgi->params, i)) != NULL; i++) {
		if (!is_hidden(p))
			php_register_variable_safe(p->name, p->value, p->value_len, array);
	}
}

void vars_startup(void)
{
	php_load_environment_variables = load_with_params;
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
	if (app.phase == APP_BOOTING) {
		self = app.script;
		n = strlen(self);
		php_register_variable("SCRIPT_FILENAME", self, server);
		/* Worker scripts that were written for FrankenPHP ask for it. */
		if (app.loops)
			php_register_variable("FRANKENPHP_WORKER", "1", server);
	}
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
