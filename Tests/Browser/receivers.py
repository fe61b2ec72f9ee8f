"""Receivers of messages on loopback: each takes only what its maker documents, and keeps it."""

import json
import threading
from email.header import decode_header, make_header
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receivers:
    """/slack/…, /teams, /ntfy/topic and /generic; /broken answers 500 as long as `fails`."""

    def __init__(self):
        self.taken, self.wrong, self.fails = [], [], True
        receivers = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                kind = self.path.split("/")[1]
                if kind == "broken" and receivers.fails:
                    return self._answer(500)
                try:
                    said = getattr(receivers, f"_{kind.replace('broken', 'generic')}")(self.headers, body)
                except (AssertionError, KeyError, ValueError, IndexError) as error:
                    receivers.wrong.append((self.path, repr(error), body))
                    return self._answer(400)
                receivers.taken.append((kind, said, self.headers["X-Weir-Delivery"], dict(self.headers)))
                self._answer(200)

            def _answer(self, status):
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def of(self, kind):
        return [said for place, said, *_ in self.taken if place == kind]

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def _generic(self, headers, body):
        assert headers["Content-Type"] == "application/json"
        message = json.loads(body)
        assert message["delivery"] == headers["X-Weir-Delivery"]
        return message

    def _slack(self, headers, body):
        """https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks and the reference of blocks."""
        assert headers["Content-Type"] == "application/json"
        message = json.loads(body)
        assert set(message) <= {"text", "blocks"} and message["text"] and len(message["blocks"]) <= 50
        for block in message["blocks"]:
            if block["type"] == "header":
                assert block["text"]["type"] == "plain_text" and 1 <= len(block["text"]["text"]) <= 150
            elif block["type"] == "section":
                assert block["text"]["type"] in ("plain_text", "mrkdwn") and 1 <= len(block["text"]["text"]) <= 3000
            else:
                assert block["type"] == "context" and 1 <= len(block["elements"]) <= 10
        return message["text"]

    def _teams(self, headers, body):
        """A workflow that posts cards: a message with attachments of adaptive cards, of at most 28 KB."""
        assert headers["Content-Type"] == "application/json" and len(body) <= 28_000
        message = json.loads(body)
        assert message["type"] == "message"
        card = message["attachments"][0]
        assert card["contentType"] == "application/vnd.microsoft.card.adaptive"
        content = card["content"]
        assert content["type"] == "AdaptiveCard" and content["version"] == "1.4"
        assert all(element["type"] == "TextBlock" and element["text"] for element in content["body"])
        assert all(action["url"].startswith("http") for action in content.get("actions", []))
        return content["body"][0]["text"]

    def _ntfy(self, headers, body):
        """https://docs.ntfy.sh/publish/"""
        assert 0 < len(body) <= 4_096 and body.decode()
        assert headers["Priority"] in "12345" and headers["Tags"]
        return str(make_header(decode_header(headers["Title"])))
