/*
 * info: what -v, -m and -i print, and which PHP was loaded.
 *
 * Runs in: info commands; the version also in the template.
 */
#include "php/room.h"

#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * The library exports its version only once it has been started, which is too
 * late to find out that it is not the one we were built for. But what it sends
 * as X-Powered-By lies among its constants.
 */
static const char version_mark[] = "X-Powered-By: PHP/";

struct search {
	uintptr_t inside;  /* an address of the library */
	const char *found; /* "8.2.36" */
};

static bool holds(const struct dl_phdr_info *object, uintptr_t address)
{
	for (size_t i = 0; i < object->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		uintptr_t begin = object->dlpi_addr + part->p_vaddr;

		if (part->p_type == PT_LOAD && address >= begin && address - begin < part->p_memsz)
			return true;
	}
	return false;
}

static int search_object(struct dl_phdr_info *object, size_t size, void *ctx)
{
	struct search *search = ctx;
	size_t n = sizeof(version_mark) - 1;

	(void)size;
	if (!holds(object, search->inside))
		return 0;
	for (size_t i = 0; i < object->dlpi_phnum && search->found == NULL; i++) {
		const ElfW(Phdr) *part = &object->dlpi_phdr[i];
		const char *begin = (const char *)(object->dlpi_addr + part->p_vaddr);
		const char *mark;

		if (part->p_type != PT_LOAD || (part->p_flags & PF_R) == 0)
			continue;
		mark = memmem(begin, part->p_filesz, version_mark, n);
		if (mark != NULL)
			search->found = mark + n;
	}
	return 1;
}

static const char *loaded_version(void)
{
	struct search search = {.inside = (uintptr_t)php_module_startup};

	dl_iterate_phdr(search_object, &search);
	return search.found != NULL ? search.found : "";
}

uint32_t engine_php_version_id(void)
{
	unsigned major = 0, minor = 0, patch = 0;

	if (sscanf(loaded_version(), "%u.%u.%u", &major, &minor, &patch) < 2)
		return 0;
	return major * 10000 + minor * 100 + patch;
}

int engine_print_version(void)
{
	php_printf("PHP %s (%s) (built: %s %s)\nCopyright (c) The PHP Group\n%s", loaded_version(),
	    sapi_module.name, __DATE__, __TIME__, get_zend_version());
	return 0;
}

static int by_module_name(Bucket *a, Bucket *b)
{
	const zend_module_entry *x = Z_PTR(a->val);
	const zend_module_entry *y = Z_PTR(b->val);

	return strcasecmp(x->name, y->name);
}

static int by_extension_name(const zend_llist_element **a, const zend_llist_element **b)
{
	const zend_extension *x = (const zend_extension *)(*a)->data;
	const zend_extension *y = (const zend_extension *)(*b)->data;

	return strcmp(x->name, y->name);
}

int engine_print_modules(void)
{
	zend_llist_position at;
	zend_llist extensions;
	HashTable modules;
	zend_module_entry *module;

	php_printf("[PHP Modules]\n");
	zend_hash_init(&modules, 64, NULL, NULL, true);
	zend_hash_copy(&modules, &module_registry, NULL);
	zend_hash_sort(&modules, by_module_name, false);
	ZEND_HASH_FOREACH_PTR(&modules, module)
	{
		php_printf("%s\n", module->name);
	}
	ZEND_HASH_FOREACH_END();
	zend_hash_destroy(&modules);

	php_printf("\n[Zend Modules]\n");
	zend_llist_copy(&extensions, &zend_extensions);
	extensions.dtor = NULL; /* they belong to the other list */
	zend_llist_sort(&extensions, by_extension_name);
	for (zend_extension *x = zend_llist_get_first_ex(&extensions, &at); x != NULL;
	     x = zend_llist_get_next_ex(&extensions, &at))
		php_printf("%s\n", x->name);
	zend_llist_destroy(&extensions);
	php_printf("\n");
	return 0;
}

int engine_print_info(void)
{
	room_sapi.phpinfo_as_text = 1;
	if (php_request_startup() != SUCCESS)
		return 1;
	SG(headers_sent) = 1;
	SG(request_info).no_headers = 1;
	php_print_info(PHP_INFO_ALL & ~PHP_INFO_CREDITS);
	php_output_end_all();
	php_request_shutdown(NULL);
	return 0;
}
