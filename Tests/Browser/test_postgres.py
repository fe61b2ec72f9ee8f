"""The real server with its journal in PostgreSQL: killed, pooled, encrypted, copied."""

import concurrent.futures
import json
import os
import random
import signal
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from followers import Client, Gate, Lost
from postgres import PgBouncer, Postgres
from weir import BINARY, Weir, until

KILLS = int(os.environ.get("WEIR_KILLS", "10"))


@pytest.fixture
def postgres(tmp_path):
    postgres = Postgres(tmp_path / "postgres").start()
    yield postgres
    postgres.stop()


COUNT = """
title: Count
inputs: [{name: name, required: true}]
command: [sh, -c, 'for n in 1 2 3; do echo "line $n"; until test -e "$1.$n"; do sleep 0.02; done; done', sh, "%s/{{name}}"]
"""


@pytest.fixture
def settings(sky, postgres, tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "count.yml").write_text(COUNT % tmp_path)
    return {
        "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning", "WEIR_JOURNAL": postgres.database(),
        "WEIR_OPERATIONS": str(folder),
    }


class Greeter(threading.Thread):
    """Starts greetings one after the other, each by a key of its own, and asks again by it when no answer came."""

    def __init__(self, weir, gate, name):
        super().__init__(daemon=True, name=name)
        self.client, self.gate = Client(weir), gate
        self.answered, self.problem = {}, None

    def run(self):
        try:
            self.gate.each_turn(self.once)
        except BaseException as problem:  # told by the test
            self.problem = repr(problem)

    def once(self):
        label = f"{self.name}-{len(self.answered)}"
        headers = {"Content-Type": "application/json", "Idempotency-Key": label}
        try:
            status, body = self.client.ask(
                "/api/v1/operations/greeting/runs", "POST", f'{{"label":"{label}"}}', headers)
        except Lost:
            return
        # 202: it is not recorded yet. 503: whether the key was used before cannot be looked up yet.
        assert status in (200, 201, 202, 503), f"answered {status}: {body[:300]!r}"
        if status < 202:
            self.answered[label] = json.loads(body)["id"]


def work(greeters, count):
    """Returns once each has started so many runs."""
    wanted = [len(greeter.answered) + count for greeter in greeters]
    until(lambda: any(g.problem for g in greeters) or all(len(g.answered) >= n for g, n in zip(greeters, wanted)), 60)
    assert [greeter.problem for greeter in greeters] == [None, None]


# K3, K8
def test_nothing_is_lost_or_doubled_when_the_database_or_the_server_is_killed(weir, postgres):
    chance, gate = random.Random(7), Gate()
    epoch = weir.ask("feeds/board/changes")["epoch"]
    greeters = [Greeter(weir, gate, name) for name in ("a", "b")]
    gate.open()
    for greeter in greeters:
        greeter.start()
    for kill in range(KILLS):
        work(greeters, chance.randint(1, 9))
        if kill % 3 == 2:
            weir.kill()
            gate.shut()
            weir.start()
            gate.open()
        else:
            postgres.kill()
            postgres.start()
    work(greeters, 3)
    gate.end()
    for greeter in greeters:
        greeter.join()
        assert greeter.problem is None
    answered = {label: run for greeter in greeters for label, run in greeter.answered.items()}
    for run in answered.values():
        weir.ended({"id": run})
    changes = weir.changes("board")
    assert [change["sequence"] for change in changes] == list(range(1, len(changes) + 1))
    assert weir.ask("feeds/board/changes")["epoch"] == epoch
    streams = {}
    for change in changes:
        streams.setdefault(change["stream"], []).append(change["revision"])
    assert all(revisions == list(range(len(revisions))) for revisions in streams.values())
    assert len(set(answered.values())) == len(answered)
    labels = postgres.ask("SELECT count(*), count(DISTINCT idempotency_key) FROM weir.runs")
    assert labels == f"{len(streams)}|{len(streams)}"


@pytest.fixture
def other(tmp_path, sky, settings):
    """A second server on the same database; a test starts it."""
    other = Weir(tmp_path / "other", sky, settings)
    yield other
    other.close()


def role(weir):
    try:
        with urllib.request.urlopen(weir.url + "/health/ready", timeout=30) as answer:
            return json.load(answer)["role"]
    except urllib.error.HTTPError:
        return None  # It cannot record at the moment.


def taken_over(weir):
    """Returns once the server has taken the place of another: with a run that it has carried out."""

    def begin():
        try:
            return weir.run("greeting", label="taken over")
        except urllib.error.HTTPError as refused:
            assert refused.code == 503
            return None

    run = weir.ended(until(begin))
    assert (role(weir), run["phase"]) == ("recording", "succeeded")


def shown(weir):
    """The history that a server shows: its epoch, and which change has which sequence."""
    epoch = weir.ask("feeds/board/changes")["epoch"]
    return epoch, [(c["sequence"], c["stream"], c["revision"], c["case"]) for c in weir.changes("board")]


def shows_the_same(weir, other):
    """Returns once both show the same changes with the same sequences of the same history, and that history."""
    until(lambda: shown(other) == shown(weir))
    epoch, changes = shown(weir)
    assert [change[0] for change in changes] == list(range(1, len(changes) + 1))
    return epoch, changes


# K12
def test_a_second_server_shows_what_the_first_records_and_starts_nothing(weir, other):
    weir.ended(weir.run("greeting", label="before"))
    other.start()
    assert (role(weir), role(other)) == ("recording", "following")
    for run in [weir.run("greeting", label=str(number)) for number in range(20)]:
        other.ended(run)
    shows_the_same(weir, other)
    with pytest.raises(urllib.error.HTTPError) as refused:
        other.run("greeting", label="elsewhere")
    assert refused.value.code == 503
    assert "This server only shows what" in json.load(refused.value)["detail"]
    page = until(lambda: "Follows" in (page := weir.page("/system")) and page)
    assert "Records" in page and "this server" in page


def test_requests_that_are_held_at_a_following_server_are_answered_when_the_first_records(weir, other, tmp_path):
    other.start()
    found = other.ask("feeds/board/changes")
    with concurrent.futures.ThreadPoolExecutor() as pool:
        held = pool.submit(other.ask, f"feeds/board/changes?after={found['epoch']}.{found['to']}&wait=25")
        run = weir.run("count", name="held")
        assert held.result(30)["changes"][0]["stream"] == f"run-{run['id']}"
        # The run prints a line only when the one before was seen at the other server.
        for number in range(1, 4):
            lines = other.ask(f"runs/{run['id']}/output?after={number - 1}&wait=25")["lines"]
            assert lines[0]["text"] == f"line {number}"
            (tmp_path / f"held.{number}").touch()
    assert other.ended(run)["phase"] == "succeeded"
    assert other.ask(f"runs/{run['id']}/output")["ended"] is True
    shows_the_same(weir, other)


# K4, K12
def test_a_following_server_takes_the_place_of_one_that_dies(weir, other):
    other.start()
    run = weir.run("count", name="killed")
    until(lambda: other.ask(f"runs/{run['id']}/output")["count"] == 1)
    epoch, before = shows_the_same(weir, other)
    weir.kill()
    taken_over(other)
    assert other.ended(run)["phase"] == "interrupted"
    assert (shown(other)[0], shown(other)[1][: len(before)]) == (epoch, before)
    weir.start()
    assert role(weir) == "following"
    shows_the_same(weir, other)
    assert weir.ask(f"runs/{run['id']}")["phase"] == "interrupted"


def test_a_following_server_takes_the_place_of_one_that_is_stopped_in_order(weir, other):
    other.start()
    assert weir.terminate()[0] == 0
    taken_over(other)


def test_a_server_that_stands_still_for_too_long_is_replaced_and_ends(weir, other):
    other.start()
    weir.process.send_signal(signal.SIGSTOP)
    taken_over(other)
    weir.process.send_signal(signal.SIGCONT)
    assert weir.process.wait(30) == 75
    assert "Start this one again" in weir.log.read_text()
    weir.start()
    assert role(weir) == "following"
    shows_the_same(weir, other)


# K3
def test_the_server_that_records_keeps_its_place_when_the_database_is_killed(weir, other, postgres):
    other.start()
    for _ in range(3):
        run = weir.run("greeting", label="through it")
        postgres.kill()
        postgres.start()
        weir.ended(run)
        weir.ended(weir.run("greeting", label="after it"))
        until(lambda: (role(weir), role(other)) == ("recording", "following"))
    shows_the_same(weir, other)


@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_a_pooler_shares_connections_by_session_and_not_by_transaction(tmp_path, sky, settings, postgres, mode):
    pooler = PgBouncer(tmp_path / "pooler", postgres, mode).start()
    weir = Weir(tmp_path / "server", sky, settings | {"WEIR_JOURNAL": f"postgres://weir@127.0.0.1:{pooler.port}/weir"})
    try:
        if mode == "session":
            weir.start()
            assert weir.ended(weir.run("greeting", label="pooled"))["phase"] == "succeeded"
        else:
            done = subprocess.run(weir.command, capture_output=True, text=True, env=weir.environment, cwd=weir.folder)
            assert done.returncode == 69
            assert "pool_mode=session" in done.stderr
    finally:
        weir.close()
        pooler.stop()


def test_the_connection_is_encrypted_and_the_certificate_is_checked(tmp_path, sky, settings, postgres):
    data = postgres.folder / "data"
    postgres.call(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=db.test",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", data / "server.key", "-out", data / "server.crt",
    )
    root = tmp_path / "root.crt"
    root.write_text((data / "server.crt").read_text())
    postgres.stop()
    postgres.options = ("-c", "ssl=on")
    postgres.start()
    url = f"{settings['WEIR_JOURNAL']}?sslmode=verify-full&sslrootcert="
    weir = Weir(tmp_path / "server", sky, settings | {"WEIR_JOURNAL": f"{url}{root}"})
    try:
        weir.start()
        weir.ended(weir.run("greeting", label="encrypted"))
        encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) "
        assert postgres.ask(encrypted + "WHERE a.application_name = 'weir'") == "t"
    finally:
        weir.close()
    strange = Weir(tmp_path / "other", sky, settings | {"WEIR_JOURNAL": url + "/etc/ssl/certs/ca-certificates.crt"})
    done = subprocess.run(strange.command, capture_output=True, text=True, env=strange.environment, cwd=strange.folder)
    strange.close()
    assert done.returncode == 69
    assert "certificate" in done.stderr


def test_a_password_is_shown_nowhere(tmp_path, sky, settings, postgres):
    url = settings["WEIR_JOURNAL"].replace("weir@", "weir:hunter2@")
    weir = Weir(tmp_path / "server", sky, settings | {"WEIR_JOURNAL": url, "WEIR_LOG_LEVEL": "trace"})
    try:
        weir.start()
        pages = [weir.url + path for path in ("/system", "/", "/api/v1/operations")]
        shown = "".join(subprocess.run(["curl", "-s", page], capture_output=True, text=True).stdout for page in pages)
        assert "PostgreSQL, 127.0.0.1/weir" in shown
        postgres.kill()
        weir.run("greeting", label="unrecorded")
        until(lambda: "Not recording" in weir.log.read_text())
        assert "hunter2" not in shown + weir.log.read_text()
    finally:
        weir.close()


def export(path, runs, steps):
    """Writes a file of runs as another server would have exported them."""
    lines = [{"header": {"created": "2026-11-21T10:00:00.000Z", "epoch": "0123456789abc", "format": 1}}]
    sequence = 0
    for run in range(runs):
        for step in range(steps):
            sequence += 1
            change = {
                "at": "2026-11-21T10:00:00.000Z", "case": "running", "payload": {"step": step}, "phase": "active",
                "revision": step, "sequence": sequence, "stream": f"run-r{run}", "subject": "greeting",
                "transition": step % 2 == 0,
            }
            if step == 0:
                change["opening"] = {"actor": "anna", "input": {"label": f"run {run}"}}
            if step == steps - 1:
                change |= {"case": "success", "phase": "succeeded", "transition": True}
            lines.append({"change": change})
    lines.append({"end": {"changes": sequence, "lines": 0, "runs": runs}})
    path.write_text("".join(json.dumps(line, sort_keys=True, separators=(",", ":")) + "\n" for line in lines))


def test_a_journal_is_copied_both_ways_and_a_copy_that_is_killed_goes_on(tmp_path, postgres):
    runs, steps = int(os.environ.get("WEIR_COPY_RUNS", "3000")), 10
    url = postgres.database()
    export(tmp_path / "runs.jsonl", runs, steps)
    weir = [BINARY, "import", str(tmp_path / "runs.jsonl"), "--data", str(tmp_path / "first")]
    subprocess.run(weir, check=True, capture_output=True, cwd=tmp_path)

    def copy(source, target, kill=False):
        command = [BINARY, "journal", "copy", str(source), str(target)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        if kill:
            process.stderr.readline()
            process.kill()
        out, err = process.communicate()
        return process.returncode, out + err

    assert copy(tmp_path / "first", url, kill=True)[0] < 0
    server = [BINARY, "serve", "--port", "0", "--journal", url, "--data", str(tmp_path / "server")]
    refused = subprocess.run(server, capture_output=True, text=True, cwd=tmp_path)
    assert (refused.returncode, "not finished" in refused.stderr) == (69, True)
    summary = f"{runs * steps} changes, {runs} runs, 0 lines of output."
    code, words = copy(tmp_path / "first", url)
    assert code == 0 and summary in words
    assert copy(tmp_path / "first", url)[0] == 65
    code, words = copy(url, tmp_path / "second")
    assert code == 0 and summary in words
