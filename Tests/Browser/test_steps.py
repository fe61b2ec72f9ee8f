"""Runs of steps on the real server: decisions, rights to see, kills, and another attempt."""

import pytest
from playwright.sync_api import expect
from weir import until

RELEASE = """
title: Release
inputs: [{name: version, required: true}]
steps:
  - name: build
    shell: |
      echo began >> "$WEIR_INPUT_VERSION.began"
      echo "::weir packing file=a.tar::"
  - {name: approval, approve: {prompt: "Go live with {{version}}?"}}
  - {name: copy, uses: copy, with: {file: "{{steps.build.file}}", version: "{{version}}"}}
"""
COPY = """
title: Copy
inputs: [{name: file, required: true}, {name: version}]
command: [sh, -c, 'echo copied "$1"; while test -e "$2.wait"; do sleep 0.05; done; ! test -e "$2.fail"', sh, "./{{file}}", "./{{version}}"]
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "release.yml").write_text(RELEASE)
    (folder / "copy.yml").write_text(COPY)
    return folder


@pytest.fixture
def settings(folder):
    return {"WEIR_OPERATIONS": str(folder)}


def begin(weir, version="v1"):
    run = weir.ask("operations/release/runs", "POST", {"version": version})["id"]
    until(lambda: state(weir, run) == "approval")
    return run


def state(weir, run):
    return weir.ask(f"runs/{run}")["case"]


def steps(weir, run):
    return weir.ask(f"runs/{run}")["state"]["steps"]


def phase(weir, run):
    return weir.ask(f"runs/{run}")["phase"]


@pytest.mark.parametrize("java_script", [True, False])
def test_a_person_approves_with_a_comment_and_the_steps_go_on(weir, visit, java_script):
    run = begin(weir)
    page = visit(f"/runs/{run}", java_script_enabled=java_script)
    expect(page.get_by_text("Go live with v1?")).to_be_visible()
    page.get_by_label("Comment (optional)").fill("looks good")
    approve = page.get_by_role("button", name="Approve")
    if java_script:
        approve.click()
    else:
        with page.expect_navigation():
            approve.click()
    until(lambda: phase(weir, run) == "succeeded")
    if not java_script:
        page.reload()
    expect(page.locator(".stages li")).to_have_count(3)
    expect(page.locator(".stages li").nth(1)).to_contain_text("Approved by operator")
    expect(page.locator(".stages q")).to_have_text("looks good")
    page.locator(".stages li").nth(2).get_by_role("link").click()
    expect(page.get_by_text("copied ./a.tar")).to_be_visible()


@pytest.mark.long
def test_lists_name_the_step_and_a_refusal_is_said_in_words(weir, visit):
    run = begin(weir)
    page = visit("/")
    expect(page.locator("#op-release .chip").first).to_have_text("Approval")
    expect(page.locator("#op-release-build")).to_have_count(0)
    page.goto(page.url + f"runs/{run}")
    page.get_by_role("button", name="Refuse").click()
    expect(page.get_by_text("operator refused at the step “Approval”.")).to_be_visible()
    assert [step["status"] for step in steps(weir, run)] == ["succeeded", "failed", "skipped"]


@pytest.mark.long
def test_a_decision_outlives_a_kill_and_no_step_begins_twice(weir, visit, folder):
    run = begin(weir)
    weir.kill()
    weir.start()
    until(lambda: state(weir, run) == "approval")
    page = visit(f"/runs/{run}")
    page.get_by_role("button", name="Approve").click()
    until(lambda: phase(weir, run) == "succeeded")
    assert (folder / "v1.began").read_text() == "began\n"


def test_a_killed_step_fails_and_another_attempt_takes_over_what_succeeded(weir, visit, folder):
    run = begin(weir)
    (folder / "v1.wait").touch()
    page = visit(f"/runs/{run}")
    page.get_by_role("button", name="Approve").click()
    until(lambda: steps(weir, run)[2].get("state") == "running")
    weir.kill()
    (folder / "v1.wait").unlink()
    weir.start()
    until(lambda: phase(weir, run) == "failed")
    page.goto(page.url)
    expect(page.get_by_text("The server stopped while the step “Copy” was running.")).to_be_visible()
    page.get_by_role("button", name="Again from the failed step").click()
    expect(page.get_by_text("keeps the steps that succeeded")).to_be_visible()
    expect(page.locator(".stages li").nth(0)).to_contain_text("done in")
    until(lambda: weir.ask("runs?operation=release")["runs"][0]["phase"] == "succeeded")
    assert (folder / "v1.began").read_text() == "began\n"
    # The copy ran once in each attempt, and the kill left no third.
    assert len(weir.ask("runs?operation=copy")["runs"]) == 2


@pytest.mark.long
def test_cancelling_goes_down_to_the_step_that_runs(weir, visit, folder):
    run = begin(weir)
    (folder / "v1.wait").touch()
    page = visit(f"/runs/{run}")
    page.get_by_role("button", name="Approve").click()
    until(lambda: steps(weir, run)[2].get("state") == "running")
    page.get_by_role("button", name="Cancel").click()
    until(lambda: phase(weir, run) == "cancelled")
    assert weir.ask("runs?operation=copy")["runs"][0]["phase"] == "cancelled"
