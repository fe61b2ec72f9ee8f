"""SIGTERM and SIGINT with pages open, and with runs that run, are queued, wait for a retry, or ask somebody."""

import signal
import threading
import time
import urllib.error

import pytest
from playwright.sync_api import expect
from receivers import Receivers
from weir import until

NOTIFY = 'notify: [{when: [failed, interrupted, cancelled], webhook: {url: "URL/generic"}}]\n'
QUEUED = NOTIFY + """
title: Queued
overlap: queue
inputs: [{name: number, required: true}]
command: [sh, -c, 'echo "$1" >> FOLDER/ran; test -e FOLDER/go || sleep 60', queued, "{{number}}"]
"""
RETRIED = NOTIFY + """
title: Retried
retry: {limit: 1, interval: 3s}
command: [sh, -c, 'echo attempt; echo retried >> FOLDER/ran; test -e FOLDER/go']
"""
STEPS = """
title: Steps
steps:
  - {name: ask, approve: {prompt: Go on?}}
  - {name: last, command: [echo, last]}
"""
QUICK = """
title: Quick
stop_grace_period: 1s
command: [sh, -c, 'until test -e FOLDER/go; do sleep 0.05; done; echo over']
"""


@pytest.fixture
def receivers():
    receivers = Receivers()
    yield receivers
    receivers.stop()
    assert receivers.wrong == []


@pytest.fixture
def extra():
    return {}


@pytest.fixture
def settings(sky, tmp_path, receivers, extra):
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, text in {"queued": QUEUED, "retried": RETRIED, "steps": STEPS, "quick": QUICK}.items():
        (folder / f"{name}.yml").write_text(text.replace("URL", receivers.url).replace("FOLDER", str(tmp_path)))
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_OPERATIONS": str(folder), **extra}


def state(weir, run):
    return weir.ask(f"runs/{run['id']}")["case"]


def test_it_ends_within_three_seconds_and_open_pages_say_so_and_come_back(visit, weir, sky):
    pages = [visit(path) for path in ("/", "/", "/runs", "/operations/host-vitals", "/operations/iss-position")]
    sky.greets.clear()
    run = weir.run("greeting", label="Going")
    until(lambda: weir.ask(f"runs/{run['id']}")["case"] == "loading")
    code, seconds = weir.terminate()
    assert code == 0
    assert seconds < 3
    sky.greets.set()
    expect(pages[0].locator("#live")).to_have_attribute("data-state", "reconnecting")
    weir.start()
    for page in pages:
        expect(page.locator("#live")).to_have_attribute("data-state", "live", timeout=40_000)
    ended = weir.ask("runs/" + run["id"])
    assert ended["phase"] == "interrupted"
    assert ended["cause"] == "the server was stopped"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_interrupts_what_runs_and_keeps_what_waits(weir, receivers, tmp_path, number):
    running, *queued = [weir.run("queued", number=str(number)) for number in range(3)]
    until(lambda: state(weir, running) == "running")
    retried = weir.run("retried")
    until(lambda: state(weir, retried) == "retrying")
    steps = weir.run("steps")
    until(lambda: state(weir, steps) == "ask")
    weir.process.send_signal(number)
    assert weir.process.wait(10) == 0
    assert (tmp_path / "ran").read_text().splitlines() == ["0", "retried"]
    (tmp_path / "go").touch()
    weir.start()
    # The message is sent before the server ends, or on a busy machine after it has started.
    messages = until(lambda: receivers.of("generic"))
    assert [(message["event"], message["run"]["id"]) for message in messages] == [("interrupted", running["id"])]
    ended = weir.ask("runs/" + running["id"])
    assert (ended["phase"], ended["cause"]) == ("interrupted", "the server was stopped")
    assert [weir.ended(run)["phase"] for run in queued] == ["succeeded", "succeeded"]
    # It waits for its retry again, and goes on with the second attempt.
    assert weir.ended(retried)["phase"] == "succeeded"
    assert weir.cases(retried) == ["waiting", "running", "retrying", "succeeded"]
    output = weir.ask(f"runs/{retried['id']}/output")["lines"]
    assert [line["text"] for line in output] == ["attempt", "attempt"]
    assert sorted((tmp_path / "ran").read_text().splitlines()) == ["0", "1", "2", "retried", "retried"]
    assert weir.ask("runs/" + steps["id"])["case"] == "ask"
    weir.ask(f"runs/{steps['id']}/decision", "POST", {"step": "ask", "decision": "approve"})
    assert weir.ended(steps)["phase"] == "succeeded"
    assert len(receivers.of("generic")) == 1, "the end is told once"


class TestGrace:
    @pytest.fixture
    def extra(self):
        return {"WEIR_SHUTDOWN_GRACE": "20"}

    def test_programs_can_end_before_the_server_does_while_pages_are_served_and_nothing_starts(self, weir, visit, tmp_path):
        run = weir.run("quick")
        until(lambda: state(weir, run) == "running")
        page = visit()
        with page.expect_request(lambda request: "/live/1/run-" in request.url):
            page.goto(f"/runs/{run['id']}")
        weir.process.send_signal(signal.SIGTERM)

        def refused():
            try:
                weir.run("steps")
            except urllib.error.HTTPError as error:
                return error.code == 503
            return False

        until(refused)
        assert weir.process.poll() is None
        (tmp_path / "go").touch()
        expect(page.locator("#run-took")).to_contain_text("ran")
        assert weir.process.wait(10) == 0
        weir.start()
        assert weir.ask("runs/" + run["id"])["phase"] == "succeeded"

    def test_a_second_signal_ends_the_wait(self, weir):
        run = weir.run("quick")
        until(lambda: state(weir, run) == "running")
        weir.process.send_signal(signal.SIGTERM)
        until(lambda: "waits for its runs" in weir.log.read_text())
        begun = time.monotonic()
        # The second signal can come before the server listens for it.
        over = threading.Event()

        def again():
            while not over.wait(0.2):
                weir.process.send_signal(signal.SIGTERM)

        sender = threading.Thread(target=again)
        sender.start()
        assert weir.process.wait(10) == 0
        over.set()
        sender.join()
        assert time.monotonic() - begun < 10
        weir.start()
        assert weir.ask("runs/" + run["id"])["phase"] == "interrupted"
