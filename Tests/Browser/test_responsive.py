"""Health checks, held polls and starts stay quick while others ask for the longest work there is, and SIGTERM ends it.

`WEIR_BINARY` names another binary; `pytest -s` prints the medians of each kind, idle and burdened.
"""

import contextlib
import http.client
import json
import multiprocessing
import re
import statistics
import time

import pytest
from burdens import KINDS, PROBE, Patterns, TemplateChecks
from weir import Weir

pytestmark = pytest.mark.alone

#: The greatest medians, in milliseconds.
HEALTH, CHANGE, START = 50, 100, 200
#: How long SIGTERM can take: three seconds, and the longest `stop_grace_period` while programs run, which is one second here.
END = 3 + 1
#: The server listens before it reads, checks or asks for anything that can take long.
LISTENS = 5
SAMPLES = 15


class Probe:
    """Asks as a health check, a person who waits for a change, and a person who starts something would."""

    def __init__(self, weir):
        self.port = weir.port
        self.connections = {}

    def ask(self, path, method="GET", body=None):
        connection = self.connections.setdefault(path.partition("?")[0], http.client.HTTPConnection("127.0.0.1", self.port, timeout=60))
        connection.request(method, path, body, {"Content-Type": "application/json", "Accept": "*/*", "Accept-Language": "en"})
        answer = connection.getresponse()
        body = answer.read()
        assert answer.status in (200, 201, 202), f"{path}: {answer.status} {body[:300]!r}"
        return body

    def health(self):
        begun = time.monotonic()
        self.ask("/health/live")
        return time.monotonic() - begun

    def place(self):
        """The address of the next change on the page of the operation."""
        page = self.ask("/operations/probe")
        return re.search(rb'data-next="([^"]*)"', page.partition(b"<main")[2])[1].decode()

    def start(self):
        """How long a start takes, and how long after it a poll that is held brings the change."""
        poll = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        poll.request("GET", self.place(), headers={"Accept-Language": "en"})
        begun = time.monotonic()
        self.ask("/api/v1/operations/probe/runs", "POST", b"{}")
        started = time.monotonic()
        while (answer := json.loads(poll.getresponse().read()))["k"] == "empty":
            poll.request("GET", answer["next"], headers={"Accept-Language": "en"})  # It took longer than a hold.
        changed = time.monotonic()
        poll.close()
        if answer["k"] == "reset":
            return self.start()  # The burden replaced the catalog in between, and the page begins anew.
        assert answer["k"] == "batch", answer
        return started - begun, max(0, changed - started)

    def medians(self):
        """The medians in milliseconds of health checks, changes and starts."""
        health, starts, changes = [], [], []
        for _ in range(SAMPLES):
            health += [self.health() for _ in range(3)]
            start, change = self.start()
            starts.append(start)
            changes.append(change)
        return tuple(round(statistics.median(times) * 1_000, 1) for times in (health, changes, starts))


@contextlib.contextmanager
def burdened(burden, weir, known):
    """Carries out a burden in processes of its own."""
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=burden.loop, args=(number, weir.port, known), daemon=True) for number in range(burden.count)
    ]
    for process in processes:
        process.start()
    try:
        yield
        assert all(process.is_alive() for process in processes), "a burden was answered as none should be"
    finally:
        for process in processes:
            process.kill()
            process.join()


@pytest.mark.parametrize("kind", [
    kind if kind in (Patterns, TemplateChecks) else pytest.param(kind, marks=pytest.mark.long) for kind in KINDS
], ids=lambda kind: kind.__name__)
def test_health_changes_and_starts_stay_quick_during(kind, tmp_path, sky):
    burden = kind()
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, text in (burden.files(tmp_path) | {"probe.yml": PROBE}).items():
        (folder / name).write_text(text)
    weir = Weir(tmp_path, sky, {
        "WEIR_REPORTS_UNDECLARED": "yes", "WEIR_LOG_LEVEL": "error", "WEIR_RUNS_MAXIMUM": "5000", **burden.settings})
    try:
        weir.start()
        assert weir.started_in < LISTENS
        known = burden.prepare(weir)
        probe = Probe(weir)
        idle = probe.medians()
        with burdened(burden, weir, known):
            probe.medians()  # All of it is under way after the first round.
            busy = probe.medians()
            code, seconds = weir.terminate(60)
        print(f"\n{kind.__name__:16} health {idle[0]} → {busy[0]} ms, change {idle[1]} → {busy[1]} ms, "
              f"start {idle[2]} → {busy[2]} ms, SIGTERM {seconds:.1f} s, listens after {weir.started_in:.1f} s", flush=True)
        assert busy[0] <= HEALTH
        assert busy[1] <= CHANGE
        assert busy[2] <= START
        assert code == 0
        assert seconds < END
    finally:
        weir.close()
