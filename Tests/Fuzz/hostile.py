"""Requests that nobody in their right mind sends: any route, any method, with hostile paths, queries, fields and bodies.

Everything comes from one `random.Random`, so that a seed makes the same requests again; only ids and cursors are those
that the server itself has given.
"""

import json
import urllib.parse

SEGMENTS = [
    "", ".", "..", "%2e%2e", "%2F", "%5c", "%00", "%", "%zz", "%c0%af", "%ff", "%F0%9F%98%80", "a" * 300, "<script>", "\"'",
    "-1", "0", "1", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "1e9", "%20", "+", "a--b",
    "%E2%80%AE", "%CC%81", "e.1", "null", "runs", "board", "run-x", "store-x", "operation-greeting", "output-x", ";a=b", "~", "*",
]
NUMBERS = [
    "0", "1", "2", "-1", "42", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "18446744073709551616",
    "1e3", "1.5", "", " ", "0x10", "+1", "١", "previous", "nan", "99999999999999999999999999", "007",
]
TEXTS = [
    "", "a", "é", "e\u0301", "\u202e", "\ud7ff", "😀", "<b>&\"'", "{{x}}", "'; DROP TABLE run; --", "a" * 3000, "\t", "*", "ab*",
    "(", "\\", "%", "2026-11-21T12:00:00Z", "2026-11-21", "+999999-12-31T23:59:59-23:59", "failed", "greeting", "\u0000", "\r\n",
]
PARAMETERS = [
    "operation", "phase", "actor", "text", "startedAfter", "startedBefore", "before", "limit", "from", "to", "at", "with", "a",
    "b", "after", "wait", "filename", "lang", "label", "name", "back", "destination", "x",
]
METHODS = ["GET"] * 12 + ["HEAD"] * 2 + ["POST"] * 8 + ["PUT"] * 2 + ["DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"]
# The map of the site: Sources/WeirWeb/Requests/Route.swift, told in Documentation/http-api.md.
ROUTES = [
    "", "runs", "gallery", "system", "hello", "after/{cursor}", "operations/{operation}", "operations/{operation}/runs",
    "operations/{operation}/compare", "operations/{operation}/after/{cursor}", "runs/after/{cursor}", "imports", "runs/export",
    "runs/{run}/export", "runs/{run}", "runs/{run}/cancellation", "runs/{run}/retries", "runs/{run}/output",
    "runs/{run}/after/{cursor}", "stores", "stores/after/{cursor}", "stores/{store}", "stores/{store}/actions",
    "stores/{store}/state", "stores/{store}/reset", "stores/{store}/after/{cursor}", "stores/{store}/effects/{number}/{number}",
    "report", "api/v1/report", "operations/{operation}/acknowledgement", "operations/{operation}/acknowledgement/end",
    "api/v1/operations/{operation}/acknowledgement", "api/v1/operations/{operation}/acknowledgement/end",
    "schedules", "schedules/{operation}/pause", "schedules/{operation}/resumption", "api/v1/schedules",
    "api/v1/schedules/{operation}", "api/v1/schedules/{operation}/pause", "api/v1/schedules/{operation}/resumption",
    "name", "health/live", "health/ready", "live/1/{feed}/{epoch}/{number}/now", "live/1/{feed}/snap",
    "live/1/{feed}/{epoch}/{number}/{number}", "live/1/{word}", "assets/{word}", "assets/{word}/{word}", "assets/weir.css",
    "api/v1/operations", "api/v1/operations/{operation}", "api/v1/operations/{operation}/runs", "api/v1/runs", "api/v1/imports",
    "api/v1/runs/export", "api/v1/runs/{run}", "api/v1/runs/{run}/export", "api/v1/runs/{run}/cancellation",
    "api/v1/runs/{run}/retries", "api/v1/runs/{run}/comparison", "api/v1/stores", "api/v1/stores/{store}",
    "api/v1/stores/{store}/actions", "api/v1/stores/{store}/state", "api/v1/stores/{store}/reset", "api/v1/runs/{run}/output",
    "api/v1/feeds/{feed}/changes", "api/v1/streams/{feed}", "api/v1/streams/{feed}/text",
    "api/v1/streams/reported/{operation}/{run}", "api/v1/streams/reported/fuzz/{reported}", "api/v1/{word}", "{word}", "{word}/{word}/{word}",
]
# Starting work is what a server is for, so it is asked for more often than the map has it.
ROUTES += ["operations/{operation}/runs", "api/v1/operations/{operation}/runs", "api/v1/stores/{store}/actions"] * 4
ROUTES += ["api/v1/streams/reported/fuzz/{reported}"] * 4


class Known:
    """What a client has been told of the server."""

    def __init__(self, operations, stores, epoch):
        self.operations, self.stores, self.epoch = operations, stores, epoch
        self.runs = ["01k0000000000000000000000"]
        self.sequence = 1

    def learn(self, document):
        """Takes the ids and cursors of a JSON answer."""
        if not isinstance(document, dict):
            return
        if isinstance(document.get("id"), str) and "operation" in document:
            self.runs = (self.runs + [document["id"]])[-50:]
        for run in document.get("runs", []) if isinstance(document.get("runs"), list) else []:
            self.learn(run)
        if isinstance(document.get("sequence"), int):
            self.sequence = max(self.sequence, document["sequence"])


class Maker:
    """Makes requests, from one source of chance."""

    def __init__(self, random, known, peer):
        self.random, self.known, self.peer = random, known, peer
        # How often a cursor is one of this journal, behind which a request may be held for 13 s.
        self.holds = 0.005

    def maybe(self, chance):
        return self.random.random() < chance

    # What stands in a path

    def value(self, name):
        pick, known = self.random.choice, self.known
        if self.maybe(0.15):
            return pick(SEGMENTS)
        if name == "operation":
            return pick(known.operations)
        if name == "run":
            return pick(known.runs)
        if name == "store":
            return pick(known.stores)
        if name == "number":
            return pick(NUMBERS) if self.maybe(0.5) else str(self.random.randrange(known.sequence + 2))
        if name == "reported":
            return f"reported-{self.random.randrange(30)}"
        if name == "epoch":
            return known.epoch if self.maybe(self.holds) else "e"
        if name == "cursor":
            return f"{self.value('epoch')}.{self.value('number')}"
        if name == "feed":
            kind = pick(["board", "operation-", "run-", "store-", "output-"])
            names = {"operation-": known.operations, "run-": known.runs, "output-": known.runs, "store-": known.stores}
            return kind + pick(names[kind]) if kind in names else kind
        return pick(SEGMENTS)

    def target(self):
        path = self.random.choice(ROUTES)
        while "{" in path:
            before, _, rest = path.partition("{")
            name, _, after = rest.partition("}")
            path = before + self.value(name).replace("{", "%7B") + after
        path = "/" + path
        if "/streams/" in path and self.maybe(0.6):
            path += "?" + self.reading()
        elif self.maybe(0.4):
            path += "?" + self.query()
        # A request may not wait longer than the reader does.
        path = path.replace(" ", "%20")
        return "".join(c if 0x21 <= ord(c) <= 0x7E else urllib.parse.quote(c, errors="replace") for c in path)

    def query(self):
        pairs = []
        for _ in range(self.random.randrange(4)):
            name = self.random.choice(PARAMETERS)
            value = self.random.choice(NUMBERS + TEXTS)
            if name == "wait":
                value = self.random.choice(["0", "1", "-1", "x"])
            if name in ("at", "before", "after") and self.maybe(0.5):
                value = self.value("number" if name != "after" else "cursor")
            encoded = urllib.parse.quote(value, safe="", errors="replace") if self.maybe(0.9) else value
            pairs.append(f"{name}={encoded}")
        return "&".join(pairs)

    def reading(self):
        """The query of a reader of a stream; one that leaves may ask for events, which last for a minute."""
        offset = f"1nbxyzaaaa_{self.value('epoch')}_{self.random.randrange(self.known.sequence + 2):016d}"
        offset = self.random.choice(["-1", "now", offset, offset + "_0000000000000001", self.random.choice(NUMBERS)])
        pairs = [f"offset={urllib.parse.quote(offset, safe='', errors='replace')}"]
        if self.maybe(0.3):
            pairs.append(f"cursor={urllib.parse.quote(self.random.choice(NUMBERS), safe='', errors='replace')}")
        if self.maybe(self.holds):
            pairs.append("live=" + self.random.choice(["sse", "long-poll"] if self.holds > 0.5 else ["long-poll"]))
        elif self.maybe(0.2):
            pairs.append("live=x")
        self.random.shuffle(pairs)
        return "&".join(pairs)

    # What is sent along

    def body(self, target):
        """The bytes of a body and its media type."""
        kind = self.random.randrange(8)
        if "/reported/" in target and self.maybe(0.7):
            data = json.dumps(self.messages()).encode("utf-8", "replace")
            return (self.broken(data) if self.maybe(0.15) else data), "application/json"
        if kind == 0:
            return b"", None
        if kind == 1:
            return self.random.randbytes(self.random.randrange(400)), self.random.choice(["application/json", "x", "text/plain"])
        if kind == 2:
            return urllib.parse.urlencode(self.members(target), errors="replace").encode(), "application/x-www-form-urlencoded"
        if kind == 3:
            return self.multipart(target)
        if kind == 4 and "imports" in target:
            return self.export(), "application/jsonl"
        text = json.dumps(self.members(target)) if self.maybe(0.9) else "[" * self.random.randrange(2000)
        data = text.encode("utf-8", "replace")
        return (self.broken(data) if self.maybe(0.2) else data), "application/json"

    def members(self, target):
        scalar = lambda: self.random.choice(TEXTS + NUMBERS + [0, -1, 1.5, True, None, [], {}, 2**63, 1e308])
        url = f"http://127.0.0.1:{self.random.choice([self.peer, self.peer, self.peer, 1, 65536, 99999])}/{self.random.randrange(99)}"
        members = {
            "label": scalar(), "url": url if self.maybe(0.8) else scalar(), "method": self.random.choice(["GET", "POST", "HEAD", "x"]),
            "timeout": self.random.choice([0.1, 0.5, -1, "x"]), "attempts": self.random.choice([1, 1, 2, 0]), "body": scalar(),
            "expectedStatus": self.random.choice([200, 404, 0]), "step": self.random.choice(["tag-it", "tell-support", "x", 1]),
            "type": self.random.choice(["tick", "untick", "skip", "take", "assign", "comment", "wait", "stopWaiting", "export", "x", 1]),
            "reason": scalar(), "text": scalar(), "to": scalar(), "at": self.value("number"), "name": scalar(), "back": scalar(),
            "destination": "archive", "filename": scalar(),
        }
        wanted = ["label"] if "greeting" in target else ["url", "method", "timeout"] if "http-request" in target else []
        wanted = ["type", "step", "reason", "text"] if "actions" in target else wanted
        rest = self.random.sample(sorted(members), self.random.randrange(4) if self.maybe(0.3) else 0)
        return {name: members[name] for name in wanted + rest}

    def messages(self):
        """What a reporter of a run sends: most of it right."""
        def message():
            scalar = self.random.choice(TEXTS + NUMBERS + [0, -1, 1.5, True, None, [], {}, 2**63, 1e308])
            return self.random.choice([
                {"state": self.random.choice(["a", "b", scalar]), "completed": self.random.choice([1, scalar]), "total": 9},
                {"state": "c", "unit": self.random.choice(["bytes", "items", scalar]), "more": scalar},
                {"state": "end", "phase": self.random.choice(["succeeded", "failed", "active", scalar])},
                {"line": self.random.choice(["x", scalar]), "channel": self.random.choice(["stdout", "stderr"])},
                {"beat": True}, {"input": {"x": scalar}, "title": scalar}, {"input": {}}, scalar, {},
            ])
        return self.random.choice([message(), [message() for _ in range(self.random.randrange(6))]])

    def multipart(self, target):
        boundary = "b" * self.random.randrange(1, 40)
        parts = [f'Content-Disposition: form-data; name="{name}"\r\n\r\n{value}' for name, value in self.members(target).items()]
        filename = self.random.choice(["a.txt", "../x", "", "é\u202e.txt", '\\"'])
        content = self.random.randbytes(self.random.randrange(300)).decode("latin-1")
        parts.append(f'Content-Disposition: form-data; name="file"; filename="{filename}"\r\n\r\n{content}')
        if self.maybe(0.2):
            self.random.shuffle(parts)
        text = "".join(f"--{boundary}\r\n{part}\r\n" for part in parts) + f"--{boundary}--\r\n"
        data = text.encode("utf-8", "replace")
        return (self.broken(data) if self.maybe(0.2) else data), f"multipart/form-data; boundary={boundary}"

    def export(self):
        run = f"01fuzz{self.random.randrange(40)}"
        number = lambda: self.random.choice([0, 1, 2**63 - 1, -(2**63), 2**63, -1])
        change = {
            "at": self.random.choice(TEXTS + ["2026-11-21T12:00:00Z"] * 30), "case": "success", "payload": {}, "phase": "succeeded",
            "revision": 0 if self.maybe(0.8) else number(), "sequence": number(), "stream": f"run-{run}", "subject": "greeting",
            "transition": True, "opening": {"actor": self.random.choice(TEXTS), "input": {"label": self.random.choice(TEXTS)}},
        }
        lines = [{"header": {"created": "2026-11-21T12:00:00Z", "epoch": "fuzz", "format": 1}}, {"change": change}]
        lines.append({"end": {"changes": 1, "lines": 0, "runs": 1}})
        data = "".join(json.dumps(line) + "\n" for line in lines).encode("utf-8", "replace")
        return self.broken(data) if self.maybe(0.3) else data

    def broken(self, data):
        """The same with some bytes changed, cut out or doubled."""
        data = bytearray(data)
        for _ in range(self.random.randrange(1, 4)):
            place = self.random.randrange(len(data) + 1)
            turn = self.random.randrange(3)
            if turn == 0:
                data[place : place + 1] = bytes([self.random.randrange(256)])
            elif turn == 1:
                del data[place : place + self.random.randrange(20)]
            else:
                data[place:place] = data[place : place + self.random.randrange(20)]
        return bytes(data)

    def fields(self, port):
        text = lambda: self.random.choice(TEXTS).replace("\r", "").replace("\n", "").replace("\0", "")[:500]
        host = f"127.0.0.1:{port}"
        fields = [("Host", host if self.maybe(0.9) else self.random.choice(["localhost", "evil.example", "", "[::1]", "a:b:c", "*"]))]
        if self.maybe(0.03):
            fields.append(("Host", host))
        optional = {
            "Accept": self.random.choice(["application/json", "text/html", "*/*", text(), ";", 'a/b;q="']),
            "Accept-Language": self.random.choice(["pt-BR", "en;q=0", text(), ","]), "Prefer": self.random.choice(["wait=1", "wait=x", text()]),
            "Cookie": self.random.choice(["weir-name=Ana", "weir-lang=pt-BR", "weir-name=%", "=;=", text()]),
            "Idempotency-Key": self.random.choice(["k%d" % self.random.randrange(50), '"', '""', text(), "k" * 255]),
            "X-Weir-Actor": text(), "Origin": self.random.choice([f"http://{host}", "null", "://", text()]),
            "Sec-Fetch-Site": self.random.choice(["same-origin", "cross-site", "none", text()]), "Range": "bytes=0-",
            "If-None-Match": self.random.choice(["*", '"x"', text()]), "If-Modified-Since": text(), "Expect": "100-continue",
            "Upgrade": self.random.choice(["h2c", "websocket"]), "Accept-Encoding": "gzip", "X-Forwarded-For": text(), "TE": "trailers",
        }
        fields += [(name, optional[name]) for name in sorted(optional) if self.maybe(0.12)]
        if self.maybe(0.15):
            number = lambda: self.random.choice([str(self.random.randrange(4))] * 4 + NUMBERS).encode("ascii", "replace").decode()
            fields += [("Producer-Id", f"p{self.random.randrange(3)}"), ("Producer-Epoch", number()), ("Producer-Seq", number())]
        if self.maybe(0.08):
            fields.append(("Stream-Closed", self.random.choice(["true", "TRUE", "false", "1"])))
        return fields

    def request(self, port, closes=False):
        """A request as bytes, with its method and target."""
        method, target = self.random.choice(METHODS), self.target()
        fields, body = self.fields(port), b""
        if method in ("POST", "PUT", "PATCH") or self.maybe(0.05):
            body, kind = self.body(target)
            if kind and self.maybe(0.95):
                fields.append(("Content-Type", kind))
            if body and self.maybe(0.2):
                fields.append(("Transfer-Encoding", "chunked"))
                body = self.chunked(body)
            else:
                fields.append(("Content-Length", str(len(body))))
        if closes:
            fields.append(("Connection", "close"))
        head = f"{method} {target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields) + "\r\n"
        return method, target, head.encode("utf-8", "replace") + body

    def chunked(self, body):
        pieces, place = [], 0
        while place < len(body):
            piece = body[place : place + self.random.randrange(1, 200)]
            pieces.append(b"%x\r\n%b\r\n" % (len(piece), piece))
            place += len(piece)
        return b"".join(pieces) + b"0\r\n\r\n"
