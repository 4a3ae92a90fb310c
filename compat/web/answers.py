"""Sending a case, reading the answer, and telling where two answers differ."""

import json
import os
import re
import time

from stack import connect

TIMEOUT_S = 40
NOTE_S = 3

# Entries of the dump page that are of the moment.
OF_THE_MOMENT = re.compile(r"^(REQUEST_TIME|REQUEST_TIME_FLOAT|REMOTE_PORT|UNIQUE_ID|REQUEST_BODY_FILE)$")
# nginx tells it of a chunked body only if it has all of it by the time it connects.
BY_CHANCE = re.compile(r"^(CONTENT_LENGTH|HTTP_CONTENT_LENGTH|Content-Length)$")
NEW_SESSION = re.compile(r"PHPSESSID=[a-z0-9,-]{22,}")
MAX_AGE = re.compile(r"Max-Age=\d+")
HEADERS_OF_THE_MOMENT = ("date",)


def read_all(s):
    """Until the server closes. A reset ends the answer as well, and is told."""
    parts = []
    while True:
        try:
            part = s.recv(1 << 18)
        except ConnectionResetError:
            return b"".join(parts), "reset"
        except TimeoutError:
            return b"".join(parts), "timeout"
        if not part:
            return b"".join(parts), "closed"
        parts.append(part)


def dechunk(raw):
    out, at = [], 0
    while True:
        end = raw.find(b"\r\n", at)
        if end < 0:
            return b"".join(out), "cut"
        try:
            n = int(raw[at:end].split(b";")[0], 16)
        except ValueError:
            return b"".join(out), "bad chunk"
        if n == 0:
            return b"".join(out), "whole"
        out.append(raw[end + 2:end + 2 + n])
        at = end + 2 + n + 2


def parse(raw, end):
    """(status line, [header lines], body, how it ended)"""
    interim = []
    while True:
        head, _, body = raw.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        if not re.match(r"HTTP/1\.\d 1\d\d", lines[0]):
            break
        interim.append(lines[0])
        raw = body
    headers = [x for x in lines[1:] if x.split(":")[0].lower() not in HEADERS_OF_THE_MOMENT]
    if any(x.lower() == "transfer-encoding: chunked" for x in headers):
        body, end = dechunk(body)
    return " / ".join(interim + [lines[0]]), headers, body, end


def read_one(s, head_only):
    """One answer of a kept connection."""
    raw = b""
    while b"\r\n\r\n" not in raw:
        part = s.recv(65536)
        if not part:
            return parse(raw, "closed early")
        raw += part
    head = raw.partition(b"\r\n\r\n")[0].decode("latin-1").lower()
    status = head.split()[1]
    if head_only or status in ("204", "304"):
        return parse(raw, "kept")
    length = re.search(r"\ncontent-length: *(\d+)", head)
    while True:
        body = raw.partition(b"\r\n\r\n")[2]
        if length and len(body) >= int(length.group(1)):
            return parse(raw, "kept")
        if not length and "transfer-encoding: chunked" in head and body.endswith(b"0\r\n\r\n"):
            return parse(raw, "kept")
        part = s.recv(1 << 18)
        if not part:
            return parse(raw, "closed")
        raw += part


def masked(text, masks):
    """A port is masked where it stands alone, not as a part of a longer word."""
    for what, word in masks.items():
        text = re.sub(rf"(?<![0-9A-Za-z]){re.escape(what)}(?![0-9A-Za-z])", word, text) if what in text else text
    return text


def fields_of(name, answer, masks):
    """{field: text} of one answer, in order."""
    status, headers, body, end = answer
    out = {"status": status, "end": end}
    for header in headers:
        key = "header:" + header.split(":")[0]
        # A second header of the same name is a second line of the same field.
        out[key] = out[key] + "\n" + header if key in out else header
    out["header-order"] = " ".join(h.split(":")[0] for h in headers)
    text = masked(body.decode("latin-1"), masks)
    dump = None
    if any(h.lower().startswith("content-type: application/json") for h in headers):
        try:
            dump = json.loads(text)
        except ValueError:
            pass
    if isinstance(dump, dict) and "_SERVER" in dump:
        # Its length moves with the digits of a port.
        out.pop("header:Content-Length", None)
        for part, value in dump.items():
            if part in ("_SERVER", "getenv", "headers", "ini") and isinstance(value, dict):
                if "chunked" in name:
                    value = {k: v for k, v in value.items() if not BY_CHANCE.match(k)}
                out[part + "-order"] = " ".join(value)
                for k, v in value.items():
                    out[f"{part}[{k}]"] = "MASKED" if OF_THE_MOMENT.match(k) else json.dumps(v)
            else:
                out[part] = json.dumps(value)
    elif re.match(r"(status|answer.*/status)", name):
        out["body"] = re.sub(r"[\d.]+", "N", text)
        out.pop("header:Content-Length", None)
    elif len(text) > 100000:
        out["body"] = f"{len(body)} bytes, {hash(body):x}"
    else:
        out["body"] = text
    return {k: MAX_AGE.sub("Max-Age=N", NEW_SESSION.sub("PHPSESSID=NEW", masked(v, masks))) for k, v in out.items()}


def send_plain(case, port):
    with connect(port, TIMEOUT_S) as s:
        try:
            s.sendall(case.pieces[0]())
        except (BrokenPipeError, ConnectionResetError):
            pass  # answered before all of it was taken: the answer counts
        return [parse(*read_all(s))]


def send_slow(case, port):
    with connect(port, TIMEOUT_S) as s:
        for piece in case.pieces[0]():
            s.sendall(piece)
            time.sleep(case.pause_s)
        return [parse(*read_all(s))]


def send_kept(case, port):
    answers, s = [], None
    try:
        for piece in case.pieces:
            raw = piece()
            s = s or connect(port, TIMEOUT_S)
            s.sendall(raw)
            answers.append(read_one(s, raw.startswith(b"HEAD")))
            if answers[-1][3] != "kept":
                s.close()
                s = None
    finally:
        if s:
            s.close()
    return answers


def send_gone(case, port, note):
    with connect(port, TIMEOUT_S) as s:
        for piece in case.pieces[0]():
            s.sendall(piece.replace(b"@NOTE@", os.path.basename(note).encode()))
        time.sleep(case.pause_s)
    end = time.monotonic() + (NOTE_S if case.note == "wait" else 1)
    while time.monotonic() < end and not os.path.exists(note):
        time.sleep(0.02)
    time.sleep(0.05)
    if not os.path.exists(note):
        return "the script left no note"
    with open(note, encoding="utf-8") as f:
        return f.read()


def send(case, port, masks, note):
    """{field: text}, masked."""
    if case.how == "gone":
        return {"note": send_gone(case, port, note)}
    answers = {"plain": send_plain, "slow": send_slow, "kept": send_kept}[case.how](case, port)
    if len(answers) == 1:
        return fields_of(case.name, answers[0], masks)
    return {f"{n}.{k}": v for n, a in enumerate(answers, 1) for k, v in fields_of(case.name, a, masks).items()}


def compare(ours, theirs):
    """[(field, ours, theirs)] where they differ."""
    out = []
    for k in {**theirs, **ours}:
        a, b = ours.get(k, "(nothing)"), theirs.get(k, "(nothing)")
        if a == b:
            continue
        # A value that php-fpm has shortened in place keeps its length, with a NUL where it ends.
        out.append((k + "+stale" if b.startswith(a[:-1] + "\\\\000") else k, a, b))
    return out
