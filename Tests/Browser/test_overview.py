"""The page that opens first."""

import pytest
from playwright.sync_api import expect
from weir import until


@pytest.mark.long
def test_the_machines_vitals_move_without_a_reload(visit, weir):
    page = visit("/")
    page.evaluate("window.stays = true")
    card = page.locator("#op-host-vitals")
    expect(card.locator(".vitals")).to_be_visible()
    line = card.locator("path.line").first
    drawn = {line.get_attribute("d")}
    until(lambda: drawn.add(line.get_attribute("d")) or len(drawn) >= 3)
    assert page.evaluate("window.stays")
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    expect(page.locator("#live-text")).to_have_text("Live")


@pytest.mark.long
def test_what_starts_elsewhere_appears_here_in_its_card_and_in_the_latest_changes(visit, weir, sky):
    page = visit("/")
    expect(page.locator("#op-greeting .chip")).to_have_text("Never ran")
    weir.run("greeting", label="Elsewhere")
    expect(page.locator("#op-greeting .state")).to_have_text("Success: Hello, Elsewhere!")
    expect(page.locator("#op-greeting .chip")).to_have_text("Success")
    expect(page.locator("#tail li", has_text="Greeting").first.locator(".chip")).to_have_text("Success")


def test_each_recorded_change_is_painted_once_and_in_order(visit, weir):
    page = visit("/")
    for number in range(10):
        weir.run("greeting", label=f"number {number}")
    expect(page.locator("#op-greeting .state")).to_contain_text("Hello, number 9!")
    painted = [change["sequence"] for change in page.evaluate("window.painted")]
    first, last = painted[0], painted[-1]
    recorded = [change["sequence"] for change in weir.changes("board")]
    assert painted == [sequence for sequence in recorded if first <= sequence <= last]


# Whether the page was painted within 600 ms of a press: null if the browser was so busy that this cannot be told.
PRESSED = """
    window.moved = undefined;
    addEventListener("pointerdown", () => {
        const page = document.getElementById("page"), before = page.dataset.sequence, began = performance.now();
        setTimeout(() => { window.moved = performance.now() - began < 900 ? page.dataset.sequence !== before : null; }, 600);
    }, { once: true, capture: true });
"""


@pytest.mark.long
def test_nothing_moves_under_a_pressed_pointer_so_that_its_click_is_one(visit, weir):
    page = visit("/")
    expect(page.locator("#op-iss-position .chip")).to_have_text("Tracking")
    button = page.locator("#begin-greeting button")
    for _ in range(5):
        page.evaluate(PRESSED)
        button.hover()
        page.mouse.down()
        until(lambda: page.evaluate("window.moved !== undefined"))
        moved = page.evaluate("window.moved")
        page.mouse.up()
        if moved is not None:
            break
    assert moved is False
    expect(page.locator("#op-greeting .state")).to_have_text("Success: Hello, World!")


def test_an_operation_can_be_started_from_its_card(visit):
    page = visit("/")
    page.locator("#begin-greeting button").click()
    expect(page.locator("#op-greeting .state")).to_have_text("Success: Hello, World!")
    expect(page.locator("#begin-greeting button")).to_be_visible()
