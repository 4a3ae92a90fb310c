"""Private instances of nginx, Apache, php-fpm and fpmx, all below one directory.

For: compat/*, the demo. Listens on loopback and on unix sockets only; reads no
configuration of the machine's own services; ends what it has started.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SRC = os.environ.get("FPMX_SRC") or os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("FPMX_BUILD") or os.path.join(SRC, "build")
FPMX = os.path.join(BUILD, "fpmx", "fpmx")
SKIP = 77
START_S, STOP_S = 15, 10
USER = "www-data"


def skip(why):
    print(f"skipped: {why}")
    sys.exit(SKIP)


def php_fpm():
    """The machine's php-fpm, of the PHP that fpmx was built for if that is known."""
    wanted = os.environ.get("FPMX_PHP_FPM")
    if wanted:
        return wanted
    names = sorted((n for d in ("/usr/sbin", "/usr/local/sbin") if os.path.isdir(d)
                    for n in os.listdir(d) if n.startswith("php-fpm")), key=len, reverse=True)
    for name in names:
        path = shutil.which(name, path="/usr/sbin:/usr/local/sbin")
        if path:
            return path
    return None


class Stack:
    """with Stack() as s: s.start_...(). Everything is gone after the block."""

    def __init__(self, prefix="fpmx-"):
        self.dir = tempfile.mkdtemp(prefix=prefix)
        os.chmod(self.dir, 0o755)  # pool users must reach site and sockets
        self.processes = []
        self.root = os.geteuid() == 0

    def __enter__(self):
        def stop(number, _frame):
            sys.exit(128 + number)
        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGHUP, stop)
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            self.stop(process)
        if os.environ.get("FPMX_KEEP"):
            print(f"kept: {self.dir}")
        else:
            shutil.rmtree(self.dir, ignore_errors=True)

    def path(self, *names):
        return os.path.join(self.dir, *names)

    def write(self, name, text, mode=0o644):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def make_dir(self, name, mode=0o755, owned=False):
        path = self.path(name)
        os.makedirs(path, exist_ok=True)
        os.chmod(path, mode)
        if owned and self.root:
            shutil.chown(path, USER, USER)
        return path

    def copy_site(self, source, name="site"):
        path = self.path(name)
        shutil.copytree(source, path)
        for top, dirs, files in os.walk(path):
            for n in dirs:
                os.chmod(os.path.join(top, n), 0o755)
            for n in files:
                os.chmod(os.path.join(top, n), 0o644)
        os.chmod(path, 0o755)
        return path

    def spawn(self, name, *words, env=None):
        """Starts a foreground program; its output goes to NAME.log."""
        with open(self.path(name + ".log"), "wb") as log:
            process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/",
                                       env=env, start_new_session=True)
        process.name, process.started = name, time.monotonic()
        self.processes.append(process)
        return process

    def stop(self, process, sig=signal.SIGTERM):
        """The exit code; None if it had to be killed."""
        if process in self.processes:
            self.processes.remove(process)
        if process.poll() is None:
            process.send_signal(sig)
            try:
                process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return None
        return process.returncode

    def await_listening(self, process, address):
        """Until somebody listens there (unix path or loopback port)."""
        end = time.monotonic() + START_S
        while time.monotonic() < end:
            if process.poll() is not None:
                break
            try:
                connect(address, 1).close()
                return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError(f"{process.name} does not listen on {address}:\n{self.log(process.name)}")

    def log(self, name):
        with open(self.path(name + ".log"), encoding="utf-8", errors="replace") as f:
            return f.read()[-4000:]

    # --- FastCGI servers ---------------------------------------------------
    def fpm_conf(self, name, pools, extra=""):
        """php-fpm's own format. pools: {pool name: {directive: value}}; listen is made here."""
        text = f"[global]\nerror_log = {self.path(name)}.error.log\nlog_level = notice\ndaemonize = no\n{extra}\n"
        for pool, directives in pools.items():
            text += f"[{pool}]\nlisten = {self.socket(name, pool)}\nlisten.mode = 0666\n"
            if self.root:
                text += f"user = {USER}\ngroup = {USER}\n"
            text += "".join(f"{k} = {v}\n" for k, v in directives.items()) + "\n"
        return self.write(f"{name}.conf", text)

    def socket(self, name, pool):
        return self.path(f"{name}.{pool}.sock")

    def start_fpm(self, name, program, pools, extra=""):
        conf = self.fpm_conf(name, pools, extra)
        process = self.spawn(name, program, "-F", "-O", "-y", conf)
        for pool in pools:
            self.await_listening(process, self.socket(name, pool))
        return process

    # --- front ends --------------------------------------------------------
    def start_nginx(self, name, http, port):
        """http: what goes into the http block."""
        self.make_dir(f"{name}.tmp", owned=True)
        temp = "".join(f"{kind}_temp_path {self.path(name)}.tmp/{kind};\n"
                       for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        user = f"user {USER};\n" if self.root else ""
        conf = self.write(f"{name}.conf", f"""{user}daemon off;
worker_processes 1;
pid {self.path(name)}.pid;
error_log {self.path(name)}.error.log warn;
events {{ worker_connections 512; }}
http {{
access_log off;
server_tokens on;
default_type application/octet-stream;
{temp}{http}
}}
""")
        process = self.spawn(name, shutil.which("nginx") or "/usr/sbin/nginx", "-e", self.path(name + ".error.log"),
                             "-p", self.dir, "-c", conf)
        self.await_listening(process, port)
        return process

    def start_apache(self, name, modules, body, port):
        load = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in modules)
        user = f"User {USER}\nGroup {USER}\n" if self.root else ""
        conf = self.write(f"{name}.conf", f"""ServerRoot {self.dir}
{load}{user}PidFile {self.path(name)}.pid
DefaultRuntimeDir {self.dir}
ErrorLog {self.path(name)}.error.log
LogLevel warn
ServerName localhost
ServerTokens Full
Timeout 60
{body}
""")
        process = self.spawn(name, "/usr/sbin/apache2", "-d", self.dir, "-f", conf, "-DFOREGROUND")
        self.await_listening(process, port)
        return process


def free_ports(n):
    """n loopback ports that nobody uses now."""
    held = [socket.socket() for _ in range(n)]
    for s in held:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in held]
    for s in held:
        s.close()
    return ports


def connect(address, timeout_s):
    """address: a loopback port or the path of a unix socket."""
    if isinstance(address, int):
        return socket.create_connection(("127.0.0.1", address), timeout_s)
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(timeout_s)
    try:
        s.connect(address)
    except OSError:
        s.close()
        raise
    return s
