"""The real server with its journal in PostgreSQL: killed, pooled, encrypted, copied."""

import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import urllib.error

import pytest
from cluster import other, postgres, role, settings, shown, shows_the_same, start_by_hand, taken_over, third  # noqa: F401
from followers import APIFollower, Client, Gate, Lost, PollFollower
from playwright.sync_api import expect
from postgres import PgBouncer
from proxies import RoundRobin, missing
from weir import BINARY, Weir, until

STUBBORN = """
title: Stubborn
command: [sh, -c, 'trap "" TERM; echo $$; while :; do sleep 0.1; done']
stop_grace_period: 60s
"""

KILLS = int(os.environ.get("WEIR_KILLS", "10"))


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
    runs = sum(stream.startswith("run-") for stream in streams)
    assert labels == f"{runs}|{runs}"


# K12
def test_a_second_server_shows_what_the_first_records(weir, other):
    weir.ended(weir.run("greeting", label="before"))
    other.start()
    assert (role(weir), role(other)) == ("recording", "following")
    for run in [weir.run("greeting", label=str(number)) for number in range(20)]:
        other.ended(run)
    shows_the_same(weir, other)
    page = until(lambda: "Follows" in (page := weir.page("/system")) and page)
    assert "Records" in page and "this server" in page


def problem(ask):
    """The status and the words of a refusal."""
    with pytest.raises(urllib.error.HTTPError) as refused:
        ask()
    return refused.value.code, json.load(refused.value)["detail"]


# K2, K12
def test_a_command_at_a_following_server_is_carried_out_by_the_other_and_seen_at_all(weir, other, third, postgres, visit):
    other.start()
    third.start()
    pages = [visit(server.url + "/") for server in (weir, other, third)]
    for page in pages:
        expect(page.locator("html[data-live]")).to_be_attached()
    run = other.run("count", name="handed")
    # Its own address shows it at once, and so do the others.
    assert other.ask(f"runs/{run['id']}")["endedAt"] is None
    for page in pages:
        expect(page.locator(f"a[href*='{run['id']}']").first).to_be_visible()
    third.ask(f"runs/{run['id']}/cancellation", "POST")
    assert {server.ended(run)["phase"] for server in (weir, other, third)} == {"cancelled"}
    again = third.ask(f"runs/{run['id']}/retries", "POST", {"name": "again"})
    assert weir.ask(f"runs/{again['id']}")["retryOf"] == run["id"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        cursor = weir.ask("feeds/store-runbook-party/changes")["next"]
        held = [pool.submit(server.ask, f"feeds/store-runbook-party/changes?after={cursor}&wait=25")
                for server in (weir, other, third)]
        done = other.ask("stores/runbook-party/actions", "POST", {"type": "tick", "step": "bake-a-cake"})
        assert {answer.result(30)["changes"][0]["sequence"] for answer in held} == {done["sequence"]}
    assert problem(lambda: other.ask("stores/runbook-party/actions", "POST", {"type": "dance"}))[0] == 422
    code, words = problem(lambda: other.run("count", name=""))
    assert code == 422, words
    assert problem(lambda: other.ask(f"runs/{run['id']}/cancellation", "POST"))[0] == 409
    # What is not written down stays at the server that it is sent to.
    for server in (weir, other, third):
        assert server.ended(server.run("secret", password="hunter2hunter2"))["phase"] == "succeeded"
    assert "hunter2hunter2" not in postgres.dump()
    shows_the_same(weir, other)
    until(lambda: postgres.ask("SELECT count(*) FROM weir.commands") == "0")


# K8, K12
def test_twenty_commands_at_once_from_two_following_servers_are_each_carried_out_once(weir, other, third, postgres):
    other.start()
    third.start()
    servers = [other, third]

    def begin(number):
        # Each key twice, from both servers at the same time.
        client = Client(servers[number % 2])
        return client.json(
            "/api/v1/operations/greeting/runs", "POST", f'{{"label":"{number // 2}"}}',
            {"Content-Type": "application/json", "Idempotency-Key": f"key-{number // 2}"})["id"]

    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        runs = list(pool.map(begin, range(20)))
    assert runs[::2] == runs[1::2] and len(set(runs)) == 10
    for run in runs:
        other.ended({"id": run})
    shows_the_same(other, third)
    assert postgres.ask("SELECT count(*), count(DISTINCT idempotency_key) FROM weir.runs") == "10|10"
    until(lambda: postgres.ask("SELECT count(*) FROM weir.commands") == "0")


# K8, K12
@pytest.mark.long
def test_commands_are_carried_out_once_or_not_at_all_when_the_server_that_records_is_killed(weir, other, third, postgres):
    """Two of three servers are asked all the time while the one that records dies, again and again."""
    servers = [weir, other, third]
    for server in servers[1:]:
        server.start()
    numbers, gate = itertools.count(), Gate()
    answered, refused, unknown = {}, set(), set()

    def ask(server, label):
        headers = {"Content-Type": "application/json", "Idempotency-Key": label}
        status, body = Client(server).ask("/api/v1/operations/greeting/runs", "POST", f'{{"label":"{label}"}}', headers)
        body = json.loads(body)
        return (status, body["id"]) if status in (200, 201, 202) else (status, body["type"])

    def work(server):
        def once():
            label = f"key-{next(numbers)}"
            try:
                status, found = ask(server, label)
            except Lost:
                return
            if status < 300:
                answered[label] = found
            else:
                assert status == 503, f"answered {status}: {found}"
                (unknown if found.endswith("outcome-unknown") else refused).add(label)

        gate.each_turn(once)

    for _ in range(max(1, KILLS // 5)):
        recording = until(lambda: next((server for server in servers if role(server) == "recording"), None))
        following = [server for server in servers if server is not recording]
        known = len(answered)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            gate.over = False
            gate.open()
            work_done = [pool.submit(work, server) for server in following * 4]
            until(lambda: len(answered) >= known + 20)
            recording.kill()
            # Those that wait are carried out by the server that takes its place.
            until(lambda: any(role(server) == "recording" for server in following))
            known = len(answered)
            until(lambda: len(answered) >= known + 20)
            gate.end()
            for done in work_done:
                done.result(30)
        recording.start()
    recorded = dict(line.split("|") for line in postgres.ask(
        "SELECT convert_from(idempotency_key, 'UTF8'), convert_from(id, 'UTF8') FROM weir.runs").splitlines())
    counts = postgres.ask("SELECT count(*), count(DISTINCT idempotency_key) FROM weir.runs")
    assert counts == f"{len(recorded)}|{len(recorded)}", "a command was carried out twice"
    assert not refused & recorded.keys(), "something was done of which it was said that nothing was"
    for label, run in answered.items():
        assert recorded.get(label, run) == run
    # What was in doubt is asked again with its key, at any server: then it is there, once.
    for label in unknown | refused:
        server = servers[len(label) % 3]
        status, run = until(lambda: (found := ask(server, label))[0] < 300 and found)
        assert recorded.get(label, run) == run
    counts = postgres.ask("SELECT count(*), count(DISTINCT idempotency_key) FROM weir.runs").split("|")
    assert counts[0] == counts[1]


# K2, K12
@pytest.mark.long
@pytest.mark.skipif(bool(missing(RoundRobin)), reason=str(missing(RoundRobin)))
def test_viewers_hop_between_three_servers_and_miss_nothing_of_the_runs_they_start(weir, other, third, tmp_path, visit):
    for server in (other, third):
        server.start()
        server.ended(server.run("greeting", label="ready"))
    proxy, gate = RoundRobin(tmp_path / "proxy", [server.port for server in (weir, other, third)]).start(), Gate()
    viewers = [APIFollower(proxy, gate, "board"), *(PollFollower(proxy, gate, "board", "/") for _ in range(3))]
    try:
        page, plain = visit(proxy.url + "/operations/greeting"), visit(proxy.url + "/operations/greeting", java_script_enabled=False)
        expect(page.locator("html[data-live]")).to_be_attached()
        gate.open()
        for viewer in viewers:
            viewer.start()
        client, runs = Client(proxy), []
        for number in range(30):
            # The next server is asked for the run at once, and has to know it.
            run = client.json(
                "/api/v1/operations/greeting/runs", "POST", f'{{"label":"{number}"}}', {"Content-Type": "application/json"})
            assert client.json(f"/api/v1/runs/{run['id']}")["id"] == run["id"]
            assert client.ask(f"/runs/{run['id']}")[0] == 200
            runs.append(run["id"])
        start_by_hand(page, plain, proxy.url, 6)
        for run in runs:
            weir.ended({"id": run})
        recorded = {change["sequence"]: change["stream"] for change in weir.changes("board")}
        until(lambda: any(v.problem for v in viewers) or all(v.cursor >= max(recorded) for v in viewers))
        assert [viewer.problem for viewer in viewers] == [None] * 4
        for viewer in viewers:
            # What runs while it is watched goes on meanwhile.
            assert [n for n in sorted(viewer.shown) if n <= max(recorded)] == [n for n in sorted(recorded) if n > viewer.began]
        shows_the_same(other, third)
    finally:
        gate.end()
        proxy.stop()


@pytest.mark.long
def test_a_command_is_answered_within_a_bounded_time_when_nobody_can_take_it(weir, other, postgres):
    other.start()
    other.ended(other.run("greeting", label="before"))
    # The one stands still, and the other does not beat it to its place: it is asked right now.
    weir.process.send_signal(signal.SIGSTOP)
    begun = time.monotonic()
    try:
        run = other.run("greeting", label="meanwhile")
        # It took the place, and carried out what it had been asked.
        assert role(other) == "recording"
        assert other.ended(run)["phase"] == "succeeded"
    except urllib.error.HTTPError as refused:
        assert refused.code == 503
    assert time.monotonic() - begun < 15
    weir.process.send_signal(signal.SIGCONT)
    assert weir.process.wait(30) == 75
    counts = postgres.ask("SELECT count(*), count(DISTINCT id) FROM weir.runs")
    assert counts in ("1|1", "2|2")


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


@pytest.mark.long
def test_a_server_that_stands_still_for_too_long_is_replaced_and_ends_at_once(weir, other, settings):
    weir.terminate()
    (pathlib.Path(settings["WEIR_OPERATIONS"]) / "stubborn.yml").write_text(STUBBORN)
    settings["WEIR_SHUTDOWN_GRACE"] = settings["WEIR_SHUTDOWN_NOTICE"] = "30"
    weir.start()
    other.start()
    run = weir.run("stubborn")
    program = int(until(lambda: weir.ask(f"runs/{run['id']}/output")["lines"])[0]["text"])
    weir.process.send_signal(signal.SIGSTOP)
    taken_over(other)
    weir.process.send_signal(signal.SIGCONT)
    begun = time.monotonic()
    assert weir.process.wait(30) == 75
    assert time.monotonic() - begun < 4, "2 seconds, and as many for a busy machine"
    # What ignores the stop signal is killed with the server.
    until(lambda: not pathlib.Path(f"/proc/{program}").exists())
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


@pytest.mark.long
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


@pytest.mark.long
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
