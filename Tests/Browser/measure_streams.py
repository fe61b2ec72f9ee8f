"""Measures what a held reader of a stream costs beside a page's held poll, and how fast runs are reported.

Run by hand: python Tests/Browser/measure_streams.py [followers] [releases]; WEIR_BINARY names the binary, best one built
with optimisation. CPU is the server's own, as the system counts it.
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
SETTINGS = {"WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "600", "WEIR_LOG_LEVEL": "warning", "WEIR_REPORTS_MAXIMUM": "1000"}


def cpu(weir):
    """Seconds of processor time that the server has used."""
    fields = open(f"/proc/{weir.process.pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Reporter:
    """Sends numbered requests on one connection."""

    def __init__(self, weir, run):
        self.connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=60)
        self.path, self.number = f"/api/v1/streams/reported/measure/{run}", 0
        self.ask("PUT", "")

    def ask(self, method, body, fields=None):
        self.connection.request(method, self.path, body, {"Content-Type": "application/json", **(fields or {})})
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
        self.port, self.answers = weir.port, 0
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", weir.port))
            self.selector.register(connection, selectors.EVENT_READ, bytearray())
            connection.sendall(first)

    def drain(self, count, seconds=60):
        """Reads until so many answers have come, and asks again after each."""
        wanted, deadline = self.answers + count, time.monotonic() + seconds
        while self.answers < wanted:
            assert time.monotonic() < deadline, f"{wanted - self.answers} answers are missing"
            for key, _ in self.selector.select(1):
                data = key.fileobj.recv(262_144)
                assert data, "a connection ended"
                key.data.extend(data)
                while (request := self.following(key.data)) is not None:
                    self.answers += 1
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


def page_following(buffer):
    answer = whole(buffer)
    return answer and get(json.loads(answer[1])["next"])


def stream_following(buffer):
    answer = whole(buffer)
    if answer is None:
        return None
    offset = re.search(r"(?i)stream-next-offset: (\S+)", answer[0])[1]
    cursor = re.search(r"(?i)stream-cursor: (\S+)", answer[0])[1]
    return get(f"/api/v1/streams/run-m?cursor={cursor}&live=long-poll&offset={offset}")


def held(kind, count, releases):
    """Microseconds of the server's processor for each follower and release."""
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(folder, Sky(), SETTINGS).start()
        reporter = Reporter(weir, "m")
        if kind == "page":
            page = http.client.HTTPConnection("127.0.0.1", weir.port)
            page.request("GET", "/runs/m")
            text = page.getresponse().read().decode()
            found = re.search(r'(/live/1/run-m/[a-z0-9]+/\d+/\d+)', text)
            first, following = get(found[1]), page_following
        else:
            first, following = get("/api/v1/streams/run-m?live=long-poll&offset=now"), stream_following
        crowd = Crowd(weir, count, first, following)
        time.sleep(1)
        costs = []
        for number in range(releases):
            before = cpu(weir)
            reporter.append({"state": "s", "completed": number})
            crowd.drain(count)
            time.sleep(0.2)
            costs.append(cpu(weir) - before)
        crowd.close()
        weir.close()
        return sum(costs) / releases / count * 1e6


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
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {count} followers, {releases} releases")
    results = {kind: [] for kind in ("page", "stream")}
    for _ in range(3):
        for kind in results:
            results[kind].append(held(kind, count, releases))
    for kind, values in results.items():
        print(f"a held {kind}: {min(values):.1f} to {max(values):.1f} µs of processor per follower and release")
    print(f"stream beside page: {min(results['stream']) / min(results['page']):.2f}")
    for reporters in (1, 100):
        rate, cost = appends(reporters, 10)
        print(f"{reporters} reporters: {rate:.0f} requests a second, {cost:.0f} µs of the server's processor each")


if __name__ == "__main__":
    main()
