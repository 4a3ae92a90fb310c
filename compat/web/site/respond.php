<?php
// One kind of answer for each word.
$n = (int) ($_GET['n'] ?? 0);
$s = $_GET['s'] ?? '';

function bytes($n)
{
    // Not constant, so that a lost or doubled block shows.
    $line = '';
    for ($i = 0; strlen($line) < 8192; $i++) {
        $line .= sha1($i);
    }
    for (; $n > 0; $n -= strlen($line)) {
        echo $n < strlen($line) ? substr($line, 0, $n) : $line;
    }
}

switch ($_GET['do'] ?? '') {
case 'code':
    http_response_code($n);
    echo "code $n\n";
    break;
case 'code-empty':
    http_response_code($n);
    break;
case 'status-line':
    header("HTTP/1.1 $s");
    echo "status line\n";
    break;
case 'status-line-0':
    header("HTTP/1.0 $s");
    echo "status line\n";
    break;
case 'status-header':
    header("Status: $s");
    echo "status header\n";
    break;
case 'both':
    header('HTTP/1.1 201 Created');
    header("Status: $s");
    echo "both\n";
    break;
case 'location':
    header("Location: $s");
    echo "moved\n";
    break;
case 'location-code':
    header("Location: $s", true, $n);
    break;
case 'type':
    header("Content-Type: $s");
    echo "type\n";
    break;
case 'no-type':
    header_remove('Content-Type');
    ini_set('default_mimetype', '');
    echo "no type\n";
    break;
case 'repeat':
    header('X-One: 1');
    header('X-One: 2', false);
    header('x-one: 3', false);
    header('X-Two: a');
    header('X-Two: b');
    setcookie('a', '1');
    setcookie('b', 'x y', ['expires' => 2000000000, 'path' => '/p', 'secure' => true, 'httponly' => true, 'samesite' => 'Lax']);
    setcookie('a', '2');
    echo "repeat\n";
    break;
case 'many':
    for ($i = 0; $i < $n; $i++) {
        header("X-Number-$i: " . str_repeat('v', 10));
    }
    echo "many\n";
    break;
case 'big-header':
    header('X-Big: ' . str_repeat('b', $n));
    echo "big\n";
    break;
case 'odd-headers':
    header('X-Empty:');
    header('X-Space:    left');
    header('X-Utf8: ä€');
    header('X-Colon: a:b:c');
    header('X-Tab: a	b');
    header('x-lower: 1');
    echo "odd\n";
    break;
case 'bad-header':
    @header("X-Bad: a\r\nX-Injected: 1");
    echo error_get_last()['message'] ?? 'none', "\n";
    break;
case 'remove':
    header('X-Gone: 1');
    header_remove('X-Gone');
    echo "removed\n";
    break;
case 'remove-all':
    header('X-Gone: 1');
    header_remove();
    echo "removed\n";
    break;
case 'length':
    header("Content-Length: $n");
    echo "0123456789";
    break;
case 'output':
    bytes($n);
    break;
case 'output-bits':
    while (ob_get_level()) {
        ob_end_flush();
    }
    for ($i = 0; $i < $n; $i++) {
        echo chr(65 + $i % 26);
        flush();
    }
    break;
case 'gzip':
    ini_set('zlib.output_compression', '1');
    bytes($n);
    break;
case 'buffer':
    ob_start(fn ($x) => strrev($x));
    echo "drawrof";
    break;
case 'buffer-nested':
    ob_start('strtoupper');
    echo 'a';
    ob_start('strrev');
    echo 'bcd';
    break;
case 'late-header':
    while (ob_get_level()) {
        ob_end_flush();
    }
    echo "body first\n";
    flush();
    header('X-Late: 1');
    var_dump(headers_sent());
    break;
case 'finish':
    echo "before\n";
    var_dump(fastcgi_finish_request());
    echo "after\n";
    var_dump(fastcgi_finish_request());
    break;
case 'finish-headers':
    header('X-Before: 1');
    fastcgi_finish_request();
    header('X-After: 1');
    break;
case 'shutdown':
    register_shutdown_function(function () {
        echo "shutdown ", connection_status(), "\n";
        register_shutdown_function(function () {
            echo "again\n";
        });
    });
    echo "main\n";
    exit("exit text\n");
case 'exit-number':
    echo "before\n";
    exit($n);
case 'exit-in-shutdown':
    register_shutdown_function(function () {
        echo "one\n";
        exit;
    });
    register_shutdown_function(function () {
        echo "never\n";
    });
    break;
case 'destructor':
    $GLOBALS['keep'] = new class {
        public function __destruct()
        {
            echo "destructed\n";
        }
    };
    echo "main\n";
    break;
case 'fatal':
    echo "before\n";
    no_such_function();
case 'fatal-silent':
    no_such_function();
case 'fatal-shown':
    ini_set('display_errors', '1');
    no_such_function();
case 'exception':
    throw new RuntimeException("text with <b>html</b>");
case 'warning-shown':
    ini_set('display_errors', '1');
    echo $undefined, "after\n";
    break;
case 'parse':
    include __DIR__ . '/broken.inc';
    break;
case 'memory':
    ini_set('memory_limit', '8M');
    $x = str_repeat('x', 64 << 20);
    break;
case 'memory-shutdown':
    register_shutdown_function(function () {
        echo "shutdown ran\n";
    });
    ini_set('memory_limit', '8M');
    $x = str_repeat('x', 64 << 20);
    break;
case 'time':
    set_time_limit(1);
    while (true) {
        ;
    }
case 'trigger':
    trigger_error("user $s", E_USER_ERROR);
    echo "unreachable\n";
    break;
case 'error-log':
    error_log("logged $s");
    error_log("second");
    echo "logged\n";
    break;
case 'error-header':
    ini_set('fastcgi.error_header', 'HTTP/1.1 550 Custom');
    no_such_function();
case 'session':
    session_id($s);
    session_start();
    $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
    echo session_id() === $s ? "same" : "other", ' ', $_SESSION['n'], "\n";
    break;
case 'include-missing':
    include 'no-such-file.inc';
    echo "went on\n";
    break;
case 'require-missing':
    require 'no-such-file.inc';
    break;
case 'chdir':
    echo getcwd() === __DIR__ ? "here" : getcwd(), "\n";
    chdir('/');
    break;
case 'putenv':
    echo var_export(getenv('COMPAT_LEFT'), true), "\n";
    putenv('COMPAT_LEFT=1');
    break;
case 'ini-left':
    echo ini_get('precision'), ' ', ini_get('date.timezone'), ' ', error_reporting(), ' ', setlocale(LC_ALL, '0'), "\n";
    ini_set('precision', '5');
    date_default_timezone_set('Asia/Tokyo');
    error_reporting(0);
    setlocale(LC_ALL, 'C.UTF-8');
    break;
case 'read-part':
    $in = fopen('php://input', 'r');
    echo strlen(fread($in, 10)), "\n";
    break;
case 'read-none':
    echo "ignored the body\n";
    break;
case 'read-twice':
    echo sha1(file_get_contents('php://input')), ' ', sha1(file_get_contents('php://input')), "\n";
    break;
case 'read-slow':
    $in = fopen('php://input', 'r');
    $n = 0;
    while (($part = fread($in, 1000)) !== false && $part !== '') {
        $n += strlen($part);
    }
    echo $n, "\n";
    break;
case 'filter':
    echo sha1(file_get_contents('php://filter/read=string.rot13/resource=php://input')), "\n";
    break;
case 'status':
    $x = fpm_get_status();
    echo json_encode([$x['pool'], $x['process-manager'], array_keys($x), array_map(fn ($p) => array_keys($p), array_slice($x['procs'], 0, 1)),
        array_map(fn ($p) => [$p['request-method'], $p['request-uri'], $p['query-string'], $p['script'], $p['state']],
            array_values(array_filter($x['procs'], fn ($p) => $p['pid'] === getmypid())))]), "\n";
    break;
case 'info':
    ob_start();
    phpinfo(INFO_GENERAL | INFO_VARIABLES);
    $page = ob_get_clean();
    foreach (['Server API', 'Virtual Directory Support', 'Loaded Configuration File', 'PHP API', 'Thread Safety'] as $word) {
        preg_match("~$word </td><td class=\"v\">(.*?) </td>~", $page, $m);
        echo $word, ': ', $m[1] ?? 'missing', "\n";
    }
    break;
case 'cgi-ini':
    echo sha1(print_r(array_map(fn ($f) => ini_get($f), ['cgi.nph', 'cgi.rfc2616_headers', 'cgi.force_redirect', 'cgi.discard_path',
        'fastcgi.logging', 'fpm.config'])  , true)), "\n";
    break;
case 'abort':
    // Writes until the client has gone, and leaves a note of what it saw.
    $note = dirname($_SERVER['DOCUMENT_ROOT']) . '/notes/' . basename($s);
    ignore_user_abort((bool) $n);
    register_shutdown_function(function () use ($note) {
        file_put_contents($note, json_encode(['status' => connection_status(), 'aborted' => connection_aborted(), 'end' => defined('END')]));
    });
    while (ob_get_level()) {
        ob_end_flush();
    }
    for ($i = 0; $i < 40; $i++) {
        bytes(8192);
        flush();
        usleep(25000);
    }
    define('END', 1);
    break;
case 'upload-note':
    $note = dirname($_SERVER['DOCUMENT_ROOT']) . '/notes/' . basename($s);
    $body = file_get_contents('php://input');
    file_put_contents($note, json_encode(['length' => strlen($body), 'sha1' => sha1($body), 'status' => connection_status()]));
    echo "noted\n";
    break;
default:
    http_response_code(400);
    echo "do what?\n";
}
