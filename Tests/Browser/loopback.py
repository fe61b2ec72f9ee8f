"""A server that speaks protocol 1 on a loopback port, for tests of the client alone."""

import json
import pathlib
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PUBLIC = pathlib.Path(__file__).resolve().parents[2] / "Public"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types weir"
)
TYPES = {".js": "text/javascript", ".svg": "image/svg+xml", ".css": "text/css"}
HOLD = 14


class Feed:
    """One feed: its page as it is now, and the changes that led there."""

    def __init__(self, epoch="e1"):
        self.epoch = epoch
        self.changes = []
        self.floor = 0
        self.body = ""
        self.closed = False
        self.next_sequence = 1

    @property
    def head(self):
        return self.changes[-1][0] if self.changes else self.floor


class Loopback:
    def __init__(self):
        self.feed = Feed()
        self.changed = threading.Condition()
        self.requests = []
        self.scripted = []
        self.posts = []
        self.reply = lambda path, headers, body: (201, {"location": "/"}, "application/json")
        self.refuse = False
        self.main_attributes = ""
        self.extra = ""
        self.pages = {}
        self.slot = 100
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # an answer in one write

            def log_message(self, *_):
                pass

            def do_GET(self):
                server.get(self)

            def do_POST(self):
                server.post(self)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, client_address):
                if not isinstance(sys.exception(), ConnectionError):
                    super().handle_error(request, client_address)

        self.http = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    def close(self):
        with self.changed:
            self.feed.closed = True
            self.changed.notify_all()
        self.http.shutdown()
        self.http.server_close()

    # What a test does

    def publish(self, operations, body=None):
        """Records one change; `body` is the page's content from then on."""
        with self.changed:
            sequence = self.feed.next_sequence
            self.feed.next_sequence += 1
            self.feed.changes.append([sequence, "run-1", sequence, operations])
            if body is not None:
                self.feed.body = body
            self.changed.notify_all()
            return sequence

    def script(self, *answers):
        """The next live requests get these instead: dicts, raw bytes, or functions of the path."""
        with self.changed:
            self.scripted.extend(answers)
            self.changed.notify_all()

    def count(self, needle):
        return sum(1 for _, path in self.requests if needle in path)

    # What the server answers

    def links(self, name, cursor):
        base = f"/live/1/{name}/{self.feed.epoch}/{cursor}"
        self.slot += 1
        return {"next": f"{base}/{self.slot}", "now": f"{base}/now"}

    def main(self, name):
        feed = self.feed
        links = self.links(name, feed.head)
        return (
            f'<main id="page" data-epoch="{feed.epoch}" data-sequence="{feed.head}" data-next="{links["next"]}" '
            f'data-now="{links["now"]}" data-snap="/live/1/{name}/snap" {self.main_attributes}>{feed.body}</main>'
        )

    def document(self, name="board"):
        return (
            '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"/><title>Test</title>'
            '<link id="favicon" rel="icon" href="/icons/idle.svg" data-icon-idle="/icons/idle.svg" '
            'data-icon-active="/icons/active.svg" data-icon-ok="/icons/ok.svg" data-icon-bad="/icons/bad.svg" '
            'data-icon-warn="/icons/warn.svg"/>'
            '<script type="module" src="/weir.js"></script></head><body>'
            '<header><nav><a href="/" data-key="g o">Overview</a> <a href="/runs" data-key="g r">Runs</a></nav>'
            '<div id="live" role="status" data-state="live" data-text-live="Live" data-text-reconnecting="Reconnecting…" '
            'data-text-stale="Stale since {time}" data-text-paused="Paused at change {n}" '
            'data-text-degraded="Slower than usual" data-text-gap="{count} updates not kept" '
            'data-text-gap-one="1 update not kept" data-text-ended="Ended" data-text-gone="Signed out. Load again." data-text-stopped="Stopped. Reload the page." '
            'data-text-unreachable="No answer. Try again.">'
            '<span id="live-dot" class="dot"></span><span id="live-text">Live</span></div></header>'
            f"{self.main(name)}{self.extra}</body></html>"
        )

    def answer(self, name, epoch, cursor):
        feed = self.feed
        snap = f"/live/1/{name}/snap"
        if epoch != feed.epoch:
            return {"v": 1, "k": "reset", "why": "epoch", "e": feed.epoch, "snap": snap}
        if cursor > feed.head:
            return {"v": 1, "k": "reset", "why": "future", "e": feed.epoch, "snap": snap}
        if cursor < feed.floor:
            lost = [cursor + 1, feed.floor]
            return {"v": 1, "k": "reset", "why": "gap", "e": feed.epoch, "lost": lost, "snap": snap}
        later = [change for change in feed.changes if change[0] > cursor]
        part = later[:500]
        if part:
            to = part[-1][0]
            more = len(part) < len(later)
            return {"v": 1, "k": "batch", "e": epoch, "from": cursor, "to": to, "more": more, "ev": part, **self.links(name, to)}
        if feed.closed:
            return {"v": 1, "k": "end", "e": epoch, "from": cursor, "to": cursor}
        return {"v": 1, "k": "empty", "e": epoch, "from": cursor, "to": cursor, **self.links(name, cursor)}

    def live(self, path):
        feed = self.feed
        _, _, _, name, *rest = path.split("/")
        with self.changed:
            if rest == ["snap"]:
                html = self.main(name)
                return {"v": 1, "k": "snap", "e": feed.epoch, "at": feed.head, "html": html, **self.links(name, feed.head)}
            epoch, cursor, slot = rest
            until = time.monotonic() + HOLD
            while slot != "now" and not self.scripted and time.monotonic() < until:
                if self.answer(name, epoch, int(cursor))["k"] != "empty":
                    break
                self.changed.wait(until - time.monotonic())
            if self.scripted:
                scripted = self.scripted.pop(0)
                return scripted(path) if callable(scripted) else scripted
            return self.answer(name, epoch, int(cursor))

    def get(self, handler):
        path = handler.path
        self.requests.append((time.monotonic(), path))
        if self.refuse and path.startswith("/live/"):
            return self.send(handler, 503, "{}", "application/json")
        if path.startswith("/live/"):
            answer = self.live(path)
            if isinstance(answer, bytes):
                return self.send(handler, 200, answer, "application/json")
            status = answer.pop("status", 200) if isinstance(answer, dict) else 200
            return self.send(handler, status, json.dumps(answer), "application/json", "no-cache" if path.endswith("now") else "public, max-age=20")
        file = PUBLIC / path.lstrip("/")
        if file.suffix in TYPES and file.is_file():
            return self.send(handler, 200, file.read_bytes(), TYPES[file.suffix], "max-age=60")
        page = self.pages.get(path)
        name = path.removeprefix("/feeds/") if path.startswith("/feeds/") else "board"
        return self.send(handler, 200, page() if page else self.document(name), "text/html; charset=utf-8", "no-cache")

    def post(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        self.posts.append((handler.path, dict(handler.headers), body))
        status, content, kind = self.reply(handler.path, handler.headers, body)
        self.send(handler, status, content if isinstance(content, (str, bytes)) else json.dumps(content), kind)

    def send(self, handler, status, content, kind, cache="no-store"):
        data = content if isinstance(content, bytes) else content.encode()
        handler.send_response(status)
        handler.send_header("Content-Type", kind)
        handler.send_header("Content-Length", str(len(data)))
        handler.send_header("Cache-Control", cache)
        handler.send_header("Content-Security-Policy", POLICY)
        handler.end_headers()
        handler.wfile.write(data)
