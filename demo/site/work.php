<?php
// Takes a while, as an application that waits for its database does.
header('Content-Type: text/plain');
usleep(1000 * min(2000, max(0, (int) ($_GET['ms'] ?? 300))));
echo getmypid(), "\n";
