"""Fuzzes every route of a running server, with all methods, over loopback: `script/fuzz SECONDS routes` runs it.

    python3 Tests/Fuzz/routes.py --seconds 60 [--requests N] [--seed N] [--clients N]

Some clients keep the rules of HTTP and break those of Weir, several requests to a connection at once; others break those of
HTTP too, or leave in the middle. Every answer must be well-formed with an explicit length, no 5xx may be a mistake of the
server's own (501, 503 and 505 are what they say), problem documents must be such, pages well-formed, nothing may hang, the
process must live, and it must say so within five seconds all the while.
"""

import argparse
import collections
import multiprocessing
import os
import pathlib
import queue
import random
import socket
import sys
import tempfile
import time

from answers import Closed, Failure, Reader, check
from hostile import Known, Maker
from peer import Peer

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "Browser"))
from weir import Weir  # noqa: E402

FAILURES = pathlib.Path(__file__).resolve().parents[2] / ".build-fuzz/failures/routes"
RUNBOOK = "# Release\n\n- [ ] Tell support\n- [ ] Tag it\n"


class Client:
    """One of several clients, each a process with chance of its own."""

    def __init__(self, number, port, peer, known, options):
        self.random = random.Random(options.seed * 1_000 + number)
        self.port, self.known = port, known
        self.maker = Maker(self.random, known, peer)
        self.sent = collections.deque(maxlen=20)
        self.statuses = collections.Counter()
        self.requests = 0

    def connect(self):
        connection = socket.create_connection(("127.0.0.1", self.port), timeout=40)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def send(self, connection, data):
        self.sent.append(data)
        try:
            connection.sendall(data)
        except ConnectionError:
            pass  # It has refused the first of several and is gone; its answer is still to be read.

    def turn(self):
        """One connection's life."""
        with self.connect() as connection:
            kind = self.random.random()
            self.maker.holds = 0.005 if kind < 0.95 else 0.8
            if kind < 0.85:
                self.polite(connection)
            elif kind < 0.95:
                self.garbled(connection)
            else:
                self.leaving(connection)

    def polite(self, connection):
        """Keeps the rules of HTTP: several requests at once, then all their answers, again and again."""
        reader = Reader(connection)
        for _ in range(self.random.randrange(1, 12)):
            batch = [self.maker.request(self.port) for _ in range(self.random.choice([1, 1, 2, 4, 8]))]
            self.send(connection, b"".join(data for _, _, data in batch))
            for method, target, _ in batch:
                try:
                    status, fields, body = reader.answer(method)
                except Closed:
                    return  # It said so, or broke off behind a request that it refused.
                except Failure as failure:
                    raise Failure(f"{method} {target}: {failure}") from None
                self.requests += 1
                self.statuses[status] += 1
                try:
                    document = check(method, target, status, fields, body)
                except Failure as failure:
                    raise Failure(f"{method} {target}: {failure}") from None
                if document is not None:
                    self.known.learn(document)
                if "close" in fields.get("connection", []):
                    return

    def garbled(self, connection):
        """Breaks the rules of HTTP: what is answered must keep them all the same."""
        data = self.maker.broken(self.maker.request(self.port, closes=True)[2])
        self.send(connection, data)
        self.requests += 1
        try:
            connection.shutdown(socket.SHUT_WR)
        except OSError:
            return
        reader = Reader(connection)
        while True:
            try:
                status, fields, body = reader.answer("HEAD" if data.startswith(b"HEAD") else "GET")
            except Closed:
                return
            self.statuses[status] += 1
            if status >= 500 and status not in (501, 503, 505):
                raise Failure(f"{status}: {body[:500]!r}")
            # What cannot be read is no HEAD to the server either, so that its last answer may have a body.
            if data.startswith(b"HEAD") and "close" in fields.get("connection", []):
                return

    def leaving(self, connection):
        """Goes away in the middle of a request, or of its answer."""
        data = self.maker.request(self.port)[2]
        self.send(connection, data[: self.random.randrange(1, len(data) + 1)])
        self.requests += 1


def run(number, port, peer, known, options, until, report):
    client = Client(number, port, peer, known, options)
    share = options.requests // options.clients if options.requests else None
    told = 0
    try:
        while time.monotonic() < until and (share is None or client.requests < share):
            client.turn()
            if client.requests - told > 200:
                told = client.requests
                report.put((number, told, None))
        report.put((number, client.requests, client.statuses))
    except Exception as failure:  # Whatever it was is a failure, with what was sent before it.
        FAILURES.mkdir(parents=True, exist_ok=True)
        file = FAILURES / f"client-{number}"
        file.write_bytes(b"\n\n".join(client.sent))
        report.put((number, client.requests, f"{type(failure).__name__}: {failure}\n  What was sent last: {file}"))


def alive(port):
    """How many seconds the server takes to say that it lives."""
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        status, _, _ = Reader(connection).answer("GET")
    if status != 200:
        raise Failure(f"/health/live answered {status}")
    return time.monotonic() - began


def fuzz(options, folder):
    peer = Peer(options.seed)
    runbook = pathlib.Path(folder) / "release.md"
    runbook.write_text(RUNBOOK)
    settings = {
        "WEIR_RUNBOOK": str(runbook), "WEIR_RETENTION_RUNS": "100", "WEIR_LOG_LEVEL": "warning",
        "WEIR_HTTP_REQUEST_ALLOW": "127.0.0.0/8", "WEIR_AUTH": "none", "WEIR_REPORTS_UNDECLARED": "yes",
        "WEIR_REPORTS_LEASE": "2",
        # A backtrace takes longer than a client waits; the words of a trap are in the log all the same.
        "SWIFT_BACKTRACE": "enable=no",
    }
    weir = Weir(folder, peer, settings).start()
    operations = [entry["id"] for entry in weir.ask("operations")["operations"]]
    stores = [entry["id"] for entry in weir.ask("stores")["stores"]]
    known = Known(operations, stores, weir.ask("feeds/board/changes?limit=1")["epoch"])
    # The first look at /system checks all templates, which in a debug build on a busy machine takes seconds.
    with socket.create_connection(("127.0.0.1", weir.port), timeout=60) as connection:
        connection.sendall(b"GET /system HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        Reader(connection).answer("GET")
    report, began = multiprocessing.Queue(), time.monotonic()
    until = began + options.seconds
    clients = [
        multiprocessing.Process(target=run, args=(number, weir.port, peer.port, known, options, until, report), daemon=True)
        for number in range(options.clients)
    ]
    for client in clients:
        client.start()
    counts, statuses, failures, slowest, going, next_look = {}, collections.Counter(), [], 0.0, len(clients), began
    while going and not failures:
        try:
            number, count, end = report.get(timeout=0.5)
            counts[number] = count
            if isinstance(end, str):
                failures.append(f"client {number}: {end}")
            elif end is not None:
                statuses += end
                going -= 1
        except queue.Empty:
            pass
        if time.monotonic() > until + 60:
            failures.append("a client has not ended a minute after its time: a request hangs")
        if time.monotonic() > next_look:
            next_look = time.monotonic() + 0.5
            try:
                slowest = max(slowest, alive(weir.port))
            except (OSError, Failure, Closed) as failure:
                failures.append(f"it does not say within 5 s that it lives: {failure!r}")
    if weir.process.poll() is not None:
        failures.insert(0, f"the server ended with {weir.process.returncode}")
    for client in clients:
        client.terminate() if failures else client.join(10)
    memory = int(next(line for line in open(f"/proc/{weir.process.pid}/status") if "VmRSS" in line).split()[1]) >> 10 if weir.process.poll() is None and os.path.exists("/proc") else 0
    if not failures:
        code, _ = weir.terminate(30)
        if code != 0:
            failures.append(f"the server ended with {code} when it was asked to")
    weir.close()
    peer.close()
    seconds = time.monotonic() - began
    total = sum(counts.values())
    print(f"  {'routes':<12} {total:10d} requests {total / seconds:6.0f}/s  health within {slowest:.2f} s  {memory} MB in the end")
    print("  answers: " + ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    for failure in failures:
        print(f"✕ {failure}", file=sys.stderr)
    if failures:
        FAILURES.mkdir(parents=True, exist_ok=True)
        (FAILURES / "weir.log").write_text(weir.log.read_text()[-100_000:])
        print(f"✕ To see it again: python3 Tests/Fuzz/routes.py --seed {options.seed} --clients {options.clients} "
              f"--seconds {options.seconds}; the server's log is {FAILURES / 'weir.log'}", file=sys.stderr)
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--requests", type=int, help="ends after about so many, whatever the time")
    parser.add_argument("--seed", type=int, default=9)
    parser.add_argument("--clients", type=int, default=4)
    options = parser.parse_args()
    multiprocessing.set_start_method("fork")
    with tempfile.TemporaryDirectory(prefix="weir-fuzz-") as folder:
        sys.exit(fuzz(options, folder))


if __name__ == "__main__":
    main()
