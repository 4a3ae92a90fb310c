/*
 * resetscript: what PHP keeps for a script.
 *
 * Runs in: worker.
 */
#include "php/reset.h"

#include <string.h>

#include "php/app.h"

/* --- error and exception handlers ------------------------------------------ */

static struct {
	zval error, exception;
	int error_mask;
	zend_stack errors, exceptions, error_masks;
} handlers;

static void copy_handlers(zend_stack *to, const zend_stack *from)
{
	const zval *list = from->elements;

	zend_stack_init(to, sizeof(zval));
	for (int i = 0; i < from->top; i++) {
		zval copy;

		ZVAL_COPY(&copy, &list[i]);
		zend_stack_push(to, &copy);
	}
}

static void copy_masks(zend_stack *to, const zend_stack *from)
{
	const int *list = from->elements;

	zend_stack_init(to, sizeof(int));
	for (int i = 0; i < from->top; i++)
		zend_stack_push(to, &list[i]);
}

static void save_handlers(void)
{
	ZVAL_COPY(&handlers.error, &EG(user_error_handler));
	ZVAL_COPY(&handlers.exception, &EG(user_exception_handler));
	handlers.error_mask = EG(user_error_handler_error_reporting);
	copy_handlers(&handlers.errors, &EG(user_error_handlers));
	copy_handlers(&handlers.exceptions, &EG(user_exception_handlers));
	copy_masks(&handlers.error_masks, &EG(user_error_handlers_error_reporting));
}

static bool same(const zval *a, const zval *b)
{
	if (Z_TYPE_P(a) != Z_TYPE_P(b))
		return false;
	return Z_TYPE_P(a) == IS_UNDEF || zend_is_identical((zval *)a, (zval *)b);
}

static bool same_stack(const zend_stack *a, const zend_stack *b)
{
	const zval *x = a->elements, *y = b->elements;

	if (a->top != b->top)
		return false;
	for (int i = 0; i < a->top; i++)
		if (!same(&x[i], &y[i]))
			return false;
	return true;
}

static void put_handlers(zend_stack *to, const zend_stack *from)
{
	for (zval *z = zend_stack_top(to); z != NULL; z = zend_stack_top(to)) {
		zval gone;

		ZVAL_COPY_VALUE(&gone, z);
		zend_stack_del_top(to);
		zval_ptr_dtor(&gone);
	}
	zend_stack_destroy(to);
	copy_handlers(to, from);
}

static void put_handler(zval *to, const zval *from)
{
	zval gone;

	ZVAL_COPY_VALUE(&gone, to);
	ZVAL_COPY(to, from);
	zval_ptr_dtor(&gone);
}

static bool restore_handlers(void)
{
	if (same(&handlers.error, &EG(user_error_handler)) &&
	    same_stack(&handlers.errors, &EG(user_error_handlers)) &&
	    handlers.error_mask == EG(user_error_handler_error_reporting) &&
	    same(&handlers.exception, &EG(user_exception_handler)) &&
	    same_stack(&handlers.exceptions, &EG(user_exception_handlers)))
		return true;
	put_handler(&EG(user_error_handler), &handlers.error);
	put_handler(&EG(user_exception_handler), &handlers.exception);
	put_handlers(&EG(user_error_handlers), &handlers.errors);
	put_handlers(&EG(user_exception_handlers), &handlers.exceptions);
	EG(user_error_handler_error_reporting) = handlers.error_mask;
	zend_stack_destroy(&EG(user_error_handlers_error_reporting));
	copy_masks(&EG(user_error_handlers_error_reporting), &handlers.error_masks);
	return true;
}

/* --- functions for the end of the script -------------------------------------- */

static HashTable *last_functions;

static void move_functions(HashTable *to, HashTable *from)
{
	zend_string *name;
	void *entry;

	ZEND_HASH_FOREACH_STR_KEY_PTR(from, name, entry)
	{
		if (name == NULL)
			zend_hash_next_index_insert_ptr(to, entry);
		else
			zend_hash_update_ptr(to, name, entry);
	}
	ZEND_HASH_FOREACH_END();
	from->pDestructor = NULL;
	zend_hash_destroy(from);
	FREE_HASHTABLE(from);
}

void reset_set_aside_shutdown(void)
{
	HashTable *now = BG(user_shutdown_function_names);

	BG(user_shutdown_function_names) = NULL;
	if (now == NULL)
		return;
	if (last_functions == NULL)
		last_functions = now;
	else
		move_functions(last_functions, now);
}

void reset_bring_back_shutdown(void)
{
	reset_set_aside_shutdown();
	BG(user_shutdown_function_names) = last_functions;
	last_functions = NULL;
}

/* frame.c has called those of the request, and freed them. */
static bool restore_shutdown(void)
{
	return true;
}

/* --- putenv() --------------------------------------------------------------------- */

/* What the boot has set is put back at the end of the worker, if anywhere. */
static HashTable boots_environment;

static void begin_environment(void)
{
	zend_hash_init(&BG(putenv_ht), 1, NULL, boots_environment.pDestructor, false);
}

static void save_environment(void)
{
	boots_environment = BG(putenv_ht);
	begin_environment();
}

/* The destructor of an entry puts back what was there before it. */
static bool restore_environment(void)
{
	if (zend_hash_num_elements(&BG(putenv_ht)) == 0 ||
	    room.pool->environment == AFTERWARDS_KEEP)
		return true;
	zend_hash_destroy(&BG(putenv_ht));
	begin_environment();
	return true;
}

static void end_environment(void)
{
	zend_hash_destroy(&BG(putenv_ht));
	BG(putenv_ht) = boots_environment;
}

/* --- streams ------------------------------------------------------------------------- */

static php_stream_context *default_context;
static zval default_options; /* a copy: the context changes its own in place */
static HashTable wrappers;   /* as at the beginning; its values are PHP's */
static bool wrappers_are_own;
static HashTable filters;
static bool filters_are_own;

static void save_context(void)
{
	default_context = FG(default_context);
	if (default_context == NULL)
		return;
	GC_ADDREF(default_context->res);
	ZVAL_ARR(&default_options, zend_array_dup(Z_ARRVAL(default_context->options)));
}

static bool restore_context(void)
{
	php_stream_context *now = FG(default_context);

	if (now != default_context) {
		FG(default_context) = default_context;
		if (now != NULL)
			zend_list_delete(now->res);
	}
	if (default_context == NULL ||
	    zend_is_identical(&default_context->options, &default_options))
		return true;
	zval_ptr_dtor(&default_context->options);
	ZVAL_ARR(&default_context->options, zend_array_dup(Z_ARRVAL(default_options)));
	return true;
}

static void copy_table(HashTable *to, HashTable *from)
{
	zend_string *name;
	void *p;

	zend_hash_init(to, zend_hash_num_elements(from), NULL, NULL, false);
	ZEND_HASH_MAP_FOREACH_STR_KEY_PTR(from, name, p)
	{
		zend_hash_add_ptr(to, name, p);
	}
	ZEND_HASH_FOREACH_END();
}

static void save_wrappers(void)
{
	wrappers_are_own = FG(stream_wrappers) != NULL;
	copy_table(&wrappers, php_stream_get_url_stream_wrappers_hash());
}

static bool same_tables(HashTable *a, HashTable *b)
{
	zend_string *name;
	void *p;

	if (zend_hash_num_elements(a) != zend_hash_num_elements(b))
		return false;
	ZEND_HASH_MAP_FOREACH_STR_KEY_PTR(a, name, p)
	{
		if (zend_hash_find_ptr(b, name) != p)
			return false;
	}
	ZEND_HASH_FOREACH_END();
	return true;
}

/*
 * The table holds pointers: a wrapper of a class is a resource of its own that
 * stays until the end of the worker.
 */
static void put_table(HashTable *to, HashTable *from)
{
	zend_string *name;
	void *p;

	zend_hash_clean(to);
	ZEND_HASH_MAP_FOREACH_STR_KEY_PTR(from, name, p)
	{
		zend_hash_add_ptr(to, name, p);
	}
	ZEND_HASH_FOREACH_END();
}

static bool restore_wrappers(void)
{
	if (FG(stream_wrappers) == NULL ||
	    (wrappers_are_own && same_tables(FG(stream_wrappers), &wrappers)))
		return true;
	put_table(FG(stream_wrappers), &wrappers);
	return true;
}

static HashTable user_filters; /* names, as at the beginning */

static void save_filters(void)
{
	filters_are_own = FG(stream_filters) != NULL;
	copy_table(&filters, _php_get_stream_filters_hash());
	zend_hash_init(&user_filters, 8, NULL, NULL, false);
	if (BG(user_filter_map) != NULL)
		copy_table(&user_filters, BG(user_filter_map));
}

static void drop_user_filters(void)
{
	zend_string *name;

	if (BG(user_filter_map) == NULL)
		return;
	ZEND_HASH_MAP_FOREACH_STR_KEY(BG(user_filter_map), name)
	{
		if (!zend_hash_exists(&user_filters, name))
			zend_hash_del(BG(user_filter_map), name);
	}
	ZEND_HASH_FOREACH_END();
}

static bool restore_filters(void)
{
	if (FG(stream_filters) == NULL ||
	    (filters_are_own && same_tables(FG(stream_filters), &filters)))
		return true;
	put_table(FG(stream_filters), &filters);
	drop_user_filters();
	return true;
}

/* --- ticks ------------------------------------------------------------------------------ */

static size_t ticks;

static void save_ticks(void)
{
	ticks = BG(user_tick_functions) != NULL ? zend_llist_count(BG(user_tick_functions)) : 0;
}

static bool restore_ticks(void)
{
	if (BG(user_tick_functions) == NULL)
		return true;
	while (zend_llist_count(BG(user_tick_functions)) > ticks)
		zend_llist_remove_tail(BG(user_tick_functions));
	return true;
}

/* --- what the last call has left --------------------------------------------------------- */

static void save_nothing(void)
{
}

static bool restore_errors(void)
{
	if (PG(last_error_message) != NULL) {
		zend_string_release(PG(last_error_message));
		PG(last_error_message) = NULL;
	}
	if (PG(last_error_file) != NULL) {
		zend_string_release(PG(last_error_file));
		PG(last_error_file) = NULL;
	}
	PG(last_error_type) = PG(last_error_lineno) = 0;
	return true;
}

static bool restore_json(void)
{
	JSON_G(error_code) = PHP_JSON_ERROR_NONE;
	return true;
}

static bool restore_strtok(void)
{
	if (BG(strtok_string) != NULL) {
		zend_string_release(BG(strtok_string));
		BG(strtok_string) = NULL;
	}
	BG(strtok_last) = NULL;
	BG(strtok_len) = 0;
	return true;
}

static bool restore_stat_cache(void)
{
	if (BG(CurrentStatFile) != NULL || BG(CurrentLStatFile) != NULL)
		php_clear_stat_cache(false, NULL, 0);
	return true;
}

/* mt_srand() of one request must not tell the next one's numbers. */
static bool restore_random(void)
{
	compat_forget_seeds();
	return true;
}

/* --- session ------------------------------------------------------------------------------- */

static struct {
	zval names[PS_NUM_APIS];
	zend_string *class_name;
	const ps_module *behind; /* of a handler that extends SessionHandler */
} session;

static void save_session(void)
{
	for (int i = 0; i < PS_NUM_APIS; i++)
		ZVAL_COPY(&session.names[i], &PS(mod_user_names).names[i]);
	session.class_name =
	    PS(mod_user_class_name) != NULL ? zend_string_copy(PS(mod_user_class_name)) : NULL;
	session.behind = PS(default_mod);
}

/* The end of the session's request has freed whatever handler there was. */
static bool restore_session(void)
{
	for (int i = 0; i < PS_NUM_APIS; i++)
		if (Z_ISUNDEF(PS(mod_user_names).names[i]))
			ZVAL_COPY(&PS(mod_user_names).names[i], &session.names[i]);
	if (PS(mod_user_class_name) == NULL && session.class_name != NULL)
		PS(mod_user_class_name) = zend_string_copy(session.class_name);
	PS(default_mod) = session.behind;
	return true;
}

const struct reset_row reset_script_rows[] = {
    {"ini", resetini_save, resetini_restore, NULL},
    {"handlers", save_handlers, restore_handlers, NULL},
    {"shutdown_functions", save_nothing, restore_shutdown, reset_bring_back_shutdown},
    {"environment", save_environment, restore_environment, end_environment},
    {"default_context", save_context, restore_context, NULL},
    {"stream_wrappers", save_wrappers, restore_wrappers, NULL},
    {"stream_filters", save_filters, restore_filters, NULL},
    {"ticks", save_ticks, restore_ticks, NULL},
    {"last_error", save_nothing, restore_errors, NULL},
    {"json_error", save_nothing, restore_json, NULL},
    {"strtok", save_nothing, restore_strtok, NULL},
    {"stat_cache", save_nothing, restore_stat_cache, NULL},
    {"random", save_nothing, restore_random, NULL},
    {"session_handler", save_session, restore_session, NULL},
    {NULL, NULL, NULL, NULL},
};
