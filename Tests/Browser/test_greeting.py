"""Greeting: the operation of the text, from None through Loading to Success or Error."""

import re

import pytest
from playwright.sync_api import expect
from weir import until


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def start(page, label):
    page.get_by_label("Label").fill(label)
    page.locator("#start button[type=submit]").click()


def test_every_state_is_seen_as_it_comes(visit, weir, sky):
    sky.greets.clear()
    page = visit("/operations/greeting")
    expect(page.locator("#current")).to_have_text("Not started yet.")
    expect(page.locator("#facts")).to_contain_text("Not running")
    start(page, "Ada & <b>Bea</b>")
    expect(page.locator("#current .state")).to_have_text("Loading…")
    expect(page.locator("#current .run > header .chip")).to_have_text("Loading")
    expect(page).to_have_title("◐ Greeting · Weir")
    expect(page.get_by_label("Label")).to_have_value("Ada & <b>Bea</b>")
    sky.greets.set()
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Ada & <b>Bea</b>!")
    expect(page).to_have_title("✓ Greeting · Weir")
    expect(page.locator("#favicon")).to_have_attribute("href", re.compile("^/assets/@[0-9a-f]{16}/icons/ok.svg$"))
    assert weir.cases(weir.latest("greeting")) == ["none", "loading", "success"]
    expect(page.locator("#current [role=log] li")).to_have_count(3)


@pytest.mark.long
def test_a_service_that_is_down_is_told_in_words_and_another_try_succeeds(visit, weir, sky):
    sky.stop()
    page = visit("/operations/greeting")
    start(page, "Ada")
    message = page.locator("#current .message")
    expect(message).to_contain_text("Error: ")
    expect(message).to_contain_text("refused")
    expect(page).to_have_title("✕ Greeting · Weir")
    sky.start()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Ada!")
    expect(page.locator("#current")).to_contain_text("retry of")
    expect(page.locator("#earlier .chip")).to_have_text(["Error"])


@pytest.mark.long
def test_a_run_can_be_started_again_with_other_input(visit, weir):
    run = weir.ended(weir.run("greeting", label="First"))
    page = visit(f"/runs/{run['id']}")
    page.get_by_role("link", name="Start again with different input").click()
    field = page.get_by_label("Label")
    expect(field).to_have_value("First")
    start(page, "Second")
    expect(page.locator("#page .state")).to_have_text("Success: Hello, Second!")


def test_it_can_be_cancelled_while_it_waits(visit, weir, sky):
    sky.greets.clear()
    page = visit("/operations/greeting")
    start(page, "Ada")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#current .run > header .chip")).to_have_text("Cancelled")
    expect(page.locator("#current")).to_contain_text("Cancelled by")
    assert weir.latest("greeting")["phase"] == "cancelled"


def test_a_mistake_stands_beside_its_field_and_what_was_typed_stays(visit, weir):
    page = visit("/operations/greeting")
    field = page.get_by_label("Label")
    field.evaluate("(field) => { field.removeAttribute('maxlength'); }")
    start(page, "x" * 300)
    expect(field).to_have_attribute("aria-invalid", "true")
    described = field.get_attribute("aria-describedby").split()[-1]
    expect(page.locator(f"#{described}")).to_contain_text("200")
    expect(field).to_have_value("x" * 300)
    assert weir.latest("greeting") is None


@pytest.mark.long
def test_what_is_being_typed_survives_changes(visit, weir):
    page = visit("/operations/greeting")
    field = page.get_by_label("Label")
    field.fill("half a na")
    field.evaluate("(field) => field.setSelectionRange(4, 4)")
    for number in range(5):
        weir.ended(weir.run("greeting", label=f"number {number}"))
    expect(page.locator("#current .state")).to_contain_text("number 4")
    expect(field).to_have_value("half a na")
    expect(field).to_be_focused()
    assert field.evaluate("(field) => field.selectionStart") == 4


@pytest.mark.long
def test_two_tabs_show_the_same(visit, weir, sky):
    pages = [visit("/operations/greeting"), visit("/operations/greeting")]
    sky.greets.clear()
    start(pages[0], "Both")
    for page in pages:
        expect(page.locator("#current .state")).to_have_text("Loading…")
    sky.greets.set()
    for page in pages:
        expect(page.locator("#current .state")).to_have_text("Success: Hello, Both!")
    last = weir.latest("greeting")["sequence"]
    for page in pages:
        until(lambda: page.evaluate("window.painted.at(-1)?.sequence") == last)


def test_a_form_is_sent_again_with_its_key_where_nobody_knows_what_became_of_it(visit):
    page = visit("/operations/greeting")
    expect(page.locator("html[data-live]")).to_be_attached()
    keys, problem = [], {"type": "about:blank", "title": "Outcome unknown", "detail": "It may have been done or not."}

    def refuse(route):
        keys.append(route.request.headers["idempotency-key"])
        route.fulfill(status=503, json=problem)

    page.route("**/runs", refuse)
    page.get_by_label("Label").fill("Ada")
    button = page.locator("#start button[type=submit]")
    for sent in (1, 2):
        button.click()
        until(lambda: page.evaluate("0") == 0 and len(keys) == sent)
        expect(page.locator("#start")).to_contain_text("It may have been done or not.")
        expect(button).not_to_have_attribute("aria-disabled", "true")
    page.get_by_label("Label").fill("Bea")
    button.click()
    until(lambda: page.evaluate("0") == 0 and len(keys) == 3)
    assert keys[0] == keys[1] != keys[2]
