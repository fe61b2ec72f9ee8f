"""Everything without JavaScript: pages go on by themselves, and everything is done by plain forms."""

import re

import pytest
from playwright.sync_api import expect


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


@pytest.fixture
def plain(visit):
    return lambda path="/": visit(path, java_script_enabled=False)


def test_the_overview_goes_on_by_itself(plain, weir):
    page = plain()
    expect(page.locator("#op-greeting .chip")).to_have_text("Never ran")
    weir.ended(weir.run("greeting", label="Nobody"))
    expect(page.locator("#op-greeting .state")).to_have_text("Success: Hello, Nobody!")
    expect(page).to_have_url(re.compile("/after/"))


def test_a_run_is_started_watched_and_seen_to_succeed(plain, sky):
    sky.greets.clear()
    page = plain("/operations/greeting")
    page.get_by_label("Label").fill("Ada")
    page.locator("#start button[type=submit]").click()
    page.wait_for_url("**/runs/**")
    expect(page.locator("#page .state")).to_have_text("Loading…")
    sky.greets.set()
    expect(page.locator("#page .state")).to_have_text("Success: Hello, Ada!")


def test_a_run_is_cancelled_and_tried_again(plain, weir, sky):
    sky.greets.clear()
    run = weir.run("greeting", label="Ada")
    page = plain(f"/runs/{run['id']}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#page .run > header .chip")).to_have_text("Cancelled")
    sky.greets.set()
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#page .state")).to_have_text("Success: Hello, Ada!")
    assert run["id"] not in page.url


def test_a_mistake_stands_beside_its_field_and_what_was_typed_stays(plain, weir):
    page = plain("/operations/http-request")
    page.get_by_label("URL").fill("gopher://nowhere")
    page.get_by_label("Method").select_option("PUT")
    page.locator("#start form").evaluate("(form) => { form.noValidate = true; }")
    page.locator("#start button[type=submit]").click()
    field = page.get_by_label("URL")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#start [role=alert]").first).to_be_visible()
    expect(field).to_have_value("gopher://nowhere")
    expect(page.get_by_label("Method")).to_have_value("PUT")
    assert weir.latest("http-request") is None
    assert page.locator("noscript meta, meta[http-equiv=refresh]").count() == 0, "a page that goes on would wipe what was typed"


def test_a_form_that_is_being_filled_in_is_not_taken_away(plain, weir, sky):
    for path in ("/operations/greeting", "/operations/http-request", "/operations/file-upload"):
        assert plain(path).locator("meta[http-equiv=refresh]").count() == 0
    sky.greets.clear()
    weir.run("greeting", label="Ada")
    assert plain("/operations/greeting").locator("meta[http-equiv=refresh]").count() == 1
    assert plain("/operations/iss-position").locator("meta[http-equiv=refresh]").count() == 1


def test_a_failure_is_acknowledged_with_a_note_while_other_runs_change(plain, weir):
    weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page = plain()
    page.locator("#fails-http-request").get_by_role("link", name="Acknowledge…").click()
    page.get_by_label("Note").fill("The vendor knows.")
    weir.ended(weir.run("greeting", label="Nobody"))
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    page.get_by_role("button", name="Acknowledge").click()
    page.locator("#acknowledged summary").click()
    expect(page.locator("#known-http-request")).to_contain_text("The vendor knows.")


@pytest.mark.parametrize("path", ["/", "/runs", "/runs?phase=failed"])
def test_a_page_stops_reloading_itself_while_its_filters_are_filled_in(plain, path):
    page = plain(path)
    page.get_by_role("link", name="Stop reloading").click()
    expect(page.locator("main")).to_be_visible()
    assert page.locator("meta[http-equiv=refresh]").count() == 0
    expect(page.get_by_role("link", name="Stop reloading")).to_have_count(0)


def test_a_file_is_sent_by_the_plain_form(plain, weir, tmp_path):
    (tmp_path / "plain.txt").write_text("plain " * 1_000)
    page = plain("/operations/file-upload")
    page.set_input_files("input[type=file]", tmp_path / "plain.txt")
    page.locator("#start button[type=submit]").click()
    page.wait_for_url("**/runs/**")
    expect(page.locator("#page .run > header .chip")).to_have_text("Success")
    expect(page.locator("#page .state")).to_contain_text("plain.txt")
