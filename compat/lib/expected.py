"""compat/expected.txt: the differences that are meant."""

import fnmatch
import os

from stack import SRC


class Row:
    def __init__(self, line):
        words = line.split(None, 4)
        if len(words) < 5:
            raise ValueError(f"compat/expected.txt: a line needs suite, case, front, field and reason: {line}")
        self.suite, self.place, self.line, self.used = words[0], words[1:4], line, 0


class Expected:
    """The lines of one suite: SUITE CASE FRONT FIELD reason. The three in the middle may hold * and ?."""

    def __init__(self, suite, lines=None):
        if lines is None:
            with open(os.path.join(SRC, "compat", "expected.txt"), encoding="utf-8") as f:
                lines = f.read().splitlines()
        rows = [Row(line) for line in lines if line.strip() and not line.startswith("#")]
        self.rows = [row for row in rows if row.suite == suite]

    def explains(self, cases, front, field):
        """cases: the name of a case, or all the names that it goes by."""
        cases = [cases] if isinstance(cases, str) else cases
        hit = False
        for row in self.rows:
            # [ and ] are part of field names, not sets of characters.
            case, *rest = (w.replace("[", "[[]") for w in row.place)
            if all(fnmatch.fnmatchcase(p, w) for p, w in zip((front, field), rest)) and \
                    any(fnmatch.fnmatchcase(c, case) for c in cases):
                row.used += 1
                hit = True
        return hit

    def unused(self):
        return [row.line for row in self.rows if not row.used]
