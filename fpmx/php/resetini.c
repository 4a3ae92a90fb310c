/*
 * resetini: ini settings that a request has changed.
 *
 * Runs in: worker.
 * PHP keeps a list of all settings that differ from what they were at its
 * start. Those that the boot had changed go back to the boot's value, the others
 * to their own. Which settings stay changed all the same is the pool's to say
 * (ini.keep), for applications that set something up in the first request that
 * needs it, once.
 */
#include "php/reset.h"

#include <string.h>

#include "php/app.h"

/* Name to zend_string, of what differed when the worker began. */
static HashTable frozen;

static void free_string(zval *z)
{
	zend_string_release(Z_PTR_P(z));
}

void resetini_save(void)
{
	zend_ini_entry *entry;

	zend_hash_init(&frozen, 16, NULL, free_string, false);
	if (EG(modified_ini_directives) == NULL)
		return;
	ZEND_HASH_MAP_FOREACH_PTR(EG(modified_ini_directives), entry)
	{
		if (entry->value != NULL)
			zend_hash_update_ptr(&frozen, entry->name, zend_string_copy(entry->value));
	}
	ZEND_HASH_FOREACH_END();
}

static bool matches(const char *pattern, size_t n, const zend_string *name)
{
	if (n > 0 && pattern[n - 1] == '*')
		return ZSTR_LEN(name) >= n - 1 && memcmp(ZSTR_VAL(name), pattern, n - 1) == 0;
	return ZSTR_LEN(name) == n && memcmp(ZSTR_VAL(name), pattern, n) == 0;
}

bool resetini_is_kept(const zend_string *name)
{
	static const char blanks[] = " \t,";
	const char *at = room.pool->ini_keep;

	if (room.pool->ini == AFTERWARDS_KEEP)
		return true;
	if (at == NULL)
		return false;
	for (at += strspn(at, blanks); *at != '\0'; at += strspn(at, blanks)) {
		size_t n = strcspn(at, blanks);

		if (matches(at, n, name))
			return true;
		at += n;
	}
	return false;
}

/*
 * The stage of a request's end: settings that say no while headers are out or a
 * session is open do not then.
 */
static bool set(zend_string *name, zend_string *value)
{
	return zend_alter_ini_entry_ex(
		   name, value, PHP_INI_SYSTEM, ZEND_INI_STAGE_DEACTIVATE, true) == SUCCESS;
}

static bool put_back(zend_ini_entry *entry)
{
	zend_string *value = zend_hash_find_ptr(&frozen, entry->name);

	if (value == NULL)
		return zend_restore_ini_entry(entry->name, ZEND_INI_STAGE_DEACTIVATE) == SUCCESS;
	if (entry->value != NULL && zend_string_equals(entry->value, value))
		return true;
	return set(entry->name, value);
}

/* Putting a setting back takes it from PHP's list: that cannot be walked meanwhile. */
static bool restore_changed(void)
{
	uint32_t n = zend_hash_num_elements(EG(modified_ini_directives)), used = 0;
	zend_ini_entry **list = safe_emalloc(n, sizeof(*list), sizeof(*list));
	zend_ini_entry *entry;
	bool all = true;

	ZEND_HASH_MAP_FOREACH_PTR(EG(modified_ini_directives), entry)
	{
		list[used++] = entry;
	}
	ZEND_HASH_FOREACH_END();
	for (uint32_t i = 0; i < used; i++)
		if (!resetini_is_kept(list[i]->name))
			all = put_back(list[i]) && all;
	efree(list);
	return all;
}

/* ini_restore() in a request takes back what the boot had set. */
static bool restore_lost(void)
{
	zend_string *name, *value;
	bool all = true;

	ZEND_HASH_MAP_FOREACH_STR_KEY_PTR(&frozen, name, value)
	{
		zend_ini_entry *entry = zend_hash_find_ptr(EG(ini_directives), name);

		if (entry == NULL || entry->modified || resetini_is_kept(name))
			continue;
		all = set(name, value) && all;
	}
	ZEND_HASH_FOREACH_END();
	return all;
}

bool resetini_restore(void)
{
	bool all = true;

	if (EG(modified_ini_directives) != NULL &&
	    zend_hash_num_elements(EG(modified_ini_directives)) > 0) {
		zend_long limit = EG(timeout_seconds);

		all = restore_changed();
		/* max_execution_time has wound up its clock. */
		if (EG(timeout_seconds) != limit)
			zend_unset_timeout();
	}
	return restore_lost() && all;
}
