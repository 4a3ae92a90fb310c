/*
 * functions_arginfo: what PHP is told of the signatures in functions.c.
 *
 * Runs in: template (module start-up).
 */
#ifndef FPMX_PHP_FUNCTIONS_ARGINFO_H
#define FPMX_PHP_FUNCTIONS_ARGINFO_H

#include "php/compat.h"

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_finish_request, 0, 0, _IS_BOOL, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_request_headers, 0, 0, IS_ARRAY, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_MASK_EX(arginfo_get_status, 0, 0, MAY_BE_ARRAY | MAY_BE_FALSE)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_handle_request, 0, 1, _IS_BOOL, 0)
ZEND_ARG_TYPE_INFO(0, handler, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_recycle, 0, 0, IS_VOID, 0)
ZEND_ARG_TYPE_INFO_WITH_DEFAULT_VALUE(0, reason, IS_STRING, 0, "''")
ZEND_END_ARG_INFO()

ZEND_BEGIN_ARG_WITH_RETURN_TYPE_INFO_EX(arginfo_on_worker_start, 0, 1, IS_VOID, 0)
ZEND_ARG_TYPE_INFO(0, starter, IS_CALLABLE, 0)
ZEND_END_ARG_INFO()

PHP_FUNCTION(fpmx_handle_request);
PHP_FUNCTION(fpmx_recycle);
PHP_FUNCTION(fpmx_on_worker_start);
PHP_FUNCTION(fastcgi_finish_request);
PHP_FUNCTION(apache_request_headers);
PHP_FUNCTION(fpm_get_status);

static const zend_function_entry functions[] = {PHP_FE(fastcgi_finish_request,
    arginfo_finish_request) PHP_FE(apache_request_headers, arginfo_request_headers)
	PHP_FALIAS(getallheaders, apache_request_headers, arginfo_request_headers)
	    PHP_FE(fpm_get_status, arginfo_get_status) PHP_FE_END};

/* Of a module of their own: those of php-fpm's are what scripts know. */
static const zend_function_entry own_functions[] = {
    PHP_FALIAS(fpmx_finish_request, fastcgi_finish_request, arginfo_finish_request)
	PHP_FE(fpmx_handle_request, arginfo_handle_request) PHP_FE(fpmx_recycle, arginfo_recycle)
	    PHP_FE(fpmx_on_worker_start, arginfo_on_worker_start) PHP_FE_END};

/* Scripts take the presence of this name for a sign that they may loop. */
static const zend_function_entry aliases[] = {
    PHP_FALIAS(frankenphp_handle_request, fpmx_handle_request, arginfo_handle_request) PHP_FE_END};

#endif
