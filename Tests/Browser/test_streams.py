"""Feeds are Durable Streams: followed, and reported to, by the client on PyPI, over kills, restarts and bad proxies."""

import shutil
import threading

import pytest
from streams import Follower, Proxy, Reporter, client, finish, make_runs, recorded, until
from weir import until as asked_until

RUNS = 1_000


@pytest.fixture
def settings():
    return {"WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "120", "WEIR_LOG_LEVEL": "warning"}


@pytest.mark.long
@pytest.mark.parametrize("live", ["long-poll", "sse"])
def test_every_change_comes_once_and_in_order_over_kills_and_restarts(weir, live):
    followers = [Follower(f"{weir.url}/api/v1/streams/board", live) for _ in range(2)]
    maker = threading.Thread(target=make_runs, args=(weir, 0, RUNS), daemon=True)
    maker.start()
    for stop in range(4):
        until(lambda: followers[0].problem or len(followers[0].sequences) >= RUNS * 2 * (stop + 1) // 6)
        weir.kill() if stop % 2 else weir.terminate(60)
        weir.start()
    finish(maker)
    expected = recorded(weir)
    assert len(expected) == 2 * RUNS
    for follower in followers:
        until(lambda: follower.problem or len(follower.sequences) >= len(expected))
        follower.stop()
        assert follower.problem is None
        assert follower.lost == 0
        assert follower.sequences == expected
    assert any(follower.failures for follower in followers)


def test_a_history_that_is_gone_is_told_and_never_taken_for_the_new_one(weir):
    make_runs(weir, 0, 5)
    follower = Follower(f"{weir.url}/api/v1/streams/board", "long-poll")
    until(lambda: follower.problem or len(follower.sequences) == 10)
    before = follower.offset
    weir.terminate(60)
    shutil.rmtree(weir.data)
    weir.start()
    make_runs(weir, 100, 8)
    until(lambda: follower.problem or len(follower.sequences) == 16)
    follower.stop()
    assert follower.problem is None
    assert follower.lost == 1
    assert follower.sequences == recorded(weir)
    assert follower.offset > before


def test_a_proxy_that_gives_up_after_five_seconds_costs_nothing(weir):
    reporter = Reporter(weir, "import", "quiet")
    reporter.open()
    reporter.send({"state": "importing", "completed": 1, "total": 9})
    proxy = Proxy(weir.port, patience=5)
    # A run's own stream: that of the board never rests while the follower itself keeps what is watched going.
    follower = Follower(f"{proxy.url}/api/v1/streams/run-quiet", "long-poll")
    until(lambda: follower.problem or "importing" in follower.cases)
    until(lambda: follower.problem or proxy.given_up > 0)
    reporter.send({"state": "importing", "completed": 2, "total": 9})
    reporter.send({"state": "done", "phase": "succeeded"}, closes=True)
    until(lambda: follower.problem or "done" in follower.cases)
    follower.stop()
    proxy.stop()
    assert follower.problem is None
    assert proxy.given_up > 0
    with client() as http:
        states = http.get(f"{weir.url}/api/v1/streams/run-quiet").json()
    assert follower.sequences == [change["sequence"] for change in states]


@pytest.mark.long
@pytest.mark.parametrize("live", ["long-poll", "sse"])
def test_an_answer_that_is_cut_in_the_middle_is_not_taken_for_a_whole_one(weir, live):
    make_runs(weir, 0, 60)
    proxy = Proxy(weir.port, cut_after=9_000)
    follower = Follower(f"{proxy.url}/api/v1/streams/board", live)
    until(lambda: follower.problem or proxy.cuts >= 3)
    assert follower.sequences == recorded(weir)[: len(follower.sequences)]
    proxy.cut_after = None
    make_runs(weir, 60, 5)
    until(lambda: follower.problem or len(follower.sequences) >= 130)
    follower.stop()
    proxy.stop()
    assert follower.problem is None
    assert follower.sequences == recorded(weir)


@pytest.mark.long
def test_a_reporter_s_messages_are_recorded_once_over_kills_and_its_run_goes_on(weir):
    reporter = Reporter(weir, "import", "big")
    reporter.open(input={"files": 60}, title="Import")
    stopper = threading.Thread(target=lambda: [(weir.kill(), weir.start()) for _ in range(3)], daemon=True)
    for number in range(60):
        if number == 10:
            stopper.start()
        reporter.send({"state": "importing", "completed": number, "total": 60})
        reporter.send({"line": f"file {number}"})
    finish(stopper)
    reporter.send({"state": "done", "phase": "succeeded", "files": 60}, closes=True)
    with client() as http:
        states = http.get(f"{weir.url}/api/v1/streams/run-big").json()
        text = http.get(f"{weir.url}/api/v1/streams/output-big/text").text
        back = http.get(reporter.url)
    assert [change["progress"]["completed"] for change in states if change["case"] == "importing"] == list(range(60))
    assert [change["case"] for change in states][-1] == "done"
    assert text == "".join(f"file {number}\n" for number in range(60))
    messages = back.json()
    assert messages[0] == {"input": {"files": 60}, "title": "Import"}
    assert [message["line"] for message in messages if "line" in message] == [f"file {number}" for number in range(60)]
    assert back.headers["Stream-Closed"] == "true"


@pytest.mark.long
def test_a_run_whose_reporter_is_gone_is_interrupted(weir):
    weir.terminate(60)
    weir.environment["WEIR_REPORTS_LEASE"] = "1"
    weir.start()
    reporter = Reporter(weir, "import", "lost")
    reporter.open()
    run = asked_until(lambda: (now := weir.ask("runs/lost"))["endedAt"] and now)
    assert run["phase"] == "interrupted"
    with client() as http:
        late = http.post(reporter.url, json={"beat": True})
    assert late.status_code == 409
    assert late.headers["Stream-Closed"] == "true"
