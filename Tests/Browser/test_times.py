"""Times: in the reader's zone, or in UTC."""

import re

from playwright.sync_api import expect
from weir import until

SHIFTS = """
    window.shifted = 0;
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.shifted += entry.value; })
        .observe({ type: "layout-shift", buffered: true });
"""


def in_tokyo(visit, path="/"):
    return visit(path, timezone_id="Asia/Tokyo")


def test_clocks_are_in_the_readers_zone_and_in_utc_after_a_switch_that_is_kept(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = in_tokyo(visit)
    utc = run["startedAt"][11:19]
    tokyo = f"{(int(utc[:2]) + 9) % 24:02}{utc[2:]}"
    clock = page.locator(f"#tail-{run['id']} .when time")
    expect(clock).to_have_text(tokyo)
    expect(clock).to_have_attribute("title", re.compile(r"GMT\+9"))
    page.get_by_role("button", name="Times in").click()
    expect(clock).to_have_text(utc)
    expect(clock).to_have_attribute("title", re.compile("UTC"))
    page.reload()
    expect(clock).to_have_text(utc)
    page.get_by_role("button", name="Times in").click()
    expect(clock).to_have_text(tokyo)


def test_nothing_moves_when_the_client_takes_over(visit, weir):
    for _ in range(3):
        weir.ended(weir.run("greeting"))
    page = in_tokyo(visit)
    # What runs only while somebody looks, and is new in the lists as it begins, has begun.
    expect(page.locator("#op-host-vitals .vitals")).to_contain_text("Received")
    expect(page.locator("#op-iss-position .map")).to_be_visible()
    page.context.add_init_script(SHIFTS)
    for path in ("/runs", "/operations/greeting", "/", "/stores"):
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("data-live", "")
        page.evaluate("() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
        # What runs while it is watched may begin again on the overview, and its card grows by a line.
        assert page.evaluate("window.shifted") < (0.02 if path == "/" else 0.005), path


def test_what_is_copied_of_a_time_is_the_exact_time(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = visit(f"/runs/{run['id']}")
    page.evaluate('document.addEventListener("copy", (event) => { window.copied = event.clipboardData.getData("text/plain"); })')

    def copied():
        # The page writes what has another age by now anew, and what was selected of it is selected no more.
        page.evaluate('getSelection().selectAllChildren(document.querySelector("#run-by time[data-relative]"))')
        page.keyboard.press("Control+c")
        return page.evaluate("window.copied")

    assert until(copied) == run["startedAt"]


def test_a_filter_is_in_the_readers_zone_and_its_address_in_utc(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = in_tokyo(visit, "/runs")
    # What reads the fields by the reader's clock is loaded after the page, and says when the day has begun there.
    expect(page.get_by_role("link", name="Today")).to_have_attribute("href", re.compile("T15%3A00%3A00"))
    page.fill("#filter-from", "2026-01-01T09:00:05")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url(re.compile(r"/runs\?.*from=2026-01-01T00%3A00%3A05"))
    expect(page.locator("#filter-from")).to_have_value("2026-01-01T09:00:05")
    expect(page.locator(f"#row-{run['id']}")).to_be_visible()
