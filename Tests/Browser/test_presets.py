"""Presets of a form: declared in an operation's file, or saved by a person."""

import pytest
from playwright.sync_api import expect

REPORT = """
title: Report
inputs:
  - {name: region, options: [eu, us], default: us}
  - {name: days, type: integer, default: 1}
  - {name: draft, type: switch, default: true}
  - {name: key, type: secret}
presets:
  Nightly: {region: eu, days: 7}
command: [echo, "{{region}} {{days}}"]
"""


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "report.yml").write_text(REPORT)
    return {"WEIR_OPERATIONS": str(folder)}


@pytest.mark.parametrize("scripted", [True, False])
def test_values_are_saved_chosen_and_removed(visit, scripted):
    page = visit("/operations/report", java_script_enabled=scripted)
    page.get_by_role("link", name="Nightly").click()
    expect(page.get_by_label("region")).to_have_value("eu")
    expect(page.get_by_label("days")).to_have_value("7")
    expect(page.get_by_label("draft")).to_be_checked()
    page.get_by_label("days").fill("30")
    page.get_by_label("draft").uncheck()
    page.locator("[name=key]").fill("hidden-value")
    page.get_by_role("button", name="Save these values as…").click()
    expect(page.get_by_role("heading", name="Save values")).to_be_visible()
    assert "hidden-value" not in page.content()
    page.get_by_label("Name of the preset").fill("Monthly")
    page.keyboard.press("Enter")
    page.wait_for_url("**/operations/report?preset=Monthly#start")
    expect(page.get_by_label("days")).to_have_value("30")
    expect(page.get_by_label("draft")).not_to_be_checked()
    expect(page.locator("[name=key]")).to_have_value("")
    page.goto(page.url.split("?")[0])
    page.get_by_text("My presets").click()
    page.get_by_role("button", name="Remove Monthly").click()
    expect(page.get_by_role("link", name="Nightly")).to_be_visible()
    expect(page.get_by_role("link", name="Monthly")).to_have_count(0)


def test_a_form_that_begins_with_a_preset_starts_its_run(visit, weir):
    page = visit("/operations/report?preset=Nightly")
    page.get_by_role("button", name="Start", exact=True).click()
    expect(page.locator("#page")).to_contain_text("Succeeded")
    newest = weir.latest("report")
    assert newest["input"] == {"region": "eu", "days": 7, "draft": True}
