"""The requests. One line, one question; loops where a question has many values.

A case is a name, what is sent, through which fronts, to which pool, and how:
  plain  the bytes, then the answer until the server closes
  kept   several requests on one connection
  slow   in pieces with pauses
  gone   the client closes after the last piece; a note that the script leaves
         is the answer
"""

import base64
import hashlib

ALL = ("nginx", "nginx-kept", "apache-handler", "apache-match")
NGINX = ("nginx", "nginx-kept")
APACHE = ("apache-handler", "apache-match")
BUFFERED = ("nginx",) + APACHE
MB = 1 << 20


class Case:
    def __init__(self, name, pieces, how="plain", fronts=ALL, pool="main", pause_s=0.0, note=None):
        self.name, self.pieces, self.how, self.fronts = name, pieces, how, fronts
        self.pool, self.pause_s, self.note = pool, pause_s, note


CASES = []


def request(target, method="GET", headers=(), body=None, chunked=0, version="1.1", length=True, close=True, host=True):
    """One request as bytes. chunked: size of the chunks. Header values may be any latin-1 text."""
    lines = [f"{method} {target} HTTP/{version}"]
    lines += ["Host: compat.test"] if host else []
    lines += headers
    lines += ["Connection: close"] if close else []
    if chunked:
        lines.append("Transfer-Encoding: chunked")
    elif body is not None and length:
        lines.append(f"Content-Length: {len(body)}")
    head = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
    if body is None:
        return head
    if not chunked:
        return head + body
    out = [head]
    for i in range(0, len(body), chunked):
        part = body[i:i + chunked]
        out.append(b"%x\r\n%s\r\n" % (len(part), part))
    out.append(b"0\r\n\r\n")
    return b"".join(out)


def case(name, target, fronts=ALL, pool="main", **options):
    CASES.append(Case(name, [lambda: request(target, **options)], fronts=fronts, pool=pool))


def noise(n):
    """n bytes that differ everywhere, the same in each run."""
    block = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(2048))
    return (block * (n // len(block) + 1))[:n]


def form(fields, boundary="XboundaryX"):
    """multipart/form-data: (headers after the name, bytes) each."""
    out = b"".join(b"--%s\r\nContent-Disposition: form-data; %s\r\n\r\n%s\r\n" %
                   (boundary.encode(), h.encode("latin-1"), b) for h, b in fields)
    return out + b"--%s--\r\n" % boundary.encode()


URLENCODED = "Content-Type: application/x-www-form-urlencoded"
MULTIPART = "Content-Type: multipart/form-data; boundary=XboundaryX"
OCTETS = "Content-Type: application/octet-stream"
D, R = "/dump.php", "/respond.php?do="

# --- methods -------------------------------------------------------------
for m in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "MKCOL", "REPORT", "PURGE", "get", "X-Y"):
    case(f"method/{m}", D, method=m)
for m in ("GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND", "PURGE"):
    case(f"method/{m}-body", D, method=m, headers=[OCTETS], body=b"some body")
for m in ("TRACE", "CONNECT"):
    case(f"method/{m}", D, method=m)
case("method/http-1.0", D, version="1.0")
case("method/http-1.0-no-host", D, version="1.0", host=False)
case("method/override", D, method="POST", headers=["X-HTTP-Method-Override: DELETE", URLENCODED], body=b"_method=PUT")

# --- paths: SCRIPT_NAME, PATH_INFO and their kin --------------------------
PATHS = """
/i.php /i.php/ /i.php/a/b /i.php/a%20b /i.php/a+b /i.php/100%25/x /i.php/%E3%82%A2.php /sp%20ace.php /sp%20ace.php/x
/dir/../i.php/x /pretty/x?q=1 /pretty/a/b%20c /i.php//a//b /i.php/a/../b /i.php/./a /i.php/a/. /i.php/%2F/x /i.php/a%2Fb
/i.php/a?b=c /i.php/a%3Fb /i.php/a%23b /i.php/%00x /i.php/%0a /i.php/%0ax /i.php/%ff /i.php/a;b=c /i.php/a:b /i.php/a%5Cb
/i.php/.php /i.php/b.php/c /i.php/i.php /i.php/i.php/i.php /i.php/a%2Ephp /dir/i.php /dir/i.php/x/y /sp%20ace/i.php/z
/%E3%82%A2%E3%83%91%E3%83%83%E3%83%81.php /%E3%82%A2%E3%83%91%E3%83%83%E3%83%81.php/x /%C3%A9.php/%C3%A9 /p+q.php/r+s
/p%2Bq.php /100%25.php /100%25.php/50%25 /a.php.php /a.php.php/b.php /two..dots.php /two..dots.php/../x /semi;colon.php/x
/amp&and.php/x /quote'%22.php /%41.php /A.php /%2541.php /path.php/i.php /path.php/i.php/x /path.php/ /link.php/x /dangling.php
/missing.php /missing.php/a /missing/i.php /i.php.bak/x /UP.PHP /up.php /x.phar /x.phar/y /noext /noext/a /old.php5 /unreadable.php
/index.php /index.php/a /front/some/path?x=y //i.php //dir//i.php/x /./i.php /dir/./i.php/./x /users/i.php /users/deep/i.php/x
/i%2Ephp /i.ph%70/x /i.php%20/x /i.php%00.txt /i.php/%E2%82%AC%20%F0%9F%98%80 /%69.php/%61 /plain.php/x /i.php/x=1&y=2
""".split()
for path in PATHS:
    case(f"path{path}", path)
    case(f"path-nofix{path}", path, pool="nofix")
case("path/directory", "/dir/")
case("path/directory-no-slash", "/dir")
case("path/root", "/")
case("path/long", "/i.php/" + "p" * 3000)
case("path/deep", "/i.php" + "/d" * 500)
case("path/absolute-form", "http://compat.test/i.php/x?y=z")
case("path/star", "*", method="OPTIONS")
for prefix in ("snippet", "raw", "raw-pi", "newline", "translated", "redirected", "no-root", "twice", "iis"):
    for path in ("i.php", "i.php/a/b", "i.php/%0a/x", "i.php/a%20b+c", "dir/i.php/x.php/y", "missing.php/x", "path.php/i.php/z"):
        case(f"path-{prefix}/{path}", f"/{prefix}/{path}?q=1", fronts=NGINX)
        case(f"path-{prefix}-nofix/{path}", f"/{prefix}/{path}?q=1", fronts=("nginx",), pool="nofix")
for prefix in ("no-script", "bare", "bare-script", "bare-get"):
    case(f"params/{prefix}", f"/{prefix}/x.php?y=z", fronts=NGINX)
    case(f"params/{prefix}-nofix", f"/{prefix}/x.php?y=z", fronts=NGINX, pool="nofix")
    case(f"params/{prefix}-post", f"/{prefix}/x", fronts=NGINX, method="POST", headers=[URLENCODED], body=b"a=b")
case("path/newline-long-query", "/newline/i.php/%0a?" + "q" * 1800, fronts=NGINX)
for n in (1, 10, 100, 1000, 1750, 1765, 1800):
    case(f"path/newline-{n}", "/newline/i.php/PHP%0Ais_the_shittiest_lang.php?" + "Q" * n, fronts=("nginx",))

# --- query strings ---------------------------------------------------------
for q in ("", "a", "a=", "=b", "a=b&a=c", "a[]=1&a[]=2", "a[x][y]=1", "a[b=1", "a.b=1&c%20d=2", "a=%00b", "a=%zz", "a=b;c=d", "&&a=b&&",
          "a=%E3%82%A2", "a=\xe9", "+a=+b", "a=b%26c=d", "q=<b>", "?x=?", "a=b#frag", "argv+one+two", "-d+allow_url_include%3d1",
          "-s", "=PHPE9568F36-D428-11d2-A769-00AA001ACF42", "GLOBALS[x]=1", "_SERVER[x]=1", "a" * 3000, "&".join(f"v{i}={i}" for i in range(1200))):
    case(f"query/{q[:40]}", D + "?" + q)

# --- headers ---------------------------------------------------------------
HEADERS = {
    "none": [], "twice": ["X-Dup: 1", "X-Dup: 2"], "case": ["x-lower: 1", "X-UPPER: 2"], "empty": ["X-Empty:"],
    "spaces": ["X-Space:    a   "], "tab": ["X-Tab: a\tb"], "high": ["X-High: \xe9\xff"], "utf8": ["X-Utf8: \xc3\xa4"],
    "colon": ["X-C: a:b:c"], "quote": ['X-Q: "a\\"b"'], "underscore": ["X_Under_Score: 1"], "both": ["X-Same: 1", "X_Same: 2"],
    "proxy": ["Proxy: http://evil.test/"], "proxy-odd": ["PROXY: evil"], "forwarded": ["X-Forwarded-For: 1.2.3.4", "X-Forwarded-Proto: https"],
    "accept": ["Accept: text/html;q=0.9, */*;q=0.1", "Accept-Language: de", "Accept-Encoding: gzip, br"],
    "host-port": ["X-Before: 1"], "referer": ["Referer: http://x/?a=b", "User-Agent: compat/1.0 (x; y)"],
    "content-type-get": ["Content-Type: text/x-odd"], "content-length-0": ["Content-Length: 0"],
    "if": ["If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT", 'If-None-Match: "x"'], "expect": ["Expect: 100-continue"],
    "upgrade": ["Upgrade: websocket"], "te": ["TE: trailers"], "script-name": ["Script-Name: x", "Path-Info: y", "Content-Foo: z"],
    "remote-addr": ["Remote-Addr: 9.9.9.9", "Https: on"], "many": [f"X-N{i}: {i}" for i in range(80)],
    "4k": ["X-Big: " + "b" * 4000], "7k": ["X-Big: " + "b" * 7000], "32k": ["X-Big: " + "b" * 32000],
    "sum-60k": [f"X-Big{i}: " + "b" * 6000 for i in range(10)], "length-127": ["X-Edge: " + "e" * 127], "length-128": ["X-Edge: " + "e" * 128],
    "name-110": ["X-" + "n" * 110 + ": v"], "name-119": ["X-" + "n" * 120 + ": v"], "name-200": ["X-" + "n" * 200 + ": v"],
    "from": ["From: a@b", "Via: 1.1 x", "Warning: 199"], "dollar": ["X-Dollar: ${HOME} $(id) `id`"], "percent": ["X-Percent: %41%00"],
}
for name, headers in HEADERS.items():
    case(f"header/{name}", D, headers=headers)
    case(f"header-post/{name}", D, method="POST", headers=[URLENCODED] + headers if name != "content-type-get" else headers,
         body=b"a=1" if name != "content-length-0" else None)

# --- range, conditional ----------------------------------------------------
for r in ("bytes=0-3", "bytes=-3", "bytes=5-", "bytes=0-0,2-2", "bytes=999999-", "lines=1-2"):
    case(f"range/{r}", R + "output&n=1000", headers=[f"Range: {r}"])

# --- authorization ---------------------------------------------------------


def basic(text):
    return "Authorization: Basic " + base64.b64encode(text.encode("latin-1")).decode()


AUTH = {
    "basic": basic("user:secret"), "no-password": basic("user:"), "no-user": basic(":secret"), "no-colon": basic("user"), "empty": basic(""),
    "colons": basic("a:b:c"), "high": basic("\xe9:\xff"), "nul": basic("a\0b:c\0d"), "broken": "Authorization: Basic !!!!", "bare": "Authorization: Basic",
    "lower": "authorization: basic " + base64.b64encode(b"user:secret").decode(), "bearer": "Authorization: Bearer abc.def.ghi",
    "digest": 'Authorization: Digest username="u", realm="r", nonce="n", uri="/", response="0"', "odd": "Authorization: Odd x",
    "long": basic("u" * 300 + ":" + "p" * 3000), "no-value": "Authorization:",
}
for name, header in AUTH.items():
    case(f"auth/{name}", "/i.php/auth", headers=[header])
case("auth/not-passed", "/i.php/x", headers=[AUTH["basic"]])
case("auth/none-after", "/i.php/auth")

# --- cookies ---------------------------------------------------------------
for c in ("a=1", "a=1; b=2", "a=1;b=2", "a=1, b=2", "a=%20x+y", "a[]=1; a[x]=2", "a.b=1", "a", "=1", "a=1; a=2", "a=\xe9", 'a="q"', "a=b=c", "a=1;;; b=2", " a = 1 ",
          "PHPSESSID=x", "__Host-a=1", "__Host-a[b]=1", "a=" + "c" * 3900):
    case(f"cookie/{c[:30]}", D, headers=[f"Cookie: {c}"])
case("cookie/two-headers", D, headers=["Cookie: a=1", "Cookie: b=2"])

# --- bodies ----------------------------------------------------------------
for body in (b"", b"a=1", b"a=1&a=2&b[]=3", b"a[x][y]=1", b"a", b"=", b"a=%00", b"a=\xff", b"&&", b"a=1;b=2", b"+=+", b"\0", b"a=" + b"x" * 8192,
             b"&".join(b"v%d=1" % i for i in range(1100))):
    case(f"form/{body[:20].decode('latin-1').encode('unicode_escape').decode()}-{len(body)}", D, method="POST", headers=[URLENCODED], body=body)
    case(f"form-chunked/{body[:20].decode('latin-1').encode('unicode_escape').decode()}-{len(body)}", D, method="POST", headers=[URLENCODED],
         body=body, chunked=7 if len(body) < 100 else 1000)
for t in ("application/json", "text/plain", "application/x-www-form-urlencoded; charset=latin1", "APPLICATION/X-WWW-FORM-URLENCODED",
          "application/x-www-form-urlencodedx", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=\"q q\"", "", "x", "a/b, c/d"):
    case(f"type/{t}", D, method="POST", headers=[f"Content-Type: {t}"], body=b'{"a":1}')
case("type/none", D, method="POST", body=b"a=1")
SIZES = (0, 1, 2, 3, 7, 8, 4095, 4096, 8183, 8184, 8191, 8192, 8193, 16384, 32767, 32768, 65527, 65528, 65529, 65535, 65536, 65537, 131072, MB, 10 * MB)
for n in SIZES:
    CASES.append(Case(f"body/{n}", [lambda n=n: request(D, "POST", [OCTETS], noise(n))]))
for n in (0, 1, 8192, 65535, 65536, MB, 10 * MB):
    # Unbuffered and without a length, nginx races with a server that does not read: left out where it shows.
    CASES.append(Case(f"body-chunked/{n}", [lambda n=n: request(D, "POST", [OCTETS], noise(n), chunked=65536)],
                      fronts=ALL if n < MB else BUFFERED))
    CASES.append(Case(f"body-put/{n}", [lambda n=n: request(D, "PUT", [OCTETS], noise(n))]))
    CASES.append(Case(f"body-file/{n}", [lambda n=n: request("/body-file/dump.php", "POST", [OCTETS], noise(n))], fronts=("nginx",)))
CASES.append(Case("body/100M", [lambda: request(D, "POST", [OCTETS], noise(100 * MB))], fronts=("nginx", "nginx-kept", "apache-handler")))
CASES.append(Case("body-chunked/100M", [lambda: request(D, "POST", [OCTETS], noise(100 * MB), chunked=MB)], fronts=("nginx", "apache-match")))
for n in (1, 8192, 65536, MB):
    CASES.append(Case(f"body-form/{n}", [lambda n=n: request(D, "POST", [URLENCODED], b"a=" + b"x" * n)]))
for what in ("read-none", "read-part", "read-twice", "read-slow", "filter", "upload-note&s=plain"):
    for n in (0, 100, 100000, 3 * MB):
        CASES.append(Case(f"body-{what.split('&')[0]}/{n}", [lambda w=what, n=n: request(R + w, "POST", [OCTETS], noise(n))]))
case("body/too-long-for-post", D + "?over", method="POST", pool="small", headers=[URLENCODED], body=b"a=" + b"x" * 20000)
case("body/too-long-for-post-multipart", D + "?over", method="POST", pool="small", headers=[MULTIPART], body=form([('name="a"', b"x" * 20000)]))
case("body/too-long-raw", D + "?over", method="POST", pool="small", headers=[OCTETS], body=noise(20000))
for name, length in (("negative", "-1"), ("text", "abc"), ("plus", "+3"), ("huge", "99999999999999999999"), ("hex", "0x3"), ("spaces", "  3")):
    case(f"length/{name}", D, method="POST", headers=[URLENCODED, f"Content-Length: {length}"], body=b"a=1", length=False)
case("length/twice", D, method="POST", headers=[URLENCODED, "Content-Length: 3", "Content-Length: 3"], body=b"a=1", length=False)
case("length/with-chunked", D, method="POST", headers=[URLENCODED, "Content-Length: 3"], body=b"a=1", chunked=2)

FORMS = {
    "field": [('name="a"', b"1")], "two": [('name="a"', b"1"), ('name="a"', b"2")], "array": [('name="a[]"', b"1"), ('name="a[]"', b"2")],
    "file": [('name="f"; filename="x.txt"\r\nContent-Type: text/plain', b"content")], "empty-file": [('name="f"; filename=""', b"")],
    "zero-file": [('name="f"; filename="z"', b"")], "no-name": [('filename="x"', b"1")], "files": [(f'name="f[{i}]"; filename="{i}.bin"', noise(i * 1000)) for i in range(8)],
    "path-name": [('name="f"; filename="../../etc/passwd"', b"x")], "backslash": [('name="f"; filename="C:\\\\dir\\\\x.txt"', b"x")],
    "utf8-name": [('name="f"; filename="\xc3\xa4.txt"', b"x")], "quote-name": [('name="f"; filename="a\\"b.txt"', b"x")],
    "big-file": [('name="f"; filename="big"', noise(3 * MB))], "too-big": [('name="f"; filename="big"', noise(41 * MB))],
    "mixed": [('name="a"', b"1"), ('name="f"; filename="x"', b"2"), ('name="b"', b"3")], "max-size": [('name="MAX_FILE_SIZE"', b"3"), ('name="f"; filename="x"', b"four")],
    "many-files": [(f'name="f{i}"; filename="{i}"', b"x") for i in range(25)], "crlf": [('name="a"', b"1\r\n2\r\n"), ('name="b"', b"--Xbound")],
}
for name, fields in FORMS.items():
    CASES.append(Case(f"multipart/{name}", [lambda f=fields: request(D, "POST", [MULTIPART], form(f))]))
    CASES.append(Case(f"multipart-chunked/{name}", [lambda f=fields: request(D, "POST", [MULTIPART], form(f), chunked=5000)],
                      fronts=NGINX if "big" not in name else ("nginx",)))
case("multipart/cut", D, method="POST", headers=[MULTIPART], body=form(FORMS["file"])[:-30])
case("multipart/wrong-boundary", D, method="POST", headers=["Content-Type: multipart/form-data; boundary=other"], body=form(FORMS["file"]))
case("multipart/garbage", D, method="POST", headers=[MULTIPART], body=noise(5000))
case("multipart/get", D, method="GET", headers=[MULTIPART], body=form(FORMS["file"]))
case("multipart/put", D, method="PUT", headers=[MULTIPART], body=form(FORMS["file"]))

# --- answers ---------------------------------------------------------------
for n in (200, 201, 202, 203, 204, 205, 206, 207, 226, 300, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409, 410, 411, 412, 413, 415,
          418, 421, 422, 423, 425, 426, 428, 429, 431, 451, 499, 500, 501, 502, 503, 504, 505, 507, 511, 599):
    case(f"code/{n}", f"{R}code&n={n}")
for n in (200, 204, 304, 302, 404, 500):
    case(f"code-empty/{n}", f"{R}code-empty&n={n}")
    case(f"code-head/{n}", f"{R}code&n={n}", method="HEAD")
for s in ("200+OK", "404+Not+Found", "404", "299+Odd+Words", "600+Beyond", "20+Short", "abc", "200", "404++Two", "500+" + "x" * 1500):
    case(f"status-line/{s[:20]}", f"{R}status-line&s={s}")
    case(f"status-header/{s[:20]}", f"{R}status-header&s={s}")
case("status-line/http-1.0", f"{R}status-line-0&s=404+Gone")
case("status-line/both", f"{R}both&s=202+Accepted")
for s in ("/x", "http://other.test/", "relative", "/i.php/internal", "//host/x", "", "/a%20b?c=d%23e", "mailto:a@b"):
    case(f"location/{s}", f"{R}location&s={s}")
    case(f"location-301/{s}", f"{R}location-code&n=301&s={s}")
case("location/201", f"{R}location-code&n=201&s=/x")
for s in ("text/plain", "text/html;+charset=latin1", "application/json", "image/png", "text/xml", "TEXT/PLAIN", "x", "text/plain;charset=", ""):
    case(f"answer-type/{s}", f"{R}type&s={s}")
for what in ("no-type", "repeat", "odd-headers", "bad-header", "remove", "remove-all", "gzip&n=5000", "buffer", "buffer-nested", "late-header", "finish", "finish-headers",
             "shutdown", "exit-number&n=3", "exit-number&n=255", "exit-in-shutdown", "destructor", "fatal", "fatal-silent", "fatal-shown", "exception", "warning-shown", "parse",
             "memory", "memory-shutdown", "time", "trigger&s=x", "error-log&s=x", "error-header", "include-missing", "require-missing", "chdir", "status", "info", "cgi-ini", ""):
    case(f"answer/{what}", R + what)
    case(f"answer-head/{what}", R + what, method="HEAD")
    if what in ("fatal", "exception", "finish", "repeat", "buffer", "destructor", "chdir"):
        case(f"answer-post/{what}", R + what, method="POST", headers=[URLENCODED], body=b"a=1")
case("answer/gzip-accepted", R + "gzip&n=50000", headers=["Accept-Encoding: gzip"])
for n in (1, 10, 99):
    case(f"answer/many-{n}", f"{R}many&n={n}")
for n in (100, 1000, 4000, 8000, 16000, 30000, 70000):
    case(f"answer/big-header-{n}", f"{R}big-header&n={n}")
for n in (0, 5, 10, 20):
    case(f"answer/length-{n}", f"{R}length&n={n}")
for n in (0, 1, 4095, 4096, 4097, 8191, 8192, 8193, 32768, 65527, 65528, 65535, 65536, 131072, MB, 10 * MB):
    case(f"output/{n}", f"{R}output&n={n}")
case("output/100M", f"{R}output&n={100 * MB}", fronts=("nginx-kept", "apache-handler"))
case("output/http-1.0", f"{R}output&n=100000", version="1.0")
for n in (1, 26, 300):
    case(f"output/bits-{n}", f"{R}output-bits&n={n}")
for s in ("abc123", "bad!id", "x" * 200, ""):
    case(f"session/{s[:10]}", f"{R}session&s={s}")
for script in ("broken", "plain", "empty", "shebang", "bom", "short", "silent", "unreadable"):
    case(f"script/{script}", f"/{script}.php")
    case(f"script-head/{script}", f"/{script}.php", method="HEAD")
case("script/static", "/secret.txt")
case("script/env", "/i.php/env", fronts=APACHE)

# --- what may not leak from one request into the next ----------------------
# The pools "one" and "value" have a single worker, so the next request meets the same one.
for prefix in ("value", "bad-value"):
    case(f"value/{prefix}", f"/{prefix}/dump.php", fronts=NGINX, pool="value")
    case(f"value/{prefix}-user-ini", f"/{prefix}/users/i.php", fronts=NGINX, pool="value")
    case(f"value/{prefix}-then-none", "/dump.php", fronts=NGINX, pool="value")
for what in ("putenv", "ini-left", "chdir", "fatal", "memory", "exit-in-shutdown", "bad-header"):
    for turn in ("first", "second"):
        case(f"leak/{what}-{turn}", R + what, pool="one")
for what, target, headers in (("cookie", D, ["Cookie: leak=1"]), ("auth", "/i.php/auth", [AUTH["basic"]]), ("header", D, ["X-Leak: 1"])):
    case(f"leak/{what}-with", target, headers=headers, pool="one")
    case(f"leak/{what}-without", target, pool="one")
case("leak/post-with", D, method="POST", headers=[URLENCODED], body=b"leak=1", pool="one")
case("leak/post-without", D, pool="one")
case("user-ini/other-directory", "/i.php", pool="one")

# --- status and ping -------------------------------------------------------
for query in ("", "?json", "?xml", "?html", "?openmetrics", "?full", "?full&json", "?full&xml", "?full&html", "?odd", "?JSON", "?json=1"):
    case(f"status/{query}", "/status" + query, pool="one")
    case(f"status-head/{query}", "/status" + query, method="HEAD", pool="one")
for m in ("GET", "HEAD", "POST"):
    case(f"ping/{m}", "/ping", method=m, pool="one")
case("ping/query", "/ping?x=y", pool="one")
case("ping/nofix", "/ping", pool="nofix")
case("status/nofix", "/status", pool="nofix")

# --- connections: kept, slow, gone ----------------------------------------
KEPT = [lambda: request(D + "?1", close=False), lambda: request(R + "code&n=404", close=False),
        lambda: request(D + "?2", "POST", [URLENCODED], b"a=1", close=False), lambda: request(R + "output&n=70000", close=False),
        lambda: request(R + "code-empty&n=204", close=False), lambda: request(R + "read-none", "POST", [OCTETS], noise(200000), close=False),
        lambda: request(D + "?3", close=False), lambda: request(R + "fatal", close=False), lambda: request(D + "?4")]
CASES.append(Case("kept/mixed", KEPT, how="kept"))
# Answers that may have no body, by scripts that write one all the same: none of it may come before the next answer.
BODILESS = [lambda n=n, m=m: request(f"{R}code&n={n}", m, close=False) for n, m in
            ((204, "GET"), (304, "GET"), (200, "HEAD"), (204, "GET"), (404, "HEAD"), (304, "GET"))]
CASES.append(Case("kept/bodiless", [x for one in BODILESS for x in (one, lambda: request(D, close=False))] +
                  [lambda: request(D)], how="kept"))
CASES.append(Case("kept/same", [lambda: request(D, close=False)] * 9 + [lambda: request(D)], how="kept"))
CASES.append(Case("kept/head", [lambda: request(D, "HEAD", close=False)] * 3 + [lambda: request(D, "HEAD")], how="kept"))


def in_pieces(raw, *at):
    cuts = [0, *at, len(raw)]
    return [raw[a:b] for a, b in zip(cuts, cuts[1:])]


def slow(name, raw, *at, fronts=ALL, pause_s=0.15):
    CASES.append(Case(f"slow/{name}", [lambda: in_pieces(raw(), *at)], how="slow", fronts=fronts, pause_s=pause_s))


slow("head", lambda: request(D), 1, 5, 20, 40)
slow("body", lambda: request(D, "POST", [OCTETS], noise(1000)), 60, 200, 300, 700)
slow("body-start", lambda: request(D, "POST", [OCTETS], noise(1000)), 129, 130, 131)
slow("form", lambda: request(D, "POST", [URLENCODED], b"a=12345&b=67890"), 140, 150)
slow("chunked", lambda: request(D, "POST", [OCTETS], noise(100), chunked=10), 150, 170, 190, 210)
slow("large", lambda: request(D, "POST", [OCTETS], noise(200000)), 1000, 66000, 131500, 199000)

for flag in (0, 1):
    CASES.append(Case(f"gone/reader-ignore-{flag}", [lambda f=flag: [request(f"{R}abort&n={f}&s=@NOTE@")]], how="gone", pause_s=0.4, note="wait"))
CASES.append(Case("gone/upload-half", [lambda: in_pieces(request(R + "upload-note&s=@NOTE@", "POST", [OCTETS], noise(300000)), 150000)[:1]],
                  how="gone", fronts=("nginx-kept", "apache-handler"), pause_s=0.4, note="maybe"))
CASES.append(Case("gone/upload-head-only", [lambda: in_pieces(request(R + "upload-note&s=@NOTE@", "POST", [OCTETS], noise(300000)), 160)[:1]],
                  how="gone", pause_s=0.4, note="maybe"))
CASES.append(Case("gone/multipart-half", [lambda: in_pieces(request(R + "upload-note&s=@NOTE@", "POST", [MULTIPART], form(FORMS["big-file"])), 1500000)[:1]],
                  how="gone", fronts=("nginx-kept", "apache-handler"), pause_s=0.4, note="maybe"))
case("gone/next-request", D)
