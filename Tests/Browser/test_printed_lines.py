"""The lines that runs print on several servers of one database, as every reader at every server is shown them."""

import contextlib
import html
import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from cluster import other, role, third  # noqa: F401
from cluster import settings as cluster_settings  # noqa: F401
from postgres import Postgres, unprivileged
from weir import BINARY, until

TALK = """
title: Talk
inputs: [{name: lines, type: number, default: 20}]
command: [sh, -c, 'for n in $(seq "$1"); do echo "line $n"; sleep 0.1; done', sh, "{{lines}}"]
"""


class SmallPostgres(Postgres):
    """A database whose tables are on a small disk of their own."""

    def call(self, name, *arguments):
        if name != "initdb":
            return super().call(name, *arguments)
        data = self.folder / "data"
        data.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=160m,mode=0700", "none", data], check=True)
        os.chown(data, unprivileged()["user"], unprivileged()["group"])
        return super().call(name, *arguments, "-X", self.folder / "log-of-writes")

    def fill(self):
        with open(self.folder / "data/ballast", "wb", buffering=0) as ballast:
            for size in (1 << 20, 4_096):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(size))

    def stop(self):
        super().stop()
        subprocess.run(["umount", self.folder / "data"], check=False)


@pytest.fixture
def postgres(tmp_path, fault):
    postgres = None
    try:
        if fault is database_disk_is_full and os.getuid() != 0:
            pytest.skip("a disk of its own takes a mount, which root may make")
        postgres = (SmallPostgres if fault is database_disk_is_full else Postgres)(tmp_path / "postgres").start()
        yield postgres
    finally:
        if postgres:
            postgres.stop()


@pytest.fixture
def settings(cluster_settings, tmp_path):
    (tmp_path / "operations/talk.yml").write_text(TALK)
    return cluster_settings


LINES = [f"line {n}" for n in range(1, 21)]


@pytest.fixture
def servers(weir, other, third):
    return [weir, other.start(), third.start()]


def get(server, path):
    with urllib.request.urlopen(server.url + path, timeout=30) as answer:
        return answer.read().decode()


def from_api(server, run):
    answer = server.ask(f"runs/{run}/output?limit=1000")
    assert answer["ended"], f"the output of {run} is open at {server.url}"
    return [line["text"] for line in answer["lines"]]


def from_file(server, run):
    return get(server, f"/runs/{run}/output").splitlines()


def from_page(server, run):
    box = get(server, f"/runs/{run}").partition('id="output-lines"')[2].partition("</ol>")[0]
    return [html.unescape(re.sub("<[^>]*>", "", line)).strip() for line in re.findall(r"<li\b.*?</li>", box, re.DOTALL)]


def from_stream(server, run):
    return get(server, f"/api/v1/streams/output-{run}/text").splitlines()


def from_program(server, run):
    done = subprocess.run(
        [BINARY, "output", run, "--server", server.url], capture_output=True, text=True, timeout=60, cwd=server.folder,
        env={key: value for key, value in server.environment.items() if not key.startswith("WEIR_")})
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def from_export(server, run):
    entries = [json.loads(line) for line in get(server, f"/api/v1/runs/{run}/export").splitlines()]
    return [entry["output"]["text"] for entry in entries if "output" in entry]


def from_search(server, run):
    return [line["text"] for line in server.ask(f"runs/{run}/output?search=line&limit=1000")["lines"]]


def from_feed(server, run):
    """What an open page asks for."""
    epoch = re.search(r'data-epoch="([^"]*)"', get(server, f"/runs/{run}"))[1]
    shown, url = [], f"/live/1/output-{run}/{epoch}/0/now"
    while (answer := json.loads(get(server, url)))["k"] == "batch":
        shown += re.findall(r"line \d+", json.dumps(answer["ev"]))
        url = answer["now"]
    return shown


READERS = [from_api, from_file, from_page, from_stream, from_program, from_export, from_search, from_feed]


class Listener(threading.Thread):
    """Is sent the lines of a run as events, over whatever happens, and connects again from the last offset that it was sent."""

    def __init__(self, server, run):
        super().__init__(daemon=True)
        self.server, self.run_id, self.lines, self.offset, self.problem = server, run, [], "-1", None
        self.start()

    def run(self):
        try:
            while not self.listens():
                time.sleep(0.1)
        except BaseException as problem:  # told by the test
            self.problem = repr(problem)

    def listens(self):
        """Whether the stream came to its end; not if the connection did."""
        path = f"/api/v1/streams/output-{self.run_id}?live=sse&offset={self.offset}"
        try:
            with urllib.request.urlopen(self.server.url + path, timeout=30) as answer:
                event = {}
                for line in answer:
                    name, _, value = line.decode().rstrip("\n").partition(": ")
                    event[name] = event.get(name, "") + value
                    if name or not event:
                        continue
                    content = json.loads(event["data"]) if "data" in event else None
                    if event.get("event") == "data":
                        self.lines += [message["text"] for message in content]
                    elif event.get("event") == "control":
                        self.offset = content["streamNextOffset"]
                        if content.get("streamClosed"):
                            return True
                    event = {}
        except urllib.error.HTTPError as refused:
            assert refused.code == 503, refused.read()
        except (OSError, http.client.HTTPException):
            pass
        return False


def database_stops(postgres):
    postgres.process.send_signal(signal.SIGINT)
    postgres.process.wait(20)
    yield
    postgres.start()


def database_is_killed(postgres):
    postgres.kill()
    yield
    postgres.start()


def set_and_reload(postgres, setting):
    postgres.client("psql", "-d", "weir", "-c", f"ALTER SYSTEM {setting}", "-c", "SELECT pg_reload_conf()")


def database_is_read_only(postgres):
    set_and_reload(postgres, "SET default_transaction_read_only = on")
    yield
    set_and_reload(postgres, "RESET default_transaction_read_only")


def commits_are_not_answered(postgres):
    """What is committed waits for a replica that does not exist, and is there after a crash.

    It is short, because a server that waits for longer than five seconds is replaced.
    """
    set_and_reload(postgres, "SET synchronous_standby_names = 'x'")
    time.sleep(0.7)
    set_and_reload(postgres, "RESET synchronous_standby_names")
    postgres.kill()
    postgres.start()
    yield


def database_disk_is_full(postgres):
    postgres.fill()
    yield
    (postgres.folder / "data/ballast").unlink()


# A fault that begins while lines are printed, and is over a while after the run's last line.
FAULTS = [
    database_stops, commits_are_not_answered, pytest.param(database_is_killed, marks=pytest.mark.long),
    pytest.param(database_is_read_only, marks=pytest.mark.long),
    pytest.param(database_disk_is_full, marks=pytest.mark.long),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_reader_at_every_server_is_shown_each_line_once_over_a_fault_at_the_end(servers, postgres, fault):
    runs = [server.run("talk")["id"] for server in servers]
    listeners = [Listener(server, run) for server in servers for run in runs]
    until(lambda: all(server.ask(f"runs/{run}/output")["count"] > 3 for server in servers for run in runs))
    during = fault(postgres)
    next(during)
    time.sleep(7)  # The programs end, and what is tried for five seconds has been given up.
    next(during, None)
    until(lambda: all(role(server) for server in servers), 60)
    for run in runs:
        for server in servers:
            assert server.ended({"id": run})["phase"] == "succeeded"
            for reader in READERS:
                assert reader(server, run) == LINES, f"{reader.__name__} at {server.url}"
    for listener in listeners:
        listener.join(60)
        assert (listener.problem, listener.lines) == (None, LINES), f"events at {listener.server.url}"
