"""Signals to a server that runs: SIGHUP reads the settings again, SIGUSR1 writes a line, SIGTERM ends it in good time."""

import http.client
import json
import os
import signal
import socket
import subprocess
import urllib.error

import pytest
from weir import BINARY, until


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "weir.yml").write_text("log-level: info\n")
    return {}


def answer(weir, host):
    connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=20)
    connection.request("GET", "/health/live", headers={"Host": host})
    status = connection.getresponse().status
    connection.close()
    return status


def hang_up(weir, words, number=signal.SIGHUP):
    """Sends a signal, and returns once the log says something it did not say before."""
    before = len(weir.log.read_text())
    weir.process.send_signal(number)
    return until(lambda: words in (said := weir.log.read_text()[before:]) and said)


def test_sighup_takes_up_what_can_be_and_says_what_takes_a_restart(weir):
    assert answer(weir, "weir.example") >= 400
    (weir.folder / "weir.yml").write_text("log-level: notice\nallowed-hosts: [weir.example]\nretention:\n  days: 3\njournal: memory\n")
    said = hang_up(weir, "The settings were read again")
    assert "allowed-hosts, log-level, retention.days" in said and "journal" in said
    assert answer(weir, "weir.example") == 200


@pytest.mark.long
def test_sighup_announces_what_a_lower_limit_removes_and_a_higher_one_withdraws_it(weir):
    for number in range(3):
        weir.ended(weir.run("greeting", label=f"number {number}"))
    (weir.folder / "weir.yml").write_text("log-level: info\nretention:\n  greeting:\n    runs: 1\n")
    said = hang_up(weir, "Old runs will be removed in a minute.")
    assert "runs=2" in said and "A setting was changed." in said
    assert "2 of 3 ended runs exceed the changed retention limits." in weir.page("/")
    assert "Earliest removal" in weir.page("/system")
    (weir.folder / "weir.yml").write_text("log-level: info\nretention:\n  greeting:\n    runs: 5\n")
    hang_up(weir, "The announced removal of old runs is withdrawn.")
    assert "ended runs exceed" not in weir.page("/")
    assert len(weir.ask("runs?operation=greeting")["runs"]) == 3
    until(lambda: {"announce-removal", "withdraw-removal", "change-settings"} <= set(audited(weir)))
    assert "remove-runs" not in audited(weir)


def test_an_empty_file_changes_nothing_and_is_on_the_page_until_a_good_one_is_read(weir):
    whole = (weir.folder / "weir.yml").read_text() + "allowed-hosts: [weir.example]\nretention:\n  days: 3000\n"
    (weir.folder / "weir.yml").write_text(whole)
    hang_up(weir, "The settings were read again")
    (weir.folder / "weir.yml").write_text("")
    said = hang_up(weir, "lacks keys in force")
    assert "lacks=allowed-hosts, log-level, retention.days" in said and "weir settings accept" in said
    assert answer(weir, "weir.example") == 200
    assert "no longer has allowed-hosts, log-level, retention.days" in weir.page("/")
    (weir.folder / "weir.yml").write_text(whole)
    hang_up(weir, "The settings were read again")
    assert "no longer has" not in weir.page("/")

    (weir.folder / "weir.yml").write_text("log-level: info\nretention:\n  days: 3000\n")
    hang_up(weir, "lacks keys in force")
    command = [BINARY, "settings", "accept", "--data", str(weir.data)]
    done = subprocess.run(command, cwd=weir.folder, env=weir.environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (weir.data / "accepted-settings").stat().st_mode & 0o077 == 0
    assert "before=weir.example" in hang_up(weir, "The settings were read again")
    assert answer(weir, "weir.example") >= 400


def audited(weir):
    """What the audit's files have, as the names of actions."""
    lines = [line for file in (weir.data / "audit").glob("*.audit") for line in file.read_text().splitlines()]
    return [json.loads(line.split(" ", 1)[1])["action"] for line in lines]


@pytest.mark.long
def test_limits_of_what_clients_may_take_are_those_of_the_settings(weir):
    assert weir.terminate()[0] == 0
    (weir.folder / "weir.yml").write_text("requests:\n  body-bytes: 1024\n")
    weir.start()
    with pytest.raises(urllib.error.HTTPError) as refused:
        weir.run("greeting", label="x" * 2_000)
    assert refused.value.code == 413


@pytest.mark.long
def test_a_broken_file_leaves_the_settings_as_they_are(weir):
    (weir.folder / "weir.yml").write_text("log-level: info\nallowed-hosts: [weir.example]\nprot: 1\n")
    said = hang_up(weir, "the previous settings stay in force")
    assert "weir.yml:3: there is no setting `prot`; did you mean `port`?" in said
    assert answer(weir, "weir.example") >= 400
    assert answer(weir, "127.0.0.1") == 200


@pytest.mark.long
def test_sigusr1_writes_how_the_server_stands(weir):
    def says_all():
        # What is measured every ten seconds is not known at once.
        said = hang_up(weir, "The server is running.", signal.SIGUSR1)
        return all(f"{name}=" in said for name in ("active", "queued", "disk-free-bytes", "memory-bytes", "held"))

    until(says_all)
    assert answer(weir, "127.0.0.1") == 200


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_while_it_starts_does_not_end_it(weir, number):
    assert weir.terminate()[0] == 0
    before = len(weir.log.read_text())
    process = weir.process = subprocess.Popen(
        weir.command, stdout=subprocess.PIPE, stderr=weir._log, text=True, env=weir.environment, cwd=weir.folder)
    # From the moment on when it has taken its signals over, until it listens.
    until(lambda: process.poll() is not None or ignores(process, number))
    process.send_signal(number)
    until(lambda: process.poll() is not None or "Weir is at" in process.stdout.readline())
    assert process.poll() is None, weir.log.read_text()[before:]
    assert answer(weir, "127.0.0.1") == 200


def ignores(process, number):
    """Whether a process ignores or handles a signal, as Linux says; elsewhere nothing is waited for."""
    try:
        with open(f"/proc/{process.pid}/status") as status:
            masks = [int(line.split()[1], 16) for line in status if line.startswith(("SigIgn", "SigCgt"))]
    except FileNotFoundError:
        return True
    return any(mask >> (number - 1) & 1 for mask in masks)


def test_sigterm_ends_it_in_good_time_though_a_file_is_being_uploaded(weir):
    with socket.create_connection(("127.0.0.1", weir.port), timeout=20) as connection:
        connection.sendall(
            b"POST /api/v1/operations/file-upload/runs?filename=slow.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            b"Content-Type: application/octet-stream\r\nContent-Length: 1000000\r\n\r\n" + bytes(100_000))
        until(lambda: (weir.latest("file-upload") or {}).get("case") not in (None, "none"))
        code, seconds = weir.terminate()
    assert code == 0
    assert seconds < 3


@pytest.mark.long
def test_a_log_that_nobody_reads_any_more_does_not_end_it(weir):
    assert weir.terminate()[0] == 0
    reading, writing = os.pipe()
    weir.process = subprocess.Popen(
        weir.command, stdout=subprocess.PIPE, stderr=writing, text=True, env=weir.environment, cwd=weir.folder)
    os.close(writing)
    until(lambda: weir.process.poll() is not None or "Weir is at" in weir.process.stdout.readline())
    os.close(reading)
    weir.process.send_signal(signal.SIGUSR1)  # a line that goes nowhere
    weir.process.send_signal(signal.SIGHUP)
    assert answer(weir, "127.0.0.1") == 200
    assert weir.terminate()[0] == 0
