"""The list of runs."""

import pytest
from playwright.sync_api import expect
from weir import until


def test_filters_are_in_the_address_and_survive_a_reload(visit, weir):
    weir.ended(weir.run("greeting", label="Needle"))
    weir.ended(weir.run("greeting", label="Hay"))
    weir.ended(weir.run("people-in-space"))
    page = visit("/runs")
    page.get_by_label("Operation").select_option("greeting")
    page.get_by_label("Search").fill("Needle")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/runs?**operation=greeting**")
    assert "text=Needle" in page.url
    for _ in range(2):
        expect(page.locator("#runs tr")).to_have_count(1)
        expect(page.locator("#runs tr")).to_contain_text("Needle")
        expect(page.get_by_label("Operation")).to_have_value("greeting")
        expect(page.get_by_label("Search")).to_have_value("Needle")
        page.reload()


@pytest.mark.long
def test_a_filter_that_cannot_be_understood_is_told_beside_its_field(visit):
    page = visit("/runs?from=yesterday")
    expect(page.locator("#filters-from-error")).to_be_visible()


@pytest.mark.long
def test_older_runs_are_a_link_away(visit, weir):
    runs = [weir.run("greeting", label=f"number {number}") for number in range(110)]
    weir.ended(runs[-1])
    page = visit("/runs?operation=greeting")
    shown = []
    while True:
        shown += page.locator("#runs tr").evaluate_all("(rows) => rows.map((row) => row.id)")
        older = page.get_by_role("link", name="Older runs")
        if older.count() == 0:
            break
        # Until all of the next page is there.
        with page.expect_navigation():
            older.click()
    assert shown == [f"row-{run['id']}" for run in reversed(runs)]
    expect(page.get_by_role("link", name="Newest runs")).to_be_visible()


def test_a_run_that_starts_appears_at_the_head_and_changes_its_word(visit, weir):
    page = visit("/runs")
    run = weir.run("greeting", label="Now")
    row = page.locator(f"#row-{run['id']}")
    expect(row.locator(".chip")).to_have_text("Success")
    expect(page.locator("#runs tr", has_text="Greeting").first).to_have_attribute("id", f"row-{run['id']}")
    row.get_by_role("link").last.click()
    expect(page).to_have_url(f"{weir.url}/runs/{run['id']}")


@pytest.mark.long
def test_the_columns_stay_where_they_are_whatever_arrives(visit, weir):
    weir.ended(weir.run("greeting", label="Ada"))
    page = visit("/runs")
    expect(page.locator("html[data-live]")).to_be_attached()
    places = "() => [...document.querySelectorAll('.runs th')].map((cell) => cell.getBoundingClientRect().left)"
    before = page.evaluate(places)
    # Another word for its state, a longer name, and a time that grows.
    visit("/operations/iss-position")
    expect(page.locator("#runs")).to_contain_text("ISS position")
    weir.ended(weir.run("greeting", label="A label that is longer than any that was there before it"))
    expect(page.locator("#runs")).to_contain_text("longer than any")
    assert page.evaluate(places) == before


def test_the_open_page_of_an_ended_run_says_so_when_the_run_is_deleted_elsewhere(visit, weir):
    run = weir.ended(weir.run("greeting", label="Ada"))
    page = visit("about:blank")
    page.clock.install()
    page.goto(f"{weir.url}/runs/{run['id']}")
    expect(page.locator("#page")).to_contain_text("Ada")
    weir.send(f"runs/{run['id']}", "DELETE")
    until(lambda: page.clock.fast_forward(60_000) or "was deleted" in page.locator("body").inner_text())
    assert "Ada" not in page.locator("#page").inner_text()
