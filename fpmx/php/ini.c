/*
 * ini: php_value, php_admin_value and their flags from the pool, PHP_VALUE and
 * PHP_ADMIN_VALUE from the web server.
 *
 * Runs in: template (pool), worker (wire).
 * The pool's values are laid over php.ini before extensions start, so that what
 * is read only once (opcache.memory_consumption) takes effect too, and are set
 * again once they have started, as php-fpm does: an admin value is then out of
 * the reach of scripts.
 * The wire's values hold for one request. They can never change what the pool
 * has set as admin value.
 */
#include "php/room.h"

#include <string.h>

#include "base/log.h"
#include "base/must.h"

/* What the wire changed, to be put back. */
struct undo {
	struct undo *next;
	zend_ini_entry *entry;
	zend_string *value;
	uint8_t modifiable;
};
static struct undo *undo_list;

/* What the pool covers of php.ini during start-up: get_cfg_var() tells php.ini. */
struct covered {
	struct covered *next;
	const char *name;
	zval was, instead;
};
static struct covered *covered_list;

enum ini_set {
	INI_SET_DONE,
	INI_SET_REJECTED, /* the entry's own check said no */
	INI_SET_UNKNOWN   /* there is no such entry, or it is the pool's */
};

static bool is_extension(const char *name)
{
	return strcmp(name, "extension") == 0;
}

/*
 * Functions and classes are disabled beside those of php.ini, not instead of
 * them: so these two are not laid over it.
 */
static bool is_disabling(const char *name)
{
	return strcmp(name, "disable_functions") == 0 || strcmp(name, "disable_classes") == 0;
}

static void extension_lines(const struct conf_map *map, struct php_ini_builder *lines)
{
	for (size_t i = 0; i < map->n; i++) {
		const struct conf_pair *pair = &map->pairs[i];

		if (is_extension(pair->name) && *pair->value != '\0')
			php_ini_builder_quoted(lines, pair->name, strlen(pair->name), pair->value,
			    strlen(pair->value));
	}
}

void ini_pool_extensions(const struct pool_conf *pool, struct php_ini_builder *lines)
{
	extension_lines(&pool->php_value, lines);
	extension_lines(&pool->php_admin_value, lines);
}

/*
 * Neither what php.ini said nor what stands for it meanwhile is freed: settings
 * that were taken keep pointing to it.
 */
static void overlay(const char *name, const char *text)
{
	HashTable *config = php_ini_get_configuration_hash();
	zval *slot = zend_hash_str_find(config, name, strlen(name));
	struct covered *c = pecalloc(1, sizeof(*c), true);

	if (slot == NULL) {
		zval none;

		ZVAL_NULL(&none);
		slot = zend_hash_str_add(config, name, strlen(name), &none);
	}
	c->next = covered_list;
	c->name = name;
	ZVAL_COPY_VALUE(&c->was, slot);
	ZVAL_STR(&c->instead, zend_string_init(text, strlen(text), true));
	ZVAL_COPY_VALUE(slot, &c->instead);
	covered_list = c;
}

static void overlay_map(const struct conf_map *map)
{
	/* Of two equal names the first wins: it is written last. */
	for (size_t i = map->n; i-- > 0;) {
		const struct conf_pair *pair = &map->pairs[i];

		if (!is_extension(pair->name) && !is_disabling(pair->name))
			overlay(pair->name, pair->value);
	}
}

/*
 * OPcache would kill who holds its memory for longer than that, to begin anew: a
 * template does so for good, and its workers go on with what it has read.
 */
static const char *const patient[] = {"opcache.force_restart_timeout", "0"};

static bool is_booted(const struct pool_conf *pool)
{
	return pool->mode != POOL_MODE_CLASSIC;
}

void ini_overlay(const struct pool_conf *pool)
{
	overlay_map(&pool->php_value);
	overlay_map(&pool->php_admin_value);
	if (is_booted(pool))
		overlay(patient[0], patient[1]);
}

void ini_uncover(void)
{
	HashTable *config = php_ini_get_configuration_hash();

	for (struct covered *c = covered_list; c != NULL; c = c->next) {
		zval *slot = zend_hash_str_find(config, c->name, strlen(c->name));

		ZVAL_COPY_VALUE(slot, &c->was);
		if (Z_TYPE(c->was) == IS_NULL)
			zend_hash_str_del(config, c->name, strlen(c->name));
	}
}

/*
 * Makes value the entry's own value, as if php.ini said so: ini_restore() comes
 * back to it.
 */
static enum ini_set set_master_value(zend_ini_entry *entry, const char *text, int mode)
{
	size_t n = strlen(text);
	zend_string *value;

	if (entry->value != NULL && zend_string_equals_cstr(entry->value, text, n))
		goto lock;
	value = zend_string_init(text, n, true);
	if (entry->on_modify != NULL &&
	    entry->on_modify(entry, value, entry->mh_arg1, entry->mh_arg2, entry->mh_arg3,
		ZEND_INI_STAGE_ACTIVATE) != SUCCESS) {
		zend_string_release_ex(value, true);
		return INI_SET_REJECTED;
	}
	/* The old string may still be in use by whoever was told of it: it stays. */
	entry->value = value;
lock:
	if (mode == ZEND_INI_SYSTEM)
		entry->modifiable = ZEND_INI_SYSTEM;
	return INI_SET_DONE;
}

static zend_ini_entry *find_entry(const char *name)
{
	return zend_hash_str_find_ptr(EG(ini_directives), name, strlen(name));
}

/* What php-fpm does beside setting the value. */
static void disable(const char *name, const char *value)
{
	if (*value == '\0')
		return;
	if (strcmp(name, "disable_functions") == 0)
		compat_disable_functions(value);
	else
		compat_disable_classes(value);
}

static void apply_map(const struct conf_map *map, const char *directive, int mode)
{
	for (size_t i = map->n; i-- > 0;) {
		const struct conf_pair *pair = &map->pairs[i];
		zend_ini_entry *entry = find_entry(pair->name);

		if (is_extension(pair->name))
			continue;
		if (entry == NULL) {
			log_error("Unable to set %s '%s'", directive, pair->name);
			continue;
		}
		(void)set_master_value(entry, pair->value, mode);
		if (is_disabling(pair->name))
			disable(pair->name, pair->value);
	}
}

void ini_apply_pool(const struct pool_conf *pool)
{
	apply_map(&pool->php_value, "php_value", ZEND_INI_USER);
	apply_map(&pool->php_admin_value, "php_admin_value", ZEND_INI_SYSTEM);
	if (is_booted(pool) && find_entry(patient[0]) != NULL)
		(void)set_master_value(find_entry(patient[0]), patient[1], ZEND_INI_SYSTEM);
}

static bool is_admin_value(const char *name)
{
	const struct conf_map *map = &room.pool->php_admin_value;

	for (size_t i = 0; i < map->n; i++) {
		if (strcmp(map->pairs[i].name, name) == 0)
			return true;
	}
	return false;
}

static bool wire_may(int mode)
{
	enum conf_wire_ini allowed = room.pool->wire_ini;

	return allowed == WIRE_INI_ADMIN || (allowed == WIRE_INI_USER && mode == ZEND_INI_USER);
}

/* What cannot be put back is done all the same, and costs the worker its next request. */
static enum ini_set set_for_good(const char *name, const char *value, int mode)
{
	if (*value == '\0')
		return INI_SET_DONE;
	room.request.spoils_worker = true;
	if (is_disabling(name)) {
		(void)set_master_value(find_entry(name), value, mode);
		disable(name, value);
		return INI_SET_DONE;
	}
	/* It says itself why it cannot. */
	(void)php_load_extension(value, MODULE_PERSISTENT, 1);
	return INI_SET_DONE;
}

static enum ini_set set_for_request(const char *name, const char *value, int mode)
{
	zend_ini_entry *entry = find_entry(name);
	struct undo *undo;
	enum ini_set result;

	if (is_admin_value(name))
		return INI_SET_UNKNOWN;
	if (is_extension(name) || is_disabling(name))
		return set_for_good(name, value, mode);
	if (entry == NULL)
		return INI_SET_UNKNOWN;
	undo = pemalloc(sizeof(*undo), true);
	*undo = (struct undo){undo_list, entry, entry->value, entry->modifiable};
	result = set_master_value(entry, value, mode);
	if (result == INI_SET_DONE)
		undo_list = undo;
	else
		pefree(undo, true);
	return result;
}

static void wire_entry(zval *name, zval *value, zval *index, int kind, void *mode)
{
	(void)index;
	if (kind != ZEND_INI_PARSER_ENTRY) {
		engine_log(LOG_LEVEL_ERROR,
		    "Passing INI directive through FastCGI: only classic entries are allowed");
		return;
	}
	if (value == NULL) {
		engine_log(LOG_LEVEL_ERROR,
		    "Passing INI directive through FastCGI: empty value for key '%s'",
		    Z_STRVAL_P(name));
		return;
	}
	if (set_for_request(Z_STRVAL_P(name), Z_STRVAL_P(value), *(int *)mode) == INI_SET_UNKNOWN)
		engine_log(LOG_LEVEL_ERROR,
		    "Passing INI directive through FastCGI: unable to set '%s'", Z_STRVAL_P(name));
}

static void apply_text(const char *param, int mode)
{
	const char *text = room_param(param);
	size_t n = text != NULL ? strlen(text) : 0;
	char *copy;

	if (text == NULL || !wire_may(mode))
		return;
	/* The scanner wants an end of the last line, and room behind it that it writes to. */
	copy = pecalloc(1, n + 1 + ZEND_MMAP_AHEAD, true);
	memcpy(copy, text, n);
	copy[n] = '\n';
	zend_parse_ini_string(copy, true, ZEND_INI_SCANNER_NORMAL, wire_entry, &mode);
	pefree(copy, true);
}

void ini_apply_wire(void)
{
	apply_text("PHP_VALUE", ZEND_INI_USER);
	apply_text("PHP_ADMIN_VALUE", ZEND_INI_SYSTEM);
}

/* An entry's own check may refuse what it had before, or raise an error. */
static bool tell_old_value(zend_ini_entry *entry, zend_string *value)
{
	volatile bool told = false;

	if (entry->on_modify == NULL)
		return true;
	zend_try
	{
		told = entry->on_modify(entry, value, entry->mh_arg1, entry->mh_arg2,
			   entry->mh_arg3, ZEND_INI_STAGE_DEACTIVATE) == SUCCESS;
	}
	zend_end_try();
	return told;
}

bool ini_undo_wire(void)
{
	bool all = true;

	while (undo_list != NULL) {
		struct undo *undo = undo_list;
		zend_ini_entry *entry = undo->entry;
		zend_string *ours = entry->value;

		undo_list = undo->next;
		entry->modifiable = undo->modifiable;
		if (ours != undo->value) {
			bool told = tell_old_value(entry, undo->value);

			entry->value = undo->value;
			/* Who was not told may still point to ours. */
			if (told)
				zend_string_release_ex(ours, true);
			all = all && told;
		}
		pefree(undo, true);
	}
	return all;
}
