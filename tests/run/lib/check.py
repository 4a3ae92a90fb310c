"""check: cases of a test program, counted.

    import check

    @check.case
    def a_sentence(server):
        check.equal("status", answer.status, 200)

    with Server() as server:
        check.run(server)
    check.finish()

Each case is told on a line of its own; a case that fails says why, and the
others still run. The last line is `N passed, N failed, N skipped`."""

import os
import sys
import time
import traceback

_cases = []
_counts = {"passed": 0, "failed": 0, "skipped": 0}


class Skip(Exception):
    pass


def case(function):
    _cases.append(function)
    return function


def fail(text):
    raise AssertionError(text)


def true(what, holds, detail=""):
    if not holds:
        fail(f"{what}: does not hold{f' ({short(detail)})' if detail != '' else ''}")


def equal(what, got, wanted):
    if got != wanted:
        fail(f"{what}: {short(got)}, wanted {short(wanted)}")


def at_most(what, got, limit):
    if got > limit:
        fail(f"{what}: {got}, at most {limit} wanted")


def contains(what, text, part):
    if part not in text:
        fail(f"{what}: {short(part)} is not in {short(text)}")


def short(value):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) < 600 else text[:300] + " ... " + text[-300:]


def until(what, question, wait_s=5.0, every_s=0.02):
    """Asks until the answer is true, and returns it. FPMX_SLOWNESS stretches the wait."""
    end = time.monotonic() + wait_s * float(os.environ.get("FPMX_SLOWNESS", "1"))
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > end:
            fail(f"{what}: not within {wait_s} s")
        time.sleep(every_s)


def skip(why):
    """Leaves this case, counted."""
    raise Skip(why)


def skip_all(why):
    """Leaves the whole test, counted."""
    print(why)
    sys.exit(77)


def run(*args, cases=None):
    """Runs the cases declared so far (or those given) with args, and forgets them."""
    todo = list(cases if cases is not None else _cases)
    if cases is None:
        _cases.clear()
    for one in todo:
        name, begun = one.__name__.replace("_", " "), time.monotonic()
        try:
            one(*args)
            word, why = "passed", ""
        except Skip as e:
            word, why = "skipped", f": {e}"
        except AssertionError as e:
            word, why = "failed", f": {e}"
        except Exception:  # whatever it is, the next case is to run
            word, why = "failed", ":\n" + traceback.format_exc()
        _counts[word] += 1
        print(f"{word:7} {name} ({time.monotonic() - begun:.2f} s){why}", flush=True)


def finish():
    print("{passed} passed, {failed} failed, {skipped} skipped".format(**_counts))
    sys.exit(1 if _counts["failed"] or not any(_counts.values()) else 0)
