"""The real server with its journal in PostgreSQL: killed, pooled, encrypted, copied."""

import json
import os
import random
import subprocess
import threading

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


@pytest.fixture
def settings(sky, postgres):
    return {
        "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning", "WEIR_JOURNAL": postgres.database(),
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


def test_a_second_server_is_refused_in_words(weir, tmp_path, sky, settings):
    other = Weir(tmp_path / "other", sky, settings)
    done = subprocess.run(other.command, capture_output=True, text=True, env=other.environment, cwd=other.folder)
    other.close()
    assert done.returncode == 69
    assert "Another server records in this database." in done.stderr
    weir.ended(weir.run("greeting", label="still there"))


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
