<?php

/**
 * What fpmx adds to PHP, declared for editors and static analysis. Never to be
 * included: the functions are there.
 */

/** How the pool of this process runs scripts: "classic" or "worker". */
const FPMX_MODE = 'classic';

/**
 * Waits for a request and runs $handler for it. The superglobals, php://input and
 * the output are those of the request while it runs.
 *
 * @return bool false when the worker is to leave its loop
 * @throws Error in a classic pool, in a handler, in a Fiber, in a forked process
 */
function fpmx_handle_request(callable $handler): bool
{
}

/**
 * Runs $starter in each worker, before its first request. To be called before the
 * first fpmx_handle_request().
 *
 * @throws Error anywhere else
 */
function fpmx_on_worker_start(callable $starter): void
{
}

/** Replaces this worker once the response is out. The reason is logged. */
function fpmx_recycle(string $reason = ''): void
{
}

/** Ends the response; the script goes on. The same as fastcgi_finish_request(). */
function fpmx_finish_request(): bool
{
}
