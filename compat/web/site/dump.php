<?php
// Everything that a script can learn about its request, as JSON in the order in which PHP has it.
$bytes = file_get_contents('php://input');

// Any byte is shown so that JSON can carry it.
function plain($value)
{
    if (!is_array($value)) {
        return is_string($value) ? addcslashes($value, "\\\0..\37\177..\377") : $value;
    }
    $out = [];
    foreach ($value as $k => $v) {
        $out[is_string($k) ? addcslashes($k, "\\\0..\37\177..\377") : $k] = plain($v);
    }
    return $out;
}

$files = [];
foreach ($_FILES as $name => $f) {
    $read = fn ($tmp) => is_string($tmp) && is_uploaded_file($tmp)
        ? [filesize($tmp), sha1_file($tmp), substr(basename($tmp), 0, 3)] : $tmp;
    $f['tmp_name'] = is_array($f['tmp_name']) ? array_map($read, $f['tmp_name']) : $read($f['tmp_name']);
    $files[$name] = $f;
}

$out = [
    '_SERVER' => $_SERVER,
    '_GET' => $_GET,
    '_POST' => strlen(serialize($_POST)) > 65536 ? sha1(serialize($_POST)) : $_POST,
    '_COOKIE' => $_COOKIE,
    '_FILES' => $files,
    '_REQUEST' => array_keys($_REQUEST),
    '_ENV' => $_ENV,
    'input' => [strlen($bytes), sha1($bytes)],
    'getenv' => getenv(),
    'headers' => getallheaders(),
    'same headers' => getallheaders() === apache_request_headers(),
    'sent' => headers_list(),
    'sapi' => [php_sapi_name(), PHP_SAPI, PHP_VERSION],
    'place' => [getcwd(), __FILE__, get_included_files()],
    'user' => [get_current_user(), posix_geteuid(), posix_getegid(), posix_getgroups(), umask()],
    'ini' => array_combine($ini = ['memory_limit', 'cgi.fix_pathinfo', 'display_errors', 'user_agent', 'max_input_time', 'error_log', 'precision'],
        array_map('ini_get', $ini)),
    'ini files' => [php_ini_loaded_file(), php_ini_scanned_files()],
    'extensions' => array_values(array_diff(get_loaded_extensions(), ['pcntl'])),
    'functions' => array_map('function_exists', ['fastcgi_finish_request', 'fpm_get_status', 'dl', 'cli_set_process_title']),
    'streams' => [is_resource(fopen('php://stdin', 'r')), defined('STDIN'), stream_get_contents(fopen('php://stdin', 'r'))],
    'filter' => [filter_input(INPUT_SERVER, 'REQUEST_METHOD'), filter_input(INPUT_SERVER, 'PHP_SELF'),
                 filter_input(INPUT_GET, 'q'), filter_input(INPUT_COOKIE, 'a'), filter_has_var(INPUT_ENV, 'USER')],
    'opcache' => function_exists('opcache_get_status') && is_array(opcache_get_status(false)),
];
header('Content-Type: application/json');
echo json_encode(plain($out), JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_PARTIAL_OUTPUT_ON_ERROR), "\n";
