"""A step of compat/apps: a request, what its answer must hold, what to remember for later ones."""

import re
import urllib.parse


class Step:
    """path, form and headers may name what was remembered as {name}.

    must: patterns that the body matches. keep: {name: pattern with one group}.
    body_is: the exact bytes.
    """

    def __init__(self, name, path, status=200, must=(), form=None, raw=None, headers=None, keep=None, body_is=None):
        self.name, self.path, self.status, self.must = name, path, status, must
        self.form, self.raw, self.headers, self.keep, self.body_is = form, raw, headers or {}, keep or {}, body_is

    def take(self, browser, memory):
        data = self.raw
        if self.form is not None:
            data = urllib.parse.urlencode({k: v.format(**memory) for k, v in self.form.items()}).encode()
        answer = browser.ask(self.path.format(**memory), data,
                             {k: v.format(**memory) for k, v in self.headers.items()})
        text = answer[2].decode("utf-8", "replace")
        for name, pattern in self.keep.items():
            m = re.search(pattern, text)
            memory[name] = m.group(1) if m else ""
        return answer

    def problems(self, status, headers, body):
        if status != self.status:
            yield f"status {status}, not {self.status}: {headers.get('Location', '')} {body[:300]!r}"
        text = body.decode("utf-8", "replace")
        for pattern in self.must:
            if not re.search(pattern, text, re.DOTALL):
                yield f"the body does not match {pattern}: {text[:300]!r}"
        if self.body_is is not None and body != self.body_is:
            yield f"the body has {len(body)} bytes, not the {len(self.body_is)} that were sent before"
