"""The real server as a process, for browser tests."""

import asyncio
import concurrent.futures
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

BINARY = os.environ.get("WEIR_BINARY") or str(pathlib.Path(__file__).resolve().parents[2] / ".build/debug/weir")


def until(condition, seconds=60, otherwise=lambda: "it did not come about in time"):
    """Waits until a condition holds. The pauses between checks grow to 50 ms, to leave the processor to the server.

    `otherwise` returns what a failure shows.
    """
    deadline, pause = time.monotonic() + seconds, 0.001
    while not (result := condition()):
        assert time.monotonic() < deadline, otherwise()
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return result


def reserve():
    """A port that nobody else is given, while what holds it is kept: it is bound, and only who names it can listen there."""
    held = socket.socket()
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    port = held.getsockname()[1]
    if sys.platform != "linux":
        held.close()  # Elsewhere nobody could listen beside it.
    return port, held


RESERVED = []


def free_port():
    """A port that stays reserved until the tests are over."""
    RESERVED.append(reserve())
    return RESERVED[-1][0]


class Weir:
    def __init__(self, folder, sky, settings=None, prefix=()):
        self.prefix = [str(part) for part in prefix]
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.data = self.folder / "data"
        # The same after each restart, so that nobody may have it in between.
        self.port, self._held = reserve()
        self.scheme = "http"
        self.process = None
        self.started_in = None
        # Of the requests of `ask`, such as a token.
        self.headers = {}
        self.log = self.folder / "weir.log"
        self._log = open(self.log, "ab")
        self.environment = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}
        self.environment |= {
            "WEIR_ISS_POSITION_URL": sky.url + "/iss-now.json",
            "WEIR_ISS_POSITION_INTERVAL": "0.3",
            "WEIR_PEOPLE_IN_SPACE_URL": sky.url + "/astros.json",
            "WEIR_HTTP_REQUEST_ALLOW": "127.0.0.1",
            **(settings or {}),
        }

    @property
    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def command(self):
        return [*self.prefix, BINARY, "serve", "--port", str(self.port), "--data", str(self.data)]

    def start(self):
        """Starts it, on the same port and data as before, and returns once it listens."""
        begun = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            stdout=subprocess.PIPE, stderr=self._log, text=True, env=self.environment, cwd=self.folder,
        )
        for line in self.process.stdout:
            if found := re.search(r"Weir is at (https?)://[\d.]+:(\d+)/", line):
                self.scheme, self.port = found[1], int(found[2])
                self.started_in = time.monotonic() - begun
                return self
        raise AssertionError("weir did not start:\n" + self.log.read_text())

    def add_user(self, name, role, password="correct horse"):
        """Adds somebody who signs in with a password."""
        subprocess.run(
            [BINARY, "user", "add", name, "--role", role, "--data", str(self.data)],
            input=password + "\n", text=True, check=True, env=self.environment, cwd=self.folder, capture_output=True,
        )

    def add_people(self, **roles):
        """Adds people while the server runs, the first of them an administrator, and returns when it knows them all."""
        # Not there where routes are fuzzed, which adds nobody.
        import httpx

        for name, role in roles.items():
            self.add_user(name, role)
        with httpx.Client(base_url=self.url, headers={"Sec-Fetch-Site": "same-origin"}, trust_env=False, timeout=30) as client:
            until(lambda: client.get("/sign-in").status_code == 200)
            form = {"name": next(iter(roles)), "password": "correct horse"}
            assert client.post("/sign-in", data=form).status_code == 303
            until(lambda: set(roles) <= {user["name"] for user in client.get("/api/v1/users").json()["users"]})

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self, seconds=10):
        """Asks it to end; returns its exit code and how long it took."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(seconds), time.monotonic() - begun

    def close(self):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.process:
            self.process.stdout.close()
        self._log.close()
        self._held.close()

    def ask(self, path, method="GET", body=None):
        """Asks the API; returns what it answers."""
        sent = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + "/api/v1/" + path, method=method, data=sent, headers={"Content-Type": "application/json", **self.headers}
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return json.load(answer)

    def page(self, path):
        """A page's markup, as it is sent to somebody without JavaScript."""
        request = urllib.request.Request(self.url + path, headers={"Accept": "text/html"})
        return urllib.request.urlopen(request, timeout=30).read().decode()

    def put(self, path):
        """Opens a run that is reported."""
        self.send(path, "PUT")

    def post(self, path, messages, closes=False):
        """Reports messages of a run."""
        self.send(path, "POST", messages, {"Stream-Closed": "true"} if closes else {})

    def send(self, path, method, body=None, headers=None):
        """Asks the API for what has no body in its answer."""
        sent = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + "/api/v1/" + path, method=method, data=sent,
            headers={"Content-Type": "application/json", **(headers or {})},
        )
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30).close()

    def run(self, operation, **input):
        return self.ask(f"operations/{operation}/runs", "POST", input)

    def latest(self, operation):
        return self.ask(f"operations/{operation}")["latest"]

    def ended(self, run):
        """The run, once it has ended. While it has begun and is not recorded yet, the server answers 503."""
        def now():
            try:
                return self.ask(f"runs/{run['id']}")
            except urllib.error.HTTPError as error:
                assert error.code == 503, error.read().decode()
                return {"endedAt": None}

        return until(lambda: (found := now())["endedAt"] and found)

    def changes(self, feed):
        """All changes of a feed that the server still has."""
        found, after = [], ""
        while True:
            answer = self.ask(f"feeds/{feed}/changes{after}")
            found += answer["changes"]
            if not answer["more"]:
                return found
            after = f"?after={answer['epoch']}.{answer['to']}"

    def cases(self, run):
        """The names of the states that a run passed through."""
        changes = self.ask(f"feeds/run-{run['id']}/changes")["changes"]
        return list(dict.fromkeys(change["case"] for change in changes))


def apart(work):
    """Runs a coroutine on a thread of its own: that of the tests may have a loop, the browser's."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()
