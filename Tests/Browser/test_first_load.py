"""The first page that somebody opens, and the next: few requests, few bytes, and nothing that moves about."""

import re

import pytest
from loads import Loads
from playwright.sync_api import expect
from weir import until

pytestmark = pytest.mark.alone

# The page, the style sheet, the script, the icon, the first poll, and a module for what the page has beyond that.
REQUESTS, BYTES, OURS = 6, 45_000, 30_720
# A time that ticks may push its neighbour by a digit's width.
STILL = 0.001


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


@pytest.fixture
def loads(browser, weir):
    # What runs only while somebody looks, and grows as it begins, has begun.
    visitor = browser.new_page(base_url=weir.url)
    visitor.goto("/")
    # A rate takes two readings.
    expect(visitor.locator("#op-host-vitals .vitals")).to_contain_text("Received")
    expect(visitor.locator("#op-iss-position .map")).to_be_visible()
    context = browser.new_context(base_url=weir.url, locale="en-GB")
    yield Loads(context)
    context.close()
    visitor.close()


@pytest.mark.parametrize("path", ["/", "/runs", "/operations/greeting", "/operations/iss-position", "/runs/{run}"])
def test_a_first_load_stays_within_its_budget(loads, weir, path):
    run = weir.ended(weir.run("greeting", label="Ada"))
    # A page that was rendered less than a second ago may be sent again, and catches up with what happened since.
    until(lambda: int(re.search(r'data-sequence="(\d+)"', weir.page("/"))[1]) >= run["sequence"])
    load = loads.load(path.format(run=run["id"]))
    assert len([url for url in load.requests if not url.endswith("/world.svg")]) <= REQUESTS, load.requests
    assert load.total <= BYTES, load.bytes
    assert load.of(".js", ".css") <= OURS, load.bytes
    assert load.shifts < STILL, load.moved


def test_the_next_page_asks_for_itself_alone_and_follows(loads, weir):
    asked = set()
    for path in 2 * ["/", "/runs", "/operations/greeting", "/stores", "/"]:
        load = loads.load(path)
        files = [url for url in load.requests if "/assets/" in url]
        # Only what no page before had a use for.
        assert not asked & set(files), files
        asked |= set(files)
        assert [url for url in load.requests if url not in files and "/live/1/" not in url] == [weir.url + path]
        assert load.shifts < STILL, load.moved
    assert not files


def test_a_page_that_looks_the_same_is_not_sent_again_and_still_tells_the_right_time(loads, weir):
    page = weir.url + "/operations/http-request"
    first = loads.load(page)
    # The address of the poll is another one every few seconds, and with it the page.
    until(lambda: loads.load(None, act=loads.page.reload).bytes[page] < first.bytes[page] / 2)
    assert loads.page.evaluate("sessionStorage.getItem('weir ahead')") == "0"
    expect(loads.page.locator("#page h1").first).to_be_visible()


def test_what_is_used_seldom_is_loaded_when_it_is_first_used(loads, weir):
    first = loads.load("/")
    assert not any("palette" in url for url in first.requests)
    with loads.page.expect_response(lambda answer: answer.url.endswith("/page/palette.js")) as later:
        loads.page.keyboard.press("Control+k")
    assert later.value.header_value("cache-control") == "public, max-age=31536000, immutable"
    expect(loads.page.locator("dialog[open]")).to_be_visible()


def test_a_page_from_before_an_upgrade_still_gets_what_it_first_uses_now(visit, weir):
    page = visit("/")
    # As if the page had been loaded from a version with other files.
    folder = page.locator("link[rel=stylesheet]").get_attribute("href").rsplit("/", 1)[0]
    page.route("**/assets/**/palette.js", lambda route: route.continue_(url=weir.url + "/assets/@0123456789abcdef/page/palette.js"))
    assert folder.startswith("/assets/@")
    page.keyboard.press("Control+k")
    expect(page.locator("dialog[open]")).to_be_visible()
