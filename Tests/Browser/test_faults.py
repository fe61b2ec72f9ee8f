"""What goes wrong around a server: it stands still, its disk fills up, its journal is overwritten, it is restarted often."""

import json
import os
import signal
import subprocess
import threading
import time
import urllib.error

import pytest
from crowd import Crowd
from test_damage import kept_log
from test_disk import Full, health, may_mount
from weir import until

pytestmark = [pytest.mark.alone, pytest.mark.long]


@pytest.fixture
def settings(request, sky):
    return {
        "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning",
        "WEIR_RETENTION_DAYS": "36500", "WEIR_RETENTION_RUNS": "100000000",
        "WEIR_DISK_KEEP_FREE": "1",
    }


@pytest.fixture
def prefix(request, tmp_path):
    return Full().prefix(tmp_path / "data") if "full_disk" in request.fixturenames else []


@pytest.fixture
def full_disk():
    if not may_mount():
        pytest.skip("no mounts of its own for this user")
    return Full()


@pytest.fixture
def crowd(weir):
    """Ten viewers of the overview, which moves by itself, with little patience."""
    crowd = Crowd(weir.port, 10, watchdog=3).begin()
    yield crowd
    crowd.end()


def greet(weir, label):
    return weir.ended(weir.run("greeting", label=label))


def labels(weir):
    """The labels of all greetings, the newest first."""
    found, before = [], ""
    while before is not None:
        page = weir.ask(f"runs?operation=greeting&limit=500{before}")
        found += [run["input"]["label"] for run in page["runs"]]
        before = page["next"] and f"&before={page['next']}"
    return found


def hold_to_all_changes(crowd, weir):
    crowd.end()
    crowd.hold_to(weir.changes("board"))


# K7
def test_a_full_disk_leaves_every_follower_with_each_change_once(weir, full_disk, crowd):
    full_disk.strike(weir)
    starts = [threading.Thread(target=start_somehow, args=(weir, f"During {number}")) for number in range(3)]
    for start in starts:
        start.start()
    until(lambda: health(weir, "ready")[0] == 503)
    for start in starts:
        start.join()
    full_disk.mend(weir)
    until(lambda: health(weir, "ready")[0] == 200)
    crowd.reach(greet(weir, "After")["sequence"])
    assert sorted(label for label in labels(weir) if label != "Filling") == ["After", "During 0", "During 1", "During 2"]
    hold_to_all_changes(crowd, weir)


def start_somehow(weir, label):
    """Starts a greeting, whatever the answer."""
    try:
        weir.run("greeting", label=label)
    except urllib.error.HTTPError as refusal:
        assert refusal.code == 503


# K3
def test_a_server_that_stands_still_for_a_while_brings_everybody_each_change_once(weir, crowd):
    before = greet(weir, "Before")["sequence"]
    crowd.reach(before)
    weir.process.send_signal(signal.SIGSTOP)
    try:
        asked = threading.Thread(target=greet, args=(weir, "During"))
        asked.start()
        crowd.fail()
    finally:
        weir.process.send_signal(signal.SIGCONT)
    asked.join(30)
    assert not asked.is_alive()
    crowd.reach(greet(weir, "After")["sequence"])
    assert labels(weir) == ["After", "During", "Before"]
    hold_to_all_changes(crowd, weir)


# K7
def test_a_journal_that_is_overwritten_while_it_is_open_is_set_aside_and_the_server_goes_on(weir):
    # What is overwritten stays so: nothing is copied over it from the journal's log.
    with kept_log(weir):
        greet(weir, "Before")
        epoch = weir.ask("feeds/board/changes")["epoch"]
        file = weir.data / "journal.sqlite"
        with file.open("r+b") as journal:
            journal.write(os.urandom(max(file.stat().st_size, 65_536)))
        assert health(weir, "live")[0] == 200
        weir.kill()
    weir.start()
    until(lambda: health(weir, "ready")[0] == 200)
    assert list(weir.data.glob("journal.sqlite.damaged-*"))
    assert "damaged" in weir.log.read_text()
    assert weir.ask("feeds/board/changes")["epoch"] != epoch
    assert greet(weir, "After")["phase"] == "succeeded"


# K3, K4
def test_thirty_restarts_lose_no_change_and_each_is_ready_soon(weir, crowd):
    slowest = 0
    for number in range(30):
        greet(weir, f"number {number}")
        if number % 2:
            weir.kill()
        else:
            assert weir.terminate()[0] == 0
        weir.start()
        assert health(weir, "ready")[0] == 200
        slowest = max(slowest, weir.started_in)
    assert slowest < 10
    crowd.reach(greet(weir, "After")["sequence"])
    assert labels(weir) == ["After", *(f"number {number}" for number in reversed(range(30)))]
    hold_to_all_changes(crowd, weir)


RUNS = 70_000


def write_history(file):
    """An export of seventy thousand greetings, three changes each, the newest a moment ago."""
    begun = int(time.time() * 1_000) - RUNS * 3
    times = lambda number: time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime((begun + number) // 1_000)) + f".{(begun + number) % 1_000:03}Z"
    lines = [{"header": {"created": times(RUNS * 3), "epoch": "history000001", "format": 1}}]
    for run in range(RUNS):
        states = [("none", {}, "idle"), ("loading", {}, "active"), ("success", {"greeting": f"Hello, {run}!"}, "succeeded")]
        for revision, (case, payload, phase) in enumerate(states):
            number = run * 3 + revision
            change = {
                "at": times(number), "case": case, "payload": payload, "phase": phase, "revision": revision,
                "sequence": number + 1, "stream": f"run-{run:026}", "subject": "greeting", "transition": True,
            }
            if revision == 0:
                change["opening"] = {"actor": "api", "input": {"label": str(run)}}
            lines.append({"change": change})
    lines.append({"end": {"changes": RUNS * 3, "lines": 0, "runs": RUNS}})
    with file.open("w") as output:
        output.writelines(json.dumps(line, separators=(",", ":"), sort_keys=True) + "\n" for line in lines)


def resident(weir):
    """The megabytes of memory that the server holds."""
    with open(f"/proc/{weir.process.pid}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1_024


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="memory is read as Linux tells it")
def test_two_hundred_thousand_changes_are_opened_soon_and_in_little_memory(weir):
    assert weir.terminate()[0] == 0
    file = weir.folder / "history.jsonl"
    write_history(file)
    command = [weir.command[0], "import", str(file), "--data", str(weir.data)]
    imported = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True, env=weir.environment)
    assert f"{RUNS} imported" in imported.stdout
    weir.start()
    assert weir.started_in < 20
    assert health(weir, "ready")[0] == 200
    run = greet(weir, "After")
    assert run["sequence"] > RUNS * 3
    assert weir.ask(f"runs/{RUNS - 1:026}")["state"]["greeting"] == f"Hello, {RUNS - 1}!"
    first = weir.ask("feeds/run-" + f"{0:026}" + "/changes")["changes"]
    assert [change["case"] for change in first] == ["none", "loading", "success"]
    assert resident(weir) < 400
    assert weir.terminate()[0] == 0
