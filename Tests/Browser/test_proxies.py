"""Weir behind nginx and Varnish, as the files in Documentation set them up: two hundred viewers, one request."""

import collections
import json
import os
import shutil
import subprocess
import time
import urllib.request

import pytest
from crowd import Crowd, StreamViewer, busiest_second
from proxies import DOCUMENTATION, Nginx, Varnish, missing
from weir import until

VIEWERS = 200
# What an origin in trouble may be asked in a second, by all viewers of a page together.
BEARABLE = 20


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning", "WEIR_AUTH": "none"}


@pytest.fixture(params=[Nginx, Varnish])
def proxy(request, tmp_path, weir):
    if why := missing(request.param):
        pytest.skip(why)
    proxy = request.param(tmp_path / "proxy", weir.port)
    try:
        yield proxy.start()
    finally:
        proxy.stop()


@pytest.fixture
def crowd(proxy, page):
    crowd = Crowd(proxy.port, VIEWERS, page).begin()
    yield crowd
    crowd.end()


@pytest.fixture
def page():
    return "/"


def hold_to_all_changes(crowd, weir, feed):
    crowd.end()
    crowd.hold_to(weir.changes(feed))


def greet(weir, crowd, label):
    """Starts a greeting and returns once everybody has been shown its end."""
    crowd.reach(weir.ended(weir.run("greeting", label=label))["sequence"])


# Protocol tests 23 and 24
def test_of_all_viewers_at_the_same_place_one_asks_the_origin(weir, proxy, crowd):
    begun = time.time()
    for number in range(5):
        greet(weir, crowd, f"number {number}")
    asked = collections.Counter(path for _, path in proxy.asked(begun) if path.startswith("/live/"))
    assert asked and set(asked.values()) == {1}
    hold_to_all_changes(crowd, weir, "board")


# Protocol test 26
@pytest.mark.long
@pytest.mark.parametrize("page", ["/operations/greeting"])
def test_a_restart_costs_the_origin_few_requests_though_nothing_has_happened(weir, proxy, crowd):
    greet(weir, crowd, "Before")
    begun = time.time()
    # How soon it ends is the matter of test_shutdown.
    assert weir.terminate(60)[0] == 0
    crowd.fail()
    weir.start()
    crowd.hear()
    assert busiest_second(moment for moment, _ in proxy.asked(begun)) < BEARABLE
    greet(weir, crowd, "After")
    hold_to_all_changes(crowd, weir, "operation-greeting")


# Protocol test 26
def test_an_origin_that_is_killed_five_times_brings_everybody_each_change_once(weir, proxy, crowd):
    begun = time.time()
    for number in range(5):
        weir.kill()
        crowd.wait(lambda: any(viewer.failures for viewer in crowd.viewers), 30, "nobody noticed")
        weir.start()
        greet(weir, crowd, f"number {number}")
    assert busiest_second(moment for moment, _ in proxy.asked(begun)) < BEARABLE
    hold_to_all_changes(crowd, weir, "board")


@pytest.mark.long
def test_a_proxy_that_is_killed_brings_everybody_each_change_once(weir, proxy, crowd):
    for number in range(3):
        proxy.kill()
        crowd.fail()
        weir.ended(weir.run("greeting", label=f"unseen {number}"))
        begun = time.time()
        proxy.start()
        greet(weir, crowd, f"number {number}")
        assert busiest_second(moment for moment, _ in proxy.asked(begun)) < BEARABLE
    hold_to_all_changes(crowd, weir, "board")


STREAM = "/api/v1/streams/operation-greeting"


@pytest.fixture
def followers(proxy):
    crowd = Crowd(proxy.port, VIEWERS, STREAM, viewer=StreamViewer).begin()
    yield crowd
    crowd.end()


@pytest.mark.long
def test_of_all_followers_of_a_stream_one_asks_the_origin_for_an_offset_and_cursor(weir, proxy, followers):
    begun = time.time()
    for number in range(5):
        greet(weir, followers, f"number {number}")
    # A wait without news, which ends with its interval.
    followers.hear()
    greet(weir, followers, "after a wait")
    asked = collections.Counter(path for _, path in proxy.asked(begun) if "live=long-poll" in path)
    assert len(asked) >= 6 and set(asked.values()) == {1}
    hold_to_all_changes(followers, weir, "operation-greeting")


@pytest.mark.long
def test_an_origin_that_is_killed_brings_every_follower_of_a_stream_each_change_once(weir, proxy, followers):
    begun = time.time()
    for number in range(3):
        weir.kill()
        followers.wait(lambda: any(viewer.failures for viewer in followers.viewers), 30, "nobody noticed")
        weir.start()
        greet(weir, followers, f"number {number}")
    assert busiest_second(moment for moment, _ in proxy.asked(begun)) < BEARABLE
    hold_to_all_changes(followers, weir, "operation-greeting")


def test_whoever_is_somebody_shares_no_answer_and_events_come_at_once(weir, proxy):
    weir.ended(weir.run("greeting", label="first"))

    def open_stream(query, **headers):
        request = urllib.request.Request(f"{proxy.url}{STREAM}?{query}", headers=headers)
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30)

    with open_stream("offset=-1") as all_of_it:
        offset = all_of_it.headers["Stream-Next-Offset"]
    streams = [open_stream(f"live=sse&offset={offset}") for _ in range(3)]
    ended = weir.ended(weir.run("greeting", label="second"))
    for stream in streams:
        with stream:
            shown = []
            while ended["sequence"] not in shown:
                line = stream.readline()
                assert line, "the events ended too early"
                if line.startswith(b"data: ["):
                    shown += [change["sequence"] for change in json.loads(line[len("data: "):])]
    for name in ("Ada", "Bob"):
        with open_stream(f"live=long-poll&offset={offset}", Cookie=f"weir-name={name}") as answer:
            assert answer.headers["X-Cache"] in ("BYPASS", "MISS")


def post(proxy, path, body, kind, **headers):
    """Posts as a page of the proxy's own would."""
    request = urllib.request.Request(
        proxy.url + path, body, {"Content-Type": kind, "Origin": proxy.url, **headers}, method="POST")
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return answer.status, answer.geturl(), answer.read()


@pytest.mark.parametrize("headers", [{}, {"Sec-Fetch-Site": "same-origin"}], ids=["older browser", "browser"])
def test_a_page_starts_a_run_through_it(weir, proxy, headers):
    status, _, body = post(proxy, "/api/v1/operations/greeting/runs", b'{"label": "Ada"}', "application/json", **headers)
    assert status == 201
    assert weir.ended(json.loads(body))["phase"] == "succeeded"
    status, place, _ = post(proxy, "/operations/greeting/runs", b"label=Bob", "application/x-www-form-urlencoded", **headers)
    assert status == 200 and place.startswith(proxy.url + "/")


def test_a_file_goes_through_it_whole(weir, proxy):
    content = os.urandom(3_000_000)
    path = "/api/v1/operations/file-upload/runs?filename=large.bin"
    status, _, body = post(proxy, path, content, "application/octet-stream")
    assert status == 201
    assert weir.ended(json.loads(body))["phase"] == "succeeded"


def test_an_upload_in_parts_goes_through_it(weir, proxy):
    content = os.urandom(200_000)

    def ask(path, method, body=None, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()} | {"Tus-Resumable": "1.0.0", "Origin": proxy.url}
        request = urllib.request.Request(proxy.url + path, body, fields, method=method)
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return answer.headers, answer.read()

    headers, run = ask("/api/v1/operations/file-upload/uploads", "POST", Upload_Length=str(len(content)))
    place = headers["Location"].removeprefix(proxy.url)
    for begin, end in [(0, 100_000), (100_000, None)]:
        assert ask(place, "HEAD")[0]["Upload-Offset"] == str(begin)
        ask(place, "PATCH", content[begin:end], Upload_Offset=str(begin), Content_Type="application/offset+octet-stream")
    assert weir.ended(json.loads(run))["phase"] == "succeeded"


def may_have_mounts():
    command = ["unshare", "--mount", "--net", "mount", "-t", "tmpfs", "none", "/mnt"]
    return os.geteuid() == 0 and shutil.which("unshare") and subprocess.run(command, check=False).returncode == 0


def test_nginx_starts_on_debian_with_the_file_as_it_is():
    if why := missing(Nginx):
        pytest.skip(why)
    if not os.path.exists("/etc/debian_version") or not may_have_mounts():
        pytest.skip("this is not Debian, or not root with mounts and networks of its own")
    started = subprocess.run(
        ["unshare", "--mount", "--net", "sh", "-ec", """
            for folder in /var/cache /var/log/nginx /run; do mount -t tmpfs none "$folder"; done
            nginx -t -c "$0"
            nginx -c "$0"
            until test -s /run/nginx.pid; do :; done  # its daemon writes that, which goes on when the command is over
            stat --format %U "$1"
            kill "$(cat /run/nginx.pid)"
        """, DOCUMENTATION / Nginx.file, Nginx.cache()],
        capture_output=True, text=True, timeout=30, check=False)
    assert started.returncode == 0, started.stderr
    assert started.stdout.strip() not in ("", "root"), "its workers cannot write to the cache"
