/*
 * compat: PHP's headers, and the differences between its versions, in one place.
 *
 * Runs in: template, worker, info commands.
 * Every file of this room includes this and no header of PHP. Nowhere else does
 * a condition name a PHP version.
 */
#ifndef FPMX_PHP_COMPAT_H
#define FPMX_PHP_COMPAT_H

#include <php.h>
#include <SAPI.h>
#include <fopen_wrappers.h>
#include <http_status_codes.h>
#include <php_ini.h>
#include <php_ini_builder.h>
#include <php_main.h>
#include <php_variables.h>
#include <rfc1867.h>
#include <zend_exceptions.h>
#include <zend_extensions.h>
#include <zend_ini_scanner.h>
#include <zend_signal.h>
#include <zend_stream.h>
#include <ext/json/php_json.h>
#include <ext/random/php_random.h>
#include <ext/session/php_session.h>
#include <ext/standard/basic_functions.h>
#include <ext/standard/dl.h>
#include <ext/standard/file.h>
#include <ext/standard/head.h>
#include <ext/standard/info.h>

#if PHP_VERSION_ID < 80200
#error "fpmx needs PHP 8.2 or later"
#endif

/* flush() sends the headers even before there is a body. */
#define COMPAT_FLUSH_SENDS_HEADERS (PHP_VERSION_ID >= 80400)

/*
 * Where .user.ini is applied: from 8.5 on before a form is read, so that it can
 * say how long that may be.
 */
#if PHP_VERSION_ID >= 80500
#define COMPAT_BEFORE_REQUEST pre_request_init
#else
#define COMPAT_BEFORE_REQUEST activate
#endif

/*
 * Random numbers that PHP seeds itself must differ from those of the other
 * workers.
 */
static inline void compat_forget_seeds(void)
{
	RANDOM_G(combined_lcg_seeded) = false;
	RANDOM_G(mt19937_seeded) = false;
#if PHP_VERSION_ID >= 80400
	RANDOM_G(fallback_seed_state).initialized = false;
#elif PHP_VERSION_ID >= 80300
	RANDOM_G(fallback_seed_initialized) = false;
#endif
}

/* disable_functions and disable_classes at run time, as a list of names. */
static inline void compat_disable_functions(const char *names)
{
	zend_disable_functions(names);
}

static inline void compat_disable_classes(const char *names)
{
#if PHP_VERSION_ID < 80500
	static const char blanks[] = " ,";

	for (names += strspn(names, blanks); *names != '\0'; names += strspn(names, blanks)) {
		size_t n = strcspn(names, blanks);

		zend_disable_class(names, n);
		names += n;
	}
#else
	/* The setting is gone. */
	(void)names;
#endif
}

/* The handlers that are in place now are those that PHP calls. */
static inline void compat_take_signal_handlers(void)
{
#ifdef ZEND_SIGNALS
	zend_signal_startup();
	/* Looking at seven handlers in each request is seven system calls. */
	SIGG(reset) = false;
#endif
}

#endif
