<?php
/*
 * Boot script for WordPress in a pool of mode isolated: compiles the library's
 * expressions, and loads those of its files that only declare functions and classes. Nothing of a request, of the
 * database, of plugins or themes is in them, so a page is what it is without this.
 *
 * 1. env[WORDPRESS] = the folder of WordPress, with a slash at its end, in the pool.
 * 2. After each update of WordPress:  php wordpress.php FOLDER >FOLDER/wp-settings-once.php
 *    It is wp-settings.php, but a file that has been loaded is not loaded again.
 * 3. In wp-config.php, for its last line, which php-fpm may use as well:
 *      require_once ABSPATH . (defined('FPMX_MODE') && FPMX_MODE === 'isolated'
 *          ? 'wp-settings-once.php' : 'wp-settings.php');
 *    and    define('CONCATENATE_SCRIPTS', false);
 *    because wp-admin/load-scripts.php and load-styles.php have functions of the
 *    same names as the library.
 */

(function (string $folder, bool $print): void {
    $settings = file_get_contents($folder . 'wp-settings.php');
    if ($print) {
        echo preg_replace('/\brequire ABSPATH \. WPINC\b/', 'require_once ABSPATH . WPINC', $settings);
        return;
    }
    $once = $folder . 'wp-settings-once.php';
    if (!is_file($once) || filemtime($once) < filemtime($folder . 'wp-settings.php')) {
        throw new Exception("$once is missing or old: php " . __FILE__ . " $folder >$once");
    }

    // The token that ends the block or the statement that begins at $i.
    $end_of = function (array $tokens, int $i): int {
        for ($depth = 0; $i < count($tokens); $i++) {
            $text = $tokens[$i]->text;
            if ($text === '{' || $tokens[$i]->is([T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $depth++;
            } elseif (($text === '}' && --$depth === 0) || ($text === ';' && $depth === 0)) {
                return $i;
            }
        }
        return $i;
    };

    // Does it only declare, and is all there that its classes are made from?
    $only_declares = function (string $path) use ($end_of, &$only_declares): bool {
        $tokens = array_values(array_filter(PhpToken::tokenize(file_get_contents($path)),
            fn ($t) => !$t->isIgnorable()));
        for ($i = 0; $i < count($tokens); $i++) {
            if ($tokens[$i]->is([T_ABSTRACT, T_FINAL])) {
                continue;
            }
            if ($tokens[$i]->is(T_ATTRIBUTE)) {
                while ($tokens[$i]->text !== ']') {
                    $i++;
                }
                continue;
            }
            // Another file beside it.
            if ($tokens[$i]->is(T_REQUIRE) && $tokens[$i + 1]->is(T_DIR) && $tokens[$i + 4]->text === ';'
                && $only_declares(dirname($path) . trim($tokens[$i + 3]->text, "'"))) {
                $i += 4;
                continue;
            }
            if (!$tokens[$i]->is([T_FUNCTION, T_CLASS, T_INTERFACE, T_TRAIT])) {
                return false;
            }
            for ($j = $i + 2; $tokens[$j]->text !== '{' && !$tokens[$i]->is(T_FUNCTION); $j++) {
                if ($tokens[$j]->is([T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED])
                    && !class_exists($tokens[$j]->text) && !interface_exists($tokens[$j]->text)) {
                    return false;
                }
            }
            // A return type has no braces: the first ones are the body's.
            $i = $end_of($tokens, $i);
        }
        return true;
    };

    // Expressions are compiled once in a process: here, and not in each of them.
    $compile = function (string $path): void {
        $tokens = array_values(array_filter(PhpToken::tokenize(file_get_contents($path)),
            fn ($t) => !$t->isIgnorable()));
        foreach ($tokens as $i => $t) {
            $next = $tokens[$i + 2] ?? null;
            if ($t->is(T_STRING) && str_starts_with($t->text, 'preg_') && $next?->is(T_CONSTANT_ENCAPSED_STRING)
                && in_array($tokens[$i + 3]->text, [',', ')'], true)) {
                @preg_match(eval("return $next->text;"), '');
            }
        }
    };

    preg_match_all('/^require ABSPATH \. WPINC \. \'([^\']+)\';/m', $settings, $found);
    foreach ($found[1] as $name) {
        if ($only_declares($folder . 'wp-includes' . $name)) {
            require_once $folder . 'wp-includes' . $name;
        }
        $compile($folder . 'wp-includes' . $name);
    }
})(PHP_SAPI === 'cli' ? rtrim($argv[1], '/') . '/' : getenv('WORDPRESS'), PHP_SAPI === 'cli');
