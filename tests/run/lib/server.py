"""One fpmx of a test: started in the foreground below a temporary directory,
asked over real sockets, and gone after the block.

For: tests/run/*.
Every wait here has an end. Nothing listens but on loopback and on unix sockets
below the directory.
"""

import os
import pwd
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time

SRC = os.environ.get("FPMX_SRC") or os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
BUILD = os.environ.get("FPMX_BUILD") or os.path.join(SRC, "build")
FPMX = os.environ.get("FPMX_BIN") or os.path.join(BUILD, "fpmx", "fpmx")
# What fpmx is compared with; None where it is not installed.
PHP_FPM = next((p for p in ("/usr/sbin/php-fpm8.2", "/usr/sbin/php-fpm8.3", "/usr/sbin/php-fpm8.4")
                if os.access(p, os.X_OK)), None)
USER = "www-data"
ROOT = os.geteuid() == 0
# Limits of time are stretched by this: sanitizers, valgrind, a machine that others use.
SLOW = float(os.environ.get("FPMX_SLOWNESS", "1")) * max(1.0, os.getloadavg()[0] / (2 * os.cpu_count()))
READY = "ready to handle connections"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def preload(shim):
    """Value of LD_PRELOAD for the engine. AddressSanitizer's library wants to come first."""
    with open(FPMX + "-engine", "rb") as f:
        sanitizer = re.search(rb"libasan\.so\.\d+", f.read())
    return f"{sanitizer.group().decode()} {shim}" if sanitizer else shim


def need_root():
    if not ROOT:
        skip("needs root")


def check(condition, text):
    """An assertion that stays on and says what was wrong."""
    if not condition:
        raise AssertionError(text)


def wait_until(condition, seconds, what):
    """The first true value of condition(); fails after so many seconds."""
    end = time.monotonic() + seconds * SLOW
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what() if callable(what) else what}")
        time.sleep(0.01)


def free_port(family=socket.AF_INET, host="127.0.0.1"):
    with socket.socket(family, socket.SOCK_STREAM) as s:
        s.bind((host, 0))
        return s.getsockname()[1]


# --- processes ----------------------------------------------------------------


def stat_of(pid):
    """(parent, state) or None."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return int(fields[1]), fields[0]
    except (FileNotFoundError, ProcessLookupError):
        return None


def title_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            return f.read().rstrip(b"\0").decode("utf-8", "replace")
    except (FileNotFoundError, ProcessLookupError):
        return ""


def status_of(pid):
    """/proc/PID/status as a dictionary."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as f:
        return dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def private_kb(pid):
    """What a process has of its own, in KiB."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as f:
        return sum(int(line.split()[1]) for line in f if line.startswith("Private_"))


def children_of(parent):
    """Living children (no zombies): {pid: title}."""
    found = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            stat = stat_of(name)
            if stat and stat[0] == parent and stat[1] != "Z":
                found[int(name)] = title_of(name)
    return found


# --- FastCGI --------------------------------------------------------------------


def pair(name, value):
    out = b""
    name, value = name.encode(), value.encode()
    for n in (len(name), len(value)):
        out += bytes([n]) if n < 128 else struct.pack(">I", n | 1 << 31)
    return out + name + value


def record(kind, content=b""):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def connect(address, timeout=10):
    """A path, or (host, port)."""
    family = socket.AF_UNIX if isinstance(address, str) else (
        socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
    s = socket.socket(family, socket.SOCK_STREAM)
    s.settimeout(timeout * SLOW)
    try:
        s.connect(address)
    except OSError:
        s.close()
        raise
    return s


def request_bytes(params, keep=False, body=b""):
    """One whole request; body of at most one record."""
    stream = b"".join(pair(k, v) for k, v in params.items())
    return (record(1, struct.pack(">HB5x", 1, 1 if keep else 0)) + record(4, stream) + record(4) +
            (record(5, body) if body else b"") + record(5))


def usual_params(script, query=""):
    return {"SCRIPT_FILENAME": script, "SCRIPT_NAME": "/" + os.path.basename(script),
            "REQUEST_METHOD": "GET", "QUERY_STRING": query, "SERVER_PROTOCOL": "HTTP/1.1"}


def send_request(s, script, query="", keep=False, **params):
    s.sendall(request_bytes({**usual_params(script, query), **params}, keep))


class Answer:
    """body, headers (text), errors (FCGI stderr), whole (END_REQUEST has come)."""

    def __init__(self, out, errors, whole):
        head, _, body = out.partition(b"\r\n\r\n")
        self.headers = head.decode("latin-1")
        self.body = body.decode("utf-8", "replace")
        self.errors = errors.decode("utf-8", "replace")
        self.whole = whole


def read_answer(s):
    data, out, errors = b"", b"", b""
    while True:
        while len(data) >= 8:
            kind, _, length, padding = struct.unpack(">xBHHB", data[:7])
            if len(data) < 8 + length + padding:
                break
            content, data = data[8:8 + length], data[8 + length + padding:]
            if kind == 3:
                return Answer(out, errors, True)
            out += content if kind == 6 else b""
            errors += content if kind == 7 else b""
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            more = b""
        if not more:
            return Answer(out, errors, False)
        data += more


def ask(address, script, query="", timeout=10, **params):
    with connect(address, timeout) as s:
        send_request(s, script, query, **params)
        return read_answer(s)


class Askers:
    """Many requests at the same time, without threads: send all, then read all."""

    def __init__(self, address, script, count, timeout=30):
        self.started = time.monotonic()
        self.sockets = []
        for _ in range(count):  # as a web server does it: nobody connects and keeps silent
            self.sockets.append(connect(address, timeout))
            send_request(self.sockets[-1], script)

    def read(self):
        """(answers, seconds since the start)."""
        answers = []
        for s in self.sockets:
            with s:
                answers.append(read_answer(s))
        return answers, time.monotonic() - self.started


# --- the server ------------------------------------------------------------------


class Server:
    """with Server() as s: s.pool(...); s.start(); ... s.stop()"""

    def __init__(self):
        self.dir = tempfile.mkdtemp(prefix="fpmx-run-")
        os.chmod(self.dir, 0o755)
        self.process, self.global_text, self.pool_text = None, "", ""
        self.script("pid.php", '<?php echo getmypid();')
        self.script("sleep.php", '<?php sleep((int)($_GET["s"] ?? 2)); echo getmypid();')

    def __enter__(self):
        return self

    def __exit__(self, kind, value, _trace):
        if kind is not None and kind is not SystemExit and self.process:
            print(f"--- log ---\n{self.log()}\n-----------")
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if os.environ.get("FPMX_KEEP"):
            print(f"kept: {self.dir}")
        else:
            shutil.rmtree(self.dir, ignore_errors=True)

    # --- set-up ---
    def path(self, name):
        return os.path.join(self.dir, name)

    def script(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, 0o644)
        return path

    def globals(self, **directives):
        self.global_text += "".join(f"{k} = {v}\n" for k, v in directives.items())

    def pool(self, name="www", user=None, **directives):
        """Keys with _ for ., so pm_max_children; listen defaults to NAME.sock."""
        values = {"listen": self.path(name + ".sock")}
        if ROOT:
            values["user"] = user or USER
        values.update({k.replace("__", "_").replace("_", ".", 1) if k.startswith(("pm_", "listen_"))
                       else k: v for k, v in directives.items()})
        self.pool_text += f"[{name}]\n" + "".join(f"{k} = {v}\n" for k, v in values.items())
        return values["listen"]

    def raw(self, text):
        self.pool_text += text

    def folder(self, name):
        """A folder that the workers may write to."""
        path = self.path(name)
        os.mkdir(path)
        os.chmod(path, 0o1777)
        return path

    def config(self):
        path = self.path("fpm.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write(f"[global]\nerror_log = {self.path('error.log')}\n{self.global_text}{self.pool_text}")
        return path

    # --- life ---
    def start(self, *options, ready=True, as_user=None, umask=None, program=FPMX, limit=20, setup=None,
              **popen):
        with open(self.path("stderr"), "ab") as log:
            def before_exec():
                if umask is not None:
                    os.umask(umask)
                if setup:
                    setup()
            extra = {}
            if as_user:
                pw = pwd.getpwnam(as_user)
                extra = {"user": pw.pw_uid, "group": pw.pw_gid, "extra_groups": []}
            self.process = subprocess.Popen(
                [program, "-F", "-O", "-y", self.config(), *options], stdin=subprocess.DEVNULL, stdout=log,
                stderr=log, cwd=self.dir, preexec_fn=before_exec, start_new_session=True, **extra, **popen)
        self.pid = self.process.pid
        if ready:
            self.wait_for(READY, limit)
        return self

    def log(self):
        try:
            with open(self.path("stderr"), encoding="utf-8", errors="replace") as f:
                return f.read()
        except FileNotFoundError:
            return ""

    def lines(self, pattern):
        return [line for line in self.log().splitlines() if re.search(pattern, line)]

    def wait_for(self, text, seconds=10):
        def look():
            if text in self.log():
                return True
            if self.process.poll() is not None:
                raise AssertionError(f"ended with {self.process.returncode} before '{text}'")
            return False
        wait_until(look, seconds, f"'{text}' in the log")

    def stop(self, signo=signal.SIGTERM, seconds=10):
        """Stops it; the exit code."""
        self.process.send_signal(signo)
        return self.wait(seconds)

    def wait(self, seconds=10):
        try:
            return self.process.wait(seconds * SLOW)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"has not ended within {seconds} s") from None

    # --- looking ---
    def children(self, title):
        return sorted(p for p, t in children_of(self.pid).items() if t == title)

    def workers(self, pool="www"):
        return self.children(f"php-fpm: pool {pool}")

    def templates(self, pool="www"):
        return self.children(f"php-fpm: template {pool}")

    def wait_for_workers(self, count, pool="www", seconds=5):
        def look():
            found = self.workers(pool)
            return (found,) if len(found) == count else None
        return wait_until(
            look, seconds, lambda: f"{count} workers of {pool}, there are {len(self.workers(pool))}")[0]

    def ask(self, address, script="pid.php", query="", **more):
        return ask(address, self.path(script), query, **more)

    def get(self, address, script="pid.php", query="", **more):
        """The body of a whole answer."""
        answer = self.ask(address, script, query, **more)
        check(answer.whole, f"no whole answer to {script}: {answer.body!r} {answer.errors!r}")
        return answer.body


def run(main):
    """Runs the test; says what failed."""
    if not os.access(FPMX, os.X_OK):
        skip(f"{FPMX} has not been built")
    main()
