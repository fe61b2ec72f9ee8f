"""A process that may have few files open, whatever takes them: connections, programs or uploads."""

import concurrent.futures
import socket
import urllib.error

import pytest
from weir import until


@pytest.fixture
def prefix():
    return ["bash", "-c", 'ulimit -n 160; exec "$@"', "weir"]


@pytest.fixture
def settings(tmp_path):
    operations = tmp_path / "operations"
    operations.mkdir()
    (operations / "wait.yml").write_text("title: Wait\ncommand: [sleep, '600']\n")
    return {"WEIR_OPERATIONS": str(operations)}


def test_programs_and_connections_leave_the_server_the_files_that_it_needs(weir):
    crowd = []
    try:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda _: weir.run("wait"), range(60)))
        for _ in range(200):
            crowd.append(socket.create_connection(("127.0.0.1", weir.port), timeout=20))
    finally:
        for connection in crowd:
            connection.close()
    # Some did not start, and say why.
    reason = "too many files open to start a command"
    until(lambda: any(reason in str(run["state"]) for run in weir.ask("runs?limit=100")["runs"]))
    assert weir.process.poll() is None
    active = [run["id"] for run in weir.ask("runs?limit=100")["runs"] if not run["endedAt"]]
    assert 3 < len(active) < len(runs)
    for run in active:
        try:
            weir.ask(f"runs/{run}/cancellation", "POST", {})
        except urllib.error.HTTPError as error:
            assert error.code == 409, error.read()
    until(lambda: all(run["endedAt"] for run in weir.ask("runs?limit=100")["runs"]))
    # What was freed can be used again.
    assert weir.ended(weir.run("greeting", label="after"))["phase"] == "succeeded"
    run = weir.run("wait")
    until(lambda: weir.ask(f"runs/{run['id']}")["case"] == "running")
