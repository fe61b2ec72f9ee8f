"""The overview as its reader arranges it: filtered, in order, in groups, pinned and dense, with JavaScript and without."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from weir import until

TAGS = {"alpha": "[web]", "beta": "[web, files]", "gamma": "[files]", "delta": "[]"}
SHOWN = "#page [data-group]:not([data-group='!']) > article[id^=op-]"


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, tags in TAGS.items():
        (folder / f"{name}.yml").write_text(f"title: {name.title()} Job\ntags: {tags}\ncommand: ['true']\n")
    return {"WEIR_OPERATIONS": str(folder)}


def shown(page):
    return page.locator(SHOWN).evaluate_all("(cards) => cards.filter((card) => card.checkVisibility()).map((card) => card.id.slice(3))")


def jobs(page):
    return [name for name in shown(page) if name in TAGS]


def test_typing_filters_at_once_keeps_the_address_and_says_how_many_are_left(visit):
    page = visit("/")
    expect(page.locator("html[data-live]")).to_be_attached()
    page.keyboard.press("/")
    field = page.get_by_label("Filter operations")
    expect(field).to_be_focused()
    page.keyboard.type("JÓB fil")
    until(lambda: shown(page) == ["beta", "gamma"])
    expect(page.locator("#matches")).to_have_text(re.compile(r"2 of \d+ operations"))
    assert page.evaluate("new URLSearchParams(location.search).get('text')") == "JÓB fil"
    expect(page.get_by_role("link", name="Table")).to_have_attribute("href", re.compile("text="))
    expect(field).to_be_focused()
    page.reload()
    assert shown(page) == ["beta", "gamma"]
    page.get_by_label("Filter operations").fill("nothing is called so")
    expect(page.locator("#no-match")).to_be_visible()
    assert shown(page) == []
    page.locator("#no-match a").click()
    page.wait_for_url("**/")
    assert set(jobs(page)) == set(TAGS)


@pytest.mark.long
def test_what_is_left_out_still_changes_and_comes_back_as_it_is(visit, weir):
    page = visit("/?text=alpha")
    assert shown(page) == ["alpha"]
    weir.ended(weir.run("beta"))
    expect(page.locator("#op-beta > header .chip")).to_have_text("Succeeded")
    expect(page.locator("#op-beta")).to_be_hidden()
    page.get_by_label("Filter operations").fill("beta")
    expect(page.locator("#op-beta")).to_be_visible()
    expect(page.locator("#op-beta > header .chip")).to_have_text("Succeeded")


def test_what_changed_last_moves_to_the_front_and_keeps_the_focus(visit, weir):
    page = visit("/?sort=change")
    link = page.locator("#op-gamma h2 a")
    link.focus()
    for name in ["alpha", "gamma", "beta", "gamma"]:
        weir.ended(weir.run(name))
    until(lambda: jobs(page)[:3] == ["gamma", "beta", "alpha"])
    expect(link).to_be_focused()
    page.reload()
    assert jobs(page)[:3] == ["gamma", "beta", "alpha"]


@pytest.mark.long
def test_groups_stand_under_their_tags_and_pins_above_them(visit):
    page = visit("/")
    page.get_by_role("link", name="By tag").click()
    page.wait_for_url("**/?group=tag")
    expect(page.get_by_role("heading", name="files")).to_be_visible()
    expect(page.get_by_role("heading", name="Pinned")).to_be_hidden()
    pin = page.get_by_role("button", name="Pin Gamma Job")
    box = pin.bounding_box()
    assert box["width"] >= 24 and box["height"] >= 24
    pin.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Pinned").locator("#op-gamma")).to_be_visible()
    expect(pin).to_have_attribute("aria-pressed", "true")
    expect(pin).to_be_focused()
    page.reload()
    expect(page.get_by_role("region", name="Pinned").locator("#op-gamma")).to_be_visible()
    page.goto("/")
    assert shown(page)[0] == "gamma"
    page.get_by_role("button", name="Pin Gamma Job").click()
    until(lambda: shown(page)[0] != "gamma")
    page.reload()
    assert shown(page)[0] != "gamma"


def test_everything_is_arranged_without_javascript(visit):
    page = visit("/", java_script_enabled=False)
    page.get_by_label("Filter operations").fill("job")
    page.get_by_role("button", name="Filter").click()
    page.wait_for_url("**/?text=job")
    page.get_by_role("link", name="Name").click()
    cards = page.locator(SHOWN)
    expect(cards.locator("h2")).to_have_text(["Alpha Job", "Beta Job", "Delta Job", "Gamma Job"])
    page.get_by_role("button", name="Pin Gamma Job").click()
    expect(cards.locator("h2")).to_have_text(["Gamma Job", "Alpha Job", "Beta Job", "Delta Job"])
    expect(page).to_have_url(re.compile("text=job&sort=name"))
    page.get_by_role("link", name="Table").click()
    expect(page.locator(".grid.compact")).to_have_count(1)
    expect(page.get_by_role("button", name="Pin Gamma Job")).to_have_attribute("aria-pressed", "true")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/?group=tag&density=compact", "/?text=nothing-at-all", "/?sort=running&text=job"])
def test_axe_finds_nothing_in_any_arrangement(visit, path, scheme):
    page = visit(path, color_scheme=scheme, viewport={"width": 390, "height": 844})
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response["violations"]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
