"""Inputs whose names are properties of a form's element in a browser."""

import json
import re

import pytest
from playwright.sync_api import expect

ORDER = """
title: {title}
inputs: [{{name: id, required: true}}, {{name: elements}}, {{name: matches}}, {{name: action}}, {{name: submit}}]
command: [echo, "{title} {{{{id}}}}"]
"""

MEMBERS = """() => {
  const names = new Set();
  for (let at = document.createElement("form"); at; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names];
}"""


@pytest.fixture
def members(browser):
    """All properties of a form's element that can be names of inputs, by the name of their variable."""
    page = browser.new_page()
    names = [name for name in page.evaluate(MEMBERS) if re.fullmatch("[A-Za-z][A-Za-z0-9_]{0,39}", name)]
    page.close()
    return list({name.upper(): name for name in names}.values())


@pytest.fixture
def settings(tmp_path, members):
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, title in [("show", "Show"), ("delete", "Delete")]:
        (folder / f"{name}.yml").write_text(ORDER.format(title=title))
    for place in range(0, len(members), 50):
        inputs = [{"name": name} for name in members[place : place + 50]]
        file = {"title": "All", "inputs": inputs, "command": ["true"]}
        (folder / f"all-{place}.yml").write_text(json.dumps(file))
    return {"WEIR_OPERATIONS": str(folder)}


def test_no_input_replaces_a_property_of_its_form(visit, members):
    tab = visit("/")
    for place in range(0, len(members), 50):
        tab.goto(f"{tab.url.rstrip('/').split('/operations')[0]}/operations/all-{place}")
        expect(tab.locator(f"#start-all-{place} input")).not_to_have_count(0)
        form = f"document.getElementById('start-all-{place}')"
        replaced = f"(names) => names.filter((name) => {form}[name] instanceof HTMLInputElement)"
        assert tab.evaluate(replaced, members) == []


def test_a_form_with_such_inputs_starts_its_run_on_the_live_page_and_is_remembered_for_its_operation_alone(visit):
    tab = visit("/operations/show")
    tab.locator("#start-show-id").fill("42")
    tab.locator("#start-show-action").fill("look")
    tab.evaluate("window.same = true")
    tab.locator("#start-show [type=submit]").click()
    expect(tab.locator("main").first).to_contain_text("Succeeded")
    assert tab.evaluate("window.same")
    tab.reload()
    expect(tab.locator("#start-show-id")).to_have_value("42")
    tab.goto(tab.url.replace("/show", "/delete"))
    expect(tab.locator("#start-delete-id")).to_have_value("")
