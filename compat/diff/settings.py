"""The pools: what each is set to, drawn anew for each round of requests."""

import re

# Values that are drawn; {root} is the site. Weighted by repetition.
INI = {
    "cgi.fix_pathinfo": ["0", "1"], "cgi.discard_path": ["1", "0"], "cgi.rfc2616_headers": ["1", "0"], "cgi.nph": ["1", "0"],
    "fastcgi.error_header": ["HTTP/1.1 550 Custom", "Status: 551 Other", ""], "fastcgi.logging": ["0", "1"],
    "display_errors": ["1", "1", "1", "0", "stderr", "stdout"], "display_startup_errors": ["1", "0"], "html_errors": ["1", "0"], "log_errors": ["1", "1", "0"],
    "error_reporting": ["E_ALL", "0", "E_ALL & ~E_NOTICE", "1"], "ignore_repeated_errors": ["1"], "error_prepend_string": ["<<"], "error_append_string": [">>"],
    "docref_root": ["/docs/"], "log_errors_max_len": ["20"], "output_buffering": ["0", "1", "On", "64", "4096", "8192", "100000"], "implicit_flush": ["1"],
    "zlib.output_compression": ["1", "4096", "0"], "zlib.output_compression_level": ["1"], "output_handler": ["ob_gzhandler", "mb_output_handler", "strtoupper", "none"],
    "auto_prepend_file": ["{root}/head.inc", "head.inc", "{root}/none.inc", "{root}/unreadable.php", "{root}/broken-head.inc", "none"],
    "auto_append_file": ["{root}/tail.inc", "{root}/none.inc", "{root}/exit.inc"], "default_charset": ["", "latin1", "UTF-8", "x y"],
    "default_mimetype": ["text/plain", "application/json", ""], "expose_php": ["1", "0"], "user_ini.filename": [".htini", "none.ini"],
    "variables_order": ["EGPCS", "GPCS", "ES", "S", "PG", "", "SPGCE", "E", "xyz", "gpcs"], "request_order": ["GP", "PG", "CGP", "", "GPC"], "register_argc_argv": ["1", "0"],
    "enable_post_data_reading": ["0", "0", "1"], "file_uploads": ["0", "1"], "max_file_uploads": ["1", "0", "3"], "upload_max_filesize": ["100", "5K"],
    "post_max_size": ["100", "0", "5K", "1"], "max_input_vars": ["3", "10", "0"], "max_input_nesting_level": ["2"], "max_multipart_body_parts": ["2", "-1"],
    "arg_separator.input": [";", "&;", "a"], "arg_separator.output": ["&amp;"], "memory_limit": ["32M", "-1"], "open_basedir": ["{root}:/tmp", "{root}/dir"],
    "doc_root": ["{root}", "{root}/dir", "/nowhere"], "user_dir": ["public"], "include_path": ["{root}/dir", ""], "disable_functions": ["readfile,error_log", "header"],
    "short_open_tag": ["1"], "session.auto_start": ["1"], "session.cache_limiter": ["public", "private", "", "private_no_expire"], "session.use_cookies": ["0"],
    "session.use_only_cookies": ["0"], "session.use_trans_sid": ["1"], "session.name": ["sid", "9"], "session.use_strict_mode": ["1"], "session.lazy_write": ["0"],
    "session.upload_progress.cleanup": ["0"], "session.upload_progress.enabled": ["0"],
    "date.timezone": ["Asia/Tokyo", "Nowhere/None"], "filter.default": ["special_chars", "string", "unsafe_raw"], "mbstring.encoding_translation": ["1"], "mbstring.http_input": ["SJIS,UTF-8"],
    "mbstring.http_output": ["SJIS"], "mbstring.internal_encoding": ["EUC-JP"], "ignore_user_abort": ["1"], "max_input_time": ["5", "0"], "max_execution_time": ["0", "10"],
    "serialize_precision": ["5"], "precision": ["4"], "zend.assertions": ["1", "0"], "assert.exception": ["0"], "url_rewriter.tags": ["a=href"], "opcache.enable": ["0", "0", "1"],
    "error_log": ["{own}/php.log", "/nowhere/php.log"], "upload_tmp_dir": ["{own}", "/nowhere"], "highlight.string": ["#000000"], "hard_timeout": ["1"],
    "zend.exception_ignore_args": ["0", "1"], "zend.multibyte": ["1"], "input_encoding": ["latin1"], "output_encoding": ["latin1"], "browscap": [""],
    "sys_temp_dir": ["{own}"], "mail.add_x_header": ["1"], "assert.active": ["0"], "xmlrpc_errors": ["1"], "unserialize_callback_func": ["strlen"], "report_memleaks": ["0"],
    "auto_globals_jit": ["0"], "disable_classes": ["Exception,DomainException", "NoSuch"], "session.save_handler": ["none"], "session.save_path": ["/nowhere"],
    "session.cookie_path": ["/shop"], "session.cookie_httponly": ["1"], "session.cookie_samesite": ["Strict"], "session.cookie_lifetime": ["60"], "session.serialize_handler": ["php_serialize", "none"],
    "session.referer_check": ["shop"], "session.sid_length": ["32"], "session.gc_probability": ["0"], "sendmail_path": ["/bin/true", "/bin/false", "/nowhere"], "mail.log": ["{own}/mail.log"],
    "opcache.validate_timestamps": ["0", "1"], "opcache.file_update_protection": ["0"], "opcache.save_comments": ["0"], "opcache.restrict_api": ["/nowhere"], "opcache.max_file_size": ["10"],
    "default_socket_timeout": ["1"], "zlib.output_handler": ["mb_output_handler"], "zend.exception_string_param_max_len": ["3"], "zend.detect_unicode": ["0"],
    "user_agent": ["pool"], "allow_url_fopen": ["0"], "iconv.internal_encoding": ["latin1"], "internal_encoding": ["latin1"], "docref_ext": [".html"],
    "allow_url_include": ["1"], "pcre.jit": ["0"], "cgi.force_redirect": ["0"], "cgi.redirect_status_env": ["X"], "last_modified": ["1"],
}
FORMATS = ['%R - %u "%m %r%Q%q" %s %f %l', '%n %{REQUEST_URI}e %{HTTP_HOST}e %{X-A}o %{X-B}o %{X-C}o %{X-Empty}o %{Status}o %{Content-Type}o %s %%', None,
           '%u|%q|%{QUERY_STRING}e|%{Set-Cookie}o|%{Location}o|%{X-Powered-By}o', '%r %f %{SCRIPT_NAME}e %{PATH_INFO}e %{HTTP_USER_AGENT}e']
DIRECTIVES = {
    "security.limit_extensions": [".php .inc", "", ".php5 .PHP", ".txt", ".php .phar"], "clear_env": ["no", "yes"], "ping.path": ["/ping", "/i.php"], "ping.response": ["still here"],
    "pm.status_path": ["/status", "/i.php/status"], "chdir": ["{root}/dir", "/"], "catch_workers_output": ["yes", "yes", "no"], "decorate_workers_output": ["no"],
    "access.suppress_path[]": ["/i.php", "/ping"], "env[HOME]": ["/home/x"], "env[LEFT]": ["from the pool"], "env[HTTP_PROXY]": ["http://pool/"], "env[QUERY_STRING]": ['"env=1"'],
    "pm": ["dynamic", "ondemand"], "pm.max_requests": ["100000"], "request_terminate_timeout": ["60", "1m"], "request_slowlog_timeout": ["30"],
    "rlimit_files": ["900"], "process.dumpable": ["yes"], "listen.backlog": ["64"],
    "env[TZ]": ["Asia/Tokyo"], "env[LANG]": ["de_DE.UTF-8"], "env[REMOTE_ADDR]": ["6.6.6.6"], "env[SCRIPT_FILENAME]": ["/pool"], "env[HTTPS]": ["on"], "env[PATH]": ["/bin"],
    "env[argv]": ["x"], "env[a.b]": ["dots"], "env[PHP_VALUE]": ['"precision=3"'],
}
# Those that requests find different most often.
USUAL = ("cgi.fix_pathinfo", "display_errors", "output_buffering", "variables_order", "zlib.output_compression", "auto_prepend_file", "error_log",
         "enable_post_data_reading", "catch_workers_output", "security.limit_extensions", "cgi.nph", "cgi.rfc2616_headers", "fastcgi.error_header")
KINDS = ("php_admin_value", "php_admin_value", "php_value")
FLAGS = {"0": ("off", "no", "0", "false"), "1": ("on", "yes", "1", "true")}
# What one directive cannot be without.
COMPANY = {("pm", "dynamic"): {"pm.min_spare_servers": "1", "pm.max_spare_servers": "1"}, ("pm", "ondemand"): {"pm.process_idle_timeout": "1h"},
           ("request_slowlog_timeout", "30"): {"slowlog": "{own}/slow.log"}}
UNFIT_FOR_ONE = re.compile(r"auto_|extensions|output_handler|open_basedir")
ADMIN = re.compile(r"php_admin_(?:value|flag)\[(.*)\]")
BASE = {"pm": "static", "pm.max_children": "1", "env[POOL]": '"from the pool"', "ping.path": "/ping", "pm.status_path": "/status",
        "php_value[session.save_path]": "{own}",
        "php_admin_value[user_ini.filename]": ""}


class Pool:
    """name, directives. life: a worker serves so many requests of cases, all of one case; 0: any number."""

    def __init__(self, name, directives, life=0):
        self.name, self.directives, self.life = name, directives, life

    def ini(self):
        """{name: value} of what it sets as an admin value."""
        return {m.group(1): v for k, v in {**BASE, **self.directives}.items() if (m := ADMIN.fullmatch(k))}


def drawn(rng, n):
    out = {}
    for _ in range(n):
        name = rng.choice(USUAL) if rng.random() < .3 else rng.choice(list(INI) + list(DIRECTIVES))
        if name in DIRECTIVES:
            out[name] = rng.choice(DIRECTIVES[name])
            out.update(COMPANY.get((name, out[name]), {}))
        else:
            for kind in (*KINDS, "php_flag", "php_admin_flag"):
                out.pop(f"{kind}[{name}]", None)
            value = rng.choice(INI[name])
            if value in FLAGS and rng.random() < .4:
                out[f"{rng.choice(('php_flag', 'php_admin_flag'))}[{name}]"] = rng.choice(FLAGS[value])
                continue
            # Constants are not evaluated within quotes.
            out[f"{rng.choice(KINDS)}[{name}]"] = value if value.startswith("E_") else f'"{value}"'
    if any("zlib.output_compression]" in name for name in out):
        # With a handler of another kind php-fpm's workers end before they serve.
        out = {name: value for name, value in out.items() if "[output_handler]" not in name}
    return out


def pools(rng, count):
    """The first as plain as can be; the last two serve one and two requests with each worker."""
    out = [Pool("plain", {})]
    for i in range(1, count):
        out.append(Pool(f"drawn{i}", drawn(rng, rng.choice((1, 2, 3, 4, 6, 9)))))
    out.append(Pool("users", {"php_admin_value[user_ini.filename]": ".user.ini", "php_admin_value[user_ini.cache_ttl]": "0",
                              "php_admin_value[fastcgi.error_header]": '"HTTP/1.1 550 Custom"'}))
    # pid.php must be able to answer, and the wire may bring the other handler.
    out.append(Pool("once", {k: v for k, v in drawn(rng, 3).items() if not UNFIT_FOR_ONE.search(k)}, 1))
    out.append(Pool("twice", {"php_admin_value[precision]": "9", "php_admin_value[open_basedir]": '"{root}:/tmp"'}, 2))
    for pool in out:
        pool.directives.setdefault("access.format", rng.choice(FORMATS) or "")
    return out


def directives_of(pool, root, own, access_log):
    """As they are written to the file, with what each side has of its own."""
    out = {**BASE, "access.log": access_log, **pool.directives}
    if pool.life:
        out["pm.max_requests"] = str(pool.life + 2)
    if not out["access.format"]:
        del out["access.format"]
    else:
        out["access.format"] = "'" + out["access.format"] + "'"
    return {k: v.replace("{root}", root).replace("{own}", own) for k, v in out.items()}
