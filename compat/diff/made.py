"""Makes up requests: what web servers send, what they disagree about, what none
would send, and what scripts do. A case is plain data: a pool's name and one or
two requests, each with its parameters in order, a body, and how it is sent.
Text stands for bytes: latin-1."""

import base64
import urllib.parse

import tags

SCRIPTS = ["/i.php"] * 10 + """/do.php /index.php /dir/i.php /dir/ /dir / /sp%20ace.php /sp%20ace/i.php /p+q.php /100%25.php /a.php.php /two..dots.php
/semi;colon.php /%2541.php /UP.PHP /x.phar /noext /old.php5 /.php /page.inc /i.phpx /path.php/i.php /path.php /path.php/ /users/i.php /users/deep/i.php
/users/up.php /bad/i.php /other/deep/i.php /plain.txt /broken.php /plain.php /empty.php /shebang.php /bom.php /short.php /silent.php /endtag.php /strict.php
/halt.php /css.php /json.php /image.php /link.php /dangling.php /loop.php /linkdir/i.php /away.php /unreadable.php /locked/i.php /blind/i.php /none.php
/none/i.php /i.php. /i.PHP /i.php7 //i.php /./i.php /dir/../i.php /dir/..//i.php /../site/i.php /i.php%20 /i.php%00 /status /ping /i.php/status
/users/deep/../i.php /linkdir/../i.php /dir//i.php /%E3%82%A2%E3%83%91.php /i%2Ephp /\xff.php /status /status""".split()
USERS = ["/users/i.php", "/users/deep/i.php", "/users/up.php", "/other/deep/i.php", "/bad/i.php", "/users/deep/../i.php", "/i.php", "/users//deep/i.php", "/users/none.php"]
TAILS = ["", "", "", "", "/", "/a", "/a/b", "/a%20b", "/a b", "/a+b", "/100%25/x", "/%E3%82%A2.php", "/i.php", "/i.php/x", "?q=1", "/a?q=1", "//", "/..", "/../x",
         "/.php", "/%0a", "/\n", "/x.jpg", "/%zz", "/%2", "/\u00e9", "//a//b", "/.", "/a/", "/status", "/" + "d/" * 60, "/" + "p" * 1500, "/%00", "/a%2Fb", "/a;b=c", "/a\\b", "/<b>"]
PREFIXES = ["proxy:fcgi://localhost", "proxy:fcgi://localhost/", "proxy:fcgi://127.0.0.1:9000", "PROXY:FCGI://h", "proxy:balancer://c", "proxy:balancer://c/",
            "proxy:fcgi://nohost-", "proxy:fcgi:/", "proxy:fcgi://", "proxy:fcgi://[::1]:9000", "proxy:scgi://h", "proxy:unix:/x|fcgi://localhost"]
PAGE_QUERIES = ["full", "full&json", "html&full", "xml&full", "openmetrics&full", "f&h", "full;json", "json=0", "full&x=<b>&y=\"'", "html&full&n=\xe9", "json&full&n=\xff\xfe", "xml&full&\xc3",
                "full[]=1&xml[]", "json&full&a=" + "b" * 600, "xml&full&a=%00%e9", "html&full&a=\xc3\xa9"]
METHODS = ["GET"] * 30 + ["POST"] * 8 + ["HEAD"] * 4 + ["PUT", "DELETE", "PATCH", "OPTIONS", "get", "Post", "PROPFIND", "TRACE", "CONNECT", "", "X Y", "A" * 40, "HEADX"]
QUERIES = ["", "", "a=1", "a=1&b[]=2&b[]=3", "a", "a=", "=b", "a=b=c", "a[x][y]=1", "a[b=1", "a.b=1&c%20d=2", "a=%00b", "a=%zz", "a=b;c=d", "&&a=b&&", "a=%E3%82%A2", "a=\xe9",
           "+a=+b", "q=<b>\"'", "?x=?", "one+two", "-d+x%3d1", "-s", "GLOBALS[x]=1", "_SERVER[x]=1", "a" * 300, "&".join(f"v{i}={i}" for i in range(30)), "json", "full",
           "html&full", "xml", "openmetrics", "full&json", "a\nb", "a=1\x7f", "a=" + "q" * 700, "PHPSESSID=abc", "a[a][a][a][a]=1", "html=", "F", "a[]=1&a[]=2&a=3", "0=1", "a%5B%5D=1",
           "&".join(f"w[{i}]={i}" for i in range(1100))]
HEADERS = ["HTTP_HOST=test.invalid", "HTTP_HOST=a:80", "HTTP_USER_AGENT=agent (x; y)", "HTTP_ACCEPT=*/*", "HTTP_ACCEPT_ENCODING=gzip", "HTTP_ACCEPT_ENCODING=deflate, gzip;q=0",
           "HTTP_ACCEPT_LANGUAGE=de", "HTTP_X_A=1", "HTTP_X_A=", "HTTP_x_lower=2", "HTTP_=nameless", "HTTP_X__TWO=1", "HTTP_X_1=2", "HTTP_RANGE=bytes=0-3", "HTTP_CONNECTION=close",
           "HTTP_REFERER=http://x/?a=b", "HTTP_IF_MODIFIED_SINCE=Thu, 01 Jan 1970 00:00:00 GMT", "HTTP_X_FORWARDED_FOR=1.2.3.4", "HTTP_X_HIGH=\xe9\xff", "HTTP_X_BIG=" + "b" * 3000,
           "HTTP_CONTENT_TYPE=text/x", "HTTP_CONTENT_LENGTH=3", "HTTP_COOKIE2=x", "HTTP_X_NL=a\nb", "HTTP_X_EDGE=" + "e" * 127, "HTTP_X_EDGE=" + "e" * 128, "HTTPS=on", "HTTP_UPGRADE=h2c",
           "HTTP_EXPECT=100-continue", "HTTP_TRANSFER_ENCODING=chunked", "HTTP_X_BIGGER=" + "c" * 9000, "HTTP_IF_NONE_MATCH=\"x\"", "HTTP_ACCEPT_CHARSET=utf-8", "HTTP_X_REQUESTED_WITH=XMLHttpRequest",
           "HTTP_SOAPACTION=x", "HTTP_TE=trailers", "HTTP_AUTHORIZATION", "HTTP_PROXY=http://evil/", "HTTP_PROXY=", "HTTP_X_PHP=<?php 1;", "HTTP_METHOD=GET", "HTTP"]
AUTH = ["Basic " + base64.b64encode(x).decode() for x in (b"user:secret", b"user:", b":secret", b"user", b"", b"a:b:c", b"\xe9:\xff", b"a\0b:c\0d", b"u" * 300 + b":p", b"a\nb:c")] + \
    ["Basic !!!!", "Basic", "basic dTpw", "BASIC  dTpw", "Bearer abc", 'Digest username="u", realm="r"', "Digest", "digest x", "Odd x", "", "Basic dTpw trailing", "Basic\tdTpw"]
COOKIES = ["a=1", "a=1; b=2", "a=1;b=2", "a=1, b=2", "a=%20x+y", "a[]=1; a[x]=2", "a.b=1", "a", "=1", "a=1; a=2", "a=\xe9", 'a="q"', "a=b=c", "a=1;;; b=2", " a = 1 ", "PHPSESSID=abc",
           "PHPSESSID=not!valid", "__Host-a=1", "__Host-a[b]=1", "a=" + "c" * 900, "", "a=" + "c" * 7000 + "; b=" + "d" * 30000, "a=" + "%41" * 2000, "; ".join(f"c{i}={i}" for i in range(40))]
EXTRA = ["a.b=1", "c[d]=2", "e f=3", "9=z", "A[=1", "=nameless", "REDIRECT_STATUS=200", "REDIRECT_STATUS=404", "REDIRECT_HTTP_AUTHORIZATION=Basic dTpw", "AUTH_TYPE=Basic", "REMOTE_USER=u",
         "PHP_SELF=/self", "argv=x", "argc=9", "HOME=/wire", "USER=wire", "POOL=wire", "LEFT=wire", "ORIG_PATH_INFO=/orig", "ORIG_SCRIPT_NAME=/orig.php", "ORIG_SCRIPT_FILENAME=/o",
         "ORIG_PATH_TRANSLATED=/ot", "UNIQUE_ID=abc", "FCGI_ROLE=ODD", "REQUEST_TIME=1", "PATH=/evil", "GATEWAY_INTERFACE=CGI/1.1", "CONTEXT_DOCUMENT_ROOT=/c", "SCRIPT_URI=http://x/",
         "SCRIPT_URL=/x", "LONG=" + "y" * 5000, "LD_PRELOAD=/x.so", "TZ=Asia/Tokyo", "GLOBALS=x", "_SERVER[a]=1", "_GET=1", "PHP_AUTH_USER=wire", "PHP_AUTH_PW=wire", "n" * 130 + "=v",
         "DOCUMENT_URI=/x", "APPL_PHYSICAL_PATH=C:\\", "IIS_UrlRewriteModule=1", "UNENCODED_URL=/u", "HTTP_X_ORIGINAL_URL=/o", "REDIRECT_REDIRECT_STATUS=200", "PHP_SELF=", "this=1", "a=\x01\x02"]
TYPES = ["application/x-www-form-urlencoded"] * 5 + ["multipart/form-data; boundary=XX"] * 4 + \
    ["application/json", "text/plain", "application/x-www-form-urlencoded; charset=latin1", "APPLICATION/X-WWW-FORM-URLENCODED", "application/x-www-form-urlencodedx", "multipart/form-data",
     "multipart/form-data; boundary=", 'multipart/form-data; boundary="XX"', "multipart/form-data; boundary=XX; x=y", "multipart/form-data; boundary=YY", "", "x", "a/b, c/d", "multipart/mixed; boundary=XX",
     "multipart/form-data; boundary=" + "B" * 6000, "application/x-www-form-urlencoded ;x", "multipart/form-data;boundary=XX,x", "\xff/\x01"]
FORMS = ["", "a=1", "a=1&a=2&b[]=3", "a[x][y]=1", "a", "=", "a=%00", "a=\xff", "&&", "a=1;b=2", "+=+", "\0", "a=" + "x" * 8192, "&".join(f"v{i}=1" for i in range(50)), "a=1&b=2&c=3&d=4",
         "a=1&" * 1100, "PHPSESSID=abc&a=%41", "a" * 70000, "x=" + "y" * 16376, "a%5B%5D=1", "a=b\r\nc=d"]
PARTS = [('name="a"', "1"), ('name="b[]"', "x\r\ny"), ('name="f"; filename="x.txt"\r\nContent-Type: text/plain', "content"), ('name="f"; filename=""', ""), ('name="g[]"; filename="z"', ""),
         ('filename="x"', "1"), ('name="f"; filename="../../etc/passwd"', "x"), ('name="f"; filename="C:\\dir\\x.txt"', "x"), ("name=f; filename=bare.txt", "x"), ("name='f'; filename='q'", "x"),
         ('name="f"; filename="\xc3\xa4.txt"', "x"), ('name="f"; filename="a\\"b.txt"', "x"), ('name="h"; filename="big"', "big " * 1500), ('name="MAX_FILE_SIZE"', "3"), ('name="a.b[c"', "1"),
         ('name="c"', "--X"), ('name="d"\r\nX-Odd: 1\r\nContent-Type: text/x; charset=utf-8', "2"), ('name="f"; filename="x.txt"\r\nContent-Transfer-Encoding: base64', "eA=="), ("", "none"),
         ('name=""', "1"), ('name="a[b][c]"; filename="n"', "deep"), ('name="a" ; x=y', "1"), ('name="PHP_SESSION_UPLOAD_PROGRESS"', "p"), ('name="f"; filename="a\0b"', "x"), ("name", "x"), ('name="l"', "l" * 5000)]
WIRE_INI = ["precision=7", "memory_limit=64M", "display_errors=1", "display_errors=0", "user_agent=\"from the wire\"", "no.such=1", "this is not ini", "[section]\nprecision=3", "precision=", "a[]=1",
            "auto_prepend_file=\"{root}/head.inc\"", "auto_append_file={root}/tail.inc", "open_basedir={root}", "disable_functions=readfile", "default_charset=latin1", "output_buffering=0", "output_buffering=4096",
            "session.auto_start=1", "date.timezone=Asia/Tokyo", "variables_order=GPS", "register_argc_argv=1", "post_max_size=10", "upload_max_filesize=1", "cgi.nph=1",
            "fastcgi.error_header=\"HTTP/1.1 599 Wire\"", "fastcgi.logging=0", "error_log=/dev/null", "html_errors=1", "log_errors=0", "; comment", "expose_php=1", "error_reporting=E_ALL", "include_path=/x",
            "user_agent=${HOME}", "precision=7;x", "memory_limit=1", "zlib.output_compression=1", "extension=nothing.so", "max_input_vars=1", "enable_post_data_reading=0", "default_mimetype=text/plain",
            "precision = 5 | 2", "max_execution_time=99", "session.save_path=/nowhere", "\"quoted\"=1", "x", "=", "user_ini.filename=", "mbstring.internal_encoding=SJIS", "zend.assertions=1"]
# What a state shows of them: nothing but the settings themselves.
WIRE_QUIET = ["precision=7", "memory_limit=64M", "user_agent=\"from the wire\"", "html_errors=1", "serialize_precision=3", "no.such=1", "this is not ini", "[section]\nprecision=3", "precision=", "a[]=1",
              "user_agent=${HOME}", "precision=7;x", "; comment", "precision = 5 | 2", "\"quoted\"=1", "x", "=", "assert.exception=0", "disable_functions=readfile"]
HEADER_LINES = ["X-A: 1", "X-A: 2", "x-a: three", "X-B:none", "X-C:    left", "X-Empty:", "X-Utf8: \xc3\xa4", "X-Colon: a:b:c", "X-Tab: a\tb", "NoColon", ": nameless", "Bad: a\r\nInjected: 1", "X-Nul: a\0b",
                "Content-Type: text/plain", "Content-Type: text/html; charset=latin1", "content-type:application/json", "Content-Type:", "Content-Type: image/png", "Content-Length: 5", "Content-Length: 0",
                "Content-Encoding: identity", "Location: /moved", "Location:", "location: http://other/?a=b", "Status: 404 Not Found", "Status: 299 Odd", "Status: abc", "Status:", "status: 304",
                "HTTP/1.1 404 Gone fishing", "HTTP/1.0 500 x", "HTTP/1.1 304 NM", "HTTP/2 201", "HTTP/1.1 abc", "HTTP/1.1  404  Two", "HTTP/1.1 200 Fine", "HTTP/1.1", "HTTP/1.1 99", "http/1.1 410 low",
                "Set-Cookie: a=1", "Set-Cookie: b=2; path=/", "WWW-Authenticate: Basic realm=x", "WWW-authenticate: Digest", "X-Powered-By: me", "Date: x", "Transfer-Encoding: chunked", "ETag: \"x\"",
                "X-Big: " + "b" * 4000, "HTTP/1.1 201 " + "A" * 1100, "Cache-Control: no-cache", "Expires: 0", "Last-Modified: x", "X-Fold: a\n b", "Connection: close", "Vary: *", "X-High: \xff\xfe", "X-Del: \x7f", "X-Ctl: a\x01b", "X-Cr: a\rb", "X-Lf: a\nb", "Content-Disposition: attachment; filename=\"x.csv\"", "HTTP/1.1 100 Continue", "HTTP/1.1 204 None",
                "Content-Type: text/plain;charset=x; y=z", "Content-Type: TEXT/HTML", "Set-Cookie: " + "s" * 4000, "Link: </x>; rel=preload", "X-Accel-Redirect: /x", " X-Space: 1", "X-Trail: 1   "]
CODES = [100, 101, 103, 205, 300, 422, 200, 201, 204, 206, 226, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 410, 418, 429, 451, 500, 503, 511, 599, 99, 1000, 0, -1, 600]
FAILURES = """undefined index division function method class type args exception nested words deprecated notice warning user userdep parse compile eval missing require
unreadable memory assert silenced conversion many repeated long nul""".split()
STATES = "tz locale umask cwd putenv home unset mb libxml gc reporting path abort limit handler server wrapper callbacks seed iconv assert rewrite cache".split()
INI_SETS = ["precision=3", "display_errors=0", "display_errors=1", "memory_limit=16M", "default_charset=x", "default_mimetype=a/b", "user_agent=set", "html_errors=1", "error_reporting=0", "log_errors=0", "log_errors=1",
            "cgi.nph=1", "cgi.rfc2616_headers=1", "fastcgi.error_header=X: y", "output_buffering=1", "zlib.output_compression=1", "arg_separator.output=;", "session.use_cookies=0", "error_log=/dev/null", "ignore_user_abort=1",
            "open_basedir=/tmp", "implicit_flush=1", "no.such=1", "include_path=/x", "error_prepend_string=<<", "auto_detect_line_endings=1", "max_execution_time=5", "date.timezone=Asia/Tokyo", "precision=x"]
SIZES = [0, 1, 2, 7, 40, 63, 64, 65, 4095, 4096, 4097, 8183, 8184, 8185, 8191, 8192, 8193, 16384, 20000, 65527, 65528, 65535, 65536, 70000]
HUGE = [131072, 200000, 300000]
TEXTS = ["text", "", "<b>&\"'", "two\nlines", "\xe9\xff", "nul\0here", "x" * 500, "a%20b", "-"]
SITE_FILES = ["plain.txt", "lines.txt", "i.php", "none", "unreadable.php", "dir", "../site/plain.txt"]
INCLUDES = ["return.inc", "tail.inc", "exit.inc", "head.inc", "none.inc", "broken.inc", "short.php", "plain.txt", "unreadable.php", "broken-head.inc", "empty.php"]
CALLBACKS = ["", "", "strtoupper", "strrev", "ob_gzhandler", "mb_output_handler", "no_such_callback", "ob_iconv_handler", "str_rot13", "strlen"]


class Steps:
    """What a script does."""

    def __init__(self, rng, body):
        self.rng, self.body = rng, body

    def simple(self):
        """One step that may also stand behind another word."""
        r = self.rng
        return r.choice([
            lambda: "e:" + r.choice(TEXTS), lambda: "e:" + r.choice(TEXTS), lambda: f"n:{r.choice(SIZES)}", lambda: "h:" + r.choice(HEADER_LINES), lambda: f"code:{r.choice(CODES)}",
            lambda: "log:" + r.choice(TEXTS), lambda: "fail:" + r.choice(FAILURES), lambda: "exit:" + r.choice(["", "3", "255", "bye", "1"]), lambda: "flush", lambda: "hs", lambda: "input",
            lambda: "state", lambda: "ob", lambda: "obstart:" + r.choice(CALLBACKS), lambda: "iniset:" + r.choice(INI_SETS), lambda: "set:" + r.choice(STATES), lambda: "finish",
            lambda: "hl", lambda: "last", lambda: "oball", lambda: "include:" + r.choice(INCLUDES)])()

    def nested(self):
        word, _, arg = self.simple().partition(":")
        return word + (":" + urllib.parse.quote(arg, safe="", encoding="latin-1") if arg else "")

    def one(self):
        r = self.rng
        return r.choice([
            self.simple, self.simple, self.simple, self.simple,
            lambda: "h:" + r.choice(HEADER_LINES), lambda: "h:" + r.choice(HEADER_LINES), lambda: "h+:" + r.choice(HEADER_LINES), lambda: f"hc:{r.choice(CODES)},{r.choice(HEADER_LINES)}",
            lambda: f"code:{r.choice(CODES)}", lambda: "hr:" + r.choice(["X-A", "x-powered-by", "Content-type", "none", ""]), lambda: "hr*", lambda: "hcb:" + self.nested(),
            lambda: "cookie:" + r.choice(["a=1", "b=x y", "a=", "a.b=1", "c=\xe9;"]), lambda: "rawcookie:" + r.choice(["a=1", "b=x y"]),
            lambda: "obflush", lambda: "obdo:" + r.choice(TEXTS[:4]), lambda: "obfail:" + r.choice(FAILURES), lambda: f"obchunk:{r.choice([1, 2, 100])}", lambda: "obend",
            lambda: "obclean", lambda: "implicit", lambda: f"bits:{r.choice([1, 5, 40])}", lambda: "stdout:x", lambda: "stderr:" + r.choice(["to stderr\n", "no newline", "a\nb\n"]),
            lambda: "output:" + r.choice(TEXTS), lambda: "readfile:" + r.choice(SITE_FILES), lambda: "passthru", lambda: "high:x", lambda: "include:" + r.choice(INCLUDES), lambda: "gz:1",
            lambda: "fail:" + r.choice(FAILURES), lambda: "fail:" + r.choice(FAILURES), lambda: "log:" + r.choice(TEXTS), lambda: "log4:" + r.choice(TEXTS), lambda: "logfile:x",
            lambda: "sd:" + self.nested(), lambda: "sd:" + self.nested(), lambda: "des:" + self.nested(), lambda: "eh:" + r.choice(["", "false", self.nested()]), lambda: "xh:" + self.nested(),
            lambda: "try:" + self.nested(), lambda: "fiber:" + self.nested(), lambda: "gen:" + self.nested(), lambda: "set:" + r.choice(STATES), lambda: "iniset:" + r.choice(INI_SETS),
            lambda: "restore:" + r.choice(["display_errors", "precision", "memory_limit"]), lambda: "session:" + r.choice(["abc,", "abc,destroy", "abc,close", "bad!id,", "fix,fail", "fix,"]), lambda: "trans",
            lambda: "move", lambda: f"part:{r.choice([0, 1, 10, 9000])}", lambda: f"seek:{r.choice([0, 5, 100000, -1])}", lambda: "stdin", lambda: "filter:" + r.choice(["SCRIPT_NAME", "HTTP_HOST", "HOME"]),
            lambda: "exts", lambda: "inis", lambda: "mail", lambda: "command", lambda: "filters", lambda: "opcache:" + r.choice(["get", "invalidate", "cached"]), lambda: "path:" + r.choice(INCLUDES),
            lambda: "logn:" + r.choice(["900", "1000", "1024", "1025", "2048", "3000", "9000"]), lambda: "level:" + r.choice(["256", "512", "1024", "8192", "16384", "1"]), lambda: "buffer:" + r.choice(["0", "1", "10", "4096"]),
            lambda: "cb:" + r.choice(["ob", "exit", "throw", "flush", "header"]), lambda: "abortable", lambda: "csv", lambda: "handler:" + r.choice(["throw", "true", "false"]), lambda: "dir", lambda: "tick",
            lambda: "stream:" + r.choice(["none", "temp", "memory", "glob", "data"]), lambda: "status", lambda: "ini:" + r.choice(["precision", "display_errors", "user_agent", "cgi.nph", "memory_limit"]), lambda: "inis", lambda: "self", lambda: "trace", lambda: "last",
            lambda: "getenv:" + r.choice(["HOME", "HTTP_PROXY", "SCRIPT_NAME", "POOL", "NONE", "argv", "PATH", "LEFT"]), lambda: "redirect:" + r.choice(["/x", "", "//h/x", "mailto:a"]),
        ])()

    def program(self):
        r = self.rng
        kind = r.random()
        if kind < .3:
            out = ["server"]
        elif kind < .43:
            out = ["server", "env", "get", "cookies", "headers", "argv", "auth", "state"]
        else:
            out = ["finish", "implicit", "e:late"] if kind < .44 else [self.one() for _ in range(r.choice((1, 1, 1, 2, 2, 3, 4, 6)))]
        if self.body or r.random() < .1:
            out += r.sample(["post", "files", "input", "input", "request", "raw"], r.choice((1, 2, 4)))
        if r.random() < .15:
            out += r.sample(["server", "env", "get", "cookies", "headers", "argv", "auth", "state", "ENV", "request"], 2)
        if r.random() < .002:
            out.append(f"n:{r.choice(HUGE)}")
        if r.random() < .004:
            out.append(r.choice(("shell", "allinis")))
        if r.random() < .0004:
            out.append("spin")
        done = []
        for step in out:
            word, colon, arg = step.partition(":")
            # What has been quoted once stands within another step.
            done.append(word + colon + urllib.parse.quote(arg, safe="", encoding="latin-1"))
        return "|".join(done)


class Maker:
    def __init__(self, rng, roots, pools):
        self.rng, self.roots, self.root, self.pools = rng, roots, None, pools

    # --- where the script is -------------------------------------------------
    def decoded(self, path):
        return urllib.parse.unquote(path, encoding="latin-1")

    def from_nginx(self, script, tail):
        path = self.decoded(script)
        p = {"SCRIPT_FILENAME": self.root + path, "SCRIPT_NAME": path, "DOCUMENT_ROOT": self.root, "DOCUMENT_URI": path}
        if self.rng.random() < .5:
            p["PATH_INFO"] = self.decoded(tail.partition("?")[0])
        if self.rng.random() < .15:
            p["PATH_TRANSLATED"] = self.root + self.decoded(tail.partition("?")[0])
        if self.rng.random() < .2:
            p["SCRIPT_FILENAME"] += self.decoded(tail)
            p["SCRIPT_NAME"] += self.decoded(tail)
        return p

    def from_apache(self, script, tail):
        r, path, tail = self.rng, self.decoded(script), tail.partition("?")[0]
        kind = r.choice(("handler", "match", "balancer", "action", "odd"))
        p = {"DOCUMENT_ROOT": self.root, "CONTEXT_DOCUMENT_ROOT": self.root}
        if kind == "handler":
            p["SCRIPT_FILENAME"] = "proxy:fcgi://localhost/" + self.root + path
            p["SCRIPT_NAME"] = path
            if tail:
                p["PATH_INFO"] = self.decoded(tail)
                p["PATH_TRANSLATED"] = self.root + self.decoded(tail)
        elif kind == "match":
            p["SCRIPT_FILENAME"] = "proxy:fcgi://localhost:9000" + self.root + script + tail
            p["SCRIPT_NAME"] = path + self.decoded(tail)
        elif kind == "balancer":
            p["SCRIPT_FILENAME"] = "proxy:balancer://c" + self.root + script + tail
            p["SCRIPT_NAME"] = r.choice(("", path))
            p["PATH_INFO"] = path + self.decoded(tail)
        elif kind == "action":
            p["SCRIPT_FILENAME"] = self.root + "/do.php"
            p["SCRIPT_NAME"] = "/cgi-bin/php"
            p["PATH_INFO"] = path + self.decoded(tail)
            p["PATH_TRANSLATED"] = self.root + path + self.decoded(tail)
            p["REDIRECT_URL"] = path + self.decoded(tail)
            p["REDIRECT_STATUS"] = "200"
        else:
            p["SCRIPT_FILENAME"] = r.choice(PREFIXES) + self.root + script + tail
            p["SCRIPT_NAME"] = r.choice((path, script + tail, "", tail))
        return p

    def from_iis(self, script, tail):
        path = self.decoded(script)
        return {"SCRIPT_FILENAME": self.root + path, "SCRIPT_NAME": path, "PATH_INFO": path + self.decoded(tail), "SERVER_SOFTWARE": self.rng.choice(("Microsoft-IIS/10.0", "Microsoft-IIS")),
                "PATH_TRANSLATED": self.root + path, "DOCUMENT_ROOT": self.root, "APPL_MD_PATH": "/LM/W3SVC/1/ROOT"}

    def from_pieces(self, script, tail):
        r, root, path, tail = self.rng, self.root, self.decoded(script), self.decoded(tail)
        p = {}
        for chance, name, values in (
                (.9, "SCRIPT_FILENAME", [r.choice(PREFIXES) * (r.random() < .4) + root + path + tail]),
                (.85, "SCRIPT_NAME", [path, path + tail, path + tail, "", tail, "/x", "/i.php", script]),
                (.5, "PATH_INFO", [tail, tail, path + tail, "", "/", "/a", "/zzz" + tail, tail + "x", "x" * 20 + tail, script + tail]),
                (.4, "PATH_TRANSLATED", [root + tail, root + path, root + path + tail, r.choice(PREFIXES) + root + path + tail, root + "/i.php", root + "/dir/i.php/q", "", "/"]),
                (.8, "DOCUMENT_ROOT", [root, root, root + "/", "/tmp", "", "/", root + "/dir", root[:-1], root + "//"]),
                (.2, "REDIRECT_URL", [path, path + tail, "/r", ""]), (.1, "SERVER_SOFTWARE", ["Microsoft-IIS/10", "microsoft-iis", "nginx"]), (.1, "ORIG_PATH_INFO", ["x"])):
            if r.random() < chance:
                p[name] = r.choice(values)
        return p

    # --- the rest of a request -----------------------------------------------
    def multipart(self):
        r = self.rng
        parts = [r.choice(PARTS) for _ in range(r.choice((0, 1, 1, 2, 3, 5, 12)))]
        out = "".join(f"--XX\r\nContent-Disposition: form-data; {h}\r\n\r\n{b}\r\n" for h, b in parts) + "--XX--\r\n"
        kind = r.random()
        if kind < .06:
            return out[:r.randrange(len(out))]
        if kind < .1:
            return r.choice(["preamble\r\n", "\r\n", "--"]) + out
        if kind < .13:
            return out.replace("\r\n", "\n")
        if kind < .16:
            return out.replace("Content-Disposition", r.choice(("content-disposition", "X", "")))
        if kind < .18:
            at = r.randrange(len(out))
            return out[:at] + r.choice("\0\r\n\xff-\"") + out[at + 1:]
        return out

    def body(self, p):
        """Fills in what describes it; returns it."""
        r = self.rng
        kind = p.get("CONTENT_TYPE", "")
        text = self.multipart() if kind.startswith("multipart") and r.random() < .9 else r.choice(FORMS)
        if r.random() < .03:
            text = "".join(chr(r.randrange(256)) for _ in range(200)) * r.choice((1, 40, 800))
        chance = r.random()
        if chance < .82:
            p["CONTENT_LENGTH"] = str(len(text))
        elif chance < .92:
            p["CONTENT_LENGTH"] = r.choice([str(len(text) + 5), str(len(text) + 5), str(len(text) + 1), str(max(0, len(text) - 1)), str(len(text) // 2), "0", "", "abc", f"+{len(text)}", f" {len(text)}", f"{len(text)}x", "0x3",
                                            f"0{len(text)}", "99999999999999999999"])
        return text

    def changed(self, items):
        """What no good web server does to its parameters."""
        r = self.rng
        chance = r.random()
        if chance < .25:
            r.shuffle(items)
        elif chance < .3:
            items.remove(r.choice(items))
        elif chance < .34:
            i = r.randrange(len(items))
            items[i] = (items[i][0], "" if items[i][0] not in ("SCRIPT_FILENAME", "PATH_TRANSLATED") else "/")
        elif chance < .4:
            # php-fpm knows a name of three bytes again only by luck: it looks at the fourth.
            items.append((r.choice([n for n, _ in items if len(n) != 3]), r.choice(["second", "", "/i.php", self.root + "/i.php"])))
        elif chance < .43:
            i = r.randrange(len(items))
            name, value = items[i]
            at = r.randrange(len(value) + 1)
            items[i] = (name, value[:at] + r.choice(["\0", "\n", "\xff", "%00", "..", "//", " ", "\t", "\x01"]) + value[at:])
        elif chance < .445:
            items += [(f"X{i}", str(i)) for i in range(r.choice((100, 2100)))]
        elif chance < .455:
            items.append((r.choice(("a\0b", "\0", "HTTP_X\0Y")), "x"))
        return items

    def params(self, pool):
        r = self.rng
        script, tail = r.choice(SCRIPTS if pool.name != "users" else USERS), r.choice(TAILS)
        front = r.choices((self.from_nginx, self.from_apache, self.from_iis, self.from_pieces), (45, 20, 3, 32))[0]
        query = r.choice(PAGE_QUERIES if script == "/status" and r.random() < .7 else QUERIES)
        if script == "/status" and any("[default_charset]" in n or "[internal_encoding]" in n for n in pool.directives):
            query = "full"  # what php-fpm says of a charset that it does not know is not told by us
        p = {"QUERY_STRING": query, "REQUEST_METHOD": r.choice(METHODS)}
        if r.random() < .03:
            del p["REQUEST_METHOD"]
        if p.get("REQUEST_METHOD") in ("POST", "PUT", "PATCH", "Post") or r.random() < .05:
            p["CONTENT_TYPE"] = r.choice(TYPES)
        usual = {"REQUEST_URI": self.rng.choice((script, "/pretty")) + tail + ("?" + query if query else ""), "SERVER_PROTOCOL": "HTTP/1.1", "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_SOFTWARE": "nginx/1.22.1",
                 "REMOTE_ADDR": "127.0.0.1", "REMOTE_PORT": "1", "SERVER_ADDR": "127.0.0.1", "SERVER_PORT": "80", "SERVER_NAME": r.choice(("test.invalid", "Test.Invalid", "")), "REDIRECT_STATUS": "200"}
        p.update({k: v for k, v in usual.items() if r.random() < .8} if r.random() < .3 else usual if r.random() < .7 else {})
        p.update(front(script, tail))
        for pair in r.sample(HEADERS, r.choice((0, 1, 2, 2, 4, 8))) + r.sample(EXTRA, r.choice((0, 0, 0, 1, 2, 5))):
            name, equals, value = pair.partition("=")
            p.setdefault(name, value if equals else r.choice(AUTH))
        if r.random() < .06:
            p["HTTP_AUTHORIZATION"] = r.choice(AUTH)
        if r.random() < .15:
            p["HTTP_COOKIE"] = r.choice(COOKIES)
        if pool.life and r.random() < .7:
            # What the pool holds against the wire shows in many ways; one pool is enough for that.
            rows = [w for w in WIRE_INI if w.partition("=")[0].strip() not in pool.ini()] if pool.life == 1 else WIRE_QUIET
            for name in r.sample(("PHP_VALUE", "PHP_ADMIN_VALUE"), r.choice((1, 1, 2))):
                p[name] = "\n".join(r.sample(rows, r.choice((1, 1, 2, 4)))).replace("{root}", self.root)
        return p

    def how(self, pool, size):
        r, out = self.rng, {}
        if not pool.life and r.random() < .15:
            out["keep"] = False
        if r.random() < .1:
            out["padding"] = r.choice((1, 7, 255))
        if r.random() < .05:
            out["id"] = r.choice((2, 255, 256, 65535))
        if r.random() < .02:
            out["role"] = r.choice((2, 3))
        if size and r.random() < .15:
            out["body_sizes"] = r.choice(([1], [7, 5000], [8192], [65535], [1, 65535], [3, 1, 200])) if size < 3000 else r.choice(([8192], [65535], [1, 4096]))
        if r.random() < .01:
            out["param_sizes"] = r.choice(([7], [100], [1]))
        return out

    def request(self, pool):
        p = self.params(pool)
        body = self.body(p) if "CONTENT_TYPE" in p or self.rng.random() < .01 else ""
        if body and self.rng.random() < .02:
            # The web server has put it into a file.
            p["REQUEST_BODY_FILE"] = self.rng.choice((self.root + "/plain.txt", self.root + "/lines.txt", "/none", self.root + "/dir", ""))
            p["CONTENT_LENGTH"], body = self.rng.choice(("25", "2000", "8", "9000")), ""
        p["DO"] = Steps(self.rng, body).program()
        if body and not p.get("CONTENT_LENGTH") and any("[post_max_size]" in name or "[upload_tmp_dir]" in name for name in pool.directives):
            body = ""  # what is too long, or has no place, is told of at the start
        items = self.changed(list(p.items())) if self.rng.random() < .4 else list(p.items())
        if body and not tags.last_of(items).get("CONTENT_LENGTH"):
            # Where a body goes that php-fpm takes for empty; not what all follows from that.
            for name, value in (("DO", "input|server|part:9"), ("CONTENT_TYPE", "application/octet-stream")):
                items = [(n, value if n == name else v) for n, v in items] if name in dict(items) else items + [(name, value)]
        if pool.directives.get("security.limit_extensions") == "":
            # There an empty name is the end of php-fpm's worker.
            items = [(n, v) for n, v in items if v or n not in ("SCRIPT_FILENAME", "PATH_TRANSLATED")]
        if pool.name == "users":
            # php-fpm remembers a folder's settings without the document root that they hold for.
            items = [(n, self.root if n == "DOCUMENT_ROOT" else v) for n, v in items]
        how = self.how(pool, len(body))
        length = dict(items).get("CONTENT_LENGTH", "")
        if tags.announced(length) > len(body) and not p.get("REQUEST_BODY_FILE"):
            # php-fpm waits for the rest until the client leaves.
            how["shut"] = True
        out = {"params": items, "body": body, "how": how}
        if tags.REFUSED & tags.of_request(out, pool):
            # What only one side does must not be met by the next request.
            out["params"] = [(n, "e:text" if n == "DO" else v) for n, v in items]
        return out

    def case(self):
        # Workers with a life are slow to come by.
        pool = self.rng.choices(self.pools, [p.life or 6 for p in self.pools])[0]
        self.root = self.roots[pool.name]
        requests = [self.request(pool) for _ in range(max(1, pool.life))]
        if pool.life == 2:
            # The first leaves a connection and a worker behind, the second looks at them.
            requests[0]["body"], requests[0]["how"] = "", {}
            requests[0]["params"] = [(n, v) for n, v in requests[0]["params"] if n not in ("CONTENT_LENGTH", "CONTENT_TYPE", "REQUEST_BODY_FILE")]
            requests[1]["params"] = [(n, "state|server|ini:user_agent" if n == "DO" else v) for n, v in requests[1]["params"]
                                     if n not in ("PHP_VALUE", "PHP_ADMIN_VALUE") or self.rng.random() < .2]
        return {"pool": pool.name, "requests": requests}
