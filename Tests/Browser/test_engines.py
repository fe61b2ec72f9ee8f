"""The main ways through the pages, in the three engines that browsers have: each sees every state, once and in order."""

import os

import pytest
from engines import ABSENT, Absent, Chromium, Firefox, WebKit
from weir import until

# Each engine is started once.
pytestmark = [pytest.mark.xdist_group("engines"), pytest.mark.long]

CHIP = "#current .run > header .chip"
WATCH = """
    window.seen = [];
    window.wrong = [];
    window.stays = true;
    addEventListener("error", (event) => window.wrong.push(String(event.message)));
    document.addEventListener("securitypolicyviolation", (event) => window.wrong.push(event.violatedDirective));
    const look = () => {
        const now = document.querySelector("#current .run > header .chip")?.textContent.trim();
        if (now && window.seen.at(-1) !== now) window.seen.push(now);
    };
    new MutationObserver(look).observe(document.getElementById("page"), { childList: true, subtree: true, characterData: true });
"""
CHECKLIST = "# Release\n\n- [ ] Tests are green\n- [ ] Tag it\n"


@pytest.fixture(scope="module", params=["chromium", "firefox", "webkit"])
def engine(request):
    if request.param == "chromium":
        page = Chromium(request.getfixturevalue("browser"))
    else:
        # Debian's packages, which `script/dependencies test` installs; a Mac has neither, Ubuntu no `firefox-esr`.
        if reason := ABSENT[request.param]():
            pytest.skip(reason)
        try:
            page = {"firefox": Firefox, "webkit": WebKit}[request.param]()
        except Absent as reason:
            pytest.skip(str(reason))
    yield page
    page.close()


@pytest.fixture
def settings(sky, tmp_path):
    file = tmp_path / "release.md"
    file.write_text(CHECKLIST)
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_RUNBOOK": str(file)}


@pytest.fixture
def visit(engine, weir):
    """Opens a page and watches what it shows; at the end nothing has gone wrong in it."""

    def open_page(path):
        engine.go(weir.url + path)
        engine.run(WATCH)
        return engine

    yield open_page
    assert engine.run("return window.wrong") == []


def shows(page, selector, text):
    until(lambda: text in page.text(selector))


def start(page, label):
    page.fill("#start input[name=label]", label)
    page.click("#start button[type=submit]")


def test_a_run_is_started_and_every_state_is_followed(visit, weir, sky):
    sky.greets.clear()
    page = visit("/operations/greeting")
    start(page, "Ada & <b>Bea</b>")
    shows(page, CHIP, "Loading")
    sky.greets.set()
    shows(page, "#current .state", "Success: Hello, Ada & <b>Bea</b>!")
    assert page.run("return window.seen")[-2:] == ["Loading", "Success"]
    assert page.run("return window.stays") is True, "the page was loaded anew"
    assert weir.cases(weir.latest("greeting")) == ["none", "loading", "success"]


def test_a_run_is_cancelled(visit, weir, sky):
    sky.greets.clear()
    page = visit("/operations/greeting")
    start(page, "Ada")
    page.click("#current form[data-action] button.danger")
    shows(page, CHIP, "Cancelled")
    assert weir.latest("greeting")["phase"] == "cancelled"


def test_a_file_is_uploaded(visit, weir, tmp_path):
    file = tmp_path / "mélange & co.bin"
    file.write_bytes(os.urandom(2_000_000))
    page = visit("/operations/file-upload")
    page.choose("input[type=file]", file)
    page.click("#start button[type=submit]")
    shows(page, CHIP, "Success")
    shows(page, "#current .state", "mélange & co.bin")
    phases = ["Receiving", "Compressing", "Opening session", "Uploading", "Closing session", "Success"]
    (run,) = weir.ask("runs?operation=file-upload")["runs"]
    assert weir.cases(run)[-1] == "success"
    order = [phases.index(phase) for phase in page.run("return window.seen") if phase in phases]
    assert order == sorted(order)


def test_a_step_of_a_runbook_is_ticked(visit, weir):
    page = visit("/stores/runbook-release")
    shows(page, "#store-state", "0 of 2 steps are done or skipped")
    page.click("#store-tests-are-green form[id^=act-tick] button")
    shows(page, "#store-tests-are-green .chip", "Done")
    shows(page, "#store-state", "1 of 2 steps are done or skipped")


def test_a_slider_leads_to_another_moment_of_a_run(visit, weir):
    run = weir.ended(weir.run("greeting", label="Ada"))
    moments = [change["sequence"] for change in weir.changes(f"run-{run['id']}")]
    page = visit(f"/runs/{run['id']}?at={moments[0]}")
    shows(page, "#scrub-standing", "step 1 of")
    page.run(
        """
        const range = document.getElementById("scrub-range");
        range.value = range.max;
        range.dispatchEvent(new Event("input", { bubbles: true }));
        """
    )
    shows(page, "section.run > header .chip", "Success")
    # The address follows when the slider is let go.
    page.run('document.getElementById("scrub-range").dispatchEvent(new Event("change", { bubbles: true }));')
    until(lambda: page.run("return location.search") == f"?at={moments[-1]}")
    assert page.run("return window.stays") is True, "the page was loaded anew"


def test_an_open_page_outlives_its_server(visit, weir, sky):
    page = visit("/operations/greeting")
    weir.kill()
    until(lambda: page.attribute("#live", "data-state") == "reconnecting")
    weir.start()
    until(lambda: page.attribute("#live", "data-state") == "live", 60)
    weir.run("greeting", label="Grace")
    shows(page, "#current .state", "Success: Hello, Grace!")
    assert page.run("return window.stays") is True, "the page was loaded anew"
