"""The client for terminals: starting, watching, cancelling, reading output, and wrapping commands, over cuts and kills."""

import datetime
import json
import os
import re
import signal
import stat
import subprocess
import threading
import time

import pytest
from streams import Proxy
from terminal import Terminal
from weir import BINARY, until


@pytest.fixture
def settings():
    return {"WEIR_REPORTS_UNDECLARED": "yes", "WEIR_LOG_LEVEL": "warning"}


@pytest.fixture
def terminal(weir, tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    terminal = Terminal(home, WEIR_SERVER=weir.url)
    yield terminal
    terminal.close()


def runs_of(weir, operation):
    """The runs of an operation, newest first; before the first there is no such operation."""
    return [run for run in weir.ask("runs")["runs"] if run["operation"] == operation]


def reported(weir, operation):
    """The runs of an operation, oldest first, each with its states and lines."""
    found = []
    for run in reversed(runs_of(weir, operation)):
        lines = weir.ask(f"runs/{run['id']}/output?limit=1000")
        assert not lines["more"]
        found.append((run, weir.cases(run), [line["text"] for line in lines["lines"]]))
    return found


def spooled(terminal):
    folder = terminal.home / ".local/state/weir/spool"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


# MARK: Asking


def test_operations_and_runs_are_listed_for_people_and_for_programs(weir, terminal):
    table = terminal.run("operations")
    assert table.returncode == 0, table.stderr
    assert "greeting" in table.stdout and "label" in table.stdout
    ids = [json.loads(line)["id"] for line in terminal.run("operations", "--json").stdout.splitlines()]
    assert ids == [operation["id"] for operation in weir.ask("operations")["operations"]]
    runs = [weir.run("greeting", label=f"n{number}") for number in range(3)]
    for run in runs:
        weir.ended(run)
    listed = terminal.run("runs", "--operation", "greeting", "--limit", "2", "--json")
    *lines, last = map(json.loads, listed.stdout.splitlines())
    assert [line["id"] for line in lines] == [run["id"] for run in reversed(runs[1:])]
    assert f"weir runs --operation greeting --limit 2 --before {last['next']} --json" in listed.stderr
    assert runs[0]["id"] in terminal.run("runs", "--operation", "greeting", "--phase", "succeeded").stdout
    wrong = terminal.run("runs", "--limit", "0")
    assert wrong.returncode == 65 and "1 to 500" in wrong.stderr


def test_a_run_is_started_and_followed_to_its_end(weir, terminal):
    begun = terminal.run("start", "greeting", "label=Wörld & co")
    assert begun.returncode == 0, begun.stderr
    run = weir.ended({"id": begun.stdout.strip()})
    assert run["input"]["label"] == "Wörld & co"
    followed = terminal.run("start", "greeting", "label=@-", "--follow", "--json", input="secret\n")
    assert followed.returncode == 0, followed.stderr
    changes = [json.loads(line) for line in followed.stdout.splitlines()]
    latest = weir.latest("greeting")
    assert [change["revision"] for change in changes] == list(range(latest["revision"] + 1))
    assert latest["input"]["label"] == "secret"
    watched = terminal.run("watch", run["id"])
    assert watched.returncode == 0
    assert [line.split("  ")[1] for line in watched.stdout.splitlines()] == weir.cases(run)


def test_mistakes_in_an_input_name_the_field_and_start_nothing(weir, terminal):
    unknown = terminal.run("start", "greeting", "lable=x")
    assert unknown.returncode == 65 and "label" in unknown.stderr
    refused = terminal.run("start", "greeting", "label=" + "x" * 201)
    assert refused.returncode == 65 and "label:" in refused.stderr
    missing = terminal.run("start", "no-such-operation")
    assert missing.returncode == 66 and "no-such-operation" in missing.stderr
    assert weir.latest("greeting") is None


@pytest.mark.long
def test_a_file_is_sent_to_a_field_that_takes_one(weir, terminal):
    path = terminal.home / 'a "quoted" film.mov'
    path.write_bytes(os.urandom(3_000_000))
    sent = terminal.run("start", "file-upload", f"file=@{path}", "--follow")
    assert sent.returncode == 0, sent.stderr + sent.stdout
    assert weir.latest("file-upload")["phase"] == "succeeded"
    gone = terminal.run("start", "file-upload", "file=@no-such-file")
    assert gone.returncode == 66 and "no-such-file" in gone.stderr


def test_a_terminal_shows_a_gauge_and_the_exit_code_tells_the_outcome(weir, terminal):
    for number, (phase, code) in enumerate([("succeeded", 0), ("failed", 1), ("cancelled", 2)]):
        url = f"streams/reported/import/r{number}"
        weir.put(url)
        weir.post(url, [{"state": "uploading", "completed": 40, "total": 100, "unit": "bytes"}])
        weir.post(url, [{"state": "over", "phase": phase, "message": "\x1b[2Jdone"}], closes=True)
        status, screen = terminal.screen("watch", f"r{number}")
        assert status == code
        assert "\r\n  uploading  [████████░░░░░░░░░░░░]   40 %  40 B of 100 B" in screen
        assert "\x1b[2J" not in screen and "·[2Jdone" in screen


def test_a_run_is_cancelled_once(weir, terminal):
    weir.put("streams/reported/import/long")
    watching = terminal.start("watch", "long")
    cancelled = terminal.run("cancel", "long")
    assert cancelled.returncode == 0, cancelled.stderr
    assert watching.wait(20) == 2
    again = terminal.run("cancel", "long")
    assert again.returncode == 65 and "ended" in again.stderr
    assert terminal.run("cancel", "none").returncode == 66
    assert terminal.run("watch", "none").returncode == 66


def test_output_is_followed_to_its_end_each_channel_where_it_belongs(weir, terminal):
    url = "streams/reported/import/talk"
    weir.put(url)
    weir.post(url, [{"line": f"line {number}"} for number in range(2_500)])
    following = terminal.start("output", "-f", "talk")
    weir.post(url, [{"line": "oh", "channel": "stderr"}, {"line": "\x1b[2Jlast"}], closes=True)
    out, errors = following.communicate(timeout=30)
    assert out == "".join(f"line {number}\n" for number in range(2_500)) + "\x1b[2Jlast\n"
    assert errors == "oh\n"
    assert following.returncode == 0
    assert terminal.run("output", "talk").stdout == out
    numbers = [json.loads(line)["number"] for line in terminal.run("output", "talk", "--json").stdout.splitlines()]
    assert numbers == list(range(1, 2_503))
    assert "\x1b[2J" not in terminal.screen("output", "talk")[1]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="Linux has /dev/full")
def test_what_cannot_be_written_is_an_error_and_a_reader_that_has_gone_is_none(weir, terminal):
    url = "streams/reported/import/talk"
    weir.put(url)
    weir.post(url, [{"line": "x" * 1_000} for _ in range(200)], closes=True)
    for words in (["output", "talk"], ["runs"], ["operations", "schema"], ["settings", "--markdown"]):
        command = [BINARY, *words]
        surroundings = {"cwd": terminal.home, "env": terminal.environment, "stderr": subprocess.PIPE, "text": True}
        with open("/dev/full", "w") as full:
            failed = subprocess.run(command, stdout=full, timeout=60, **surroundings)
        assert failed.returncode == 73 and "No space left on device" in failed.stderr, (words, failed)
        reading, writing = os.pipe()
        os.close(reading)
        gone = subprocess.run(command, stdout=writing, timeout=60, **surroundings)
        os.close(writing)
        assert (gone.returncode in (0, -signal.SIGPIPE), gone.stderr) == (True, ""), (words, gone)


# MARK: Following over failures


@pytest.mark.long
def test_watching_goes_on_over_kills_and_cuts_without_loss_or_repetition(weir, terminal):
    url = "streams/reported/import/kept"
    weir.put(url)
    proxy = Proxy(weir.port)
    watching = terminal.start("watch", "kept", "--json", "--server", proxy.url)
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(watching.stdout), daemon=True)
    reader.start()
    for number in range(30):
        weir.post(url, [{"state": "importing", "completed": number}])
        if number == 10:
            until(lambda: len(lines) > 5)
            weir.kill()
            time.sleep(1)
            weir.start()
        if number == 20:
            proxy.cut_after = 700
        if number == 25:
            proxy.cut_after = None
    weir.post(url, [{"state": "done", "phase": "succeeded"}], closes=True)
    assert watching.wait(60) == 0
    reader.join(10)
    proxy.stop()
    changes = [json.loads(line) for line in lines]
    assert [change["revision"] for change in changes] == list(range(32))


# MARK: Mistakes of the connection


@pytest.mark.long
def test_mistakes_of_the_connection_are_sentences_with_codes(weir, terminal, tmp_path):
    nobody = terminal.run("runs", "--server", "http://127.0.0.1:1")
    assert nobody.returncode == 69
    assert "refused" in nobody.stderr and "weir serve" in nobody.stderr
    assert terminal.run("watch", "x", "--server", "http://127.0.0.1:1").returncode == 69
    assert terminal.run("runs", "--server", "weir.example").returncode == 78
    plain = terminal.run("runs", "--server", weir.url.replace("http:", "https:"))
    assert plain.returncode == 78 and "does not speak TLS" in plain.stderr
    assert terminal.run("runs", "--token-file", "none").returncode == 66
    token = tmp_path / "token"
    token.write_text("weir_wrong\n")
    wrong = terminal.run("runs", "--token-file", str(token))
    assert wrong.returncode == 77 and "weir login" in wrong.stderr
    assert "weir_wrong" not in wrong.stderr
    assert terminal.run("start").returncode == 64


def test_a_login_keeps_a_token_that_the_server_accepts_for_its_owner_alone(weir, terminal):
    weir.terminate(20)
    weir.environment["WEIR_AUTH"] = "password"
    weir.start()
    made = terminal.run("token", "create", "laptop", "--role", "operator", "--data", str(weir.data))
    assert made.returncode == 0, made.stderr
    token = made.stdout.strip()
    closed = terminal.run("runs")
    assert closed.returncode == 77 and "weir login" in closed.stderr
    wrong = terminal.run("login", weir.url, input="weir_wrong\n")
    assert wrong.returncode == 77
    file = terminal.home / ".config/weir/client.json"
    assert not file.exists()
    until(lambda: terminal.run("login", weir.url, input=token + "\n").returncode == 0)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    # The address is known now, and so is the token that belongs to it.
    terminal.environment.pop("WEIR_SERVER")
    assert terminal.run("start", "greeting", "--follow").returncode == 0
    assert terminal.run("run", "made", "--", "true").returncode == 0
    assert runs_of_listing(terminal, "made") == ["succeeded"]
    file.chmod(0o644)
    assert "chmod 600" in terminal.run("runs").stderr
    file.chmod(0o600)
    assert terminal.run("logout").returncode == 0
    assert token not in file.read_text()


def runs_of_listing(terminal, operation):
    """The phases of an operation's runs, as the client lists them."""
    lines = terminal.run("runs", "--operation", operation, "--json").stdout.splitlines()
    return [json.loads(line)["phase"] for line in lines]


@pytest.mark.long
def test_a_certificate_of_ones_own_is_trusted_only_when_it_is_named(weir, terminal, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )
    other = subprocess.Popen(
        [BINARY, "serve", "--port", "0", "--data", str(tmp_path / "other"), "--tls-cert", str(certificate),
         "--tls-key", str(key)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=terminal.environment, cwd=tmp_path,
    )
    try:
        url = next(found[0] for line in other.stdout if (found := re.search(r"https://127\.0\.0\.1:\d+", line)))
        refused = terminal.run("runs", "--server", url)
        assert refused.returncode == 78 and "--ca-file" in refused.stderr
        trusted = terminal.run("runs", "--server", url, "--ca-file", str(certificate))
        assert trusted.returncode == 0, trusted.stderr
        assert terminal.run("runs", "--server", url, "--ca-file", str(key)).returncode == 78
    finally:
        other.kill()
        other.wait()
        other.stdout.close()


# MARK: Wrapping commands


def test_a_wrapped_command_is_seen_here_and_there_and_its_exit_code_is_passed_on(weir, terminal):
    script = "echo one; echo two >&2; echo '::weir uploading completed=40 total=100::'; printf 'no end'; exit 3"
    run = terminal.run("run", "backup", "--title", "Nightly", "--input", "database=orders", "--", "sh", "-c", script)
    assert run.returncode == 3
    assert run.stdout == "one\n::weir uploading completed=40 total=100::\nno end"
    assert run.stderr == "two\n"
    [(record, cases, lines)] = reported(weir, "backup")
    assert record["phase"] == "failed" and record["state"]["code"] == 3
    assert record["input"]["database"] == "orders" and record["input"]["program"] == "sh"
    assert cases == ["opened", "running", "uploading", "failed"]
    assert sorted(lines) == ["no end", "one", "two"]
    assert spooled(terminal) == []


@pytest.mark.long
def test_a_wrapped_command_has_this_standard_input_and_gets_signals(weir, terminal):
    assert terminal.run("run", "sum", "--", "cat", input="a\nb").stdout == "a\nb"
    started = terminal.start("run", "wait", "--", "sh", "-c", "trap 'echo got it; exit 5' TERM; echo ready; while :; do sleep 0.1; done")
    assert started.stdout.readline() == "ready\n"
    started.send_signal(signal.SIGTERM)
    assert started.stdout.readline() == "got it\n"
    assert started.wait(20) == 5
    assert reported(weir, "wait")[0][0]["phase"] == "cancelled"
    started = terminal.start("run", "killed", "--", "sh", "-c", "echo ready; exec sleep 60")
    assert started.stdout.readline() == "ready\n"
    started.send_signal(signal.SIGINT)
    assert started.wait(20) == -signal.SIGINT
    assert terminal.run("run", "none", "--", "no-such-program").returncode == 127
    assert terminal.run("run", "none", "--", "/etc/passwd").returncode == 126
    assert spooled(terminal) == []
    assert runs_of(weir, "none") == []


@pytest.mark.long
def test_a_run_that_is_cancelled_at_the_server_stops_the_command(weir, terminal):
    started = terminal.start("run", "stop", "--", "sh", "-c", "echo ready; exec sleep 60")
    assert started.stdout.readline() == "ready\n"
    run = until(lambda: runs_of(weir, "stop"))[0]
    assert terminal.run("cancel", run["id"]).returncode == 0
    assert started.wait(30) == -signal.SIGTERM
    assert "cancelled" in started.stderr.read()
    assert spooled(terminal) == []


@pytest.mark.long
def test_nothing_is_lost_or_doubled_while_the_server_is_killed_and_started(weir, terminal):
    script = "for n in $(seq 0 299); do echo line $n; sleep 0.02; done"
    started = terminal.start("run", "kept", "--", "sh", "-c", script)
    reader = threading.Thread(target=started.stdout.read, daemon=True)
    reader.start()
    for _ in range(3):
        time.sleep(1)
        weir.kill()
        time.sleep(0.5)
        weir.start()
    assert started.wait(60) == 0
    [(record, _, lines)] = reported(weir, "kept")
    assert record["phase"] == "succeeded"
    assert lines == [f"line {number}" for number in range(300)]


@pytest.mark.long
def test_nothing_is_lost_or_doubled_over_a_minute_without_network(weir, terminal):
    weir.terminate(20)
    weir.environment["WEIR_REPORTS_LEASE"] = "2"
    weir.start()
    proxy = Proxy(weir.port)
    script = "for n in $(seq 0 99); do echo line $n; sleep 0.12; done"
    started = terminal.start("run", "cut", "--server", proxy.url, "--", "sh", "-c", script)
    reader = threading.Thread(target=started.stdout.read, daemon=True)
    reader.start()
    until(lambda: runs_of(weir, "cut"))
    # Five times the lease that the server gives to others.
    proxy.cut()
    time.sleep(10)
    proxy.mend()
    assert started.wait(90) == 0
    proxy.stop()
    [(record, _, lines)] = reported(weir, "cut")
    assert record["phase"] == "succeeded"
    assert lines == [f"line {number}" for number in range(100)]


@pytest.mark.long
def test_a_run_that_the_server_gave_up_goes_on_in_another_without_loss_or_repetition(weir, terminal):
    weir.terminate(20)
    weir.environment |= {"WEIR_REPORTS_LEASE": "3", "WEIR_REPORTS_MAXIMUM_LEASE": "3"}
    weir.start()
    proxy = Proxy(weir.port)
    script = "for n in $(seq 0 79); do echo line $n; sleep 0.1; done"
    started = terminal.start("run", "split", "--lease", "3", "--server", proxy.url, "--", "sh", "-c", script)
    reader = threading.Thread(target=started.stdout.read, daemon=True)
    reader.start()
    until(lambda: runs_of(weir, "split"))
    time.sleep(1)
    proxy.cut()
    until(lambda: runs_of(weir, "split")[0]["phase"] == "interrupted")
    proxy.mend()
    assert started.wait(60) == 0
    proxy.stop()
    parts = reported(weir, "split")
    assert len(parts) >= 2 and parts[0][0]["phase"] == "interrupted" and parts[-1][0]["phase"] == "succeeded"
    assert parts[1][0]["input"]["continues"] == parts[0][0]["id"]
    assert sum((lines for _, _, lines in parts), []) == [f"line {number}" for number in range(80)]


@pytest.mark.long
def test_a_command_runs_without_its_server_and_its_report_is_sent_later(weir, terminal):
    weir.terminate(20)
    run = terminal.run("run", "later", "--wait", "0", "--", "sh", "-c", "echo done; sleep 1.2; exit 4")
    assert run.returncode == 4 and run.stdout == "done\n"
    assert "weir send" in run.stderr
    assert len(spooled(terminal)) >= 1
    assert stat.S_IMODE(os.stat(terminal.home / ".local/state/weir/spool").st_mode) == 0o700
    weir.start()
    sent = terminal.run("send")
    assert sent.returncode == 0, sent.stderr
    [(record, _, lines)] = reported(weir, "later")
    assert record["phase"] == "failed" and lines == ["done"]
    opened = weir.ask(f"feeds/run-{record['id']}/changes")["changes"][0]["state"]
    began, ended, received = (
        datetime.datetime.fromisoformat(moment) for moment in (record["startedAt"], record["endedAt"], opened["receivedAt"]))
    # The times of the command, and the one at which the server learned of them.
    assert datetime.timedelta(seconds=1) < ended - began < received - began
    assert spooled(terminal) == []
    assert terminal.run("send").stdout == ""


@pytest.mark.long
def test_a_wrapper_that_is_killed_leaves_a_report_that_is_sent_without_repetition(weir, terminal):
    started = terminal.start("run", "dead", "--lease", "3600", "--", "sh", "-c", "seq 1 50; echo ready; exec sleep 2")
    while started.stdout.readline() != "ready\n":
        pass
    until(lambda: any("ready" in lines for _, _, lines in reported(weir, "dead")))
    weir.kill()
    started.kill()
    started.wait()
    weir.start()
    assert terminal.run("send").returncode == 0
    [(_, _, lines)] = reported(weir, "dead")
    assert lines == [str(number) for number in range(1, 51)] + ["ready"]


@pytest.mark.long
def test_what_the_server_refuses_stops_no_command(weir, terminal):
    weir.terminate(20)
    weir.environment["WEIR_REPORTS_UNDECLARED"] = "no"
    weir.start()
    run = terminal.run("run", "unknown", "--", "echo", "works")
    assert run.returncode == 0 and run.stdout == "works\n"
    assert "unknown" in run.stderr and "weir send" in run.stderr
    assert terminal.run("run", "Not a name", "--", "true").returncode == 64

