"""A FastCGI web server's end over a unix socket, made for many requests: sends a
case to both servers before it reads either answer, keeps connections, and finds
out with a FCGI_GET_VALUES whether one was kept and whether the worker is through
with the request.
"""

import os
import select
import socket
import struct
import time

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR, DATA, GET_VALUES, VALUES_RESULT, UNKNOWN = range(1, 12)
TIMEOUT_S = 20
IDLE_S = 3  # one side closes connections that are idle for longer
SEND_AT_ONCE = 60000  # what a unix socket takes without a reader
PROBE = struct.pack(">BBHHBx", 1, GET_VALUES, 0, 17, 0) + b"\x0f\0FCGI_MPXS_CONNS"


def record(kind, content=b"", padding=0, request_id=1):
    return struct.pack(">BBHHBx", 1, kind, request_id, len(content), padding) + content + b"\xbb" * padding


def length(n):
    return bytes([n]) if n < 128 else struct.pack(">I", n | 0x80000000)


def pairs(params):
    out = []
    for name, value in params:
        name, value = name.encode("latin-1"), value.encode("latin-1")
        out.append(length(len(name)) + length(len(value)) + name + value)
    return out


def stream(kind, pieces, sizes, padding, number):
    """Records that end where a piece ends, as web servers send them; with sizes the last of them repeats."""
    if sizes:
        data, pieces, at, i = b"".join(pieces), [], 0, 0
        while at < len(data):
            size = sizes[min(i, len(sizes) - 1)]
            pieces.append(data[at:at + size])
            at, i = at + size, i + 1
    out, gathered = [], b""
    for piece in pieces:
        if gathered and len(gathered) + len(piece) > 65000:
            out.append(gathered)
            gathered = b""
        gathered += piece
        if sizes or len(gathered) > 65000:
            out += [gathered[i:i + 65528] for i in range(0, len(gathered), 65528)]
            gathered = b""
    if gathered:
        out.append(gathered)
    return b"".join([record(kind, x, padding, number) for x in out] + [record(kind, request_id=number)])


def wire(case):
    """The bytes of a request."""
    how = case.get("how", {})
    padding = how.get("padding", 0)
    body = case.get("body", "").encode("latin-1")
    number = how.get("id", 1)
    return (record(BEGIN, struct.pack(">HB5x", how.get("role", 1), 1 if how.get("keep", True) else 0), request_id=number) +
            stream(PARAMS, pairs(case["params"]), how.get("param_sizes"), padding, number) +
            stream(STDIN, [body] if body else [], how.get("body_sizes"), padding, number))


class Answer:
    """stdout and stderr; how: "end A P" of END_REQUEST, or how it ended without; kept: what became of the connection."""

    __slots__ = ("stdout", "stderr", "how", "kept", "access")

    def __init__(self):
        self.stdout = self.stderr = self.how = self.kept = self.access = b""

    def key(self):
        return self.stdout, self.stderr, self.how, self.kept, self.access


class Line:
    """The connections to one pool of one server, one at a time."""

    def __init__(self, address, access_log):
        self.address, self.access_log = address, access_log
        self.sock, self.used_at, self.log_fd = None, 0.0, None
        self.more = b""  # what came behind an answer

    def close(self):
        self.more = b""
        if self.sock:
            self.sock.close()
            self.sock = None

    def open(self):
        if self.sock and time.monotonic() - self.used_at > IDLE_S:
            self.close()
        if not self.sock:
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.settimeout(TIMEOUT_S)
            self.sock.connect(self.address)

    def send(self, data, shut):
        """Returns the rest. shut: that is all that will be sent here."""
        self.open()
        if len(data) > SEND_AT_ONCE:
            return data
        try:
            self.sock.sendall(data)
            if shut:
                self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass  # the answer tells
        return b""

    def receive(self, rest, shut, number):
        answer = Answer()
        try:
            data = self.read_while_sending(rest) if rest else b""
            if rest and shut:
                self.sock.shutdown(socket.SHUT_WR)
            answer.stdout, answer.stderr, answer.how = self.read(data, number)
        except TimeoutError:
            answer.how = "timeout"
        except OSError as e:
            answer.how = type(e).__name__
        self.used_at = time.monotonic()
        return answer

    def read_while_sending(self, rest):
        """Sends and reads at once, so that neither end waits for the other."""
        got, view = [], memoryview(rest)
        end = time.monotonic() + TIMEOUT_S
        while view and time.monotonic() < end:
            readable, writable, _ = select.select([self.sock], [self.sock], [], TIMEOUT_S)
            if readable:
                try:
                    part = self.sock.recv(1 << 16)
                except ConnectionResetError:
                    break
                if not part:
                    break
                got.append(part)
            if writable:
                try:
                    view = view[self.sock.send(view[:32768], socket.MSG_DONTWAIT):]
                except BlockingIOError:
                    pass
                except OSError:
                    break
        return b"".join(got)

    def read(self, data, number):
        """(stdout, stderr, how it ended); number: that of the request"""
        out, err, at = [], [], 0
        while True:
            while len(data) - at >= 8:
                _, kind, its, n, padding, _ = struct.unpack_from(">BBHHBB", data, at)
                if len(data) - at < 8 + n + padding:
                    break
                content = data[at + 8:at + 8 + n]
                at += 8 + n + padding
                if its != number:
                    return b"".join(out), b"".join(err), f"record of request {its}"
                if kind == STDOUT:
                    out.append(content)
                elif kind == STDERR:
                    err.append(content)
                elif kind == END:
                    how = "end %d %d" % struct.unpack(">IB3x", content)
                    self.more = data[at:]
                    return b"".join(out), b"".join(err), how
                else:
                    return b"".join(out), b"".join(err), f"record of type {kind}"
            try:
                more = self.sock.recv(1 << 17)
            except ConnectionResetError:
                more = self.sock.recv(1 << 17)  # what came before it
            if not more:
                return b"".join(out), b"".join(err), "closed within a record" if at < len(data) else "closed"
            data = data[at:] + more
            at = 0

    def ask_for_values(self):
        """Answered once the worker has nothing else to do."""
        try:
            self.open()
            self.sock.sendall(PROBE)
        except OSError:
            pass

    def is_kept(self):
        try:
            got, self.more = self.more, b""
            while len(got) < 8 or len(got) < 8 + got[5] + got[6]:
                part = self.sock.recv(100)
                if not part:
                    return "closed"
                got += part
            return "kept" if got[1] == VALUES_RESULT else f"bytes after the end: {got!r}"
        except TimeoutError:
            return "timeout"
        except OSError:
            return "closed"

    def is_closed(self):
        """After an answer on a connection that is not to be kept."""
        try:
            return "closed" if not self.more + self.sock.recv(100) else "bytes after the end"
        except TimeoutError:
            return "open"
        except OSError:
            return "reset"

    def read_access(self):
        if self.log_fd is None:
            self.log_fd = os.open(self.access_log, os.O_RDONLY)
        out = part = os.read(self.log_fd, 1 << 16)
        while len(part) == 1 << 16:
            part = os.read(self.log_fd, 1 << 16)
            out += part
        return out

    def end(self):
        self.close()
        if self.log_fd is not None:
            os.close(self.log_fd)


def ask(lines, request):
    """The answers of all lines to one request. Each pool has one worker: the access log is complete when this returns."""
    data, shut = wire(request), request.get("how", {}).get("shut", False)
    keep = request.get("how", {}).get("keep", True) and not shut
    rests = [line.send(data, shut) for line in lines]
    answers = [line.receive(rest, shut, request.get("how", {}).get("id", 1)) for line, rest in zip(lines, rests)]
    for line, answer in zip(lines, answers):
        if not answer.how.startswith("end"):
            line.close()
            answer.kept = "-"
        elif not keep:
            answer.kept = line.is_closed()
            line.close()
    for line in lines:
        line.ask_for_values()
    for line, answer in zip(lines, answers):
        kept = line.is_kept()
        answer.kept = answer.kept or kept
        if kept != "kept":
            line.close()
            line.ask_for_values()
            if line.is_kept() != "kept":
                line.close()
        answer.access = line.read_access()
    return answers
