"""Pages for everybody: axe finds nothing, nothing is wider than a telephone, everything is reached by keyboard."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture
def paths(weir, sky):
    """One path of every kind of page, with something on each."""
    done = weir.ended(weir.run("greeting", label="Ada"))
    failed = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    weir.ended(weir.run("people-in-space"))
    operations = [operation["id"] for operation in weir.ask("operations")["operations"]]
    return [
        "/", "/report", "/runs", "/runs?operation=greeting&text=nothing", "/runs?from=yesterday", "/gallery", "/system", "/nowhere",
        f"/runs/{done['id']}", f"/runs/{failed['id']}", f"/runs/{done['id']}?at=previous",
        f"/operations/http-request/compare?a={failed['id']}&b={failed['id']}", "/operations/greeting?at=previous",
        f"/runs/{done['id']}/moments?a={done['sequence']}", "/widgets/operations/greeting", f"/widgets/runs/{failed['id']}",
        *(f"/operations/{id}" for id in operations),
    ]


def told(violations):
    return [
        f"{found['id']}: {found['help']}: " + " | ".join(node["html"][:200] + " " + node["failureSummary"][:300] for node in found["nodes"][:3])
        for found in violations
    ]


@pytest.mark.parametrize("width, scheme", [
    (390, "dark"), (1280, "light"),
    pytest.param(390, "light", marks=pytest.mark.long), pytest.param(1280, "dark", marks=pytest.mark.long),
])
def test_axe_finds_nothing_and_nothing_is_too_wide(visit, paths, scheme, width):
    page = visit("/", color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce")
    found = {}
    for path in paths:
        page.goto(path)
        expect(page.locator("main")).to_be_visible()
        if path == "/operations/iss-position":
            expect(page.locator("svg.map").first).to_be_visible()
        violations = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"]
        if violations:
            found[path] = told(violations)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            wide = page.evaluate(
                "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).slice(0, 5).map((e) => e.outerHTML.slice(0, 160))"
            )
            found[path + " width"] = [f"{over} px too wide", *wide]
    assert found == {}


def test_the_question_mark_lists_the_keys_and_they_lead_there(visit):
    page = visit("/")
    keys = page.locator("#keys")
    expect(page.locator("html[data-live]")).to_be_attached()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    assert Axe().run(page, context="#keys").response["violations"] == []
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/runs")
    expect(page.locator("html[data-live]")).to_be_attached()
    page.keyboard.press("/")
    expect(page.locator("#filter-text")).to_be_focused()


def test_a_run_is_started_cancelled_and_tried_again_by_keyboard_alone(visit, sky):
    page = visit("/operations/greeting")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#page")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_label("Label")).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.type("Keys")
    page.keyboard.press("Enter")
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Keys!")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
