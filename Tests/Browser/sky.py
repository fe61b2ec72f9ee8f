"""What the standard operations ask, on a loopback port: the station, the people in space, and a greeter."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from weir import reserve


class Sky:
    def __init__(self):
        self.asked = {"/iss-now.json": 0, "/astros.json": 0, "/hello": 0}
        self.longitude = -65.0
        self.fails = False
        self.people = [("Ann", "ISS"), ("Bob", "ISS"), ("Li", "Tiangong")]
        self.greets = threading.Event()
        self.greets.set()
        self._port, self._held = reserve()
        self._server = None
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self._port}"

    def start(self):
        """Listens: on the same port as before, if it did before."""
        sky = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                sky._answer(self)

        self._server = ThreadingHTTPServer(("127.0.0.1", self._port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def stop(self):
        """Refuses connections from now on."""
        self.greets.set()
        if self._server:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def _answer(self, request):
        target = urlsplit(request.path)
        self.asked[target.path] = self.asked.get(target.path, 0) + 1
        if target.path == "/iss-now.json":
            self.longitude = (self.longitude + 185) % 360 - 180
            place = {"latitude": "12.345600", "longitude": f"{self.longitude:.4f}"}
            kind, body = "application/json", json.dumps({"message": "success", "iss_position": place})
        elif target.path == "/astros.json":
            people = [{"name": name, "craft": craft} for name, craft in self.people]
            kind, body = "application/json", json.dumps({"message": "success", "number": len(people), "people": people})
        else:
            self.greets.wait(60)
            kind, body = "text/plain; charset=utf-8", f"Hello, {parse_qs(target.query)['label'][0]}!"
        sent = body.encode()
        try:
            request.send_response(503 if self.fails else 200)
            request.send_header("Content-Type", kind)
            request.send_header("Content-Length", str(len(sent)))
            request.end_headers()
            request.wfile.write(sent)
        except ConnectionError:
            pass  # who asked has left
