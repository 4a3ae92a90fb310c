<?php
// Gives back what it was sent, and what PHP made of it.
header('Content-Type: application/json');
$body = file_get_contents('php://input');
echo json_encode(['method' => $_SERVER['REQUEST_METHOD'], 'path_info' => $_SERVER['PATH_INFO'] ?? '', 'get' => $_GET,
    'post' => array_map(fn ($v) => is_string($v) && strlen($v) > 100 ? '<' . strlen($v) . ' bytes>' : $v, $_POST), 'bytes' => strlen($body), 'sha1' => sha1($body)], JSON_UNESCAPED_SLASHES), "\n";
