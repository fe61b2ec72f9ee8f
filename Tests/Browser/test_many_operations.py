"""The pages of a server with many operations: the table of the overview, the palette that acts, and forms on a phone."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from weir import until

PHONE = {"width": 390, "height": 844}


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    for number in range(14):
        program = "exit 3" if number == 3 else "echo done"
        (folder / f"job-{number:02}.yml").write_text(
            f"title: Job {number}\ntags: [{'web' if number % 2 else 'data'}]\ncommand: [sh, -c, '{program}']\n"
        )
    (folder / "restore.yml").write_text(
        "title: Restore\ntags: [data]\ninputs: [{name: database, type: choice, options: [orders, stock], required: true, help: Replaced by its backup.}]\n"
        'command: [echo, "{{database}}"]\n'
    )
    (folder / "deploy.yml").write_text(
        "title: Deploy\ntags: [web]\nsteps:\n  - {name: test, title: Run the tests, command: [sh, -c, 'echo 3 tests failed >&2; exit 2']}\n"
        "  - {name: switch, title: Switch over, command: [echo, live]}\n"
    )
    (folder / "release.yml").write_text(
        "title: Release\ntags: [web]\nsteps:\n  - {name: approval, approve: {prompt: Go live?, within: 2h}}\n  - {name: switch, command: [echo, live]}\n"
    )
    (folder / "nightly.yml").write_text("title: Nightly\ntags: [data]\nschedule: '0 4 29 2 *'\ncommand: [echo, done]\n")
    return {"WEIR_OPERATIONS": str(folder)}


@pytest.mark.parametrize("width", [390, 1280, 1920])
def test_many_operations_are_a_table_by_tag_without_a_breach(visit, weir, width):
    weir.ended(weir.run("job-00"))
    page = visit("/", viewport={"width": width, "height": 900})
    expect(page.get_by_role("heading", name="data")).to_be_visible()
    row = page.locator("#op-job-00")
    expect(row.locator(".chip")).to_have_text("Succeeded")
    assert row.bounding_box()["height"] < 60
    expect(row.locator(".outcomes")).to_be_visible(visible=width > 400)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response["violations"]
    assert [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_change_restyles_what_changed_and_not_the_page(visit, weir):
    page = visit("/")
    for job in ["job-00", "job-01"]:
        expect(page.locator(f"#op-{job}")).to_be_visible()
    developer = page.context.new_cdp_session(page)
    events, ended = [], []
    developer.on("Tracing.dataCollected", lambda part: events.extend(part["value"]))
    developer.on("Tracing.tracingComplete", lambda _: ended.append(True))
    developer.send("Tracing.start", {"categories": "devtools.timeline", "transferMode": "ReportEvents"})
    weir.ended(weir.run("job-00"))
    expect(page.locator("#op-job-00 .chip")).to_have_text("Succeeded")
    developer.send("Tracing.end")
    while not ended:
        page.evaluate("0")
    restyled = [event["args"].get("elementCount", 0) for event in events if event["name"] == "UpdateLayoutTree" and event["ph"] == "X"]
    assert 0 < max(restyled) < page.evaluate("document.querySelectorAll('main *').length") / 2


def test_the_palette_starts_an_operation_from_the_header_of_a_phone(visit, weir):
    page = visit("/schedules", viewport=PHONE)
    page.get_by_role("button", name="Go to…").click()
    page.get_by_role("combobox", name="Go to…").fill("start job 5")
    expect(page.locator("#palette-list [role=option]").first).to_have_text("Start Job 5")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*")
    expect(page.get_by_role("heading", name="Job 5")).to_be_visible()


def test_the_palette_decides_and_pauses_a_schedule_on_a_phone(visit, weir):
    run = weir.run("release")
    until(lambda: "Go live?" in weir.page("/"))
    page = visit("/runs", viewport=PHONE)
    page.get_by_role("button", name="Go to…").click()
    page.get_by_role("combobox", name="Go to…").fill("approve")
    expect(page.locator("#palette-list [role=option]").first).to_have_text("Approve: Go live?Release")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/runs/{run['id']}")
    assert weir.ended(run)["phase"] == "succeeded"
    page.get_by_role("button", name="Go to…").click()
    page.get_by_role("combobox", name="Go to…").fill("pause nightly")
    expect(page.locator("#palette-list [role=option]").first).to_have_text("Pause: NightlySchedules")
    page.keyboard.press("Enter")
    until(lambda: weir.ask("schedules/nightly")["paused"])
    expect(page.locator("#page")).to_be_visible()


def test_names_are_whole_words_in_the_list_of_runs_on_a_phone(visit, weir):
    weir.ended(weir.run("job-03"))
    page = visit("/runs?phase=failed", viewport=PHONE)
    name = page.locator("#runs a", has_text="Job 3").first
    expect(name).to_be_visible()
    assert name.bounding_box()["height"] < 30
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_a_choice_that_was_not_made_is_told_beside_its_field_and_a_start_on_a_phone_leads_to_the_run(visit, weir):
    page = visit("/operations/restore", viewport=PHONE)
    start = page.locator("#start button[type=submit]")
    start.click()
    expect(page.locator("#start-restore-database-error")).to_be_visible()
    expect(page.get_by_text("Replaced by its backup.")).to_be_visible()
    page.get_by_label("Database").select_option("stock")
    start.click()
    page.wait_for_url("**/runs/*")
    expect(page.locator("#run-verdict")).to_have_text(re.compile("Succeeded after"))


def test_a_failed_run_of_steps_shows_the_error_of_its_step_while_it_is_watched(visit, weir):
    page = visit("/")
    run = weir.run("deploy")
    page.goto(f"/runs/{run['id']}")
    expect(page.locator("#run-verdict")).to_have_text(re.compile("Failed after .*: The step “Run the tests” failed"))
    expect(page.locator("#run-around")).to_contain_text("3 tests failed")
    expect(page.get_by_text("Skipped because “Run the tests” failed")).to_be_visible()
    page.locator("#run-around a").first.click()
    expect(page.get_by_role("heading", name="Run the tests")).to_be_visible()
    until(lambda: weir.latest("deploy")["phase"] == "failed")
    page.goto("/")
    expect(page.locator("#fails-deploy")).to_contain_text("3 tests failed")
    listed = [row["operation"] for row in weir.ask("report")["operations"]]
    assert listed == ["deploy"], "the report counts a run of steps once"


def test_the_filters_of_the_runs_are_folded_on_a_phone_alone(visit):
    page = visit("/runs", viewport=PHONE)
    state = page.locator("#filter-phase")
    expect(state).to_be_hidden()
    page.get_by_text("More filters").click()
    expect(state).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 900})
    page.reload()
    expect(state).to_be_visible()
    expect(page.get_by_text("More filters")).to_be_hidden()
