"""The list of runs as a tool: chips, today, saved views, and many runs changed at a time."""

import datetime
import re

import pytest
from playwright.sync_api import expect
from weir import until


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def rows(page):
    return page.locator("#runs tr")


@pytest.mark.long
def test_each_filter_is_a_chip_that_takes_it_away(visit, weir):
    weir.ended(weir.run("greeting", label="Needle"))
    weir.ended(weir.run("greeting", label="Hay"))
    weir.ended(weir.run("people-in-space"))
    page = visit("/runs?operation=greeting&text=Needle")
    chips = page.get_by_role("list", name="Filters")
    expect(chips.get_by_role("link")).to_have_count(3)
    expect(rows(page)).to_have_count(1)
    chips.get_by_role("link", name=re.compile("Needle")).click()
    page.wait_for_url("**/runs?operation=greeting")
    expect(rows(page)).to_have_count(2)
    expect(chips.get_by_role("link", name=re.compile("Greeting"))).to_be_visible()
    chips.get_by_role("link", name="Remove all filters").click()
    page.wait_for_url("**/runs")
    expect(chips).to_have_count(0)


@pytest.mark.long
def test_today_begins_at_the_readers_midnight(visit, weir):
    # Far from here, where midnight does not come while this runs.
    hour = datetime.datetime.now(datetime.UTC).hour
    place = "America/Denver" if 9 < hour < 13 else "Pacific/Auckland"
    run = weir.ended(weir.run("greeting", label="Now"))
    page = visit("/runs", timezone_id=place)
    today = page.get_by_role("link", name="Today")
    midnight = page.evaluate("new Date(new Date().setHours(0, 0, 0, 0)).toISOString().slice(0, 19)")
    expect(today).to_have_attribute("href", re.compile(re.escape(midnight.replace(":", "%3A"))))
    today.click()
    page.wait_for_url("**from=**")
    expect(page.locator(f"#row-{run['id']}")).to_be_visible()
    expect(page.get_by_role("list", name="Filters").get_by_role("link").first).to_contain_text("From")


def test_a_view_is_saved_chosen_and_forgotten(visit, weir):
    weir.ended(weir.run("greeting", label="Needle"))
    page = visit("/runs?text=Needle")
    page.get_by_text("Saved views").click()
    page.get_by_label("Name of this view").fill("Needles")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("link", name="Needles")).to_have_attribute("aria-current", "page")
    page.goto("/runs")
    page.get_by_role("link", name="Needles").click()
    page.wait_for_url("**text=Needle**")
    page.get_by_text("Saved views").click()
    page.get_by_role("button", name="Forget Needles").click()
    expect(page.get_by_role("link", name="Needles")).to_have_count(0)


def test_many_runs_are_cancelled_after_a_summary_of_what_will_happen(visit, weir, sky):
    done = weir.ended(weir.run("greeting", label="Done"))
    sky.greets.clear()
    going = weir.run("greeting", label="Going")
    page = visit("/runs?operation=greeting")
    for run in (done, going):
        page.get_by_label(f"Select {run['id'][-6:]}").check()
    page.get_by_role("button", name="Cancel…").click()
    page.wait_for_url("**/runs/change?**")
    counts = page.get_by_role("status").filter(has_text="will be cancelled")
    expect(counts).to_contain_text("1 will be cancelled")
    expect(counts).to_contain_text("1 already ended")
    assert not weir.ask(f"runs/{going['id']}")["endedAt"]
    page.get_by_role("button", name="Cancel them (1)").click()
    expect(page.get_by_role("status").filter(has_text="cancelled")).to_contain_text("1 cancelled")
    until(lambda: weir.ask(f"runs/{going['id']}")["endedAt"])
    assert weir.ask(f"runs/{done['id']}")["phase"] == "succeeded"
    sky.greets.set()
