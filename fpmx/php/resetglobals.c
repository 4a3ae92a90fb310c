/*
 * resetglobals: global variables that a request has made or changed, where the
 * pool wants them back (globals: restore).
 *
 * Runs in: worker.
 * Compared with the moment at which the request began, not with the freeze: what
 * the script's loop counts between two requests stays counted. An object is the
 * same object afterwards, and whatever it has become.
 * Dropping the last reference to an object runs its destructor: so this happens
 * where PHP's own destructors run, while there is somebody to write to.
 */
#include "php/app.h"
#include "php/reset.h"

#include <string.h>

static HashTable before; /* name to value, as the request began */
static bool begun;

static bool is_super(const zend_string *name)
{
	return zend_hash_exists(CG(auto_globals), (zend_string *)name);
}

/* Where the value is: the variables of the script itself are elsewhere. */
static zval *value_of(zval *slot)
{
	if (Z_TYPE_P(slot) == IS_INDIRECT)
		slot = Z_INDIRECT_P(slot);
	ZVAL_DEREF(slot);
	return slot;
}

void resetglobals_begin(void)
{
	zend_string *name;
	zval *slot;

	if (room.pool->globals != AFTERWARDS_RESTORE)
		return;
	zend_hash_init(
	    &before, zend_hash_num_elements(&EG(symbol_table)), NULL, ZVAL_PTR_DTOR, false);
	begun = true;
	ZEND_HASH_FOREACH_STR_KEY_VAL(&EG(symbol_table), name, slot)
	{
		zval *value = value_of(slot);

		if (name == NULL || is_super(name) || Z_TYPE_P(value) == IS_UNDEF)
			continue;
		Z_TRY_ADDREF_P(value);
		zend_hash_add(&before, name, value);
	}
	ZEND_HASH_FOREACH_END();
}

/* Without looking into arrays: one that was not touched is still the same one. */
static bool is_same(const zval *a, const zval *b)
{
	if (Z_TYPE_P(a) != Z_TYPE_P(b))
		return false;
	if (Z_TYPE_P(a) <= IS_TRUE)
		return true;
	return Z_TYPE_P(a) == IS_DOUBLE ? Z_DVAL_P(a) == Z_DVAL_P(b) : Z_LVAL_P(a) == Z_LVAL_P(b);
}

static void put(zval *to, zval *from)
{
	zval gone;

	ZVAL_COPY_VALUE(&gone, to);
	ZVAL_COPY(to, from);
	zval_ptr_dtor(&gone);
}

static void drop(zend_string *name, zval *slot)
{
	zval gone;

	if (Z_TYPE_P(slot) != IS_INDIRECT) {
		zend_hash_del(&EG(symbol_table), name);
		return;
	}
	ZVAL_COPY_VALUE(&gone, Z_INDIRECT_P(slot));
	ZVAL_UNDEF(Z_INDIRECT_P(slot));
	zval_ptr_dtor(&gone);
}

/* A destructor may make globals: a copy of the names is walked, once. */
static void restore_each(void)
{
	zend_array *names = zend_array_dup(&EG(symbol_table));
	zend_string *name;

	ZEND_HASH_FOREACH_STR_KEY(names, name)
	{
		zval *slot = name != NULL ? zend_hash_find(&EG(symbol_table), name) : NULL;
		zval *was = name != NULL ? zend_hash_find(&before, name) : NULL;

		if (slot == NULL || is_super(name))
			continue;
		if (was == NULL)
			drop(name, slot);
		else if (!is_same(value_of(slot), was))
			put(value_of(slot), was);
	}
	ZEND_HASH_FOREACH_END();
	zend_array_destroy(names);
}

static void add_lost(void)
{
	zend_string *name;
	zval *was;

	ZEND_HASH_FOREACH_STR_KEY_VAL(&before, name, was)
	{
		zval *slot = zend_hash_find(&EG(symbol_table), name);

		if (slot == NULL) {
			Z_TRY_ADDREF_P(was);
			zend_hash_add(&EG(symbol_table), name, was);
		} else if (Z_TYPE_P(value_of(slot)) == IS_UNDEF) {
			/* A variable of the script itself: its place stays. */
			ZVAL_COPY(value_of(slot), was);
		}
	}
	ZEND_HASH_FOREACH_END();
}

void resetglobals_restore(void)
{
	if (!begun)
		return;
	begun = false;
	restore_each();
	add_lost();
	zend_hash_destroy(&before);
}
