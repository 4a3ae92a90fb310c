<?php
// The page asks for this each second.
require __DIR__ . '/state.php';
header('Content-Type: application/json');
header('Cache-Control: no-store');
echo json_encode(['processes' => processes(), 'worker' => getmypid()]), "\n";
