"""Three servers on one PostgreSQL behind HAProxy, as the file in Documentation sets it up: stopped, killed, without database."""

import json
import os

import httpx
import pytest
from cluster import other, postgres, role, shows_the_same, start_by_hand, third  # noqa: F401
from cluster import settings as cluster_settings  # noqa: F401
from followers import APIFollower, Client, Gate, Lost, PollFollower
from playwright.sync_api import expect
from proxies import HAProxy, missing
from weir import until

pytestmark = pytest.mark.skipif(bool(missing(HAProxy)), reason=str(missing(HAProxy)))
NAMES = ["a", "b", "c"]
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def settings(cluster_settings):  # noqa: F811
    return cluster_settings | {"WEIR_AUTH": "none"}


@pytest.fixture
def servers(weir, other, third):  # noqa: F811
    """By their names in the file; the first records."""
    for server in (other, third):
        server.start()
        server.ended(server.run("greeting", label="ready"))
    return dict(zip(NAMES, (weir, other, third)))


@pytest.fixture
def proxy(tmp_path, servers):
    proxy = HAProxy(tmp_path / "proxy", [server.port for server in servers.values()])
    try:
        proxy.start()
        # HAProxy takes every server for one that records until it has asked twice.
        until(lambda: [name for name in proxy.up("recording") if name in NAMES] == ["a"] and proxy.up("ready") == NAMES)
        yield proxy
    finally:
        proxy.stop()


class Viewers:
    """Follow the board through the proxy, and are shown each change once, in order, without a reset or an error."""

    def __init__(self, proxy):
        self.gate = Gate()
        self.all = [APIFollower(proxy, self.gate, "board"), *(PollFollower(proxy, self.gate, "board", "/") for _ in range(5))]
        self.cuts = 0
        for viewer in self.all:
            viewer.missed = lambda viewer=viewer, missed=viewer.missed: (self.count(), missed())

    def count(self):
        self.cuts += 1

    def __enter__(self):
        self.gate.open()
        for viewer in self.all:
            viewer.start()
        until(lambda: any(v.problem for v in self.all) or all(v.epoch for v in self.all))
        return self

    def __exit__(self, *_):
        self.gate.end()

    def were_shown_all(self, server):
        recorded = [change["sequence"] for change in server.changes("board")]
        until(lambda: any(v.problem for v in self.all) or all(v.cursor >= recorded[-1] for v in self.all))
        assert [viewer.problem for viewer in self.all] == [None] * len(self.all)
        for viewer in self.all:
            # What runs while it is watched goes on meanwhile.
            shown = [sequence for sequence in sorted(viewer.shown) if sequence <= recorded[-1]]
            assert shown == [sequence for sequence in recorded if sequence > viewer.began]


def start(client, label):
    """Starts a greeting by a key of its own, and again by it while the answer is that nothing was done or nobody knows."""

    def once():
        try:
            status, body = client.ask(
                "/api/v1/operations/greeting/runs", "POST", json.dumps({"label": label}), JSON | {"Idempotency-Key": label})
        except Lost:
            return None
        assert status in (200, 201, 202, 503), f"answered {status}: {body[:300]!r}"
        return status < 300 and json.loads(body)

    return until(once, 60)


def run_count(postgres, label):  # noqa: F811
    return postgres.ask(f"SELECT count(*) FROM weir.runs WHERE idempotency_key = '{label}'")


# K2, K12
@pytest.mark.long
def test_viewers_hop_between_the_servers_with_and_without_javascript_and_miss_nothing(servers, proxy, visit):
    with Viewers(proxy) as viewers:
        page = visit(proxy.url + "/operations/greeting")
        plain = visit(proxy.url + "/operations/greeting", java_script_enabled=False)
        expect(page.locator("html[data-live]")).to_be_attached()
        client = Client(proxy)
        for number in range(20):
            run = start(client, f"program-{number}")
            # The next server is asked for the run at once, and has to know it.
            assert client.json(f"/api/v1/runs/{run['id']}")["id"] == run["id"]
            assert client.ask(f"/runs/{run['id']}")[0] == 200
        start_by_hand(page, plain, proxy.url, 4)
        servers["a"].ended(run)
        shows_the_same(servers["a"], servers["b"])
        viewers.were_shown_all(servers["a"])
        assert viewers.cuts == 0
    asked = {name: int(row["stot"]) for name, row in proxy.servers("ready").items() if name in NAMES}
    assert all(asked[name] > 10 for name in NAMES), asked
    started = {name: int(row["stot"]) for name, row in proxy.servers("starting").items() if name in NAMES}
    assert all(started[name] >= 6 for name in NAMES), started


# K4, K12
def test_a_server_that_is_killed_costs_no_viewer_a_change(servers, proxy, postgres, visit):  # noqa: F811
    with Viewers(proxy) as viewers:
        page = visit(proxy.url + "/operations/greeting")
        expect(page.locator("html[data-live]")).to_be_attached()
        client = Client(proxy)
        for number, name in enumerate(["b", "a"]):
            start(client, f"before-{name}")
            # First one that follows, then the one that records.
            servers[name].kill()
            start(client, f"after-{name}")
            page.get_by_label("Label").fill(f"live {number}")
            page.locator("#start button[type=submit]").click()
            expect(page.locator("#current .state")).to_have_text(f"Success: Hello, live {number}!")
            servers[name].start()
            until(lambda: proxy.up("ready") == NAMES)
        last = start(client, "last")
        for server in servers.values():
            server.ended(last)
        assert role(servers["a"]) == "following"
        shows_the_same(servers["a"], servers["c"])
        viewers.were_shown_all(servers["c"])
    for label in ("before-b", "after-b", "before-a", "after-a", "last"):
        assert run_count(postgres, label) == "1"


# K12
def test_a_server_that_is_stopped_in_order_cuts_no_request_off(servers, proxy):
    with Viewers(proxy) as viewers:
        client = Client(proxy)
        for name in ("c", "a"):
            start(client, f"before-{name}")
            assert servers[name].terminate()[0] == 0
            start(client, f"after-{name}")
            servers[name].start()
            until(lambda: proxy.up("ready") == NAMES)
        last = start(client, "last")
        for server in servers.values():
            server.ended(last)
        viewers.were_shown_all(servers["b"])
        assert viewers.cuts == 0


# K3
@pytest.mark.long
def test_pages_are_shown_while_the_database_is_away(servers, proxy, postgres):  # noqa: F811
    with Viewers(proxy) as viewers:
        client = Client(proxy)
        start(client, "before")
        postgres.kill()
        until(lambda: not proxy.up("ready"))
        assert proxy.up("alive") == NAMES
        for _ in range(3):
            status, page = client.ask("/")
            assert status == 200
        postgres.start()
        until(lambda: proxy.up("ready") == NAMES)
        servers["b"].ended(start(client, "after"))
        viewers.were_shown_all(servers["b"])


def test_an_upload_in_parts_stays_at_the_server_that_records(servers, proxy):
    content, version = os.urandom(300_000), {"Tus-Resumable": "1.0.0"}
    with httpx.Client(base_url=proxy.url, headers=version, trust_env=False, timeout=30) as asked:
        begun = asked.post("/api/v1/operations/file-upload/uploads", headers={"Upload-Length": str(len(content))})
        assert begun.status_code == 201, begun.text
        place = begun.headers["Location"]
        for begin, end in [(0, 100_000), (100_000, None)]:
            for _ in NAMES:
                answer = asked.head(place)
                assert (answer.status_code, answer.headers.get("Upload-Offset")) == (200, str(begin))
            part = {"Upload-Offset": str(begin), "Content-Type": "application/offset+octet-stream"}
            assert asked.patch(place, content=content[begin:end], headers=part).status_code == 204
        assert servers["b"].ended(begun.json())["phase"] == "succeeded"
        # Whatever the method, no other server is asked for it.
        place = asked.post("/api/v1/operations/file-upload/uploads", headers={"Upload-Length": "10"}).headers["Location"]
        for _ in NAMES:
            assert asked.options(place).status_code in (200, 204)
            assert asked.head(place).status_code == 200
        assert asked.delete(place).status_code == 204
        assert [asked.head(place).status_code for _ in NAMES] == [410] * len(NAMES)


def test_a_stream_continues_at_any_server_and_tells_what_happens_at_once(servers, proxy):
    client, path = Client(proxy), "/api/v1/streams/operation-greeting"
    first = start(client, "first")
    for server in servers.values():
        server.ended(first)
    with httpx.Client(base_url=proxy.url, trust_env=False, timeout=30) as asked:
        answers = [asked.get(path, params={"offset": "-1"}) for _ in NAMES]
        assert len({(answer.text, answer.headers["Stream-Next-Offset"]) for answer in answers}) == 1
        offset = answers[0].headers["Stream-Next-Offset"]
        with asked.stream("GET", path, params={"live": "sse", "offset": offset}) as events:
            second = start(client, "second")
            assert any(second["id"] in line for line in events.iter_lines())
        held = asked.get(path, params={"live": "long-poll", "offset": offset})
        assert second["id"] in held.text


@pytest.mark.long
def test_an_upload_reaches_the_server_that_records(servers, proxy):
    content = os.urandom(3_000_000)
    for _ in NAMES:
        status, body = Client(proxy).ask(
            "/api/v1/operations/file-upload/runs?filename=large.bin", "POST", content, {"Content-Type": "application/octet-stream"})
        assert status == 201, body
        assert servers["b"].ended(json.loads(body))["phase"] == "succeeded"
