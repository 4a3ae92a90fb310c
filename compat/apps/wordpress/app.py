"""WordPress as Debian packages it, with a database of its own; fpmx serves it in mode isolated, booted by
compat/workers/wordpress.php: the installation, pages, feeds, a comment, a login, a post, the REST interface."""

import os
import re
import subprocess
import time

from step import Step

PACKAGES = ("wordpress", "wordpress-theme-twentytwentythree", "php-getid3", "php8.2-mysql", "mariadb-server",
            "mariadb-server-core", "libaio1", "liburing2")
DIRECTIVES = {"php_admin_value[error_reporting]": "E_ALL & ~E_DEPRECATED"}
NGINX = """
    root {root}/usr/share/wordpress;
    index index.php;
    location / {{ try_files $uri $uri/ /index.php?$args; }}
    location ~ \\.php$ {{
        include fastcgi.conf;
        fastcgi_pass {to};
    }}
"""
CONFIG = """<?php
define('DB_NAME', '%(name)s');
define('DB_USER', 'root');
define('DB_PASSWORD', '');
define('DB_HOST', 'localhost:%(socket)s');
define('DB_CHARSET', 'utf8mb4');
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $what) {
    define($what . '_KEY', "key of $what");
    define($what . '_SALT', "salt of $what");
}
define('DISABLE_WP_CRON', true);
define('AUTOMATIC_UPDATER_DISABLED', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('CONCATENATE_SCRIPTS', false);
$table_prefix = 'wp_';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . (defined('FPMX_MODE') && FPMX_MODE === 'isolated' ? 'wp-settings-once.php' : 'wp-settings.php');
"""
WORKERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "workers")


def start_database(stack, root):
    """One server for both sides, on a socket below the test's folder, from the packages' files."""
    data = stack.make_dir("data", owned=True)
    libraries = os.path.join(root, "usr/lib/x86_64-linux-gnu") + ":" + os.path.join(root, "lib/x86_64-linux-gnu")
    words = [os.path.join(root, "usr/sbin/mariadbd"), "--no-defaults", f"--datadir={data}", f"--socket={stack.path('db.sock')}",
             f"--pid-file={stack.path('data', 'pid')}", "--skip-networking", "--skip-grant-tables",
             f"--lc-messages-dir={root}/usr/share/mysql", f"--character-sets-dir={root}/usr/share/mysql/charsets",
             f"--plugin-dir={root}/usr/lib/mysql/plugin", f"--tmpdir={data}", "--innodb-buffer-pool-size=32M",
             "--innodb-log-file-size=8M", "--innodb-flush-log-at-trx-commit=0", "--performance-schema=off"]
    if stack.root:
        os.chmod(stack.dir, 0o777)
        words.append("--user=www-data")
    process = stack.spawn("database", *words, env={"LD_LIBRARY_PATH": libraries, "PATH": "/usr/bin:/bin"})
    stack.await_listening(process, stack.path("db.sock"))
    stack.database = process


def prepare(stack, root):
    side = os.path.basename(root)
    top = os.path.join(root, "usr/share/wordpress")
    if not hasattr(stack, "database"):
        start_database(stack, root)
    stack.make_dir(os.path.join("data", f"wp_{side[-1]}"), owned=True)
    for path, text in (("wp-config.php", CONFIG % {"name": f"wp_{side[-1]}", "socket": stack.path("db.sock")}),
                       ("wp-settings-once.php", subprocess.run(["php", os.path.join(WORKERS, "wordpress.php"), top], check=True,
                                                               capture_output=True, text=True).stdout)):
        path = os.path.join(top, path)
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
    stack.make_dir(os.path.join(top, "wp-content/uploads"), owned=True)


def directives(stack, side, root):
    """What differs: the extension that is not installed, and how fpmx serves it."""
    more = {}
    if "mysqli" not in subprocess.run(["php", "-m"], capture_output=True, text=True, check=True).stdout:
        folder = next(top for top, _, names in os.walk(os.path.join(root, "usr/lib/php")) if "mysqli.so" in names)
        more["php_value[extension]"] = os.path.join(folder, "mysqlnd.so")
        more["php_admin_value[extension]"] = os.path.join(folder, "mysqli.so")
    if side == "fpmx":
        # Workers of the pool cannot enter the folder of the sources everywhere.
        with open(os.path.join(WORKERS, "wordpress.php"), encoding="utf-8") as f:
            script = stack.write("boot.php", f.read())
        more.update({"mode": "isolated", "script": script, "env[WORDPRESS]": os.path.join(root, "usr/share/wordpress/")})
    return more


# A nonce is of the moment and the user; others, and how an address is hidden, are made by chance.
MOMENT = [(re.compile(p), w) for p, w in (
    (r"(_wpnonce|nonce)(\\?\"|=|&quot;|':)([\":= valueid_\\a-z-]*\"?)[0-9a-f]{10}\b", "NONCE"), (r"\b[0-9a-f]{10}\b", "NONCE"),
    (r"\b\d\d:\d\d(:\d\d)?( [ap]m)?\b", "TIME"), (r"\b\d{1,2}:\d\d( [ap]m)\b", "TIME"),
    (r"[0-9a-f]{32}", "HEX"), (r'data-pw="[^"]+"', "PASSWORD"), (r'(<div class="ss">|name="ss" value=")\d\d', "SECONDS"),
    (r"\d\.gravatar", "N.gravatar"), (r'mailto:[^"]+">[^<]+', "ADDRESS"),
    (r"wordpress_\w*=[^;]+", "COOKIE"), (r"unapproved=\d+&moderation-hash=\w+", "HASH"))]

LOGIN = {"log": "admin", "pwd": "secret", "wp-submit": "Log In", "testcookie": "1"}

STEPS = (
    Step("the installer", "/wp-admin/install.php", must=("WordPress",)),
    Step("an installation", "/wp-admin/install.php?step=2", must=("Success!",),
         form={"weblog_title": "A blog", "user_name": "admin", "admin_password": "secret", "admin_password2": "secret",
               "pw_weak": "on", "admin_email": "a@example.test", "blog_public": "0", "language": ""}),
    Step("the front page", "/", must=("A blog", "Hello world!", "</html>")),
    Step("the front page again", "/", must=("A blog", "Hello world!", "</html>"),
         keep={"post": r'href="http://[^/"]+(/\d+/\d+/\d+/hello-world/)"'}),
    Step("a post by its number", "/?p=1", status=301),
    Step("a post", "{post}", must=("Welcome to WordPress",)),
    Step("a page", "/sample-page/", must=("Sample Page",)),
    Step("a page that is not there", "/?p=99", status=404, must=("404|be found",)),
    Step("a search", "/?s=hello", must=("Hello world!",)),
    Step("an archive", "/author/admin/", must=("admin",)),
    Step("the feed", "/?feed=rss2", must=("<rss", "Hello world!")),
    Step("the feed of comments", "/?feed=comments-rss2", must=("<rss",)),
    Step("the REST interface", "/?rest_route=/wp/v2/posts", must=('"Hello world!"',)),
    Step("a type of it", "/?rest_route=/wp/v2/types", must=('"post"',)),
    Step("xmlrpc by GET", "/xmlrpc.php", status=405),
    Step("xmlrpc", "/xmlrpc.php", raw=b"<methodCall><methodName>demo.addTwoNumbers</methodName><params><param><value><int>4</int>"
         b"</value></param><param><value><int>5</int></value></param></params></methodCall>",
         headers={"Content-Type": "text/xml"}, must=("<int>9</int>",)),
    Step("a comment", "/wp-comments-post.php", status=302,
         form={"comment": "A remark", "author": "Ann", "email": "ann@example.test", "url": "", "comment_post_ID": "1",
               "comment_parent": "0", "submit": "Post Comment"}),
    Step("the form to log in", "/wp-login.php", must=("Username",)),
    Step("a wrong password", "/wp-login.php", form={**LOGIN, "pwd": "wrong"}, must=("incorrect",)),
    Step("the right one", "/wp-login.php", status=302, form=LOGIN),
    Step("the dashboard", "/wp-admin/", must=("Dashboard", "</html>")),
    Step("the list of posts", "/wp-admin/edit.php", must=("Hello world!",)),
    Step("the profile", "/wp-admin/profile.php", must=("a@example.test",)),
    Step("the settings", "/wp-admin/options-general.php", must=("A blog",)),
    Step("the plugins", "/wp-admin/plugins.php", must=("Plugins",)),
    Step("the comments", "/wp-admin/edit-comments.php", must=("A remark",), keep={"nonce": r'"nonce":"([0-9a-f]{10})"'}),
    Step("the editor", "/wp-admin/post-new.php", must=("wp-block-editor",),
         keep={"rest": r'createNonceMiddleware\( "([0-9a-f]{10})"'}),
    Step("a new post", "/?rest_route=/wp/v2/posts", status=201, headers={"X-WP-Nonce": "{rest}", "Content-Type": "application/json"},
         raw=b'{"title":"Second","content":"<!-- wp:paragraph --><p>More</p><!-- /wp:paragraph -->","status":"publish"}',
         must=('"Second"',)),
    Step("the front page with it", "/", must=("Second",)),
    Step("leaving", "/wp-login.php?action=logout", status=403, must=("log out",)),
)
