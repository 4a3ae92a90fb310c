/*
 * outside: the superglobals that the script has in its boot and its loop, and
 * what of them every request sees.
 *
 * Runs in: template (at the freeze), worker.
 * $_SERVER: what the boot has put there (a .env file, mostly) is in that of each
 * request too, unless the request has a value of that name. Never what looks
 * like a request: a header of the boot's would be everybody's.
 * $_ENV: as at the freeze, or with environment: keep as the last request has left
 * it. Parameters of a request are not in it.
 */
#include "php/app.h"

#include <string.h>

/* As at the freeze; arrays. */
static zval server, env;

#define GLOBAL(name) zend_hash_str_find(&EG(symbol_table), name, sizeof(name) - 1)

static void copy_array(zval *to, zval *from)
{
	if (from != NULL)
		ZVAL_DEREF(from);
	if (from == NULL || Z_TYPE_P(from) != IS_ARRAY)
		ZVAL_EMPTY_ARRAY(to);
	else
		ZVAL_COPY(to, from);
}

/* PHP makes these when a script first names them. */
static void make(const char *name)
{
	zend_string *s = zend_string_init(name, strlen(name), false);

	(void)zend_is_auto_global(s);
	zend_string_release(s);
}

void outside_save(void)
{
	make("_SERVER");
	make("_ENV");
	copy_array(&server, GLOBAL("_SERVER"));
	copy_array(&env, GLOBAL("_ENV"));
}

static void put_copy(const char *name, zval *value)
{
	zval copy;

	ZVAL_COPY(&copy, value);
	zend_hash_str_update(&EG(symbol_table), name, strlen(name), &copy);
}

void outside_enter(void)
{
	static const char *const empty[] = {"_GET", "_POST", "_COOKIE", "_FILES", "_REQUEST"};

	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++) {
		zval none;

		ZVAL_EMPTY_ARRAY(&none);
		zend_hash_str_update(&EG(symbol_table), empty[i], strlen(empty[i]), &none);
	}
	put_copy("_SERVER", &server);
	if (room.pool->environment == AFTERWARDS_KEEP) {
		zval_ptr_dtor(&env);
		copy_array(&env, GLOBAL("_ENV"));
	}
	put_copy("_ENV", &env);
	zend_hash_str_del(&EG(symbol_table), "_SESSION", sizeof("_SESSION") - 1);
}

static bool is_of_a_request(const zend_string *name)
{
	static const char *const names[] = {"PHP_SELF", "SCRIPT_FILENAME", "SCRIPT_NAME",
	    "REQUEST_TIME", "REQUEST_TIME_FLOAT", "argv", "argc"};

	if (strncmp(ZSTR_VAL(name), "HTTP_", 5) == 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (zend_string_equals_cstr(name, names[i], strlen(names[i])))
			return true;
	return false;
}

/* What every request sees beside its own. */
static void add_to_server(void)
{
	zval *mine = GLOBAL("_SERVER");
	zend_string *name;
	zval *value;

	if (mine == NULL)
		return;
	ZVAL_DEREF(mine);
	if (Z_TYPE_P(mine) != IS_ARRAY)
		return;
	SEPARATE_ARRAY(mine);
	ZEND_HASH_FOREACH_STR_KEY_VAL(Z_ARRVAL(server), name, value)
	{
		if (name == NULL || is_of_a_request(name))
			continue;
		if (zend_hash_add(Z_ARRVAL_P(mine), name, value) != NULL)
			Z_TRY_ADDREF_P(value);
	}
	ZEND_HASH_FOREACH_END();
}

void outside_leave(void)
{
	make("_SERVER");
	add_to_server();
	make("_REQUEST");
	/* Now, or the first code that names it would have it made anew. */
	make("_ENV");
	put_copy("_ENV", &env);
}
