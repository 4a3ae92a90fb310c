/*
 * resetcalls: settings of extensions whose state only their functions reach.
 *
 * Runs in: worker.
 * Each is a pair of functions, one that tells and one that sets, often the same.
 * Rows of extensions that are not there do nothing.
 */
#include "php/reset.h"

#include <string.h>

#include "php/app.h"

struct pair {
	const char *teller, *setter;
	zend_function *tell, *set;
	zval then;
};

static zend_function *find(const char *name)
{
	return zend_hash_str_find_ptr(CG(function_table), name, strlen(name));
}

/* False: it threw or complained of its argument. */
static bool call(zend_function *f, zval *argument, zval *result)
{
	zval thrown_away;

	ZVAL_UNDEF(&thrown_away);
	if (result == NULL)
		result = &thrown_away;
	zend_call_known_function(f, NULL, NULL, result, argument != NULL ? 1 : 0, argument, NULL);
	zval_ptr_dtor(&thrown_away);
	if (EG(exception) == NULL)
		return true;
	zend_clear_exception();
	return false;
}

static void save_pair(struct pair *p)
{
	p->tell = find(p->teller);
	p->set = find(p->setter);
	ZVAL_UNDEF(&p->then);
	if (p->tell == NULL || p->set == NULL || !call(p->tell, NULL, &p->then))
		p->tell = NULL;
}

static bool restore_pair(struct pair *p)
{
	zval now;
	bool same;

	if (p->tell == NULL)
		return true;
	ZVAL_UNDEF(&now);
	if (!call(p->tell, NULL, &now))
		return false;
	same = zend_is_identical(&now, &p->then);
	zval_ptr_dtor(&now);
	return same || call(p->set, &p->then, NULL);
}

#define PAIR(name, teller_, setter_)                                             \
	static struct pair pair_##name = {.teller = teller_, .setter = setter_}; \
	static void save_##name(void)                                            \
	{                                                                        \
		save_pair(&pair_##name);                                         \
	}                                                                        \
	static bool restore_##name(void)                                         \
	{                                                                        \
		return restore_pair(&pair_##name);                               \
	}

PAIR(timezone, "date_default_timezone_get", "date_default_timezone_set")
PAIR(mb_internal_encoding, "mb_internal_encoding", "mb_internal_encoding")
PAIR(mb_http_output, "mb_http_output", "mb_http_output")
PAIR(mb_substitute_character, "mb_substitute_character", "mb_substitute_character")
PAIR(mb_detect_order, "mb_detect_order", "mb_detect_order")
PAIR(mb_regex_encoding, "mb_regex_encoding", "mb_regex_encoding")
PAIR(mb_regex_options, "mb_regex_set_options", "mb_regex_set_options")
PAIR(libxml_errors, "libxml_use_internal_errors", "libxml_use_internal_errors")
PAIR(libxml_loader, "libxml_get_external_entity_loader", "libxml_set_external_entity_loader")
PAIR(async_signals, "pcntl_async_signals", "pcntl_async_signals")

/* What has no value to go back to, but is empty at the start of a request. */
static zend_function *clear_libxml, *last_preg_error, *match;

static void save_libxml_list(void)
{
	clear_libxml = find("libxml_clear_errors");
}

static bool restore_libxml_list(void)
{
	return clear_libxml == NULL || call(clear_libxml, NULL, NULL);
}

static void save_preg_error(void)
{
	last_preg_error = find("preg_last_error");
	match = find("preg_match");
}

/* The next call that succeeds clears it: so one is made. */
static bool restore_preg_error(void)
{
	zval now, args[2], result;

	if (last_preg_error == NULL || match == NULL || !call(last_preg_error, NULL, &now))
		return true;
	if (Z_TYPE(now) == IS_LONG && Z_LVAL(now) == 0)
		return true;
	ZVAL_STRING(&args[0], "//");
	ZVAL_EMPTY_STRING(&args[1]);
	zend_call_known_function(match, NULL, NULL, &result, 2, args, NULL);
	zval_ptr_dtor(&args[0]);
	return true;
}

/* The output layer is gone, and with it the handler that these begin with. */
static zend_function *forget_rewrite_vars;

static void save_rewrite_vars(void)
{
	forget_rewrite_vars = find("output_reset_rewrite_vars");
}

static bool restore_rewrite_vars(void)
{
	if (!BG(url_adapt_output_ex).active)
		return true;
	BG(url_adapt_output_ex).active = 0;
	return forget_rewrite_vars == NULL || call(forget_rewrite_vars, NULL, NULL);
}

#define ROW(name)                                        \
	{                                                \
#name, save_##name, restore_##name, NULL \
	}

const struct reset_row reset_call_rows[] = {
    ROW(timezone),
    ROW(mb_internal_encoding),
    ROW(mb_http_output),
    ROW(mb_substitute_character),
    ROW(mb_detect_order),
    ROW(mb_regex_encoding),
    ROW(mb_regex_options),
    ROW(libxml_errors),
    ROW(libxml_loader),
    ROW(async_signals),
    ROW(libxml_list),
    ROW(preg_error),
    ROW(rewrite_vars),
    {NULL, NULL, NULL, NULL},
};
