"""The names that a case goes by in compat/expected.txt: what is peculiar about it.

A tag says what the request holds, never what came of it.
"""

import base64
import re

PATHS = re.compile(r"SCRIPT_|PATH_|DOCUMENT_ROOT$|REQUEST_METHOD$")
INPUT = re.compile(r"\b(input|part|seek)\b")
LENGTH = re.compile(r"\s*[+-]?\d+")


def last_of(params):
    return {name: value for name, value in params}


def announced(length):
    """What a CONTENT_LENGTH says."""
    m = LENGTH.match(length.split("\0")[0])
    return max(0, int(m.group(0))) if m else 0


def user_of(value):
    """The text of a Basic authorization."""
    try:
        # As PHP does, passing over what is no base64.
        text = re.sub(r"[^A-Za-z0-9+/]", "", value[6:].partition("=")[0])
        return base64.b64decode(text + "=" * (-len(text) % 4)).decode("latin-1") if value.lower().startswith("basic ") else ""
    except ValueError:
        return ""


def is_utf8(text):
    try:
        text.encode("latin-1").decode()
    except UnicodeDecodeError:
        return False
    return True


def given_up(params, body):
    """Parts that some versions of PHP do not read to the end: a NUL in a part's header, or no last boundary."""
    if not params.get("CONTENT_TYPE", "").lower().startswith("multipart/"):
        return False
    return "\0" in body or not body.rstrip("\r\n").endswith("--")


REFUSED = {"nul", "many-params", "body-cut"}  # where one side runs no script


def of_request(request, pool):
    params = last_of(request["params"])
    body = request.get("body", "")
    out = {"any", f"pool:{pool.name}"}
    length = params.get("CONTENT_LENGTH", "")
    named = "SCRIPT_FILENAME" in params or "PATH_TRANSLATED" in params
    if body and length == "" and named:
        out.add("no-length")
    elif len(body) > announced(length) or (body and not named) or given_up(params, body):
        out.add("body-unread")
    elif body and INPUT.search(params.get("DO", "")):
        # Some releases of PHP leave what a script has opened and not read.
        out.add("body-unread")
    if announced(length) > len(body) and not params.get("REQUEST_BODY_FILE"):
        out.add("body-cut")
    if any("\0" in n or ("\0" in v and PATHS.match(n)) for n, v in request["params"]):
        out.add("nul")
    if len(request["params"]) > 2048:
        out.add("many-params")
    if "full" in params.get("QUERY_STRING", "") and not all(is_utf8(x) for x in (params["QUERY_STRING"], params.get("SCRIPT_FILENAME", ""), user_of(params.get("HTTP_AUTHORIZATION", "")))):
        out.add("page-not-utf8")
    if "finish" in params.get("DO", ""):
        out.add("finish")
    if "HTTP_PROXY" in params:
        out.add("proxy-header")
    for name in ("SCRIPT_FILENAME", "PATH_TRANSLATED"):
        if params.get(name, "").lower().startswith("proxy:"):
            out.add("proxy-prefix")
    if "PHP_VALUE" in params or "PHP_ADMIN_VALUE" in params:
        out.add("wire-ini")
        text = params.get("PHP_VALUE", "") + "\n" + params.get("PHP_ADMIN_VALUE", "")
        if re.search(r"(?m)^\s*(disable_functions|disable_classes|extension)\s*=\s*\S", text):
            out.add("wire-ini-for-good")
        if any(re.search(rf"(?m)^\s*{re.escape(name)}\s*=", text) for name in pool.ini()):
            out.add("wire-ini-over-admin")
    if any(re.search(r"[\0-\x1f\x7f]", v + user_of(v)) for _, v in request["params"]):
        out.add("control-byte")
    if "param_sizes" in request.get("how", {}):
        out.add("split-params")
    if request.get("how", {}).get("role", 1) == 3:
        out.add("filter-role")
    if any(len(v) > 400 for _, v in request["params"]):
        out.add("long-value")
    return out


def of_case(case, pool):
    """Those of its requests, for the second one also what came before: before:TAG."""
    out, before = [], set()
    for request in case["requests"]:
        now = of_request(request, pool)
        out.append(now | {"before:" + t for t in before})
        before |= now
    return out


def for_field(tags, field):
    """The tags that a difference in this field may be explained by; the field without its request's number."""
    number, dot, rest = field.partition(".")
    if dot and number.isdigit():
        return tags[int(number) - 1], rest
    return set().union(*tags), field
