"""Followers and reporters made of the Durable Streams client on PyPI, which nobody here wrote; and a proxy that fails."""

import contextlib
import json
import socket
import threading
import time

import httpx
from durable_streams import DurableStream, stream
from durable_streams._errors import DurableStreamError, RetentionGoneError
from weir import reserve


# Whoever waits for something here is woken by whoever does it, however slow either is.
CHANGED = threading.Condition()
LONG = 300


def told():
    with CHANGED:
        CHANGED.notify_all()


def until(condition, seconds=LONG):
    """Waits until something is so of followers and proxies, which look up each time something happens to one of them."""
    with CHANGED:
        assert CHANGED.wait_for(condition, seconds), "it did not come about in time"


def finish(thread, seconds=LONG):
    thread.join(seconds)
    assert not thread.is_alive(), "it did not end in time"


def client():
    """Asks this machine directly, whatever proxy the environment names."""
    return httpx.Client(timeout=20, trust_env=False)


class Follower(threading.Thread):
    """Reads a stream as a program would: saves its place after each batch, and goes on from there whatever happens."""

    def __init__(self, url, live, offset="-1"):
        super().__init__(daemon=True)
        self.url, self.live, self.offset = url, live, offset
        self.messages, self.lost, self.failures, self.problem = [], 0, 0, None
        self.ended = threading.Event()
        self.start()

    def run(self):
        try:
            while not self.ended.is_set():
                self.once()
        except BaseException as problem:  # told by the test
            self.problem = repr(problem)
        finally:
            told()

    def once(self):
        with client() as http:
            try:
                with stream(self.url, offset=self.offset, live=self.live, client=http) as response:
                    for event in response.iter_events(mode="json"):
                        self.messages += event.data
                        self.offset = event.next_offset
                        told()
                        if self.ended.is_set():
                            return
            except RetentionGoneError as gone:
                # It is told, and where the stream is kept: the program begins anew, with nothing of what it had.
                assert json.loads(gone.details)["type"].startswith("urn:weir:problem:")
                self.lost += 1
                self.messages, self.offset = [], "-1"
                told()
            except (DurableStreamError, httpx.HTTPError, json.JSONDecodeError, OSError) as failure:
                assert getattr(failure, "status", None) not in (400, 404), failure
                self.failures += 1
                told()
                self.ended.wait(0.05)

    @property
    def sequences(self):
        """Of the runs that a test makes: what runs while watched goes on because this follower watches."""
        messages = list(self.messages)
        everything = [message["sequence"] for message in messages]
        assert everything == sorted(set(everything)), "a change came twice, or too late"
        return [message["sequence"] for message in messages if message.get("operation") == "import"]

    @property
    def cases(self):
        """The states that have come so far."""
        return [message.get("case") for message in list(self.messages)]

    def stop(self):
        self.ended.set()


class Reporter:
    """Reports a run with numbered requests, each sent until it is answered."""

    def __init__(self, weir, operation, run, producer="reporter"):
        self.url = f"{weir.url}/api/v1/streams/reported/{operation}/{run}"
        self.number, self.closes = 0, False
        self.headers = {
            "Producer-Id": producer, "Producer-Epoch": "0", "Producer-Seq": lambda: str(self.number),
            "Stream-Closed": lambda: "true" if self.closes else "false",
        }
        self.repeats = 0

    def until_answered(self, act):
        deadline = time.monotonic() + LONG
        while True:
            try:
                with client() as http:
                    return act(http)
            except (DurableStreamError, httpx.HTTPError) as failure:
                assert getattr(failure, "status", None) not in (400, 403, 404, 410), failure
                assert time.monotonic() < deadline, failure
                self.repeats += 1
                time.sleep(0.05)

    def open(self, **opening):
        self.until_answered(
            lambda http: DurableStream.create(
                self.url, content_type="application/json", body=json.dumps(opening), client=http
            )
        )

    def send(self, message, closes=False):
        self.closes = closes

        def append(http):
            handle = DurableStream(
                self.url, content_type="application/json", headers=self.headers, client=http, batching=False
            )
            return handle.append(message)

        self.until_answered(append)
        self.number += 1


def recorded(weir):
    """The changes of the runs that a test makes."""
    return [change["sequence"] for change in weir.changes("board") if change.get("operation") == "import"]


def make_runs(weir, first, count):
    """Runs that are opened and over at once: two changes each, by a request that may be repeated."""
    for number in range(first, first + count):
        def put(http, number=number):
            answer = http.put(
                f"{weir.url}/api/v1/streams/reported/import/n{number}", headers={"Stream-Closed": "true"},
                json={"input": {"number": number}},
            )
            answer.raise_for_status()
        Reporter(weir, "import", f"n{number}").until_answered(put)


class Proxy(threading.Thread):
    """Passes bytes on; gives up on an answer after a while without a byte of it, and cuts answers in the middle."""

    def __init__(self, port, patience=None, cut_after=None):
        super().__init__(daemon=True)
        self.origin, self.patience, self.cut_after = port, patience, cut_after
        self.port, self.held = reserve()
        self.listener = socket.create_server(("127.0.0.1", self.port))
        self.given_up, self.cuts = 0, 0
        self.connections = set()
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        self.connections.add(connection)
        with connection:
            try:
                with socket.create_connection(("127.0.0.1", self.origin), timeout=5) as origin:
                    threading.Thread(target=self.pump, args=(connection, origin), daemon=True).start()
                    origin.settimeout(self.patience)
                    passed = 0
                    while data := origin.recv(65_536):
                        if self.cut_after is not None and passed + len(data) > self.cut_after:
                            connection.sendall(data[: max(0, self.cut_after - passed)])
                            self.cuts += 1
                            told()
                            return
                        connection.sendall(data)
                        passed += len(data)
            except TimeoutError:
                self.given_up += 1
                told()
            except OSError:
                pass
            finally:
                # Closing alone says nothing to the other end while the pump still reads from it.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    @staticmethod
    def pump(source, target):
        try:
            while data := source.recv(65_536):
                target.sendall(data)
        except OSError:
            pass

    def cut(self):
        """Ends all connections, and lets no new one come about."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self.connections.clear()

    def mend(self):
        """Takes connections again, at the same port."""
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.run, daemon=True).start()

    def stop(self):
        self.listener.close()
