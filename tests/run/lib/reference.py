"""Debian's php-fpm beside fpmx: the same pool, the same scripts, the same
requests; what differs is collected.

For: tests/run/*. Skips where there is no php-fpm of the version fpmx is for.
"""

import glob
import os
import re
import shutil
import struct
import subprocess
import tempfile

from server import FPMX, Server, connect, pair, skip

BODY_RECORD = 65528


def record(kind, content=b""):
    return struct.pack(">BBHHBx", 1, kind, 1, len(content), 0) + content


def wire(params, body=b"", keep=False):
    """A whole request; params in order, a body of any length."""
    items = params.items() if isinstance(params, dict) else params
    stream = b"".join(pair(k, v) for k, v in items)
    out = [record(1, struct.pack(">HB5x", 1, 1 if keep else 0))]
    for kind, content in ((4, stream), (5, body)):
        out += [record(kind, content[at:at + BODY_RECORD]) for at in range(0, len(content), BODY_RECORD)]
        out.append(record(kind))
    return b"".join(out)


def read_reply(s):
    """(stdout, stderr, whether END_REQUEST came), all bytes."""
    data, out, errors = b"", b"", b""
    while True:
        while len(data) >= 8:
            kind, length, padding = struct.unpack(">xBxxHB", data[:7])
            if len(data) < 8 + length + padding:
                break
            content, data = data[8:8 + length], data[8 + length + padding:]
            if kind == 3:
                return out, errors, True
            out += content if kind == 6 else b""
            errors += content if kind == 7 else b""
        try:
            more = s.recv(1 << 18)
        except ConnectionResetError:
            more = b""
        if not more:
            return out, errors, False
        data += more


def exchange(address, params, body=b""):
    with connect(address) as s:
        s.sendall(wire(params, body))
        return read_reply(s)


def reference_program():
    version = subprocess.run([FPMX, "-v"], capture_output=True, text=True, check=True).stdout
    xy = re.match(r"PHP (\d+\.\d+)", version).group(1)
    found = glob.glob(f"/usr/sbin/php-fpm{xy}")
    if not found:
        skip(f"needs php-fpm{xy} to compare with")
    return found[0]


class Pair:
    """with Pair() as p: p.start("php_value[x] = y"); p.same("what", params, body); p.verdict()"""

    def __init__(self):
        self.program = reference_program()
        self.site = tempfile.mkdtemp(prefix="fpmx-site-")
        os.chmod(self.site, 0o755)
        self.asked, self.differences = 0, []
        self.ours = self.theirs = None

    def __enter__(self):
        return self

    def __exit__(self, *why):
        self.stop()
        shutil.rmtree(self.site, ignore_errors=True)

    def file(self, name, text, mode=0o644):
        path = os.path.join(self.site, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(path, mode)
        return path

    def start(self, lines="", options=()):
        """Both servers, one worker each, with these lines in the pool; {own} in them is a
        folder of each server that its worker may write to."""
        self.stop()
        self.ours, self.theirs = Server(), Server()
        for server, more in ((self.ours, {}), (self.theirs, {"program": self.program})):
            server.address = server.pool(pm="static", pm_max_children=1, chdir=self.site)
            own = server.path("own")
            os.mkdir(own)
            os.chmod(own, 0o777)
            server.raw(lines.replace("{own}", own) + "\n")
            server.start(*options, **more)

    def stop(self):
        for server in (self.ours, self.theirs):
            if server is not None:
                server.__exit__(None, None, None)
        self.ours = self.theirs = None

    def both(self, params, body=b""):
        return exchange(self.ours.address, params, body), exchange(self.theirs.address, params, body)

    def same(self, what, params, body=b"", alter=lambda text: text):
        """Asks both; alter() takes out what may differ."""
        ours, theirs = self.both(params, body)
        self.asked += 1
        trim = [tuple(alter(text) for text in answer[:2]) + answer[2:] for answer in (ours, theirs)]
        if trim[0] != trim[1]:
            self.differences.append(f"{what}\n  fpmx    {ours!r:.1200}\n  php-fpm {theirs!r:.1200}")

    def verdict(self):
        if self.differences:
            raise AssertionError("\n".join([f"{len(self.differences)} of {self.asked} answers differ"] +
                                           self.differences[:10]))
        print(f"{self.asked} answers equal")
