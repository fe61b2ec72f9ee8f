"""Small things that people notice: copying, the palette, forms that remember, folding, announcements, focus."""

import json

import pytest
from playwright.sync_api import expect
from weir import until


@pytest.fixture
def settings(sky, tmp_path):
    checklist = tmp_path / "release.md"
    checklist.write_text("# Release\n- [ ] Tests are green\n- [ ] Tag it\n")
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_RUNBOOK": str(checklist)}


def copied(page):
    return page.evaluate("navigator.clipboard.readText()")


def test_a_run_is_copied_as_id_address_and_command(visit, weir):
    run = weir.ended(weir.run("greeting", label="it's me"))
    page = visit(f"/runs/{run['id']}", permissions=["clipboard-read", "clipboard-write"])
    page.locator("#more > summary").click()
    page.get_by_role("button", name="Copy id").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert copied(page) == run["id"]
    page.get_by_role("button", name="Copy address").click()
    until(lambda: copied(page) == f"{weir.url}/runs/{run['id']}")
    page.get_by_role("button", name="Copy as curl").click()
    until(lambda: copied(page).startswith("curl --json '{"))
    assert copied(page).endswith(f"'{weir.url}/api/v1/operations/greeting/runs'")
    assert "it'\\''s me" in copied(page)


def test_the_palette_leads_anywhere_by_a_few_letters(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = visit("/")
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to…")
    expect(field).to_be_focused()
    field.fill(run["id"][-6:])
    expect(page.get_by_role("option")).to_have_text(f"Greeting {run['id'][-6:]}")
    field.fill("htt")
    expect(page.get_by_role("option").first).to_have_text("HTTP request")
    field.press("Enter")
    page.wait_for_url("**/operations/http-request")
    page.keyboard.press("Control+k")
    field.fill("nothing of the kind")
    expect(page.get_by_text("No matches.")).to_be_visible()
    field.press("Escape")
    expect(field).to_be_hidden()
    page.keyboard.press("Control+k")
    field.fill("rel")
    expect(page.locator("#palette-list > li").first).to_have_text("Release")
    field.press("ArrowDown")
    field.press("ArrowUp")
    field.press("Enter")
    page.wait_for_url("**/stores/runbook-release")


@pytest.mark.long
def test_the_palette_waits_for_what_it_has_not_yet_heard_of(visit, weir):
    page = visit("/")
    held = []
    page.route(weir.url + "/", lambda route: held.append(route))
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to…")
    field.fill("release")
    field.press("Enter")
    until(lambda: held or page.wait_for_timeout(20))
    assert field.is_visible()
    held[0].continue_()
    page.wait_for_url("**/stores/runbook-release")


@pytest.mark.long
def test_the_palette_keeps_what_was_chosen_when_more_arrives(visit, weir):
    page = visit("/")
    held = []
    page.route(weir.url + "/", lambda route: held.append(route))
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="Go to…")
    field.fill("s")
    until(lambda: held or page.wait_for_timeout(20))
    field.press("ArrowDown")
    chosen = page.locator("[role=option][aria-selected=true]")
    name = chosen.text_content()
    count = page.get_by_role("option").count()
    held[0].continue_()
    until(lambda: page.get_by_role("option").count() > count or page.wait_for_timeout(20))
    expect(chosen).to_have_text(name)


def test_a_form_keeps_what_was_typed_and_has_it_on_the_next_visit(visit, weir, sky):
    page = visit("/operations/http-request")
    page.fill("#start-http-request-url", sky.url + "/hello")
    page.fill("#start-http-request-timeout", "7")
    page.locator("#start button[type=submit]").click()
    until(lambda: weir.latest("http-request"))
    expect(page.locator("#start form")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#start-http-request-url")).to_have_value(sky.url + "/hello")
    page.goto("/")
    page.goto("/operations/http-request")
    expect(page.locator("#start-http-request-url")).to_have_value(sky.url + "/hello")
    expect(page.locator("#start-http-request-timeout")).to_have_value("7")


def test_the_end_of_a_run_is_said_to_those_who_cannot_see_it(visit, weir, sky):
    page = visit("/operations/greeting")
    sky.greets.clear()
    weir.run("greeting")
    expect(page.locator("#current .run > header .chip")).to_have_text("Loading")
    expect(page.locator("#said")).to_have_text("")
    sky.greets.set()
    expect(page.locator("#said")).to_have_text("Greeting: Success")
    expect(page.locator("#said")).to_have_attribute("role", "status")


@pytest.mark.long
def test_the_focus_stays_near_what_is_gone(visit, weir):
    page = visit("/stores/runbook-release")
    button = page.get_by_role("button", name="Tick Tests are green")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_count(0)
    until(lambda: page.evaluate("document.activeElement.closest('li.todo')?.id") == "store-tests-are-green")


@pytest.mark.long
def test_the_log_says_which_step(visit, weir):
    page = visit("/stores/runbook-release")
    page.get_by_role("button", name="Tick Tests are green").click()
    expect(page.locator("#entries li").first).to_contain_text("Tick Tests are green")


@pytest.mark.long
def test_a_step_by_a_key_leaves_the_focus_on_the_slider(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = visit(f"/runs/{run['id']}")
    page.locator("#past > summary").click()
    page.wait_for_load_state("networkidle")
    page.locator("#scrub-range").focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_url("**?at=*")
    expect(page.locator("#scrub-range")).to_be_focused()


@pytest.mark.long
def test_json_is_folded_and_other_text_is_not(visit, weir, sky):
    run = weir.ended(weir.run("http-request", url=sky.url + "/astros.json"))
    page = visit(f"/runs/{run['id']}")
    body = page.locator("pre.json")
    expect(body).to_contain_text('"people"')
    shown = body.locator("details details").first
    assert shown.evaluate("(part) => part.open")
    shown.locator("> summary").click()
    assert not shown.evaluate("(part) => part.open")
    assert json.loads(run["state"]["text"])


def test_every_key_is_listed(visit):
    page = visit("/")
    page.keyboard.press("?")
    keys = page.locator("#keys kbd").all_inner_texts()
    assert {"/", "?", "Esc", "Ctrl K", "←", "→", "Home", "End"} <= set(keys)


def test_a_run_that_has_ended_is_not_called_live_without_javascript(visit, weir):
    run = weir.ended(weir.run("greeting"))
    page = visit(f"/runs/{run['id']}", java_script_enabled=False)
    expect(page.locator("#live")).to_have_text("Ended")
    assert "refresh" not in page.content()
