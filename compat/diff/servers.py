"""Both servers with the same pools, and what one case gets from each."""

import os
import re
import time
import zlib

import client
import settings
import tree
from stack import Stack

SIDES = ("fpmx", "php-fpm")
LOG_S = 1.5  # how long a log line may take to be written

LOG_STAMP = re.compile(rb"^\[[^\]\n]*\] ", re.MULTILINE)
LOG_CHILD = re.compile(rb"\bchild \d+")
LOG_SECONDS = re.compile(rb"after \d+\.\d+ seconds")
# Workers that come and go as they should are not a request's doing.
LOG_LIFE = re.compile(rb".*(child N started|exited with code 0 after|ready to handle|is running|systemd|server reached pm).*")
NEW_SESSION = re.compile(rb"(?<=[=\"/_])(?:[0-9a-v]{26}|[0-9a-v]{32})(?![0-9a-z])")
MAX_AGE = re.compile(rb"Max-Age=\d+")
DATE = re.compile(rb"\w{3}, \d\d[ -]\w{3}[ -]\d{2,4} \d\d:\d\d:\d\d GMT")
ACCESS_TIME = re.compile(rb"\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}")
STATUS_NUMBERS = re.compile(rb"[\d.]+|(?<=>)\d+")
STALE_REASON = re.compile(rb"Failed to open stream: (Success|No such file or directory|Not a directory|Numerical result out of range|Inappropriate ioctl for device) in Unknown|"
                          rb"\((Success|No such file or directory|Not a directory|Numerical result out of range|Inappropriate ioctl for device)\)")
# A script may send the same status.
WITHOUT_SCRIPT = (b"Bad Request\n", b"Request body incomplete.\n")
DUMPED = re.compile(rb"([A-Za-z_.]+\d?)(\[[^\n]*?\])?=(.*)")


def is_stale(ours, theirs):
    """Has php-fpm shortened the value in place? It keeps its length then, with a NUL where it ends."""
    pairs = list(zip(ours.split(b"\n"), theirs.split(b"\n")))
    return all(len(a) > 1 and (a == b or b.startswith(a[:-1] + b"\\000")) for a, b in pairs)


class Log:
    """An error log, read as it grows."""

    def __init__(self, path):
        self.file, self.rest = open(path, "rb"), b""

    def lines(self):
        self.rest += self.file.read()
        whole, newline, self.rest = self.rest.rpartition(b"\n")
        text = LOG_SECONDS.sub(b"after S seconds", LOG_CHILD.sub(b"child N", LOG_STAMP.sub(b"", whole)))
        return [x for x in text.split(b"\n") if x and not LOG_LIFE.match(x)] if newline else []


class Servers:
    """with Servers(programs, pools) as s: s.ask(case)"""

    def __init__(self, programs, pools):
        self.programs, self.pools = programs, {p.name: p for p in pools}
        self.stack = Stack("fpmx-diff-")

    def __enter__(self):
        self.stack.__enter__()
        # A site for each: a script that one pool has compiled is not another's.
        self.roots = {name: tree.make(self.stack, os.path.join(name, "site")) for name in self.pools}
        self.own, self.lines, self.logs, self.pending = [], {name: [] for name in self.pools}, [], [[], []]
        for side, program, letter in zip(SIDES, self.programs, "ab"):
            own = self.stack.make_dir(f"own-{letter}", 0o777)
            self.own.append(own.encode())
            pools = {}
            for pool in self.pools.values():
                pools[pool.name] = settings.directives_of(pool, self.roots[pool.name], own, self.stack.path(f"{side}.{pool.name}.access"))
            self.stack.start_fpm(side, program, pools)
            for name in self.pools:
                self.lines[name].append(client.Line(self.stack.socket(side, name), self.stack.path(f"{side}.{name}.access")))
            self.logs.append(Log(self.stack.path(f"{side}.error.log")))
        # A worker's first request may be told what its start had to say.
        for name in self.pools:
            self.pid(name, self.lines[name])
        self.settle()
        self.pending = [[], []]
        return self

    def __exit__(self, *why):
        for lines in self.lines.values():
            for line in lines:
                line.end()
        try:
            for root in self.roots.values():
                os.chmod(os.path.join(root, "locked"), 0o700)
        finally:
            self.stack.__exit__(*why)

    def ended(self):
        return [p.name for p in self.stack.processes if p.poll() is not None]

    # --- asking ----------------------------------------------------------------
    def ask(self, case, careful=False):
        """[(field, ours, theirs)] where the answers differ. careful: waits for late log lines of this case."""
        pool = self.pools[case["pool"]]
        if pool.life:
            self.replace_workers(pool)
        out, self.last = [], []
        for i, request in enumerate(case["requests"], 1):
            prefix = f"{i}." if len(case["requests"]) > 1 else ""
            answers = client.ask(self.lines[pool.name], request)
            self.last.append(answers)
            if answers[0].key() != answers[1].key():
                out += [(prefix + f, a, b) for f, a, b in self.differences(answers, request, pool)]
        if out:
            self.forget_sessions()
        if careful:
            time.sleep(0.05)
        return out + self.log_differences(careful)

    def forget_sessions(self):
        """Where only one side ran the script, the next would find what it has kept."""
        for own in self.own:
            for entry in os.scandir(own):
                if entry.name.startswith(b"sess_"):
                    os.unlink(entry)

    def pid(self, name, lines):
        request = {"params": [("REQUEST_METHOD", "GET"), ("SCRIPT_FILENAME", self.roots[name] + "/pid.php")]}
        return [answer.stdout for answer in client.ask(lines, request)]

    def replace_workers(self, pool):
        """The next request meets a worker that has seen nothing but pid.php."""
        seen, waiting = {}, self.lines[pool.name]
        for _ in range(pool.life + 5):
            waiting = [line for line, pid in zip(waiting, self.pid(pool.name, waiting)) if seen.setdefault(line, pid) == pid]
            if not waiting:
                break

    def settle(self):
        """What is left of the error logs when what both have said is taken out."""
        for lines, log in zip(self.pending, self.logs):
            lines += log.lines()
        same = 0
        while same < len(self.pending[0]) and same < len(self.pending[1]) and \
                self.masked(0, self.pending[0][same]) == self.masked(1, self.pending[1][same]):
            same += 1
        self.pending = [lines[same:] for lines in self.pending]
        return any(self.pending)

    def log_differences(self, careful):
        end = time.monotonic() + LOG_S
        while self.settle() and time.monotonic() < end:
            time.sleep(0.005)
        if not any(self.pending):
            return []
        out = [("log", *(b"\n".join(x) for x in self.pending))]
        self.pending = [[], []]
        return out

    # --- comparing -------------------------------------------------------------
    def masked(self, side, text):
        # After a refusal that does not say why, both tell of the call before it.
        text = STALE_REASON.sub(b"(no reason)", text).replace(self.own[side], b"OWN").replace(b"own-b" if side else b"own-a", b"OWN")
        return DATE.sub(b"DATE", MAX_AGE.sub(b"Max-Age=N", NEW_SESSION.sub(b"SESSION", text)))

    @staticmethod
    def after_error(field, ours, theirs, pool):
        """php-fpm repeats fastcgi.error_header where no script ran since one has failed."""
        header = next((v for k, v in pool.directives.items() if "[fastcgi.error_header]" in k), "").strip('"').encode()
        code = header.partition(b" ")[2]
        return field + "+error-header" if field == "status" and code and code in theirs and code not in ours else field

    def differences(self, answers, request, pool):
        ours, theirs = (self.fields(side, answer, request) for side, answer in enumerate(answers))
        out = []
        for field in {**theirs, **ours}:
            a, b = ours.get(field, b"(nothing)"), theirs.get(field, b"(nothing)")
            if a == b:
                continue
            if field == "access" and b.replace(b"\0", b"") == a:
                field = "access+nul"
            out.append((field + "+stale" if is_stale(a, b) else field, a, b))
        out = [(self.after_error(field, a, b, pool), a, b) for field, a, b in out]
        # Where one has answered something else altogether, the rest follows from that.
        first = [d for d in out if d[0] in ("how", "status", "status+error-header")]
        return first[:1] or out

    def fields(self, side, answer, request):
        """{name: bytes}, in order."""
        out = {"how": answer.how.encode(), "kept": answer.kept.encode() if answer.kept else b""}
        head, blank, body = self.masked(side, answer.stdout).partition(b"\r\n\r\n")
        if not blank:
            head, body = b"", head
        headers = head.split(b"\r\n") if head else []
        out["status"] = b" / ".join(h for h in headers if h.lower().startswith((b"status:", b"http/"))) or b"200"
        if body in WITHOUT_SCRIPT:
            out["status"] += b", no script ran"
        for header in headers:
            key = "header:" + header.split(b":")[0].decode("latin-1").replace(" ", "_")
            out[key] = out[key] + b"\n" + header if key in out else header
        out["header-order"] = b" ".join(h.split(b":")[0] for h in headers)
        packed = re.search(rb"(?i)content-encoding: *(gzip|deflate)", head)
        if packed:
            raw = answer.stdout.partition(b"\r\n\r\n")[2]
            try:
                body = self.masked(side, zlib.decompressobj(47).decompress(raw))
            except zlib.error:
                pass
        if b"Cache-Control: no-cache, no-store, must-revalidate, max-age=0" in headers:
            body = STATUS_NUMBERS.sub(b"N", body)
            out.pop("header:Content-Length", None)
        self.body_fields(body, out)
        out["stderr"] = self.masked(side, answer.stderr)
        out["access"] = ACCESS_TIME.sub(b"TIME", self.masked(side, answer.access))
        return out

    def body_fields(self, body, out):
        rest, order = [], {}
        for line in body.split(b"\n"):
            m = DUMPED.fullmatch(line)
            if not m:
                rest.append(line)
                continue
            key = (m.group(1) + (m.group(2) or b"")).decode("latin-1").replace(" ", "_")
            out[key] = out[key] + b"\n" + m.group(3) if key in out else m.group(3)
            order.setdefault(m.group(1).decode() + "-order", []).append(m.group(2) or b"")
        out["body"] = b"\n".join(rest)
        out.update({k: b" ".join(v) for k, v in order.items()})
