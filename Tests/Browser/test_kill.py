"""The real server is killed at random moments, a hundred times, while it works and is looked at."""

import gzip
import hashlib
import json
import os
import random
import re
import socket
import sqlite3
import subprocess
import threading
import time

import pytest
from followers import APIFollower, Client, Gate, Lost, PollFollower

KILLS = int(os.environ.get("WEIR_KILLS", "100"))
SEED = int(os.environ.get("WEIR_KILL_SEED", "20260731"))

GOING = ("idle", "active")
# These begin again by themselves with the next viewer, so there is nothing to press.
WATCHED = {"host-vitals", "iss-position"}


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning"}


class Worker(threading.Thread):
    """Does the same thing again and again while the server is there."""

    def __init__(self, gate, once, waits):
        super().__init__(daemon=True)
        self.gate, self.once, self.waits, self.problem = gate, once, waits, None

    def run(self):
        try:
            self.gate.each_turn(self._try)
        except BaseException as problem:  # told by the test
            self.problem = repr(problem)

    def _try(self):
        # No faster than what happens is shown, or the slowest follower loses changes that are no longer in memory.
        with self.gate.changed:
            if self.waits():
                self.gate.changed.wait(1)
                return
        try:
            self.once()
        except Lost:
            pass  # who asked by a key asks again


class Starts:
    """Starts greetings one after the other, each by a key of its own, and asks again by it when no answer came."""

    def __init__(self, weir, gate, name):
        self.client, self.gate, self.name, self.number = Client(weir), gate, name, 0
        self.answered = {}

    def __call__(self):
        label = f"{self.name}-{self.number}"
        headers = {"Content-Type": "application/json", "Idempotency-Key": label}
        body = f'{{"label":"{label}"}}'
        status, answer = self.client.ask("/api/v1/operations/greeting/runs", "POST", body, headers)
        if status == 429:
            # As many runs are going as one actor may have; some end before the next kill.
            return
        assert status in (200, 201, 202), f"{status}: {answer[:300]!r}"
        self.answered[label] = json.loads(answer)["id"]
        self.number += 1
        # At the pace of the changes that are shown.
        with self.gate.changed:
            self.gate.changed.wait(1)


class Uploads:
    """Sends files one after the other."""

    def __init__(self, weir, chance):
        self.weir, self.chance = weir, chance
        self.sent = {}

    def __call__(self):
        name = f"file-{len(self.sent)}.bin"
        content = self.chance.randbytes(self.chance.randint(1, 2_000_000))
        self.sent[name] = hashlib.sha256(content).hexdigest()
        head = (
            f"POST /api/v1/operations/file-upload/runs?filename={name} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        try:
            with socket.create_connection(("127.0.0.1", self.weir.port), timeout=20) as connection:
                connection.sendall(head.encode())
                for start in range(0, len(content), 16_384):
                    connection.sendall(content[start : start + 16_384])
                while connection.recv(65_536):
                    pass
        except OSError as error:
            raise Lost from error


class Journal:
    """All changes the server has told of after its restarts, and the runs they make."""

    def __init__(self):
        self.changes = {}
        self.runs = {}
        self.head = 0

    def add(self, change):
        """Takes the next change in, and returns the one of its run before it."""
        sequence, run = change["sequence"], change["stream"]
        assert sequence > self.head, f"{change} came after {self.head}"
        self.changes[sequence], self.head = change, sequence
        before = self.runs.get(run)
        assert change["revision"] == (before["revision"] + 1 if before else 0), f"a gap before {change}"
        assert before is None or before["phase"] in GOING, f"{change} came after the end"
        self.runs[run] = change
        return before


class Killing:
    """The server under test, those who use it, and what must hold after each restart."""

    def __init__(self, weir):
        self.weir, self.gate, self.chance = weir, Gate(), random.Random(SEED)
        self.client, self.journal = Client(weir), Journal()
        self.board = APIFollower(weir, self.gate, "board")
        self.followers = [
            self.board,
            PollFollower(weir, self.gate, "board", "/"),
            PollFollower(weir, self.gate, "board--pt-br", "/", "pt-BR"),
            PollFollower(weir, self.gate, "operation-greeting", "/operations/greeting"),
            APIFollower(weir, self.gate, "operation-file-upload"),
        ]
        self.starts = [Starts(weir, self.gate, "a"), Starts(weir, self.gate, "b")]
        self.uploads = Uploads(weir, random.Random(SEED + 1))
        self.workers = [Worker(self.gate, once, self.is_any_behind) for once in [*self.starts, self.uploads]]
        self.interrupted = 0

    def is_any_behind(self):
        cursors = [each.cursor for each in self.followers if each.feed.startswith("board")]
        return max(cursors) - min(cursors) > 1_000

    def begin(self):
        self.gate.open()
        for thread in [*self.followers, *self.workers]:
            thread.start()

    def end(self):
        self.gate.end()
        for thread in [*self.followers, *self.workers]:
            thread.join(40)
            assert not thread.is_alive()
        self.hold_to_no_problem()

    def hold_to_no_problem(self):
        assert [thread.problem for thread in [*self.followers, *self.workers] if thread.problem] == []

    def kill_at_some_moment(self):
        """Kills it once so many more changes were shown, at once or milliseconds later, and sometimes its successor too."""
        begins = self.chance.random() < 0.15
        pause = self.chance.choice((0, self.chance.random() * 0.03))
        count = len(self.board.shown) + self.chance.randint(1, 40)
        with self.gate.changed:
            shown = self.gate.changed.wait_for(
                lambda: len(self.board.shown) >= count or any(each.problem for each in self.followers), 30)
        self.hold_to_no_problem()
        assert shown, "nothing goes on"
        moment = time.perf_counter() + pause
        while time.perf_counter() < moment:
            pass
        self.kill()
        if begins:
            self.kill_while_it_begins()

    def kill(self):
        self.weir.kill()
        self.client.close()
        self.gate.shut()

    def kill_while_it_begins(self):
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(self.weir.command, stdout=quiet, stderr=quiet, env=self.weir.environment)
        moment = time.perf_counter() + self.chance.random() * self.weir.started_in
        while time.perf_counter() < moment:
            pass
        process.kill()
        process.wait()

    def check(self):
        """Holds the server that just started, which nobody has asked anything yet, to what was shown before."""
        before = self.journal.head
        told = self.board.again(self.client, before) if self.board.epoch else {}
        stopped = []
        for sequence in sorted(told):
            last = self.journal.add(told[sequence])
            if told[sequence]["case"] == "interrupted":
                assert told[sequence]["state"] == {"last": last["case"]}
                stopped.append(told[sequence])
        going = [last for last in self.journal.runs.values() if last["phase"] in GOING]
        assert going == [], "a run of a process that died still goes"
        self.interrupted += len(stopped)
        for follower in self.followers:
            self.hold_to_what_was_shown(follower, before)
        asked_for = [each["stream"].removeprefix("run-") for each in stopped if each["operation"] not in WATCHED]
        if asked_for:
            self.hold_to_another_try(self.chance.choice(asked_for))
        self.hold_to_whole_files()

    def hold_to_what_was_shown(self, follower, after):
        again = follower.again(self.client, max(after, follower.began)) if follower.epoch else {}
        for sequence, content in follower.shown.items():
            if sequence > after:
                told = again.get(sequence)
                assert told == content, f"{follower.feed} showed {content}, and now tells {told}"

    def hold_to_all(self):
        """Holds each follower to every change of its feed, up to the last restart: none missed, and none stands still."""
        for follower in self.followers:
            topic = follower.feed.removesuffix("--pt-br").removeprefix("operation-")
            due = {
                sequence for sequence, change in self.journal.changes.items()
                if sequence > follower.began and topic in ("board", change["operation"])
            }
            while follower.cursor < max(due):
                seen = follower.cursor
                with self.gate.changed:
                    moved = self.gate.changed.wait_for(lambda: follower.problem or follower.cursor > seen, 30)
                self.hold_to_no_problem()
                assert moved, f"{follower.feed} stands still at {follower.cursor}"
            assert {sequence for sequence in follower.shown if sequence <= self.journal.head} == due, follower.feed

    def hold_to_another_try(self, run):
        found = self.client.json(f"/api/v1/runs/{run}")
        assert found["phase"] == "interrupted" and found["cause"] and found["endedAt"]
        _, page = self.client.ask(f"/runs/{run}", headers={"Accept": "text/html"})
        assert re.search(rf'<form[^>]*action="/runs/{run}/retries"'.encode(), page), "there is no other try"

    def hold_to_whole_files(self):
        for path in self.files("archive"):
            name = path.name.removesuffix(".gz")
            assert hashlib.sha256(gzip.decompress(path.read_bytes())).hexdigest() == self.uploads.sent[name], path
        whole = set(self.uploads.sent.values())
        for path in self.files("spool"):
            assert path.suffix == ".original", f"{path} is no whole file"
            assert hashlib.sha256(path.read_bytes()).hexdigest() in whole, path
        kept = {path.name for path in self.files("archive")}
        for last in self.journal.runs.values():
            if last["operation"] == "file-upload" and last["phase"] == "succeeded":
                assert os.path.basename(last["state"]["location"]) in kept

    def files(self, folder):
        return [path for path in (self.weir.data / folder).rglob("*") if path.is_file()]


# K3, K4
def test_a_hundred_kills_lose_nothing_that_was_shown(weir):
    killing = Killing(weir)
    killing.begin()
    for _ in range(KILLS):
        killing.kill_at_some_moment()
        weir.start()
        killing.check()
        killing.gate.open()
    killing.hold_to_all()
    killing.end()
    killing.kill()
    weir.start()
    killing.check()
    last = killing.journal.runs.values()
    assert killing.interrupted > KILLS / 2
    assert sum(change["phase"] == "succeeded" for change in last) > KILLS / 2
    hold_to_each_start_once(killing)
    assert weir.terminate()[0] == 0
    with sqlite3.connect(weir.data / "journal.sqlite") as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("SELECT count(*) FROM changes").fetchone()[0] >= len(killing.journal.changes)
    assert list(weir.data.glob("*damaged*")) == []


def hold_to_each_start_once(killing):
    """Every start that was answered happened, and each once, however often it was asked for."""
    labels, before = [], ""
    while before is not None:
        page = killing.client.json(f"/api/v1/runs?operation=greeting&limit=500{before}")
        labels += [run["input"]["label"] for run in page["runs"]]
        before = page["next"] and f"&before={page['next']}"
    assert len(labels) == len(set(labels))
    for starts in killing.starts:
        for label, run in starts.answered.items():
            assert f"run-{run}" in killing.journal.runs and label in labels, f"{label} was answered and is gone"
