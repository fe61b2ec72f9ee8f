"""Several tabs."""

import time

from client_page import at, morph, open_page
from playwright.sync_api import expect
from weir import until


def test_two_tabs_share_one_request_and_both_show_every_change(context, server):
    first, second = context.new_page(), context.new_page()
    open_page(first, server)
    second.goto(server.url)
    expect(second.locator("html")).to_have_attribute("data-live", "")
    for number in range(1, 31):
        server.publish(morph(number))
        at(second, number)
    at(first, 30)
    for tab in (first, second):
        until(lambda: tab.evaluate("window.painted") == list(range(1, 31)))
    tails = [path for _, path in server.requests if path.startswith("/live/1") and not path.endswith("now")]
    assert len(tails) == len(set(tails)), "no URL was held twice"
    first.close()
    server.publish(morph(31))
    at(second, 31)


def test_a_leader_that_was_refused_does_not_keep_the_others_waiting(context, server):
    first, second = context.new_page(), context.new_page()
    open_page(first, server)
    second.goto(server.url)
    expect(second.locator("html")).to_have_attribute("data-live", "")
    server.script({"status": 403})
    expect(first.locator("#live-text")).to_have_text("Stopped. Reload the page.")
    server.publish(morph(1))
    at(second, 1)
    assert first.get_attribute("#page", "data-sequence") == "0"


def test_with_seven_tabs_on_seven_feeds_navigation_is_quick_and_all_are_live(context, server):
    tabs = [context.new_page() for _ in range(7)]
    for number, tab in enumerate(tabs):
        tab.goto(f"{server.url}/feeds/run-{number}")
        expect(tab.locator("html")).to_have_attribute("data-live", "")
    started = time.monotonic()
    tabs[0].goto(f"{server.url}/feeds/run-9")
    assert time.monotonic() - started < 1
    server.publish(morph(1))
    for tab in tabs:
        at(tab, 1)
