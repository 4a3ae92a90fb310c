"""What a request can change, and the next one must not see.

For: tests/run/no-request-sees-what-another-has-changed.
A row: name, PHP code that changes it, PHP expression that reads it, and the rows
of the engine's reset (fpmx/php/reset.h) that put it back; none where it goes with
the frame of the request (superglobals, headers, output). Optional last: a function
that must exist. Add rows freely; a row whose code changes nothing fails by itself.
"""

# The first numbers after mt_srand(5).
OF_SEED_5 = ("476726705, 118498407, 1869883383, 1785262942, 443926003, 781119035, "
             "1972701896, 2103342116, 1048855044, 192889202, 1313709939, 851985375")

INI = {
    "precision": "5", "serialize_precision": "4", "memory_limit": "200M", "max_execution_time": "77",
    "error_reporting": "1", "display_errors": "stderr", "html_errors": "0",
    "ignore_repeated_errors": "1", "ignore_user_abort": "1", "include_path": "/nowhere", "user_agent": "me",
    "default_charset": "KOI8-R", "default_mimetype": "text/x-other", "default_socket_timeout": "7",
    "auto_detect_line_endings": "1", "arg_separator.output": ";", "assert.callback": "strlen",
    "assert.exception": "0", "date.timezone": "Asia/Tokyo", "docref_root": "/doc",
    "error_prepend_string": "P", "from": "a@b", "highlight.comment": "#123456", "ignore_repeated_source": "1",
    "pcre.backtrack_limit": "1234", "pcre.recursion_limit": "4321", "pcre.jit": "0", "report_memleaks": "0",
    "sendmail_from": "x@y", "unserialize_callback_func": "strlen", "unserialize_max_depth": "33",
    "url_rewriter.tags": "a=href", "zend.enable_gc": "0",
    "zend.exception_ignore_args": "0", "zend.exception_string_param_max_len": "3",
    "implicit_flush": "1", "internal_encoding": "ISO-8859-2", "output_encoding": "ISO-8859-3",
    "input_encoding": "ISO-8859-4", "user_ini.cache_ttl": None, "session.name": "OTHER",
    "session.cookie_path": "/x", "session.cookie_httponly": "1", "session.gc_maxlifetime": "99",
    "session.use_strict_mode": "1", "session.cache_limiter": "public", "session.save_path": "/nowhere",
    "session.save_handler": None, "session.serialize_handler": "php_serialize", "session.lazy_write": "0",
}

ROWS = [(f"ini {name}", f"ini_set('{name}', '{value}');", f"ini_get('{name}')", "ini")
        for name, value in INI.items() if value is not None]

ROWS += [
    # functions that are ini settings below
    ("error_reporting()", "error_reporting(3);", "error_reporting()", "ini"),
    ("set_time_limit", "set_time_limit(55);", "ini_get('max_execution_time')", "ini"),
    ("ignore_user_abort()", "ignore_user_abort(true);", "ignore_user_abort()", "ini"),
    ("gc_disable", "gc_disable();", "gc_enabled()", "ini"),
    ("set_include_path", "set_include_path('/a:/b');", "get_include_path()", "ini"),
    ("assert_options", "@assert_options(ASSERT_WARNING, 0);", "ini_get('assert.warning')", "ini"),
    ("session_name", "session_name('X');", "session_name()", "ini"),
    ("session_cache_expire", "session_cache_expire(3);", "session_cache_expire()", "ini"),
    ("session_set_cookie_params", "session_set_cookie_params(9, '/q', 'd', true, true);",
     "session_get_cookie_params()", "ini"),
    ("session_save_path", "session_save_path('/q');", "session_save_path()", "ini"),
    ("ini of the boot changed", "ini_set('docref_ext', '.other');", "ini_get('docref_ext')", "ini"),
    ("ini of the boot restored", "ini_restore('error_append_string');", "ini_get('error_append_string')", "ini"),
    # handlers
    ("error handler", "set_error_handler(fn() => true);",
     "(function() { $h = set_error_handler(null); restore_error_handler(); return spl_object_id($h); })()",
     "handlers"),
    ("error handler popped", "restore_error_handler();",
     "(function() { $h = set_error_handler(null); restore_error_handler(); return gettype($h); })()", "handlers"),
    ("exception handler", "set_exception_handler(function($e) { echo 'handled'; });",
     "(function() { $h = set_exception_handler(null); restore_exception_handler(); return gettype($h); })()",
     "handlers"),
    ("tick function", "register_tick_function('strlen', 'x');", "fpmx_test_ticks()", "ticks", "fpmx_test_ticks"),
    # the environment
    ("putenv new", "putenv('FPMX_A=1');", "getenv('FPMX_A')", "environment"),
    ("putenv changed", "putenv('BOOT_ENV=2');", "getenv('BOOT_ENV')", "environment"),
    ("putenv gone", "putenv('BOOT_ENV');", "getenv('BOOT_ENV')", "environment"),
    ("putenv TZ", "putenv('TZ=Asia/Tokyo');", "getenv('TZ')", "environment"),
    ("$_ENV new", "$_ENV['X'] = 1;", "$_ENV['X'] ?? null", ""),
    ("$_ENV changed", "$_ENV['BOOT_ENV'] = 1;", "$_ENV['BOOT_ENV'] ?? null", ""),
    ("$_ENV emptied", "$_ENV = [];", "count($_ENV)", ""),
    # the process
    ("locale", "setlocale(LC_ALL, 'C.UTF-8', 'en_US.UTF-8', 'POSIX');", "setlocale(LC_ALL, 0)", "locale"),
    ("locale of numbers", "setlocale(LC_CTYPE, 'C');", "setlocale(LC_CTYPE, 0)", "locale"),
    ("umask", "umask(0123);", "umask()", "umask"),
    ("folder", "chdir('/');", "getcwd()", "folder"),
    ("time zone", "date_default_timezone_set('Asia/Tokyo');", "date_default_timezone_get()", "timezone"),
    ("time zone of dates", "date_default_timezone_set('Asia/Tokyo');", "date('e', 0)", "timezone"),
    # mbstring, libxml, pcntl
    ("mb_internal_encoding", "mb_internal_encoding('EUC-JP');", "mb_internal_encoding()", "mb_internal_encoding",
     "mb_strlen"),
    ("mb_language", "mb_language('Japanese');", "mb_language()", "ini", "mb_strlen"),
    ("mb_http_output", "mb_http_output('EUC-JP');", "mb_http_output()", "mb_http_output", "mb_strlen"),
    ("mb_substitute_character", "mb_substitute_character(65);", "mb_substitute_character()",
     "mb_substitute_character", "mb_strlen"),
    ("mb_detect_order", "mb_detect_order('EUC-JP,ASCII');", "mb_detect_order()", "mb_detect_order", "mb_strlen"),
    ("mb_regex_encoding", "mb_regex_encoding('EUC-JP');", "mb_regex_encoding()", "mb_regex_encoding",
     "mb_regex_encoding"),
    ("mb_regex_set_options", "mb_regex_set_options('i');", "mb_regex_set_options()", "mb_regex_options",
     "mb_regex_encoding"),
    ("libxml internal errors", "libxml_use_internal_errors(true);", "libxml_use_internal_errors()",
     "libxml_errors", "libxml_use_internal_errors"),
    ("libxml list of errors", "libxml_use_internal_errors(true); simplexml_load_string('<a');",
     "count(libxml_get_errors())", "libxml_list libxml_errors", "simplexml_load_string"),
    ("libxml entity loader", "libxml_set_external_entity_loader(fn() => null);",
     "gettype(libxml_get_external_entity_loader())", "libxml_loader", "libxml_get_external_entity_loader"),
    ("pcntl_async_signals", "pcntl_async_signals(true);", "pcntl_async_signals()", "async_signals",
     "pcntl_async_signals"),
    # streams
    ("default context", "stream_context_set_default(['http' => ['method' => 'PUT']]);",
     "stream_context_get_options(stream_context_get_default())", "default_context"),
    ("stream wrapper new", "stream_wrapper_register('mine', 'ArrayObject');",
     "in_array('mine', stream_get_wrappers())", "stream_wrappers"),
    ("stream wrapper gone", "stream_wrapper_unregister('http');", "in_array('http', stream_get_wrappers())",
     "stream_wrappers"),
    ("stream wrapper replaced", "stream_wrapper_unregister('file'); stream_wrapper_register('file', 'ArrayObject');",
     "@file_get_contents('file:///dev/null')", "stream_wrappers"),
    ("stream filter", "stream_filter_register('mine.x', 'php_user_filter');",
     "in_array('mine.x', stream_get_filters())", "stream_filters"),
    # what the last call has left
    ("error_get_last", "@$nothing_there;", "error_get_last()['message'] ?? null", "last_error"),
    ("json_last_error", "json_decode('{');", "json_last_error()", "json_error"),
    ("preg_last_error", "preg_match('/(?:\\D+|<\\d+>)*[!?]/', str_repeat('foobar', 9));", "preg_last_error()",
     "preg_error"),
    ("strtok", "strtok('a b c', ' ');", "strtok(' ')", "strtok"),
    ("mt_srand", "mt_srand(5); mt_rand();", "in_array(mt_rand(), [%s])" % OF_SEED_5, "random"),
    # session
    ("session status", "session_id('a1'); @session_start();", "session_status()", "modules"),
    ("session id", "session_id('b1'); @session_start();", "session_id()", "modules"),
    ("$_SESSION", "session_id('c1'); @session_start(); $_SESSION['u'] = 'me';", "$_SESSION['u'] ?? null", ""),
    ("$_SESSION without a session", "$_SESSION['u'] = 'me';", "$_SESSION['u'] ?? null", ""),
    ("session handler", "session_set_save_handler(new SessionHandler, false);", "ini_get('session.save_handler')", "ini"),
    # the frame
    ("$_GET", "$_GET['x'] = 1;", "$_GET['x'] ?? null", ""),
    ("$_POST", "$_POST['x'] = 1;", "$_POST['x'] ?? null", ""),
    ("$_COOKIE", "$_COOKIE['x'] = 1;", "$_COOKIE['x'] ?? null", ""),
    ("$_FILES", "$_FILES['x'] = 1;", "$_FILES['x'] ?? null", ""),
    ("$_REQUEST", "$_REQUEST['x'] = 1;", "$_REQUEST['x'] ?? null", ""),
    ("$_SERVER", "$_SERVER['X'] = 1;", "$_SERVER['X'] ?? null", ""),
    ("$_SERVER of the boot", "$_SERVER['BOOT_SERVER'] = 1;", "$_SERVER['BOOT_SERVER'] ?? null", ""),
    ("header", "header('X-A: 1');", "preg_grep('/X-A/', headers_list())", ""),
    ("cookie", "setcookie('c', 'v');", "preg_grep('/Set-Cookie/', headers_list())", ""),
    ("status", "http_response_code(404);", "http_response_code()", ""),
    ("status line", "header('HTTP/1.1 410 Gone');", "http_response_code()", ""),
    ("content type", "header('Content-Type: text/x-a');", "preg_grep('/Content-[Tt]ype/', headers_list())", ""),
    ("header removed", "header_remove('X-Powered-By');", "count(preg_grep('/X-Powered/', headers_list()))", ""),
    ("output buffer", "ob_start();", "ob_get_level()", ""),
    ("output callback", "ob_start(fn($b) => $b);", "count(ob_list_handlers())", ""),
    ("implicit flush", "ob_implicit_flush(true);", "ob_get_status()['flags'] ?? 0", "", "no_such_function"),
    ("rewrite variable", "output_add_rewrite_var('v', '1');", "in_array('URL-Rewriter', ob_list_handlers())", ""),
    ("rewrite variable again", "output_add_rewrite_var('v', '1'); $GLOBALS['rw'] = 1;",
     "isset($GLOBALS['rw']) ? output_add_rewrite_var('w', '2') && in_array('URL-Rewriter', ob_list_handlers()) : 0",
     "rewrite_vars", "no_such_function"),
    ("shutdown function", "register_shutdown_function(fn() => $GLOBALS['shut'] = ($GLOBALS['shut'] ?? 0) + 1);",
     "1", "", "no_such_function"),
    ("connection status", "", "connection_status()", "", "no_such_function"),
    ("body handle", "$GLOBALS['in'] = fopen('php://input', 'r');",
     "is_resource($GLOBALS['in'] ?? null) ? stream_get_contents($GLOBALS['in']) : 'none'", "", "no_such_function"),
]
