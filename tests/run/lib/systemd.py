"""systemd's side of a service, for tests: the socket that is told, sockets handed over.

For: tests/run/*.
"""

import array
import os
import socket

from server import FPMX, check, wait_until


class Manager:
    """The socket of $NOTIFY_SOCKET. with Manager(path) as m: ...; "@name" is an abstract one."""

    def __init__(self, address):
        self.address = address
        self.s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.s.bind("\0" + address[1:] if address[0] == "@" else address)
        if address[0] != "@":
            os.chmod(address, 0o777)
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        self.s.settimeout(0)
        self.heard = []  # all messages as dictionaries, in order
        self.senders = set()
        self.store = {}  # FDNAME: descriptors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()
        for fds in self.store.values():
            for fd in fds:
                os.close(fd)

    def environment(self, **more):
        return {**os.environ, "NOTIFY_SOCKET": self.address, **more}

    def keep(self, message, ancillary):
        """What systemd does with descriptors."""
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                self.senders.add(array.array("i", data)[0])
            elif (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                fds = list(array.array("i", data))
                check(message.get("FDSTORE") == "1", f"a descriptor without FDSTORE: {message}")
                self.store.setdefault(message["FDNAME"], []).extend(fds)
        if message.get("FDSTOREREMOVE") == "1":
            for fd in self.store.pop(message["FDNAME"], []):
                os.close(fd)

    def hear(self):
        """Takes what has come; all that was heard so far."""
        while True:
            try:
                data, ancillary, _, _ = self.s.recvmsg(4096, 1024)
            except BlockingIOError:
                return self.heard
            message = dict(line.split("=", 1) for line in data.decode().splitlines())
            self.keep(message, ancillary)
            self.heard.append(message)

    def count(self, name):
        return sum(name in m for m in self.hear())

    def fill(self):
        """Fills the queue, as if nobody had read for long; the number of messages."""
        count = 0
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK) as s:
            try:
                while count < 100000:
                    s.sendto(b"X_FILLER=1", self.s.getsockname())
                    count += 1
            except BlockingIOError:
                pass
        return count

    def take(self, count):
        """Takes as many fillers out again; how many there were."""
        for n in range(count):
            if self.s.recv(4096) != b"X_FILLER=1":
                return n
        return count

    def wait_for(self, name, seconds=10, value=None, more_than=0):
        """The newest message with that name (and value), when there are more than so many."""
        def look():
            found = [m for m in self.hear() if name in m and value in (None, m[name])]
            return found[-1] if len(found) > more_than else None
        return wait_until(look, seconds, lambda: f"{name}={value}, heard {self.heard}")

    def states(self):
        """The states in order, without counts and signs of life."""
        names = ("READY", "RELOADING", "STOPPING")
        return [n for m in self.hear() for n in names if m.get(n) == "1"]


LAUNCHER = """#!/usr/bin/env python3
import fcntl, os, sys
fds = [fcntl.fcntl(int(fd), fcntl.F_DUPFD, 100) for fd in os.environ.pop("TEST_FDS").split(",") if fd]
for number, fd in enumerate(fds):
    os.dup2(fd, 3 + number)
    os.close(fd)
os.closerange(3 + len(fds), 100)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(fds)))
program = os.environ.pop("TEST_PROGRAM")
os.execv(program, [program, *sys.argv[1:]])
"""


def start_with_sockets(server, sockets, names, environment, *options, **more):
    """As Server.start(), with these listening sockets (or descriptors) as $LISTEN_FDS."""
    path = server.path("launcher")
    with open(path, "w", encoding="utf-8") as f:
        f.write(LAUNCHER)
    os.chmod(path, 0o755)
    fds = [s if isinstance(s, int) else s.fileno() for s in sockets]
    env = {**environment, "TEST_FDS": ",".join(map(str, fds)), "TEST_PROGRAM": FPMX}
    if names is not None:
        env["LISTEN_FDNAMES"] = ":".join(names)
    return server.start(*options, program=path, env=env, pass_fds=fds, **more)


def listen_unix(path, mode=0o666):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.bind(path)
    os.chmod(path, mode)
    s.listen(64)
    return s
