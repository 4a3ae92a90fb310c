"""DokuWiki as Debian packages it: pages, a login, an edit, code highlighting, an upload, its script and style servers."""

import base64
import os
import re
import subprocess

from step import Step

PACKAGES = ("dokuwiki", "libphp-simplepie", "php-geshi", "php-phpseclib", "php-random-compat", "libjs-jquery",
            "libjs-jquery-cookie", "libjs-jquery-ui")
DIRECTIVES = {"php_admin_value[error_reporting]": "E_ALL & ~E_DEPRECATED", "php_value[date.timezone]": "UTC"}
NGINX = """
    root {root}/usr/share/dokuwiki;
    index doku.php;
    location ~ ^/(data|conf|bin|inc|vendor)/ {{ deny all; }}
    location ~ \\.php(/|$) {{
        fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
        include fastcgi.conf;
        fastcgi_param PATH_INFO $fastcgi_path_info;
        fastcgi_pass {to};
    }}
"""

# Absolute paths that the package has in its code, but not those behind another directory.
PLACES = re.compile(r"(?<!Dir \. )(['\"])(/usr/share/|/etc/dokuwiki|/var/lib/dokuwiki)")


def prepare(stack, root):
    """A wiki at root with a user: admin, whose password is secret."""
    for top in ("usr/share/dokuwiki", "etc/dokuwiki"):
        for here, _, names in os.walk(os.path.join(root, top)):
            for path in (os.path.join(here, n) for n in names if n.endswith(".php")):
                if not os.path.exists(path):
                    continue
                with open(path, encoding="utf-8", errors="surrogateescape") as f:
                    text = f.read()
                moved = PLACES.sub(lambda m: m.group(1) + root + m.group(2), text)
                if moved != text:
                    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
                        f.write(moved)

    def write(name, text):
        with open(os.path.join(root, name), "w", encoding="utf-8") as f:
            f.write(text)

    write("etc/dokuwiki/local.php", "<?php\n$conf['title'] = 'A wiki';\n$conf['useacl'] = 1;\n$conf['superuser'] = 'admin';\n"
          "$conf['updatecheck'] = 0;\n$conf['authtype'] = 'authplain';\n$conf['dmode'] = 0777;\n")
    # An old hash that needs no time; the wiki knows its kind by its form.
    write("var/lib/dokuwiki/acl/users.auth.php",
          "# <?php exit()?>\nadmin:5ebe2294ecd0e0f08eab7690d2a6ee69:Ada Admin:ada@example.test:admin,user\n")
    write("var/lib/dokuwiki/acl/acl.auth.php", "# <?php exit()?>\n*  @ALL  1\n*  @user  8\n")
    if stack.root:
        for top in ("etc/dokuwiki", "var/lib/dokuwiki"):
            subprocess.run(["chown", "-R", "www-data", os.path.join(root, top)], check=True)


PAGE = """====== A heading ======
Some **bold** text, a [[other|link]].

<code php>
<?php echo 'highlighted';
</code>

^ a ^ table ^
| 1 | 2 |
"""
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==")
TOKEN = {"token": r'name="sectok" value="([0-9a-f]*)"'}

STEPS = (
    Step("the start page", "/", must=("<title>\\s*start \\[A wiki\\]", "This topic does not exist yet")),
    Step("a page by path", "/doku.php?id=wiki:syntax", must=("Formatting Syntax", "</html>")),
    Step("the list of pages", "/doku.php?do=index", must=("Sitemap",)),
    Step("a search", "/doku.php?id=start&do=search&q=formatting", must=("Search",)),
    Step("its style sheets", "/lib/exe/css.php?t=dokuwiki", must=(r"\.dokuwiki",)),
    Step("its scripts", "/lib/exe/js.php?t=dokuwiki", must=("dw_page|jQuery",)),
    Step("its feed", "/feed.php", must=("<rdf:RDF", "A wiki")),
    Step("the form to log in", "/doku.php?id=start&do=login", must=('type="password"',), keep=TOKEN),
    Step("a wrong password", "/doku.php?id=start", status=403, must=("Sorry, username or password was wrong",),
         form={"do": "login", "id": "start", "sectok": "{token}", "u": "admin", "p": "wrong"}),
    Step("the right one", "/doku.php?id=start", status=302, form={"do": "login", "id": "start", "sectok": "{token}", "u": "admin", "p": "secret"}),
    Step("who is logged in", "/doku.php?id=start", must=("Ada Admin",)),
    Step("the form to edit", "/doku.php?id=some:page&do=edit", must=("<textarea",),
         keep={**TOKEN, "changecheck": r'name="changecheck" value="([^"]*)"', "date": r'name="date" value="([^"]*)"'}),
    Step("a preview", "/doku.php?id=some:page", must=("Preview", "<strong>bold</strong>"),
         form={"id": "some:page", "rev": "0", "date": "{date}", "prefix": "", "suffix": "", "changecheck": "{changecheck}",
               "target": "section", "sectok": "{token}", "wikitext": PAGE, "do[preview]": "1", "summary": ""}),
    Step("saving", "/doku.php?id=some:page", status=302,
         form={"id": "some:page", "rev": "0", "date": "{date}", "prefix": ".", "suffix": "", "changecheck": "",
               "target": "section", "sectok": "{token}", "wikitext": PAGE, "do[save]": "1", "summary": "first"}),
    Step("the page", "/doku.php?id=some:page", must=("A heading", "<strong>bold</strong>", "<table", r'<span class="kw\d">echo</span>')),
    Step("its source", "/doku.php?id=some:page&do=export_raw", must=(r"====== A heading ======",)),
    Step("its history", "/doku.php?id=some:page&do=revisions", must=("first",)),
    Step("an upload", "/lib/exe/ajax.php?call=mediaupload&ns=some&qqfile=dot.png&ow=0&sectok={token}", raw=PNG,
         headers={"Content-Type": "application/octet-stream"}, must=('"success":true',)),
    Step("what was uploaded", "/lib/exe/fetch.php?media=some:dot.png", body_is=PNG),
    Step("the settings", "/doku.php?id=start&do=admin&page=config", must=("Configuration Settings",)),
    Step("leaving", "/doku.php?id=start&do=logout&sectok={token}", status=302),
    Step("being a stranger again", "/doku.php?id=start&do=admin", must=("do=login",)),
)
