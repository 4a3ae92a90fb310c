"""The site that all servers serve: site/ and files with names that no archive should have to carry."""

import os

INCLUDE = "<?php\nrequire '{}/dump.php';\n"

# Name: None for the dump, or the content.
FILES = {
    "i.php": None, "index.php": None, "dir/i.php": None, "dir/index.php": None, "sp ace/i.php": None,
    "sp ace.php": None, "\u30a2\u30d1\u30c3\u30c1.php": None, "p+q.php": None, "100%.php": None, "\u00e9.php": None,
    "a.php.php": None, "two..dots.php": None, "semi;colon.php": None, "amp&and.php": None, "quote'\".php": None,
    "%41.php": None, "A.php": None, "UP.PHP": None, "x.phar": None, "noext": None, "old.php5": None,
    "path.php/i.php": None, "users/i.php": None, "users/deep/i.php": None,
    "users/.user.ini": "user_agent = from-user-ini\nmemory_limit = 77M\n",
    "users/deep/.user.ini": "memory_limit = 88M\n",
    "broken.php": "<?php\necho \"never\n", "broken.inc": "<?php\nif (\n", "plain.php": "no tags at all\n", "empty.php": "",
    "shebang.php": "#!/usr/bin/php\n<?php\necho \"after the line\\n\", __LINE__, \"\\n\";\n",
    "bom.php": "\ufeff<?php\nheader('X-After-Bom: 1');\necho \"bom\\n\";\n",
    "short.php": "<?php\necho 'no newline';", "silent.php": "<?php\n// No output.\n", "secret.txt": "static\n",
}


def make(stack, source):
    """Copies and completes the site; returns its document root."""
    root = stack.copy_site(source)
    for name, content in FILES.items():
        stack.write(os.path.join("site", name), INCLUDE.format(root) if content is None else content)
    for top, dirs, _ in os.walk(root):
        for d in dirs:
            os.chmod(os.path.join(top, d), 0o755)
    stack.write("site/unreadable.php", "<?php\n", mode=0o000)
    os.symlink("dump.php", os.path.join(root, "link.php"))
    os.symlink("nowhere.php", os.path.join(root, "dangling.php"))
    stack.make_dir("notes", 0o777)
    return root
