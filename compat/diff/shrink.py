"""Makes a case that differs smaller while it still differs in the same field."""

import copy
import re

import tags
from servers import Servers
from settings import Pool

ATTEMPTS = 400
HISTORY = 150


def kind_of(found):
    """What makes two differences one of a kind, most likely."""
    def plain(field):
        return re.sub(r"^(\d\.)?header:.*", r"\1header", re.sub(r"\[.*\]", "[]", field))
    return " ".join(sorted({plain(f) for f, _, _ in found}))


def replaced(case, old, new):
    case = copy.deepcopy(case)
    for one in [case, *case.get("history", [])]:
        for request in one["requests"]:
            request["params"] = [(n, v.replace(old, new)) for n, v in request["params"]]
    return case


def portable(case, root):
    return replaced(case, root, "{root}")


def local(case, root):
    return replaced(case, "{root}", root)


class Result:
    def __init__(self, case, pool, found, note):
        self.case, self.pool, self.found, self.note = case, pool, found, note


class Shrinker:
    def __init__(self, programs, pool, unexplained):
        self.programs, self.pool, self.unexplained = programs, pool, unexplained
        self.left = ATTEMPTS

    def differences(self, servers, case):
        here = local(case, servers.roots[self.pool.name])
        return self.unexplained(servers.ask(here, careful=bool(self.late)), tags.of_case(here, servers.pools[here["pool"]]))

    def run(self, case, history):
        """A Result, or None when it does not differ again."""
        self.late = True
        found, note = self.alone(self.pool, case), ""
        if not found:
            case = {**case, "history": history[-HISTORY:]}
            found, note = self.alone(self.pool, case), ", after what was asked before"
            if not found:
                return None
            case = self.shorter_history(case)
        self.fields = {f for f, _, _ in found}
        self.late = "log" in self.fields
        pool = self.fewer_settings(case)
        with Servers(self.programs, [pool]) as servers:
            case = self.smaller(servers, case)
        self.late = True
        return Result(case, pool, self.alone(pool, case) or found, note)

    def alone(self, pool, case):
        """What differs on servers of its own."""
        with Servers(self.programs, [pool]) as servers:
            for earlier in case.get("history", []):
                servers.ask(local(earlier, servers.roots[self.pool.name]))
            servers.log_differences(False)
            return self.differences(servers, case)

    def shorter_history(self, case):
        history, size = case["history"], max(1, len(case["history"]) // 2)
        while size:
            at = 0
            while at < len(history) and self.left > 0:
                self.left -= 5
                fewer = history[:at] + history[at + size:]
                if self.alone(self.pool, {**case, "history": fewer}):
                    history = fewer
                else:
                    at += size
            size //= 2
        return {**case, "history": history}

    def same(self, found):
        return bool({f for f, _, _ in found} & self.fields)

    def fewer_settings(self, case):
        pool = self.pool
        for name in list(pool.directives):
            fewer = Pool(pool.name, {k: v for k, v in pool.directives.items() if k != name}, pool.life)
            fewer.directives.setdefault("access.format", "")
            if fewer.directives != pool.directives and self.same(self.alone(fewer, case)):
                pool = fewer
        return pool

    def smaller(self, servers, case):
        changed = True
        while changed and self.left > 0:
            changed = False
            for attempt in self.attempts(case):
                if self.left <= 0:
                    break
                self.left -= 1
                if not case.get("history") and self.same(self.differences(servers, attempt)):
                    case, changed = attempt, True
                    break
        return case

    def attempts(self, case):
        for i, request in enumerate(case["requests"]):
            def but(**change):
                return {**case, "requests": case["requests"][:i] + [{**request, **change}] + case["requests"][i + 1:]}
            if request.get("how"):
                yield but(how={})
            params = request["params"]
            size = max(1, len(params) // 2)
            while True:
                for at in range(0, len(params), size):
                    yield but(params=params[:at] + params[at + size:])
                if size == 1:
                    break
                size //= 2
            for at, (name, value) in enumerate(params):
                if name == "DO" and "|" in value:
                    steps = value.split("|")
                    for n in range(len(steps)):
                        yield but(params=params[:at] + [(name, "|".join(steps[:n] + steps[n + 1:]))] + params[at + 1:])
                elif "\n" in value and name.startswith("PHP_"):
                    rows = value.split("\n")
                    for n in range(len(rows)):
                        yield but(params=params[:at] + [(name, "\n".join(rows[:n] + rows[n + 1:]))] + params[at + 1:])
                elif len(value) > 200:
                    yield but(params=params[:at] + [(name, value[:len(value) // 2])] + params[at + 1:])
            body = request.get("body", "")
            if body:
                for cut in (body[:len(body) // 2], body[len(body) // 2:], body[:-1]):
                    lengths = [(n, str(len(cut)) if n == "CONTENT_LENGTH" and v == str(len(body)) else v) for n, v in params]
                    yield but(body=cut, params=lengths)
