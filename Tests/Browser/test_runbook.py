"""Runbook: a checklist from a Markdown file, worked through by several people at once."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from test_stores import settled

CHECKLIST = """# Release

Say in **#releases** that it begins.

## Before
- [ ] Tests are green
- [ ] Tag it with `git tag`
  - [ ] Sign it

## After
- [ ] Tell [everybody](https://example.org/)
"""
PATH = "/stores/runbook-release"


@pytest.fixture
def file(tmp_path):
    file = tmp_path / "release.md"
    file.write_text(CHECKLIST)
    return file


@pytest.fixture
def settings(file):
    return {"WEIR_RUNBOOK": str(file)}


def act_as(page, name):
    page.locator("#who summary").click()
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#who")).to_contain_text(f"You act as {name}")
    settled(page)
    return page


def step(page, name):
    return page.locator(f"#store-{name}")


def more(page, name, action):
    details = page.locator(f"#store-{name}-more")
    if details.get_attribute("open") is None:
        details.locator(":scope > summary").click()
    return details.locator(f"#act-{action}-{name}")


def fill(page, name, action, label, text):
    form = more(page, name, action)
    page.locator(f"#act-{action}-{name}-box > summary").click()
    form.get_by_label(label).fill(text)
    form.get_by_role("button").click()


@pytest.mark.long
def test_two_people_see_each_other_and_who_waits_is_told(visit):
    ana, bob = act_as(visit(PATH), "Ana"), act_as(visit(PATH), "Bob")
    expect(ana.locator("#store-state")).to_contain_text("0 of 4 steps are done or skipped")
    more(bob, "tests-are-green", "wait").get_by_role("button").click()
    expect(step(ana, "tests-are-green")).to_contain_text("Notified when it is done: Bob")
    step(ana, "tests-are-green").get_by_role("button", name="Tick").click()
    expect(step(bob, "tests-are-green").locator(".chip")).to_contain_text("Done")
    expect(step(bob, "tests-are-green")).to_contain_text("Ana")
    expect(bob.locator("#toasts")).to_contain_text("“Tests are green” was done by Ana at")
    expect(bob.locator("#store-state")).to_contain_text("1 of 4 steps are done or skipped")
    expect(ana.locator("#toasts .toast")).to_have_count(0)


@pytest.mark.long
def test_steps_are_skipped_commented_and_assigned_and_the_end_is_told_to_everybody(visit, weir):
    ana, bob = act_as(visit(PATH), "Ana"), act_as(visit(PATH), "Bob")
    fill(ana, "sign-it", "skip", "Reason", "No key yet")
    expect(step(bob, "sign-it")).to_contain_text("No key yet")
    expect(step(bob, "sign-it").locator(".chip")).to_contain_text("Skipped")
    fill(ana, "tell-everybody", "comment", "Comment", "By <b>mail</b>")
    expect(step(bob, "tell-everybody")).to_contain_text("By <b>mail</b>")
    fill(ana, "tell-everybody", "assign", "Name", "Bob")
    expect(bob.locator("#toasts")).to_contain_text("Ana asks you to do “Tell everybody”.")
    for name in ["tests-are-green", "tag-it-with-git-tag", "tell-everybody"]:
        step(bob, name).get_by_role("button", name="Tick").click()
        expect(step(ana, name).locator(".chip")).to_contain_text("Done")
    for page in [ana, bob]:
        expect(page.locator("#toasts")).to_contain_text("no steps are open; 3 of 4 are done")
        expect(page.locator("#store > header .chip")).to_contain_text("Succeeded")


def test_of_two_who_tick_one_step_the_first_stands_and_the_second_is_told(visit, weir):
    ana = act_as(visit(PATH), "Ana")
    weir.ask("stores/runbook-release/actions", "POST", {"type": "tick", "step": "sign-it"})
    signature = step(ana, "sign-it").locator(".say > .muted").first
    # Who it was, and when: how long ago that is changes.
    read = "(line) => [line.firstChild.textContent, line.querySelector('time').dateTime]"
    first = signature.evaluate(read)
    weir.ask("stores/runbook-release/actions", "POST", {"type": "tick", "step": "sign-it"})
    log = ana.locator("[role=log]")
    expect(log).to_contain_text("“Sign it” was done by")
    assert signature.evaluate(read) == first


@pytest.mark.long
def test_the_export_is_the_checklist_with_what_became_of_it(visit):
    page = act_as(visit(PATH), "Ana")
    step(page, "tests-are-green").get_by_role("button", name="Tick").click()
    expect(step(page, "tests-are-green").locator(".chip")).to_contain_text("Done")
    with page.expect_download() as download:
        page.get_by_role("button", name="Export as Markdown").click()
    text = open(download.value.path(), encoding="utf-8").read()
    assert download.value.suggested_filename == "release.md"
    assert "- [x] Tests are green\n  - Done by Ana at " in text
    assert "- [ ] Tell [everybody](https://example.org/)\n" in text


def test_an_edited_file_keeps_what_was_done(visit, weir, file):
    weir.ask("stores/runbook-release/actions", "POST", {"type": "tick", "step": "sign-it"})
    weir.terminate()
    file.write_text("# Release\n\n- [ ] Something new\n- [ ] Tests are green\n")
    weir.start()
    page = visit(PATH)
    expect(page.locator(".checklist").last).to_contain_text("No longer in the file")
    expect(step(page, "sign-it").locator(".chip")).to_contain_text("Done")
    expect(step(page, "something-new").get_by_role("button", name="Tick")).to_be_visible()


def test_without_javascript_on_a_small_screen_steps_are_ticked_and_skipped(visit):
    page = visit(PATH, java_script_enabled=False, viewport={"width": 390, "height": 800})
    step(page, "tests-are-green").get_by_role("button", name="Tick").click()
    expect(step(page, "tests-are-green").locator(".chip")).to_contain_text("Done")
    fill(page, "sign-it", "skip", "Reason", "No key yet")
    expect(step(page, "sign-it").locator(".chip")).to_contain_text("Skipped")
    width = page.locator("html").bounding_box()["width"]
    assert page.locator("#store").bounding_box()["width"] <= width == 390


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_with_all_of_it_open_and_nothing_is_too_wide(visit, weir, scheme, width):
    last = [
        weir.ask("stores/runbook-release/actions", "POST", action)
        for action in [
            {"type": "tick", "step": "sign-it"},
            {"type": "wait", "step": "tests-are-green"},
            {"type": "comment", "step": "tests-are-green", "text": "x" * 200},
            {"type": "skip", "step": "tell-everybody", "reason": "Nobody asked."},
        ]
    ][-1]["cursor"].split(".")[1]
    page = visit("/", color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce", locale="pt-BR")
    for path in ["/stores", PATH, f"{PATH}?at={last}"]:
        page.goto(path)
        page.evaluate("document.querySelectorAll('details').forEach((details) => { details.open = true })")
        tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
        violations = Axe().run(page, options={"runOnly": {"type": "tag", "values": tags}}).response["violations"]
        assert [(found["id"], found["nodes"][0]["html"][:300]) for found in violations] == [], path
        assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0, path
