"""The scripts that both servers run, and names that no archive should have to carry."""

import os
import shutil

HERE = os.path.dirname(os.path.abspath(__file__))
RUN = "<?php\nrequire '{}/do.php';\n"
OFF_LIMITS = "unreadable.php"

# Name: None runs do.php, else the content.
FILES = {
    "i.php": None, "index.php": None, "dir/i.php": None, "dir/index.php": None, "sp ace/i.php": None, "sp ace.php": None,
    "\u30a2\u30d1.php": None, "p+q.php": None, "100%.php": None, "a.php.php": None, "two..dots.php": None, "semi;colon.php": None,
    "%41.php": None, "UP.PHP": None, "x.phar": None, "noext": None, "old.php5": None, ".php": None, "page.inc": None, "i.phpx": None,
    "path.php/i.php": None, "users/i.php": None, "users/deep/i.php": None, "bad/i.php": None, "other/deep/i.php": None,
    "users/.user.ini": "user_agent = from-user-ini\nmemory_limit = 77M\nauto_append_file = {root}/tail.inc\n",
    "users/deep/.user.ini": "precision = 5\ndefault_charset = latin1\noutput_buffering = 77\n",
    "other/.user.ini": "precision = 6\nopen_basedir = {root}\n", "other/deep/.htini": "precision = 3\n",
    "bad/.user.ini": "no such = [\nprecision\n= 4\nuser_agent = ${{HOME}}\n",
    "plain.txt": "static text\nof two lines\n", "lines.txt": "x\n" * 1000, "broken.php": "<?php\necho \"never\n", "broken.inc": "<?php\nif (\n",
    "twice.inc": "<?php\nfunction twice() {{}}\nfunction twice() {{}}\n", "plain.php": "no tags at all\n", "empty.php": "",
    "shebang.php": "#!/usr/bin/php\n<?php\necho __LINE__, \"\\n\";\n", "bom.php": "\ufeff<?php\nheader('X-After-Bom: 1');\necho \"bom\\n\";\n",
    "short.php": "<?php\necho 'no newline';", "silent.php": "<?php\n", "return.inc": "<?php\nreturn ['a' => 1];\n",
    "pid.php": "<?php\nwhile (ob_get_level()) {{ ob_end_clean(); }}\necho getmypid();\n",
    "tail.inc": "<?php\necho \"[tail]\\n\";\n", "head.inc": "<?php\nheader('X-Head: 1');\necho \"[head]\\n\";\n", "endtag.php": "<?php\nheader('X-A: 1');\n?>\n\n",
    "strict.php": "<?php\ndeclare(strict_types=1);\nnamespace A;\nrequire '{root}/do.php';\n", "halt.php": "<?php\necho 'a';\n__halt_compiler();rest",
    "broken-head.inc": "<?php\nthrow new Exception('from the head');\n", "exit.inc": "<?php\nexit('left early');\n",
    "css.php": "<?php\nheader('Content-Type: text/css');\nheader('Cache-Control: public');\necho 'a{{}}';\n",
    "json.php": "<?php\nheader('Content-Type: application/json');\nhttp_response_code(201);\necho '{{}}';\n",
    "image.php": "<?php\nheader('Content-Type: image/png');\nheader('Content-Length: 4');\necho \"\\x89PNG\";\n",
}
LINKS = {"link.php": "do.php", "dangling.php": "nowhere.php", "loop.php": "loop.php", "linkdir": "dir", "away.php": "../away.txt", "users/up.php": "../i.php"}


def make(stack, name="site"):
    root = stack.make_dir(name)
    for n in ("do.php", "steps.php"):
        shutil.copy(os.path.join(HERE, "site", n), root)
        os.chmod(os.path.join(root, n), 0o644)
    for n, content in FILES.items():
        stack.write(os.path.join(name, n), RUN.format(root) if content is None else content.format(root=root))
    stack.write(os.path.join(name, OFF_LIMITS), RUN.format(root), mode=0)
    stack.write(os.path.join(os.path.dirname(name), "away.txt"), "not of the site\n")
    for n, target in LINKS.items():
        os.symlink(target, os.path.join(root, n))
    locked = stack.make_dir(os.path.join(name, "locked"))
    stack.write(os.path.join(name, "locked", "i.php"), RUN.format(root))
    stack.write(os.path.join(name, "blind", "i.php"), RUN.format(root))
    # What files look like must not depend on the second in which they were made.
    for top, dirs, files in os.walk(root):
        for d in dirs:
            os.chmod(os.path.join(top, d), 0o755)
        for n in files:
            os.utime(os.path.join(top, n), (1700000000, 1700000000), follow_symlinks=False)
    os.chmod(os.path.join(root, "blind"), 0o711)
    os.chmod(locked, 0o444)
    return root
