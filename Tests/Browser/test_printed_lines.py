"""The lines that runs print on several servers of one database, as every reader at every server is shown them."""

import html
import json
import re
import signal
import subprocess
import time
import urllib.request

import pytest
from cluster import other, postgres, role, third  # noqa: F401
from cluster import settings as cluster_settings  # noqa: F401
from weir import BINARY, until

TALK = """
title: Talk
inputs: [{name: lines, type: number, default: 20}]
command: [sh, -c, 'for n in $(seq "$1"); do echo "line $n"; sleep 0.1; done', sh, "{{lines}}"]
"""


@pytest.fixture
def settings(cluster_settings, tmp_path):
    (tmp_path / "operations/talk.yml").write_text(TALK)
    return cluster_settings


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


READERS = [from_api, from_file, from_page, from_stream, from_program, from_export]


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


# A fault that begins while lines are printed, and is over a while after the run's last line.
FAULTS = [
    database_stops, commits_are_not_answered, pytest.param(database_is_killed, marks=pytest.mark.long),
    pytest.param(database_is_read_only, marks=pytest.mark.long),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_every_reader_at_every_server_is_shown_each_line_once_over_a_fault_at_the_end(servers, postgres, fault):
    runs = [server.run("talk")["id"] for server in servers]
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
                assert reader(server, run) == [f"line {n}" for n in range(1, 21)], f"{reader.__name__} at {server.url}"
