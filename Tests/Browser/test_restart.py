"""The server dies and comes back on the same data and port."""

import pytest
from playwright.sync_api import expect


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def test_the_open_page_goes_on_and_what_ran_is_interrupted_with_another_try(visit, weir, sky):
    sky.greets.clear()
    page = visit("/operations/greeting")
    page.evaluate("window.stays = true")
    page.get_by_label("Label").fill("Ada")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#current .state")).to_have_text("Loading…")
    run = weir.latest("greeting")
    weir.kill()
    expect(page.locator("#live")).to_have_attribute("data-state", "reconnecting")
    sky.greets.set()
    weir.start()
    expect(page.locator("#current .run > header .chip")).to_have_text("Interrupted", timeout=40_000)
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    expect(page.locator("#current")).to_contain_text("The server stopped while this was running")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Ada!")
    assert page.evaluate("window.stays"), "the page was loaded anew"
    assert weir.ask("runs/" + run["id"])["phase"] == "interrupted"
    assert weir.cases(run) == ["none", "loading", "interrupted"]


@pytest.mark.long
def test_nothing_that_was_shown_is_lost(visit, weir):
    page = visit("/")
    runs = [weir.run("greeting", label=f"number {number}") for number in range(20)]
    weir.ended(runs[-1])
    expect(page.locator("#op-greeting .state")).to_contain_text("number 19")
    weir.kill()
    weir.start()
    kept = {run["id"]: run for run in weir.ask("runs?operation=greeting&limit=50")["runs"]}
    assert [kept[run["id"]]["input"]["label"] for run in runs] == [f"number {number}" for number in range(20)]
    again = visit("/")
    expect(again.locator("#op-greeting .state")).to_contain_text("number 19")


@pytest.mark.long
def test_a_wiped_history_is_taken_as_it_is(visit, weir):
    page = visit("/operations/greeting")
    weir.ended(weir.run("greeting", label="Before"))
    expect(page.locator("#current .state")).to_contain_text("Before")
    weir.kill()
    weir.data.rename(weir.data.with_name("old"))
    weir.start()
    expect(page.locator("#current")).to_have_text("Not started yet.", timeout=40_000)
    weir.run("greeting", label="After")
    expect(page.locator("#current .state")).to_contain_text("After")
