"""fcgi: a FastCGI web server's end, for tests. It can send anything, right or
wrong, and reads answers strictly: what a strict web server would not take
raises ProtocolError."""

import hashlib
import socket
import struct
import time

BEGIN, ABORT, END, PARAMS, STDIN, STDOUT, STDERR, DATA, GET_VALUES, VALUES_RESULT, UNKNOWN = range(1, 12)
RESPONDER, AUTHORIZER, FILTER = 1, 2, 3
REQUEST_COMPLETE, CANT_MPX_CONN, OVERLOADED, UNKNOWN_ROLE = range(4)
MAX_CONTENT = 65535


class ProtocolError(Exception):
    pass


# --- sending ---------------------------------------------------------------

def record(kind, request_id, content=b"", padding=0, version=1):
    return struct.pack(">BBHHBB", version, kind, request_id, len(content), padding, 0) + content + b"\xbb" * padding


def begin(request_id=1, role=RESPONDER, keep=False):
    return record(BEGIN, request_id, struct.pack(">HB5x", role, 1 if keep else 0))


def length(n, long_form=False):
    return bytes([n]) if n < 128 and not long_form else struct.pack(">I", n | 0x80000000)


def to_bytes(text):
    return text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogateescape")


def pairs(params):
    """params: a dict, or (name, value) in the order in which they are sent."""
    items = params.items() if isinstance(params, dict) else params
    out = []
    for name, value in items:
        name, value = to_bytes(name), to_bytes(value)
        out.append(length(len(name)) + length(len(value)) + name + value)
    return b"".join(out)


def stream(kind, request_id, data, size=MAX_CONTENT, padding=0):
    """Records of at most size bytes, the empty one at the end included."""
    parts = [record(kind, request_id, data[at:at + size], padding) for at in range(0, len(data), size)]
    return b"".join(parts) + record(kind, request_id, b"", padding)


def request(params, body=b"", request_id=1, keep=False, role=RESPONDER, size=MAX_CONTENT, padding=0):
    return begin(request_id, role, keep) + stream(PARAMS, request_id, pairs(params), size, padding) + \
        stream(STDIN, request_id, body, size, padding)


def params_for(script, method="GET", query="", body=b"", uri=None, **more):
    """What nginx's fastcgi_params would say of a request for a script file."""
    name = "/" + script.rsplit("/", 1)[1]
    out = {
        "QUERY_STRING": query, "REQUEST_METHOD": method,
        "SCRIPT_NAME": name, "REQUEST_URI": uri or name + ("?" + query if query else ""), "DOCUMENT_URI": name,
        "DOCUMENT_ROOT": script.rsplit("/", 1)[0], "SERVER_PROTOCOL": "HTTP/1.1", "REQUEST_SCHEME": "http",
        "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": "test", "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": "1",
        "SERVER_ADDR": "127.0.0.1", "SERVER_PORT": "80", "SERVER_NAME": "test.invalid", "REDIRECT_STATUS": "200",
        "SCRIPT_FILENAME": script, "HTTP_HOST": "test.invalid",
    }
    if body or method in ("POST", "PUT"):
        out["CONTENT_LENGTH"] = len(body)
        out["CONTENT_TYPE"] = "application/octet-stream"
    out.update(more)
    return out


# --- reading ---------------------------------------------------------------

class Response:
    """One answer: status, headers, body from stdout; stderr; how it ended."""

    def __init__(self):
        self.stdout, self.stderr = b"", b""
        self.kinds = []  # of the records, in order
        self.app_status = self.protocol_status = None
        self.end_at = None

    def add(self, kind, content):
        self.kinds.append(kind)
        if kind == END:
            if len(content) != 8:
                raise ProtocolError(f"END_REQUEST of {len(content)} bytes")
            self.app_status, self.protocol_status = struct.unpack(">IB3x", content)
            self.end_at = time.monotonic()
        elif not content:
            raise ProtocolError("empty record within the answer")
        elif kind == STDERR:
            self.stderr += content
        elif kind != STDOUT:
            raise ProtocolError(f"record of type {kind} within an answer")

    def _split(self):
        head, blank, body = self.stdout.partition(b"\r\n\r\n")
        if not blank:
            raise ProtocolError(f"no end of the header: {self.stdout[:200]!r}")
        return head, body

    @property
    def headers(self):
        """(name, value) in order."""
        out = []
        for line in self._split()[0].split(b"\r\n"):
            name, colon, value = line.partition(b":")
            if not colon or not name or b"\n" in line or b"\r" in line:
                raise ProtocolError(f"no header line: {line!r}")
            out.append((name.decode("latin-1"), value.strip().decode("latin-1")))
        return out

    def header(self, name):
        found = [value for n, value in self.headers if n.lower() == name.lower()]
        return found[0] if found else None

    @property
    def status(self):
        return int((self.header("Status") or "200").split()[0])

    @property
    def body(self):
        return self._split()[1]


class BodyDigest:
    """For answers that are too big to keep: length and SHA-1 of the body, piece by piece."""

    def __init__(self):
        self.head, self.length, self.sha1 = b"", 0, hashlib.sha1()
        self.in_body = False

    def __call__(self, piece):
        if not self.in_body:
            self.head, blank, piece = (self.head + piece).partition(b"\r\n\r\n")
            self.in_body = bool(blank)
        if self.in_body:
            self.length += len(piece)
            self.sha1.update(piece)


class Connection:
    """address: the path of a unix socket, or (host, port)."""

    def __init__(self, address, timeout=10, strict=True):
        unix = isinstance(address, str)
        family = socket.AF_UNIX if unix else socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.strict = strict  # reserved bytes and padding must be zero
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        self.sock.settimeout(timeout)
        self.room = bytearray(1 << 18)  # room[at:end] is read and not used
        self.at = self.end = 0
        try:
            self.sock.connect(address)
        except OSError:
            self.sock.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.sock.close()

    def half_close(self):
        self.sock.shutdown(socket.SHUT_WR)

    def send(self, data):
        self.sock.sendall(data)

    def send_slowly(self, data, pause_s):
        """Byte by byte; stops when the other side has gone. How many went."""
        for i in range(len(data)):
            try:
                self.sock.sendall(data[i:i + 1])
            except OSError:
                return i
            time.sleep(pause_s)
        return len(data)

    def _take(self, n):
        """n bytes, or None when the end comes first. One buffer for all: new ones cost more than reading."""
        while self.end - self.at < n:
            left = self.room[self.at:self.end]
            self.room[:len(left)] = left
            self.at, self.end = 0, len(left)
            got = self.sock.recv_into(memoryview(self.room)[self.end:])
            if got == 0:
                return None
            self.end += got
        self.at += n
        return bytes(memoryview(self.room)[self.at - n:self.at])

    def read_record(self):
        """(kind, id, content), or None at the end of the connection."""
        head = self._take(8)
        if head is None:
            if self.at < self.end:
                raise ProtocolError(f"the connection ends within a record: {self.room[self.at:self.end]!r}")
            return None
        version, kind, request_id, size, padding, reserved = struct.unpack(">BBHHBB", head)
        rest = self._take(size + padding)
        if rest is None:
            raise ProtocolError(f"record of {size} bytes breaks off")
        if version != 1 or not 1 <= kind <= 11:
            raise ProtocolError(f"no FastCGI record: {head!r}")
        if self.strict and (reserved or any(rest[size:]) or (kind == END and any(rest[5:8]))):
            raise ProtocolError("bytes that must be zero are not")
        return kind, request_id, rest[:size]

    def read_response(self, request_id=1, sink=None):
        """Reads to END_REQUEST. With a sink stdout goes there, and is not kept."""
        response, pieces = Response(), []
        sink = sink or pieces.append
        while True:
            got = self.read_record()
            if got is None:
                raise ProtocolError(f"the connection ends before END_REQUEST, after records {response.kinds[-5:]}")
            kind, rid, content = got
            if rid != request_id:
                raise ProtocolError(f"record of request {rid} in the answer to {request_id}")
            response.add(kind, content)
            if kind == STDOUT:
                sink(content)
            if kind == END:
                response.stdout = b"".join(pieces)
                return response

    def ask(self, params, body=b"", sink=None, **how):
        self.send(request(params, body, **how))
        return self.read_response(how.get("request_id", 1), sink)

    def is_closed(self, wait_s=0.0):
        """Has the other side closed, at the latest after wait_s? Bytes are an error."""
        if self.at < self.end:
            raise ProtocolError("bytes after the answer")
        usual = self.sock.gettimeout()
        self.sock.settimeout(max(wait_s, 0.001))
        try:
            data = self.sock.recv(1)
        except TimeoutError:
            return False
        except ConnectionResetError:
            return True
        finally:
            self.sock.settimeout(usual)
        if data:
            raise ProtocolError("bytes after the answer")
        return True


def ask(address, params, body=b"", timeout=10, strict=True, **how):
    """One request on a connection of its own."""
    with Connection(address, timeout, strict) as conn:
        return conn.ask(params, body, **how)
