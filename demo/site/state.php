<?php
// What the page knows of the processes around it. Reads /proc and its own pool's scoreboard.

function field(string $file, string $name): string
{
    return preg_match("/^$name:\s*(.*)$/m", (string) @file_get_contents($file), $m) ? $m[1] : '';
}

// Resident memory: what workers share with their template counts in each.
function memory_mb(int $pid): ?float
{
    $kb = field("/proc/$pid/status", 'VmRSS');
    return $kb === '' ? null : round((int) $kb / 1024, 1);
}

// The master and its children; the master is the parent of every process.
function processes(): array
{
    $master = posix_getppid();
    $out = [];
    foreach (glob('/proc/[0-9]*', GLOB_ONLYDIR) as $dir) {
        $pid = (int) basename($dir);
        $parent = (int) field("$dir/status", 'PPid');
        if ($pid !== $master && $parent !== $master) {
            continue;
        }
        $title = trim(strtr((string) @file_get_contents("$dir/cmdline"), "\0", ' '));
        preg_match('/(master process|template|pool) ?\(?([^)]*)/', $title, $m);
        $owner = posix_getpwuid((int) field("$dir/status", 'Uid'));
        $out[] = [
            'pid' => $pid,
            'role' => ['master process' => 'master', 'template' => 'template', 'pool' => 'worker'][$m[1] ?? ''] ?? 'other',
            'pool' => $pid === $master ? '' : ($m[2] ?? ''),
            'title' => $title,
            'user' => $owner['name'] ?? '?',
            'memory_mb' => memory_mb($pid),
        ];
    }
    $order = ['master' => 0, 'template' => 1, 'worker' => 2, 'other' => 3];
    usort($out, fn ($a, $b) => [$order[$a['role']], $a['pool'], $a['pid']] <=> [$order[$b['role']], $b['pool'], $b['pid']]);
    return $out;
}

// As the front end was told: name, mode, pm, most workers, user, socket.
function pools(): array
{
    return json_decode($_SERVER['DEMO_POOLS'] ?? '[]', true) ?: [];
}
