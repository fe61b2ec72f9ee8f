"""Measures what a held reader of a stream costs beside a page's held poll, and how fast runs are reported.

Run by hand: python Tests/Browser/measure_streams.py [followers] [releases] [seconds]; WEIR_BINARY names the binary, best one
built with optimisation. Processor time and memory are the server's own, as the system counts them; runs are reported into
its journal on disk for so many seconds, by one reporter and by a hundred.
"""

import http.client
import json
import os
import re
import resource
import selectors
import socket
import sys
import tempfile
import threading
import time

from sky import Sky
from weir import BINARY, Weir

TICKS = os.sysconf("SC_CLK_TCK")
ROUNDS = 3
SETTINGS = {
    "WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "600", "WEIR_LOG_LEVEL": "warning", "WEIR_REPORTS_MAXIMUM": "1000",
}


def cpu(weir):
    """Seconds of processor time that the server has used."""
    fields = open(f"/proc/{weir.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Reporter:
    """Sends numbered requests on one connection."""

    def __init__(self, weir, run, fields=None):
        self.fields = fields or {}
        self.connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=60)
        self.path, self.number = f"/api/v1/streams/reported/measure/{run}", 0
        self.ask("PUT", "")

    def ask(self, method, body, fields=None):
        self.connection.request(method, self.path, body, {"Content-Type": "application/json", **self.fields, **(fields or {})})
        answer = self.connection.getresponse()
        answer.read()
        assert answer.status < 300, answer.status

    def append(self, messages):
        fields = {"Producer-Id": "m", "Producer-Epoch": "0", "Producer-Seq": str(self.number)}
        self.ask("POST", json.dumps(messages), fields)
        self.number += 1


class Crowd:
    """Very many followers, each a connection that asks again at once."""

    def __init__(self, weir, count, first, following):
        self.selector, self.following = selectors.DefaultSelector(), following
        self.told = 0
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", weir.port))
            self.selector.register(connection, selectors.EVENT_READ, bytearray())
            connection.sendall(first)

    def drain(self, count, seconds=60):
        """Reads until news came to so many, and asks again after each answer; a wait without news counts for nothing."""
        wanted, deadline = self.told + count, time.monotonic() + seconds
        while self.told < wanted:
            assert time.monotonic() < deadline, f"{wanted - self.told} answers are missing"
            for key, _ in self.selector.select(1):
                data = key.fileobj.recv(262_144)
                assert data, "a connection ended"
                key.data.extend(data)
                while (answer := whole(key.data)) is not None:
                    request, is_news = self.following(*answer)
                    self.told += is_news
                    key.fileobj.sendall(request)

    def close(self):
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()


def whole(buffer):
    """Takes one answer from the front; its head and body, or nothing yet."""
    end = buffer.find(b"\r\n\r\n")
    if end < 0:
        return None
    head = bytes(buffer[:end]).decode()
    length = int(found[1]) if (found := re.search(r"(?i)content-length: (\d+)", head)) else 0
    if len(buffer) < end + 4 + length:
        return None
    body = bytes(buffer[end + 4 : end + 4 + length])
    del buffer[: end + 4 + length]
    return head, body


def get(target):
    return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def page_following(head, body):
    answer = json.loads(body)
    return get(answer["next"]), answer["k"] == "batch"


def stream_following(head, body):
    offset = re.search(r"(?i)stream-next-offset: (\S+)", head)[1]
    cursor = re.search(r"(?i)stream-cursor: (\S+)", head)[1]
    return get(f"/api/v1/streams/run-m?cursor={cursor}&live=long-poll&offset={offset}"), " 200 " in head[:16]


def settle(weir):
    """Returns once the server rests: it used no processor for a while."""
    used = cpu(weir)
    while True:
        time.sleep(0.3)
        if (now := cpu(weir)) - used < 2 / TICKS:
            return
        used = now


def memory(weir):
    """Bytes that the server has in memory."""
    return int(re.search(r"VmRSS:\s+(\d+)", open(f"/proc/{weir.process.pid}/status").read())[1]) * 1024


def held(kind, count, releases):
    """Of one held follower: microseconds of the server's processor for each release, and bytes of its memory."""
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(folder, Sky(), SETTINGS).start()
        reporter = Reporter(weir, "m")
        if kind == "page":
            page = http.client.HTTPConnection("127.0.0.1", weir.port)
            page.request("GET", "/runs/m")
            text = page.getresponse().read().decode()
            found = re.search(r"(/live/1/run-m/[a-z0-9]+/\d+/\d+)", text)
            first, following = get(found[1]), page_following
        else:
            first, following = get("/api/v1/streams/run-m?live=long-poll&offset=now"), stream_following
        settle(weir)
        before = memory(weir)
        crowd = Crowd(weir, count, first, following)
        settle(weir)
        space = (memory(weir) - before) / count
        used = cpu(weir)
        for number in range(releases):
            reporter.append({"state": "s", "completed": number})
            crowd.drain(count)
        settle(weir)
        used = cpu(weir) - used
        crowd.close()
        weir.close()
        return used / releases / count * 1e6, space


def appends(reporters, seconds):
    """Requests and messages a second, of so many reporters at once, each with one request under way."""
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(folder, Sky(), SETTINGS).start()
        all_ = [Reporter(weir, f"r{number}") for number in range(reporters)]
        end = time.monotonic() + seconds

        def work(reporter):
            while time.monotonic() < end:
                reporter.append({"state": "s", "completed": reporter.number})

        threads = [threading.Thread(target=work, args=(reporter,)) for reporter in all_]
        begun, used = time.monotonic(), cpu(weir)
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        taken, count = time.monotonic() - begun, sum(reporter.number for reporter in all_)
        used = cpu(weir) - used
        weir.close()
        return count / taken, used / count * 1e6


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    releases = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {count} followers, {releases} releases")
    results = {kind: [] for kind in ("page", "stream")}
    for _ in range(ROUNDS):
        for kind, values in results.items():
            values.append(held(kind, count, releases))
    best = {kind: [min(column) for column in zip(*values)] for kind, values in results.items()}
    for kind, values in results.items():
        costs, spaces = zip(*values)
        print(
            f"a held {kind}: {min(costs):.1f} to {max(costs):.1f} µs of processor per follower and release, "
            f"{min(spaces) / 1024:.1f} to {max(spaces) / 1024:.1f} KiB of memory per follower"
        )
    for place, name in enumerate(("processor", "memory")):
        print(f"stream beside page, {name}: {best['stream'][place] / best['page'][place]:.2f} (aim: 1.1 at most)")
    for reporters in (1, 100):
        rate, cost = appends(reporters, seconds)
        print(f"{reporters} reporters: {rate:.0f} requests a second, {cost:.0f} µs of the server's processor each")


if __name__ == "__main__":
    main()
