/*
 * functions: the PHP functions and ini settings of the SAPI, under the module
 * name that php-fpm's have.
 *
 * Runs in: worker.
 */
#include "php/room.h"

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

static PHP_MINIT_FUNCTION(room)
{
	(void)type;
	REGISTER_INI_ENTRIES();
	return SUCCESS;
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
