"""What all lints share: the list of files, code without comments, findings.

A lint prints `place: what is wrong: what to do` per finding and ends with 0
(nothing found), 1 (something) or 77 (cannot look here, and why).
"""

import os
import re
import subprocess
import sys

ROOT = os.path.abspath(os.environ.get("FPMX_SRC") or os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("FPMX_BUILD") or os.path.join(ROOT, "build")
SKIP = 77
# What autoreconf makes: part of an archive, not of the repository.
MADE = {"Makefile.in", "aclocal.m4", "config.h.in", "configure"}

_found = 0


def finding(place, text):
    global _found
    _found += 1
    print(f"{place}: {text}")


def finish():
    sys.exit(1 if _found else 0)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def files():
    """Every file of the project, relative to ROOT: git's list, or a walk where there is no git."""
    git = subprocess.run(
        ["git", "-C", ROOT, "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True)
    if git.returncode == 0 and os.path.exists(os.path.join(ROOT, ".git")):
        names = git.stdout.decode().split("\0")
    else:
        names = []
        for top, dirs, here in os.walk(ROOT):
            dirs[:] = [d for d in dirs if not re.fullmatch(r"build.*|autom4te\.cache|__pycache__|\.git|\.deps|_.*", d)]
            names += [os.path.relpath(os.path.join(top, n), ROOT) for n in here]
    return sorted(n for n in names if n and n not in MADE and not n.startswith("build-aux/")
                  and os.path.isfile(os.path.join(ROOT, n)))


def c_files(under=("fpmx/", "tests/")):
    return [n for n in files() if n.endswith((".c", ".h")) and n.startswith(under)]


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8", errors="replace") as f:
        return f.read()


_token = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def code(name):
    """The file with comments and the insides of literals blanked; line numbers stay true."""
    def blank(m):
        t = m.group(0)
        if t[0] in "\"'":
            return t[0] + " " * (len(t) - 2) + t[0]
        return re.sub(r"[^\n]", " ", t)
    return _token.sub(blank, read(name))


def exceptions(lint):
    """{place: reason} of tests/lint/exceptions for one lint."""
    out = {}
    for n, line in enumerate(read("tests/lint/exceptions").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = line.split(None, 2)
        if len(parts) < 3:
            finding(f"tests/lint/exceptions:{n}", "an exception needs lint, place and reason: write the reason")
        elif parts[0] == lint:
            out[parts[1]] = parts[2]
    return out
