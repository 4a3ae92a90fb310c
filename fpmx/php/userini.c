/*
 * userini: settings by folder: .user.ini, and php.ini's [HOST=] and [PATH=].
 *
 * Runs in: worker.
 * From DOCUMENT_ROOT down to the script's folder if that is inside it, else only
 * the script's folder. What was read is kept for user_ini.cache_ttl, absence too.
 * With cgi.fix_pathinfo=0 a folder need not exist: who asks for ever new ones must
 * not make us remember them all.
 */
#include "php/room.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* More than any site has in use: thousands of folders. */
#define FOLDERS_MAX_BYTES (256u << 10)
/* What a folder takes beside its path. */
#define FOLDER_BYTES (sizeof(struct folder) + 64)

struct folder {
	time_t good_until;
	HashTable values;
};

static HashTable folders; /* by path */
static size_t folders_bytes;

static void folder_free(zval *zv)
{
	struct folder *f = Z_PTR_P(zv);

	zend_hash_destroy(&f->values);
	pefree(f, true);
}

void userini_startup(void)
{
	zend_hash_init(&folders, 8, NULL, folder_free, true);
}

void userini_shutdown(void)
{
	zend_hash_destroy(&folders);
}

static time_t request_time(void)
{
	return (time_t)sapi_get_request_time();
}

static void read_folder(struct folder *f, const char *path)
{
	zend_hash_init(&f->values, 8, NULL, (dtor_func_t)config_zval_dtor, true);
	f->good_until = request_time() + (time_t)PG(user_ini_cache_ttl);
	(void)php_parse_user_ini_file(path, PG(user_ini_filename), &f->values);
}

static void make_room(size_t path_bytes)
{
	if (folders_bytes > FOLDERS_MAX_BYTES) {
		zend_hash_clean(&folders);
		folders_bytes = 0;
	}
	folders_bytes += FOLDER_BYTES + path_bytes;
}

static void activate_folder(const char *path, size_t n)
{
	struct folder *f = zend_hash_str_find_ptr(&folders, path, n);
	char *copy;

	if (f == NULL || request_time() > f->good_until) {
		if (f == NULL)
			make_room(n);
		copy = estrndup(path, n);
		f = pecalloc(1, sizeof(*f), true);
		read_folder(f, copy);
		zend_hash_str_update_ptr(&folders, path, n, f);
		efree(copy);
	}
	php_ini_activate_config(&f->values, PHP_INI_PERDIR, PHP_INI_STAGE_HTACCESS);
}

/* Is the folder root or below it? Compared by whole components. */
static bool is_inside(const char *folder, size_t n, const char *root, size_t root_n)
{
	return n >= root_n && memcmp(folder, root, root_n) == 0 &&
	       (n == root_n || folder[root_n] == '/');
}

static void activate_files(const char *folder, size_t n, const char *root)
{
	size_t root_n = strlen(root);

	while (root_n > 0 && root[root_n - 1] == '/')
		root_n--;
	if (is_inside(folder, n, root, root_n)) {
		/* Each folder above the script's, the root first. */
		for (size_t end = root_n; end < n; end++) {
			if (end == root_n || folder[end] == '/')
				activate_folder(folder, end > 0 ? end : 1);
		}
	}
	activate_folder(folder, n);
}

static void activate_host(void)
{
	const char *name = room_param("SERVER_NAME");
	char *lower;

	if (!php_ini_has_per_host_config() || name == NULL || *name == '\0')
		return;
	lower = estrdup(name);
	for (char *c = lower; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	php_ini_activate_per_host_config(lower, strlen(lower));
	efree(lower);
}

void userini_activate(const char *script_path)
{
	bool files = PG(user_ini_filename) != NULL && *PG(user_ini_filename) != '\0';
	const char *slash = strrchr(script_path, '/');
	const char *root = room_param("DOCUMENT_ROOT");
	char *folder;
	size_t n;

	activate_host();
	if (slash == NULL || (!files && !php_ini_has_per_dir_config()))
		return;
	n = (size_t)(slash - script_path);
	n = n > 0 ? n : 1; /* "/" */
	folder = estrndup(script_path, n);
	/* It cuts the path while it looks and repairs it. */
	php_ini_activate_per_dir_config(folder, n);
	/* Without a document root php-fpm reads no .user.ini at all. */
	if (files && root != NULL)
		activate_files(folder, n, root);
	efree(folder);
}
