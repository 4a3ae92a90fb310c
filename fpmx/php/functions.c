/*
 * functions: the PHP functions and ini settings of the SAPI, under the module
 * name that php-fpm's have.
 *
 * Runs in: worker.
 */
#include "php/app.h"

#include <string.h>

#include "php/functions_arginfo.h"

PHP_FUNCTION(fastcgi_finish_request)
{
	struct engine_request *r = room_asked();

	ZEND_PARSE_PARAMETERS_NONE();
	if (r == NULL || conn_is_finished(r->conn))
		RETURN_FALSE;
	php_output_end_all();
	php_header();
	/* Not kept: the next request on it would wait until the script has ended. */
	(void)conn_finish(r->conn, false);
	if (r->on_state != NULL)
		r->on_state(r->ctx, WORKER_FINISHING);
	RETURN_TRUE;
}

PHP_FUNCTION(apache_request_headers)
{
	struct engine_request *r = room.request.asked;
	const struct param *p;

	ZEND_PARSE_PARAMETERS_NONE();
	array_init(return_value);
	for (size_t i = 0; r != NULL && (p = params_at(r->fcgi->params, i)) != NULL; i++)
		sapi_add_request_header(p->name, (unsigned int)p->name_len,
		    (char *)(uintptr_t)p->value, (unsigned int)p->value_len, return_value);
}

PHP_FUNCTION(fpm_get_status)
{
	ZEND_PARSE_PARAMETERS_NONE();
	status_to_array(return_value);
}

PHP_FUNCTION(fpmx_handle_request)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
	Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();
	RETURN_BOOL(app_handle(&fci, &fcc));
}

PHP_FUNCTION(fpmx_recycle)
{
	zend_string *reason = NULL;

	ZEND_PARSE_PARAMETERS_START(0, 1)
	Z_PARAM_OPTIONAL
	Z_PARAM_STR(reason)
	ZEND_PARSE_PARAMETERS_END();
	app_recycle(reason != NULL ? ZSTR_VAL(reason) : "");
}

PHP_FUNCTION(fpmx_on_worker_start)
{
	zend_fcall_info fci;
	zend_fcall_info_cache fcc;

	ZEND_PARSE_PARAMETERS_START(1, 1)
	Z_PARAM_FUNC(fci, fcc)
	ZEND_PARSE_PARAMETERS_END();
	if (app.phase != APP_BOOTING) {
		zend_throw_error(NULL,
		    "fpmx_on_worker_start() is for a boot script, or a worker script before "
		    "its first fpmx_handle_request()");
		RETURN_THROWS();
	}
	if (Z_TYPE(app.starters) != IS_ARRAY)
		array_init(&app.starters);
	Z_TRY_ADDREF(fci.function_name);
	add_next_index_zval(&app.starters, &fci.function_name);
}

static bool loops(void)
{
	return room.pool != NULL && room.pool->mode == POOL_MODE_WORKER;
}

void functions_wrap(const char *name, zif_handler wrapper, zif_handler *itself)
{
	zend_function *f = zend_hash_str_find_ptr(CG(function_table), name, strlen(name));

	if (f == NULL || f->type != ZEND_INTERNAL_FUNCTION)
		return;
	*itself = f->internal_function.handler;
	f->internal_function.handler = wrapper;
}

PHP_INI_BEGIN()
STD_PHP_INI_BOOLEAN("cgi.rfc2616_headers", "0", PHP_INI_ALL, OnUpdateBool, rfc2616_headers,
    struct room_ini, room.ini)
STD_PHP_INI_BOOLEAN("cgi.nph", "0", PHP_INI_ALL, OnUpdateBool, nph, struct room_ini, room.ini)
STD_PHP_INI_BOOLEAN("cgi.force_redirect", "1", PHP_INI_SYSTEM, OnUpdateBool, force_redirect,
    struct room_ini, room.ini)
STD_PHP_INI_ENTRY("cgi.redirect_status_env", NULL, PHP_INI_SYSTEM, OnUpdateString,
    redirect_status_env, struct room_ini, room.ini)
STD_PHP_INI_BOOLEAN(
    "cgi.fix_pathinfo", "1", PHP_INI_SYSTEM, OnUpdateBool, fix_pathinfo, struct room_ini, room.ini)
STD_PHP_INI_BOOLEAN(
    "cgi.discard_path", "0", PHP_INI_SYSTEM, OnUpdateBool, discard_path, struct room_ini, room.ini)
STD_PHP_INI_BOOLEAN(
    "fastcgi.logging", "1", PHP_INI_SYSTEM, OnUpdateBool, logging, struct room_ini, room.ini)
STD_PHP_INI_ENTRY("fastcgi.error_header", NULL, PHP_INI_SYSTEM, OnUpdateString, error_header,
    struct room_ini, room.ini)
STD_PHP_INI_ENTRY(
    "fpm.config", NULL, PHP_INI_SYSTEM, OnUpdateString, fpm_config, struct room_ini, room.ini)
PHP_INI_END()

/*
 * Who looks at a function looks at its module, OPcache where a script asks
 * whether the function exists. This one is in no list of PHP's.
 */
static zend_module_entry own_module = {
    STANDARD_MODULE_HEADER,
    "fpmx",
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    NULL,
    PHP_VERSION,
    STANDARD_MODULE_PROPERTIES,
};

/* Later than module start-up PHP's table of names takes none without OPcache. */
static int register_own_functions(int type)
{
	zend_module_entry *current = EG(current_module);
	int result;

	own_module.type = (unsigned char)type;
	own_module.module_number = current->module_number;
	EG(current_module) = &own_module;
	result = zend_register_functions(NULL, own_functions, CG(function_table), type);
	if (result == SUCCESS && loops())
		result = zend_register_functions(NULL, aliases, CG(function_table), type);
	EG(current_module) = current;
	return result;
}

static PHP_MINIT_FUNCTION(room)
{
	const char *mode = room.pool != NULL ? conf_pool_mode_word(room.pool->mode) : "classic";

	REGISTER_INI_ENTRIES();
	REGISTER_STRING_CONSTANT("FPMX_MODE", mode, CONST_CS | CONST_PERSISTENT);
	return register_own_functions(type);
}

static PHP_MSHUTDOWN_FUNCTION(room)
{
	(void)type;
	UNREGISTER_INI_ENTRIES();
	return SUCCESS;
}

static PHP_RSHUTDOWN_FUNCTION(room)
{
	(void)type;
	(void)module_number;
	room.request.over = true;
	return SUCCESS;
}

static PHP_MINFO_FUNCTION(room)
{
	php_info_print_table_start();
	php_info_print_table_row(2, "php-fpm", "active");
	php_info_print_table_end();
	DISPLAY_INI_ENTRIES();
}

zend_module_entry room_module = {
    STANDARD_MODULE_HEADER,
    "cgi-fcgi",
    functions,
    PHP_MINIT(room),
    PHP_MSHUTDOWN(room),
    NULL,
    PHP_RSHUTDOWN(room),
    PHP_MINFO(room),
    PHP_VERSION,
    STANDARD_MODULE_PROPERTIES,
};
