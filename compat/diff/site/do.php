<?php
// Does what the parameter DO says: steps separated by "|", each a word, and behind ":" what it is about, percent-encoded.
// What it prints does not depend on when and where it runs.
require_once __DIR__ . '/steps.php';
foreach (explode('|', (string) getenv('DO')) as $__step) {
    step($__step);
}
