<?php
require __DIR__ . '/state.php';

$began = $_SERVER['REQUEST_TIME_FLOAT'];
$front = (float) ($_SERVER['DEMO_MSEC'] ?? $began);
$status = function_exists('fpm_get_status') ? fpm_get_status() : false;
$me = [];
foreach ($status['procs'] ?? [] as $proc) {
    if ($proc['pid'] === getmypid()) {
        $me = $proc;
    }
}
$pools = pools();
$h = fn ($x) => htmlspecialchars((string) $x, ENT_QUOTES);
$ms = fn (float $s) => number_format(max(0, $s) * 1000, 1) . ' ms';
$processes = processes();
$master = current(array_filter($processes, fn ($p) => $p['role'] === 'master')) ?: ['pid' => posix_getppid(), 'user' => '?'];

$steps = [
    ['client', 'Your browser', $_SERVER['REMOTE_ADDR'] . ' port ' . $_SERVER['REMOTE_PORT'], $_SERVER['SERVER_PROTOCOL']],
    ['front end', $_SERVER['SERVER_SOFTWARE'], '127.0.0.1 port ' . $_SERVER['SERVER_PORT'], 'speaks FastCGI from here on'],
    ['socket', basename($_SERVER['DEMO_SOCKET'] ?? '?'), 'one socket, held by every worker', 'in ' . $ms($began - $front)],
    ['worker', 'process ' . getmypid(), 'pool ' . ($_SERVER['DEMO_POOL'] ?? '?') . ', its request no. ' . ($me['requests'] ?? '?'),
        'user ' . (posix_getpwuid(posix_geteuid())['name'] ?? '?')],
    ['PHP', PHP_VERSION, basename($_SERVER['SCRIPT_NAME']) . (function_exists('opcache_get_status') && @opcache_get_status(false) ? ', from OPcache' : ''),
        $ms(microtime(true) - $began) . ', ' . number_format(memory_get_peak_usage() / 1048576, 1) . ' MB'],
];
header('Cache-Control: no-store');
?>
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>fpmx: <?= $h($_SERVER['DEMO_POOL'] ?? '') ?>, worker <?= getmypid() ?></title>
<link rel="icon" href="data:,">
<style>
:root {
	color-scheme: light dark;
	--paper: #f7f7f4; --card: #fff; --ink: #1d2226; --soft: #667079; --line: #e0e1dc;
	--accent: #0b6e72; --idle: #bcd9d3; --busy: #e08a1e; --other: #8f7fd1; --empty: #eeeeea; --tint: #e6f1f0;
}
@media (prefers-color-scheme: dark) {
	:root {
		--paper: #14181a; --card: #1c2225; --ink: #e6e9ea; --soft: #93a0a6; --line: #2d3539;
		--accent: #5cc3bf; --idle: #2f5a57; --busy: #e9a23b; --other: #a294ea; --empty: #242b2f; --tint: #1b2f30;
	}
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1080px; margin: 0 auto; padding: 40px 24px 56px; }
h1 { font-size: 34px; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 6px; font-weight: 650; }
h1 b { color: var(--accent); font-weight: inherit; }
h2 { font-size: 17px; font-weight: 600; margin: 44px 0 14px; }
h2 small { font-weight: 400; color: var(--soft); font-size: 14px; margin-left: 8px; }
p { margin: 0; color: var(--soft); max-width: 68ch; }
code, td, .num { font-variant-numeric: tabular-nums; }
code { font: 13px ui-monospace, monospace; }
.way { display: grid; grid-template-columns: repeat(5, 1fr); gap: 0; list-style: none; margin: 0; padding: 0; }
.way li { position: relative; padding: 22px 14px 0 0; font-size: 14px; }
.way li::before { content: ""; position: absolute; top: 5px; left: 0; width: 11px; height: 11px; border-radius: 50%;
	background: var(--accent); z-index: 1; }
.way li::after { content: ""; position: absolute; top: 10px; left: 0; right: 0; height: 1px; background: var(--accent); opacity: .45; }
.way li:last-child::after { display: none; }
.way span { color: var(--soft); display: block; }
.way b { display: block; font-size: 16px; font-weight: 600; overflow-wrap: anywhere; }
.pools { display: grid; grid-template-columns: repeat(auto-fit, minmax(290px, 1fr)); gap: 16px; }
.pool { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 18px 16px; display: flex; flex-direction: column; }
.pool h3 { margin: 0; font-size: 19px; font-weight: 600; display: flex; align-items: baseline; gap: 8px; }
.tag { font-size: 12px; font-weight: 500; color: var(--accent); background: var(--tint); border-radius: 4px; padding: 1px 7px; }
.pool .where { font-size: 13px; color: var(--soft); margin: 2px 0 14px; }
.slots { display: flex; flex-wrap: wrap; gap: 6px; margin-bottom: 6px; min-height: 34px; }
.slots i { width: 34px; height: 34px; border-radius: 6px; background: var(--empty); transition: background .15s; }
.slots i.idle { background: var(--idle); } .slots i.busy { background: var(--busy); } .slots i.other { background: var(--other); }
.says { font-size: 13px; color: var(--soft); min-height: 1.5em; }
dl { display: grid; grid-template-columns: repeat(3, auto); gap: 4px 16px; margin: 12px 0 16px; font-size: 13px; justify-content: space-between; }
dl div { display: flex; flex-direction: column-reverse; } dt { color: var(--soft); } dd { margin: 0; font-size: 18px; font-weight: 600; }
button { margin-top: auto; font: inherit; font-size: 14px; font-weight: 500; color: var(--accent); background: none;
	border: 1px solid var(--line); border-radius: 7px; padding: 8px 12px; cursor: pointer; }
button:hover { border-color: var(--accent); } button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
button:disabled { color: var(--soft); cursor: default; }
.key { font-size: 13px; color: var(--soft); display: flex; gap: 16px; flex-wrap: wrap; margin-top: 12px; }
.key i { display: inline-block; width: 11px; height: 11px; border-radius: 3px; margin-right: 6px; vertical-align: -1px; background: var(--empty); }
.key .idle { background: var(--idle); } .key .busy { background: var(--busy); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; font-weight: 500; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 14px 6px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.title { font: 13px ui-monospace, monospace; color: var(--soft); }
tr.me td { background: var(--tint); } tr.me td:first-child { box-shadow: -8px 0 var(--tint); }
.right { text-align: right; } footer { margin-top: 40px; font-size: 14px; color: var(--soft); }
a { color: var(--accent); text-underline-offset: 2px; }
@media (max-width: 760px) { .way { grid-template-columns: 1fr; } .way li { padding: 0 0 16px 26px; } .way li::before { top: 6px; }
	.way li::after { top: 10px; left: 5px; right: auto; width: 1px; height: 100%; } }
@media (prefers-reduced-motion: reduce) { .slots i { transition: none; } }
</style>
</head>
<body>
<main>
<h1><b>fpmx</b> served you this page</h1>
<p>Worker <?= getmypid() ?> of pool <?= $h($_SERVER['DEMO_POOL'] ?? '?') ?> ran it. The master, process <?= $master['pid'] ?>,
never saw the request and has no PHP in it: it keeps sockets and processes, nothing else.</p>

<h2>The way of this request</h2>
<ol class="way">
<?php foreach ($steps as [$kind, $name, $detail, $note]) : ?>
<li><span><?= $h($kind) ?></span><b><?= $h($name) ?></b><span><?= $h($detail) ?></span><span class="num"><?= $h($note) ?></span></li>
<?php endforeach ?>
</ol>

<h2>Pools <small>each has its own template, user and limits</small></h2>
<div class="pools">
<?php foreach ($pools as $pool) : ?>
<section class="pool" id="pool-<?= $h($pool['name']) ?>">
<h3><?= $h($pool['name']) ?> <span class="tag"><?= $h($pool['mode']) ?></span> <span class="tag"><?= $h($pool['pm']) ?></span></h3>
<div class="where"><?= $h($pool['file']) ?>, listens on <?= $h(basename($pool['listen'])) ?></div>
<div class="slots" role="img" aria-label="workers"><?= str_repeat('<i></i>', (int) $pool['max']) ?></div>
<div class="says">&nbsp;</div>
<dl>
<div><dt>accepted</dt><dd data-f="accepted conn">&ndash;</dd></div>
<div><dt>active</dt><dd data-f="active processes">&ndash;</dd></div>
<div><dt>most active</dt><dd data-f="max active processes">&ndash;</dd></div>
</dl>
<button type="button">Send 24 requests at once</button>
</section>
<?php endforeach ?>
</div>
<div class="key"><span><i class="idle"></i>idle worker</span><span><i class="busy"></i>serving</span><span><i></i>room for one more</span></div>

<h2>Processes <small>resident memory; much of it is shared with the template</small></h2>
<div class="scroll"><table>
<thead><tr><th>process</th><th>role</th><th>pool</th><th>user</th><th class="right">memory</th><th>title</th></tr></thead>
<tbody id="processes">
<?php foreach ($processes as $p) : ?>
<tr<?= $p['pid'] === getmypid() ? ' class="me"' : '' ?>><td><?= $p['pid'] ?></td><td><?= $h($p['role']) ?></td><td><?= $h($p['pool']) ?></td><td><?= $h($p['user']) ?></td>
<td class="right"><?= $p['memory_mb'] === null ? '' : $h(number_format($p['memory_mb'], 1)) . ' MB' ?></td><td class="title"><?= $h($p['title']) ?></td></tr>
<?php endforeach ?>
</tbody></table></div>

<footer>Status pages, as php-fpm has them:
<?php foreach ($pools as $pool) : ?>
<a href="/pool/<?= $h($pool['name']) ?>/status?full"><?= $h($pool['name']) ?></a>
<?php endforeach ?>
(also <code>?json</code>, <code>?xml</code>, <code>?html</code>, <code>?openmetrics</code>). Ctrl-C in the terminal stops everything.</footer>
</main>
<script>
"use strict";
const pools = <?= json_encode($pools, JSON_HEX_TAG | JSON_HEX_AMP) ?>;
const me = <?= getmypid() ?>;
const awake = {};     // ondemand pools are only asked while they have work: asking would wake them
let lately = <?= json_encode($processes, JSON_HEX_TAG | JSON_HEX_AMP) ?>;

function text(node, value) { if (node.textContent !== String(value)) node.textContent = value; }

function draw(pool, states, says) {
	const card = document.getElementById("pool-" + pool.name);
	[...card.querySelectorAll(".slots i")].forEach((slot, n) => { slot.className = states[n] || ""; });
	text(card.querySelector(".says"), says);
}

async function look(pool) {
	const known = lately.filter(p => p.role === "worker" && p.pool === pool.name).length;
	if (pool.pm === "ondemand" && !(awake[pool.name] > Date.now())) {
		draw(pool, Array(known).fill("idle"), known ? known + " idle, leaving soon" : "asleep: no worker until a request comes");
		return;
	}
	const answer = await fetch(`/pool/${pool.name}/status?json&full`, { cache: "no-store" });
	const board = await answer.json();
	// Workers that are busy with this page's own questions are shown as idle.
	const states = board.processes.map(p => p.state === "Idle" || /^\/(status|live\.php)/.test(p["request uri"]) ? "idle" : "busy");
	const busy = states.filter(s => s === "busy").length;
	draw(pool, states.sort(), `${states.length} of ${pool.max} workers, ${busy} serving`);
	for (const node of document.querySelectorAll(`#pool-${pool.name} dd`)) text(node, board[node.dataset.f]);
}

async function tick() {
	try {
		lately = (await (await fetch("/live.php", { cache: "no-store" })).json()).processes;
		const cell = (row, value, cls) => { const td = row.insertCell(); td.textContent = value; if (cls) td.className = cls; };
		const body = document.createElement("tbody");
		body.id = "processes";
		for (const p of lately) {
			const row = body.insertRow();
			if (p.pid === me) row.className = "me";
			for (const value of [p.pid, p.role, p.pool, p.user]) cell(row, value);
			cell(row, p.memory_mb === null ? "" : p.memory_mb.toFixed(1) + " MB", "right");
			cell(row, p.title, "title");
		}
		document.getElementById("processes").replaceWith(body);
	} catch (e) { /* being stopped: the next turn tells */ }
	await Promise.all(pools.map(p => look(p).catch(() => draw(p, [], "does not answer"))));
	setTimeout(tick, Object.values(awake).some(t => t > Date.now()) ? 250 : 1000);
}

for (const pool of pools) {
	const button = document.querySelector(`#pool-${pool.name} button`);
	button.onclick = async () => {
		button.disabled = true;
		awake[pool.name] = Date.now() + 60000;
		const begin = performance.now(), workers = new Set();
		await Promise.all(Array.from({ length: 24 }, async (_, n) =>
			workers.add(await (await fetch(`/pool/${pool.name}/work.php?ms=400&n=${n}`)).text())));
		awake[pool.name] = Date.now() + 1500;
		button.textContent = `24 answers by ${workers.size} workers in ${((performance.now() - begin) / 1000).toFixed(1)} s. Again?`;
		button.disabled = false;
	};
}
tick();
</script>
</body>
</html>
