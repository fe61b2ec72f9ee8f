"""Where the station is, while somebody watches."""

import pytest
import re

from playwright.sync_api import expect
from weir import until

POSITION = re.compile(r"ISS Position = \(12\.345600, -?\d+\.\d{6}\)")


def test_the_map_and_the_text_move(visit, weir):
    page = visit("/operations/iss-position")
    text = page.locator("#current .state")
    expect(text).to_contain_text(POSITION)
    expect(page.get_by_role("img", name="Map of the world")).to_be_visible()
    expect(page.locator("#current polyline.trail").first).to_be_attached()
    shown = set()
    until(lambda: shown.add(POSITION.search(text.inner_text())[0]) or len(shown) >= 3)


@pytest.mark.long
def test_a_feed_that_fails_leaves_the_last_position_marked_and_comes_back(visit, weir, sky):
    page = visit("/operations/iss-position")
    chip = page.locator("#current .run > header .chip")
    expect(chip).to_have_text("Tracking")
    sky.fails = True
    expect(chip).to_have_text("Stale")
    state = page.locator("#current .state")
    expect(state).to_contain_text(POSITION)
    expect(state).to_contain_text("No new position since")
    expect(state.locator(".message")).to_contain_text("503")
    sky.fails = False
    expect(chip).to_have_text("Tracking")


@pytest.mark.long
def test_a_feed_that_never_answered_is_an_error_in_words(visit, sky):
    sky.fails = True
    page = visit("/operations/iss-position")
    expect(page.locator("#current .message")).to_contain_text("503")
    expect(page.locator("#current .run > header .chip")).to_have_text("No position")


def test_it_stops_when_nobody_watches_any_more(visit, weir, sky):
    page = visit("/operations/iss-position")
    expect(page.locator("#current .run > header .chip")).to_have_text("Tracking")
    run = weir.latest("iss-position")
    page.goto("/gallery")
    until(lambda: weir.ask("runs/" + run["id"])["endedAt"])
    ended = weir.ask("runs/" + run["id"])
    assert (ended["phase"], ended["case"]) == ("cancelled", "stopped")
    page.goto(f"/runs/{run['id']}")
    expect(page.locator("#page")).to_contain_text("Nobody was watching")
    expect(page.locator("#page .state")).to_contain_text(POSITION)
