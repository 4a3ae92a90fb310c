<?php
// The steps that do.php takes.

function shown($value)
{
    if (is_array($value)) {
        $out = [];
        foreach ($value as $k => $v) {
            $out[] = (is_string($k) ? shown($k) : $k) . ': ' . shown($v);
        }
        return '[' . implode(', ', $out) . ']';
    }
    return is_string($value) ? '"' . addcslashes($value, "\\\"\0..\37\177..\377") . '"' : var_export($value, true);
}

// One line for each entry: a comparison can name it.
function dump_all($name, $values)
{
    foreach ($values as $k => $v) {
        if ($k === 'REQUEST_TIME' || $k === 'REQUEST_TIME_FLOAT') {
            $v = is_numeric($v) && abs(microtime(true) - $v) < 60 ? gettype($v) : $v;
        }
        echo $name, '[', addcslashes((string) $k, "\\\0..\37\177..\377="), ']=', shown($v), "\n";
    }
}

function show($name, $value)
{
    echo $name, '=', shown($value), "\n";
}

function lines($n)
{
    // Not constant, so that a lost or doubled block shows.
    for ($i = 0; $n > 0; $i++, $n -= 41) {
        echo substr(sha1((string) $i) . "\n", 0, $n);
    }
}

class Doer
{
    public function __construct(private string $step)
    {
    }
    public function __destruct()
    {
        step($this->step);
    }
}

class Words extends Exception
{
    public function __toString(): string
    {
        return 'in other words';
    }
}

function uploads()
{
    foreach ($_FILES as $name => $f) {
        $see = fn ($t) => is_string($t) && is_uploaded_file($t)
            ? [filesize($t), sha1_file($t), substr(basename($t), 0, 3), fileperms($t) & 0777]
            : (is_string($t) ? preg_replace('/php\w{6}$/', 'php', $t) : $t);
        $all = [$f['tmp_name']];
        array_walk_recursive($all, function (&$t) use ($see) { $t = $see($t); });
        $f['tmp_name'] = $all[0];
        show('files.' . $name, $f);
    }
}

function state()
{
    $names = ['precision', 'error_reporting', 'display_errors', 'html_errors', 'memory_limit', 'user_agent', 'default_charset', 'default_mimetype',
        'auto_prepend_file', 'date.timezone', 'include_path', 'ignore_user_abort', 'max_execution_time', 'max_input_time', 'output_buffering',
        'session.name', 'arg_separator.output', 'assert.exception', 'open_basedir', 'serialize_precision', 'upload_max_filesize', 'user_ini.filename'];
    foreach ($names as $n) {
        echo "ini[$n]=", shown(ini_get($n)), "\n";
    }
    show('state.tz', date_default_timezone_get());
    show('state.locale', setlocale(LC_ALL, '0'));
    show('state.umask', umask());
    show('state.cwd', getcwd());
    show('state.reporting', error_reporting());
    show('state.last', error_get_last()['message'] ?? null);
    show('state.abort', ignore_user_abort());
    show('state.connection', [connection_status(), connection_aborted()]);
    show('state.mb', function_exists('mb_internal_encoding') ? [mb_internal_encoding(), mb_http_output(), mb_http_input(), mb_language()] : 0);
    show('state.left', [getenv('LEFT'), getenv('HOME'), getenv('USER'), get_include_path(), libxml_use_internal_errors(), gc_enabled()]);
    show('state.ob', [ob_get_level(), ob_list_handlers()]);
    show('state.memory', memory_get_usage() < 4 << 20);
}

function masked_status()
{
    $s = fpm_get_status();
    if (!is_array($s)) {
        show('status', $s);
        return;
    }
    foreach ($s['procs'] ?? [] as $p) {
        if ($p['pid'] === getmypid()) {
            foreach (['pid', 'start-time', 'start-since', 'requests', 'request-duration', 'last-request-cpu', 'last-request-memory'] as $k) {
                $p[$k] = gettype($p[$k]);
            }
            show('status.proc', $p);
        }
    }
    foreach (['start-time', 'start-since', 'accepted-conn', 'max-active-processes', 'procs', 'idle-processes', 'listen-queue', 'max-listen-queue', 'listen-queue-len', 'total-processes',
        'active-processes', 'max-children-reached'] as $k) {
        $s[$k] = gettype($s[$k]);
    }
    show('status.pool', $s);
}

function session_step($arg)
{
    [$id, $what] = explode(',', $arg . ',');
    if ($id !== '') {
        session_id($id);
    }
    show('session.start', session_start());
    $_SESSION['n'] = ($_SESSION['n'] ?? 0) + 1;
    show('session', [session_id() === $id ? 'same' : 'other', array_keys($_SESSION), session_name(), session_status(), defined('SID') && SID === '']);
    if ($what === 'destroy') {
        show('session.destroy', session_destroy());
    } elseif ($what === 'close') {
        show('session.close', session_write_close());
    } elseif ($what === 'fail') {
        $_SESSION['bad|key'] = 1;
    }
}

function set_state($what)
{
    switch ($what) {
        case 'tz': return date_default_timezone_set('Asia/Tokyo');
        case 'locale': return setlocale(LC_ALL, 'C.UTF-8');
        case 'umask': return umask(077);
        case 'cwd': return chdir('/');
        case 'putenv': return putenv('LEFT=1');
        case 'home': return putenv('HOME=/left');
        case 'unset': return putenv('HOME');
        case 'mb': return mb_internal_encoding('SJIS') && mb_http_output('SJIS') && mb_language('Japanese');
        case 'libxml': return libxml_use_internal_errors(true);
        case 'gc': return gc_disable();
        case 'reporting': return error_reporting(0);
        case 'path': return set_include_path('/left');
        case 'abort': return ignore_user_abort(true);
        case 'limit': return set_time_limit(7);
        case 'handler': return set_error_handler(fn ($n, $m) => print("handler: $m\n"));
        case 'server': return $_SERVER['LEFT'] = getenv('LEFT');
        case 'wrapper': return stream_wrapper_unregister('file') && stream_wrapper_restore('file');
        case 'callbacks': return spl_autoload_register(function ($c) { echo "autoload $c\n"; });
        case 'seed': mt_srand(5); return mt_rand();
        case 'iconv': return iconv_set_encoding('internal_encoding', 'UTF-16');
        case 'assert': return assert_options(ASSERT_ACTIVE, 0);
        case 'rewrite': return output_add_rewrite_var('left', '1');
        case 'signal': return function_exists('pcntl_signal');
        case 'cache': return clearstatcache();
    }
}

function fail($how)
{
    switch ($how) {
        case 'undefined': echo $undefined; break;
        case 'index': echo [][3]; break;
        case 'division': echo intdiv(1, 0); break;
        case 'function': no_such_function(); break;
        case 'method': null->foo(); break;
        case 'class': new NoSuchClass(); break;
        case 'type': strlen([]); break;
        case 'args': strlen(); break;
        case 'exception': throw new RuntimeException("text with <b>html</b> & \"quotes\"\nand a line", 7);
        case 'nested': throw new LogicException('outer', 1, new DomainException('inner'));
        case 'words': throw new Words('never shown');
        case 'deprecated': strlen(null); break;
        case 'notice': trigger_error('a notice <i>'); break;
        case 'warning': trigger_error("a warning\nof two lines", E_USER_WARNING); break;
        case 'user': trigger_error('an error', E_USER_ERROR); break;
        case 'userdep': trigger_error('old', E_USER_DEPRECATED); break;
        case 'parse': include __DIR__ . '/broken.inc'; break;
        case 'compile': include __DIR__ . '/twice.inc'; break;
        case 'eval': eval('if ('); break;
        case 'missing': include 'no-such-file.inc'; break;
        case 'require': require 'no-such-file.inc'; break;
        case 'unreadable': include __DIR__ . '/unreadable.php'; break;
        case 'memory': ini_set('memory_limit', '8M'); str_repeat('x', 64 << 20); break;
        case 'assert': assert(1 === 2); break;
        case 'silenced': @trigger_error('silent'); @file_get_contents('/none'); break;
        case 'conversion': echo [] . ''; break;
        case 'many': for ($i = 0; $i < 20; $i++) { trigger_error("number $i"); } break;
        case 'repeated': for ($i = 0; $i < 5; $i++) { trigger_error('again'); } break;
        case 'long': trigger_error(str_repeat('long ', 800)); break;
        case 'nul': trigger_error("nul \0 and \x01\x7f\xff"); break;
        case 'abstract': abstract_class(); break;
    }
}

function step($step)
{
    [$word, $arg] = explode(':', $step, 2) + ['', ''];
    $arg = rawurldecode($arg);
    switch ($word) {
        // What there is.
        case 'server': dump_all('_SERVER', $_SERVER); break;
        case 'env': dump_all('getenv', getenv()); break;
        case 'ENV': dump_all('_ENV', $_ENV); break;
        case 'getenv': show("getenv1[$arg]", [getenv($arg), getenv($arg, true)]); break;
        case 'get': dump_all('_GET', $_GET); break;
        case 'post': dump_all('_POST', strlen(serialize($_POST)) > 20000 ? [sha1(serialize($_POST))] : $_POST); break;
        case 'cookies': dump_all('_COOKIE', $_COOKIE); break;
        case 'request': dump_all('_REQUEST', strlen(serialize($_REQUEST)) > 20000 ? [sha1(serialize($_REQUEST))] : $_REQUEST); break;
        case 'files': uploads(); break;
        case 'headers': dump_all('headers', getallheaders()); break;
        case 'argv': show('argv', [$GLOBALS['argv'] ?? null, $GLOBALS['argc'] ?? null, $_SERVER['argv'] ?? null, $_SERVER['argc'] ?? null]); break;
        case 'auth': show('auth', [$_SERVER['PHP_AUTH_USER'] ?? null, $_SERVER['PHP_AUTH_PW'] ?? null, $_SERVER['PHP_AUTH_DIGEST'] ?? null]); break;
        case 'input': $x = file_get_contents('php://input'); show('input', [strlen($x), strlen($x) < 100 ? $x : sha1($x)]); break;
        case 'part': $f = fopen('php://input', 'r'); show('part', [fread($f, (int) $arg), ftell($f), feof($f)]); break;
        case 'seek': $f = fopen('php://input', 'r'); fread($f, 10); show('seek', [fseek($f, (int) $arg), sha1(stream_get_contents($f)), fstat($f)['size'] ?? null]); break;
        case 'exts': show('exts', array_values(array_diff(get_loaded_extensions(), ['pcntl']))); break;
        case 'allinis': foreach (ini_get_all(null, true) as $k => $v) { echo "allinis[$k]=", shown($v), "\n"; } break;
        case 'filters': show('filters', [filter_input_array(INPUT_GET), filter_input_array(INPUT_COOKIE), filter_input(INPUT_SERVER, 'REQUEST_METHOD'), filter_input(INPUT_ENV, 'HOME')]); break;
        case 'stdin': show('stdin', @file_get_contents('php://stdin')); break;
        case 'filter': show('filter', [filter_input(INPUT_SERVER, $arg), filter_input(INPUT_GET, 'a'), filter_input(INPUT_POST, 'a'), filter_has_var(INPUT_ENV, $arg)]); break;
        case 'raw': show('raw', $GLOBALS['HTTP_RAW_POST_DATA'] ?? null); break;
        case 'state': state(); break;
        case 'status': masked_status(); break;
        case 'ini': show("ini[$arg]", [ini_get($arg), get_cfg_var($arg)]); break;
        case 'inis': show('inis', ini_get_all('cgi-fcgi')); break;
        case 'self': show('self', [php_sapi_name(), PHP_SAPI, php_ini_loaded_file(), get_included_files(), __FILE__, getmyuid(), get_current_user(), getlastmod() > 1e9,
            function_exists('dl'), get_extension_funcs('cgi-fcgi'), posix_geteuid(), posix_getcwd(), defined('STDIN')]); break;
        case 'trace': debug_print_backtrace(); break;
        case 'last': show('last', error_get_last()); break;
        case 'hl': show('headers_list', headers_list()); break;
        case 'hs': show('headers_sent', [headers_sent($file, $line), basename($file), http_response_code()]); break;
        case 'ob': show('ob', [ob_get_level(), ob_list_handlers(), ob_get_status()['name'] ?? null]); break;

        // Headers.
        case 'h': header($arg); break;
        case 'h+': header($arg, false); break;
        case 'hc': [$c, $h] = explode(',', $arg, 2); header($h, true, (int) $c); break;
        case 'code': show('code', http_response_code((int) $arg)); break;
        case 'hr': header_remove($arg); break;
        case 'hr*': header_remove(); break;
        case 'hcb': header_register_callback(fn () => step($arg)); break;
        case 'cookie': [$n, $v] = explode('=', $arg . '='); setcookie($n, $v, ['expires' => 2000000000, 'path' => '/p', 'secure' => true, 'samesite' => 'Lax']); break;
        case 'rawcookie': [$n, $v] = explode('=', $arg . '='); setrawcookie($n, $v); break;

        // Output.
        case 'e': echo $arg, "\n"; break;
        case 'x': echo $arg; break;
        case 'n': lines((int) $arg); break;
        case 'flush': flush(); break;
        case 'obflush': ob_get_level() ? ob_flush() : 0; break;
        case 'obstart': ob_start($arg === '' ? null : $arg); break;
        case 'obdo': ob_start(fn ($x) => $x . "<$arg>"); break;
        case 'obfail': ob_start(function ($x) use ($arg) { fail($arg); return $x; }); break;
        case 'obchunk': ob_start(null, (int) $arg); break;
        case 'buffer': ob_start(null, 0, PHP_OUTPUT_HANDLER_STDFLAGS ^ PHP_OUTPUT_HANDLER_REMOVABLE); ini_set('implicit_flush', $arg); echo str_repeat('b', (int) $arg); break;
        case 'cb':
            ob_start(function ($x, $phase) use ($arg) {
                match ($arg) {
                    'ob' => ob_start(), 'exit' => exit('left'), 'throw' => throw new Exception('in a handler'), 'flush' => flush(), 'header' => header('X-From: handler'),
                };
                return "[$phase:\n$x\n]";
            });
            break;
        case 'obend': ob_get_level() ? ob_end_flush() : 0; break;
        case 'obclean': ob_get_level() ? ob_end_clean() : 0; break;
        case 'oball': while (ob_get_level() && ob_end_flush()) { continue; } break;
        case 'implicit': ob_implicit_flush(); break;
        case 'bits': for ($i = 0; $i < (int) $arg; $i++) { echo chr(65 + $i % 26); flush(); } echo "\n"; break;
        case 'stdout': file_put_contents('php://stdout', $arg); break;
        case 'stderr': file_put_contents('php://stderr', $arg); break;
        case 'output': file_put_contents('php://output', $arg); break;
        case 'readfile': show('readfile', readfile(__DIR__ . '/' . $arg)); break;
        case 'passthru': $f = fopen(__DIR__ . '/plain.txt', 'r'); fread($f, 3); show('passthru', fpassthru($f)); break;
        case 'high': highlight_string("<?php echo 1; // $arg"); break;
        case 'include': show('include', include __DIR__ . '/' . $arg); break;
        case 'path': set_include_path(__DIR__ . '/dir' . PATH_SEPARATOR . __DIR__); show('path', include_once $arg); break;
        case 'opcache':
            $f = __DIR__ . '/return.inc';
            show('opcache', match ($arg) {
                'get' => opcache_get_status(false)['opcache_enabled'] ?? false, 'invalidate' => opcache_invalidate($f, true), 'cached' => is_bool(opcache_is_script_cached($f)),
            });
            break;
        case 'dir': show('dir', [getcwd() === __DIR__, basename(getcwd()), basename($_SERVER['SCRIPT_FILENAME'] ?? '-'), file_exists('i.php')]); break;
        case 'csv': $f = fopen('php://output', 'w'); fputcsv($f, ['a', 'b c', "d\"e", "\u{e4}"]); fclose($f); break;
        case 'stream': show('stream', match ($arg) {
                'none' => @file_get_contents('http://127.0.0.1:1/'), 'temp' => strlen(stream_get_contents(fopen('php://temp/maxmemory:1', 'w+'))),
                'memory' => fwrite(fopen('php://memory', 'w'), 'x'), 'glob' => count(scandir('glob://' . __DIR__ . '/*.phar')), 'data' => file_get_contents('data:,x'),
            });
            break;
        case 'mail': show('mail', @mail('a@test.invalid', 'subject', "text\n", ['X-A' => 'b'])); break;
        case 'command':
            exec('exit 3', $out, $code);
            $p = proc_open(['cat'], [['pipe', 'r'], ['pipe', 'w']], $pipes);
            fwrite($pipes[0], 'through a pipe');
            fclose($pipes[0]);
            show('command', [$code, stream_get_contents($pipes[1]), proc_close($p), `echo \$0`]);
            break;
        case 'gz': ini_set('zlib.output_compression', $arg); break;

        // Failures and ends.
        case 'fail': fail($arg); break;
        case 'log': error_log($arg); break;
        case 'log4': error_log($arg, 4); break;
        case 'logn': error_log(substr(str_repeat('0123456789', (int) $arg / 10 + 1), 0, (int) $arg)); break;
        case 'level': trigger_error("of level $arg", (int) $arg); break;
        case 'handler': set_error_handler(fn ($n, $m, $f, $l) => $arg === 'throw' ? throw new ErrorException($m, 0, $n, $f, $l) : $arg === 'true'); echo $undefined; strlen(null); break;
        case 'abortable': ignore_user_abort(false); for ($i = 0; $i < 3; $i++) { echo "part $i\n"; flush(); usleep(100); } show('abortable', connection_aborted()); break;
        case 'tick': register_tick_function('strlen', 'x'); declare(ticks=1) { $x = 1; $x++; } show('tick', $x); break;
        case 'spin': set_time_limit(1); while (true) { continue; }
        case 'logfile': error_log($arg, 3, '/dev/null'); break;
        case 'exit': exit($arg === '' ? 0 : (is_numeric($arg) ? (int) $arg : $arg));
        case 'sd': register_shutdown_function('step', $arg); break;
        case 'des': $GLOBALS['keep'][] = new Doer($arg); break;
        case 'eh': set_error_handler(function ($n, $m) use ($arg) { echo "error $n: $m\n"; step($arg); return $arg !== 'false'; }); break;
        case 'xh': set_exception_handler(function ($x) use ($arg) { echo get_class($x), ': ', $x->getMessage(), "\n"; step($arg); }); break;
        case 'try': try { step($arg); } catch (Throwable $x) { echo 'caught ', get_class($x), ': ', $x->getMessage(), "\n"; } finally { echo "finally\n"; } break;
        case 'fiber': $f = new Fiber(fn () => step($arg)); $f->start(); echo "fiber ended\n"; break;
        case 'gen': foreach ((function () use ($arg) { try { yield 1; } finally { step($arg); } })() as $_) { break; } break;
        case 'finish': show('finish', fastcgi_finish_request()); break;

        // What ought not to outlive the request.
        case 'set': show('set', set_state($arg)); break;
        case 'iniset': [$k, $v] = explode('=', $arg, 2); show('iniset', ini_set($k, $v)); break;
        case 'restore': ini_restore($arg); break;
        case 'session': session_step($arg); break;
        case 'trans': ini_set('session.use_trans_sid', 1); ini_set('session.use_only_cookies', 0); echo '<a href="x.php">x</a><form>', "\n"; break;
        case 'move': foreach ($_FILES as $f) { if (is_string($f['tmp_name'])) { show('move', [@move_uploaded_file($f['tmp_name'], ini_get('session.save_path') . '/moved'), is_uploaded_file($f['tmp_name'])]); } } break;
        case 'shell': show('shell', shell_exec('echo "$HOME" "$USER" "$POOL" "$HTTP_PROXY" "$SCRIPT_NAME"; pwd; umask')); break;
        case 'redirect': header('Location: ' . $arg); break;
    }
}
