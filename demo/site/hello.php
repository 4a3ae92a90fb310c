<?php
header('Content-Type: text/plain');
printf("%s: pool %s, worker %d, %s of PHP %s\n", getenv('DEMO_GREETING') ?: 'hello',
    $_SERVER['DEMO_POOL'] ?? '?', getmypid(), PHP_SAPI, PHP_VERSION);
