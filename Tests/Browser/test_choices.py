"""Inputs that take several values of a list, and inputs that another one shows, in every way a run is started."""

import json
import subprocess
import urllib.request

import pytest
from playwright.sync_api import expect
from terminal import Terminal
from weir import BINARY, until

SECRET = "a-secret-of-hooks"

DEPLOY = """
title: Deploy
inputs:
  - {name: regions, type: choices, options: [eu, us, ap], required: true}
  - {name: environment, options: [test, live], default: test}
  - {name: window, required: true, if: {environment: live}}
  - {name: restart, type: switch}
  - {name: wait, type: integer, default: 5, if: {restart: true}}
steps:
  - {name: each, for_each: "{{regions}}", command: [echo, "to {{item}} in {{window}}"]}
  - {name: all, shell: 'echo "$WEIR_INPUT_REGIONS ${WEIR_INPUT_WINDOW-no window} ${WEIR_INPUT_WAIT-no wait}"'}
  - {name: again, uses: note, with: {regions: "{{regions}}"}}
triggers:
  - {name: push, form: bearer, secret: hook, inputs: {regions: "{{body.regions}}", environment: "{{body.to}}", window: "{{body.window}}"}}
"""
NOTE = """
title: Note
inputs: [{name: regions, type: choices, options: [ap, eu, us], default: [eu]}]
command: [echo, "{{regions}}"]
schedule: {every: 1h, inputs: {regions: [us, ap]}}
"""


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "deploy.yml").write_text(DEPLOY)
    (folder / "note.yml").write_text(NOTE)
    command = [BINARY, "secret", "set", "hook", "--data", str(tmp_path / "data")]
    subprocess.run(command, input=SECRET, check=True, capture_output=True, text=True)
    return {"WEIR_OPERATIONS": str(folder)}


def printed(weir, run):
    """What the step `all` of an ended run printed."""
    done = weir.ended({"id": run})
    assert done["phase"] == "succeeded"
    step = next(step for step in done["state"]["steps"] if step["name"] == "all")
    return weir.ask(f"runs/{step['run']}/output")["lines"][0]["text"]


@pytest.mark.parametrize("java_script", [True, False])
def test_a_form_shows_what_the_values_above_ask_for(weir, visit, java_script):
    page = visit("/operations/deploy", java_script_enabled=java_script)
    window, wait = page.get_by_label("Window"), page.get_by_label("Wait")
    expect(window).to_be_hidden()
    expect(wait).to_be_hidden()
    page.get_by_label("Environment").select_option("live")
    expect(window).to_be_visible()
    page.get_by_label("Restart").check()
    expect(wait).to_be_visible()
    page.get_by_label("Restart").uncheck()
    expect(wait).to_be_hidden()
    page.get_by_role("group", name="Regions").get_by_label("us").check()
    page.get_by_role("group", name="Regions").get_by_label("ap").check()
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#start-deploy-window-error")).to_contain_text("This is required.")
    expect(page.get_by_label("us", exact=True)).to_be_checked()
    window.fill("now")
    page.locator("#start button[type=submit]").click()
    run = until(lambda: weir.ask("runs?operation=deploy")["runs"])[0]
    assert run["input"] == {"regions": ["us", "ap"], "environment": "live", "window": "now", "restart": False}
    assert printed(weir, run["id"]) == "us,ap now no wait"
    page.goto(f"/runs/{run['id']}")
    expect(page.locator("main").first).to_contain_text("us, ap")


def test_a_form_without_a_choice_names_the_list_as_required(weir, visit):
    page = visit("/operations/deploy")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#start-deploy-regions-error")).to_contain_text("Choose one or more of")
    page.get_by_label("us", exact=True).check()
    expect(page.locator("#start-deploy-regions-error")).to_be_hidden()
    page.locator("#start button[type=submit]").click()
    until(lambda: weir.ask("runs?operation=deploy")["runs"])
    page.reload()
    expect(page.get_by_label("us", exact=True)).to_be_checked()
    expect(page.get_by_label("eu", exact=True)).not_to_be_checked()


def test_programs_give_a_list_and_hidden_values_are_left_out(weir):
    sent = {"regions": ["us", "eu"], "environment": "test", "window": "now"}
    run = weir.ask("operations/deploy/runs", "POST", sent)
    assert printed(weir, run["id"]) == "eu,us no window no wait"
    assert weir.ask("runs?operation=note")["runs"][0]["input"] == {"regions": ["eu", "us"]}


@pytest.mark.parametrize("words", [["regions=us", "regions=eu"], ["regions=us,eu"]])
def test_the_command_line_repeats_a_name_or_separates_values_by_commas(weir, tmp_path, words):
    begun = Terminal(tmp_path, WEIR_SERVER=weir.url).run("start", "deploy", *words, "--json")
    assert printed(weir, json.loads(begun.stdout)["id"]) == "eu,us no window no wait"


@pytest.mark.parametrize("regions", [["us", "eu"], "us,eu"])
def test_a_hook_brings_a_list_or_a_text_with_commas(weir, regions):
    body = json.dumps({"regions": regions, "to": "live", "window": "now"}).encode()
    headers = {"Authorization": f"Bearer {SECRET}", "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(weir.url + "/hooks/deploy/push", body, headers)) as answer:
        assert printed(weir, json.load(answer)["run"]) == "eu,us now no wait"
