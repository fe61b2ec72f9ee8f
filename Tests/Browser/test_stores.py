"""Stores: people act, see each other live, and each browser shows each effect once."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from test_accessibility import TAGS, told
from weir import until

STORE = "/stores/runbook-party"
TOAST = "#toasts .toast"


@pytest.fixture
def settings(tmp_path):
    (tmp_path / "party.md").write_text("# Party\n\n- [ ] Bake a cake\n- [ ] Hang the lamps\n- [ ] Open the door\n")
    return {"WEIR_RUNBOOK": str(tmp_path / "party.md")}


@pytest.fixture
def join(visit, weir):
    """Opens the store for somebody."""

    def join_as(name, path=STORE, **options):
        page = visit("/health/live", **options)
        page.context.add_cookies([{"name": "weir-name", "value": name, "url": weir.url}])
        page.goto(path)
        return page

    return join_as


def press(page, form):
    """Sends a form, whatever it is folded into."""
    page.locator(form).evaluate("(form) => { for (let at = form.closest('details'); at; at = at.parentElement.closest('details')) at.open = true; }")
    page.locator(f"{form} button").click()


def act(weir, **action):
    return weir.ask("stores/runbook-party/actions", "POST", action)


def live(page):
    expect(page.locator("html[data-live]")).to_be_attached()
    return page


def settled(page):
    """Waits until the page has asked its browser what it has seen: nothing more will be shown of what is listed.

    What asks is loaded after the page; until it has asked for the first time, nothing is kept.
    """
    until(lambda: page.evaluate("""() => new Promise((resolve, reject) => {
      const opening = indexedDB.open("weir", 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore("seen");
      opening.onsuccess = () => {
        const transaction = opening.result.transaction("seen", "readwrite");
        const count = transaction.objectStore("seen").count();
        transaction.oncomplete = () => { opening.result.close(); resolve(count.result); };
      };
      opening.onerror = () => reject(opening.error);
    })"""))


def looking(page):
    """A page that is live and shows the effects of what is done from now on: those of before its first look are none of its."""
    settled(live(page))
    return page


def painted(page, answer):
    page.wait_for_function("(n) => Number(document.getElementById('page').dataset.sequence) >= n", arg=answer["sequence"])


def test_people_see_each_other_act_in_the_same_order(join, weir):
    ana, rui = live(join("Ana")), live(join("Rui"))
    press(ana, "#act-tick-bake-a-cake")
    expect(rui.locator("#entries li").first).to_contain_text("Ana")
    press(rui, "#act-tick-hang-the-lamps")
    for number in range(10):
        act(weir, type="comment", step="open-the-door", text=f"note {number}")
    for page in (ana, rui):
        expect(page.locator("#entries li")).to_have_count(13)
    sequences = [[item.get_attribute("id") for item in page.locator("#entries li").all()] for page in (ana, rui)]
    assert sequences[0] == sequences[1]
    recorded = [step["sequence"] for step in weir.ask("stores/runbook-party")["log"]]
    assert sequences[0] == [f"entry-{sequence}" for sequence in recorded]


@pytest.mark.long
def test_whoever_waits_is_told_once(join, weir):
    ana, rui = looking(join("Ana")), looking(join("Rui"))
    press(ana, "#act-wait-bake-a-cake")
    expect(rui.locator("#entries li").first).to_contain_text("Ana")
    press(rui, "#act-tick-bake-a-cake")
    expect(ana.locator(TOAST)).to_have_count(1)
    expect(ana.locator("#toasts")).to_contain_text("Bake a cake")
    expect(ana.locator("#toasts")).to_have_attribute("role", "status")
    expect(rui.locator(TOAST)).to_have_count(0)
    ana.get_by_role("button", name="Close").first.click()
    expect(ana.locator(TOAST)).to_have_count(0)
    ana.reload()
    painted(live(ana), weir.ask("stores/runbook-party"))
    settled(ana)
    expect(ana.locator(TOAST)).to_have_count(0)


@pytest.mark.long
def test_one_of_several_tabs_shows_a_toast(join, weir):
    first = looking(join("Ana"))
    tabs = [first] + [first.context.new_page() for _ in range(2)]
    for tab in tabs[1:]:
        tab.goto(STORE)
        live(tab)
    press(tabs[0], "#act-wait-bake-a-cake")
    answer = act(weir, type="tick", step="bake-a-cake")
    for tab in tabs:
        painted(tab, answer)
    first.wait_for_function("() => true")
    for tab in tabs:
        settled(tab)
    for _ in range(3):
        settled(first)
    assert sum(tab.locator(TOAST).count() for tab in tabs) == 1


def test_a_restart_shows_nothing_twice_and_what_was_missed_once(join, weir):
    ana = looking(join("Ana"))
    press(ana, "#act-wait-bake-a-cake")
    expect(ana.locator("#entries li")).to_have_count(2)
    press(ana, "#act-wait-hang-the-lamps")
    expect(ana.locator("#entries li")).to_have_count(3)
    act(weir, type="tick", step="bake-a-cake")
    expect(ana.locator(TOAST)).to_have_count(1)
    ana.goto("/health/live")
    weir.kill()
    weir.start()
    answer = act(weir, type="tick", step="hang-the-lamps")
    ana.goto(STORE)
    expect(ana.locator(TOAST)).to_have_count(1)
    expect(ana.locator("#toasts")).to_contain_text("Hang the lamps")
    painted(ana, answer)
    ana.reload()
    painted(live(ana), answer)
    settled(ana)
    expect(ana.locator(TOAST)).to_have_count(0)


@pytest.mark.long
def test_a_file_comes_to_whom_it_is_for(join):
    ana, rui = looking(join("Ana")), looking(join("Rui"))
    downloads = []
    rui.on("download", lambda download: downloads.append(download))
    with ana.expect_download() as download:
        press(ana, "#act-export")
    assert download.value.suggested_filename.endswith(".md")
    assert "Bake a cake" in open(download.value.path(), encoding="utf-8").read()
    expect(rui.locator("#entries li").first).to_contain_text("Ana")
    settled(rui)
    assert downloads == []


@pytest.mark.long
def test_whoever_is_led_away_takes_messages_along(join):
    ana = looking(join("Ana"))
    ana.evaluate("""() => {
      const list = document.getElementById("effects");
      const add = (effect, kind, text, more) => {
        const item = Object.assign(document.createElement("li"), { textContent: text });
        Object.assign(item.dataset, { effect, kind, at: new Date().toISOString(), ...more });
        list.prepend(item);
      };
      add("9999.0", "navigation", "/runs", { path: "/runs?text=led" });
      add("9999.1", "toast", "See the runs", {});
      add("9999.2", "toast", "Not for Ana", { audience: '["Rui"]' });
      document.dispatchEvent(new Event("visibilitychange"));
    }""")
    ana.wait_for_url("**/runs?text=led")
    expect(ana.locator(TOAST)).to_have_count(1)
    expect(ana.locator("#toasts")).to_contain_text("See the runs")
    ana.goto(STORE)
    settled(live(ana))
    expect(ana).to_have_url(re.compile(STORE))


def test_a_moment_is_looked_at_and_returned_to(join, weir):
    ana = live(join("Ana"))
    act(weir, type="tick", step="bake-a-cake")
    answer = act(weir, type="tick", step="hang-the-lamps")
    painted(ana, answer)
    ana.locator("#entries li").nth(1).locator("a.mono").click()
    expect(ana.locator("#live")).to_have_attribute("data-state", "paused")
    assert ana.locator("form[action*='/actions']").count() == 0
    ana.get_by_text("Return to here").click()
    ana.get_by_role("button", name="Return everybody to this state").click()
    expect(ana.locator("#entries li").first).to_contain_text("Returned to change")
    expect(ana.locator("#act-tick-hang-the-lamps")).to_be_attached()
    ana.locator("#reset summary").click()
    ana.locator("#reset button").click()
    expect(ana.locator("#act-tick-bake-a-cake")).to_be_attached()
    assert weir.ask("stores/runbook-party")["last"]["kind"] == "reset"


def test_everything_is_done_without_javascript(join, weir):
    page = join("operator", java_script_enabled=False)
    page.locator("#who summary").click()
    page.get_by_label("Your name").fill("Ana Lúcia")
    page.locator("#name button").click()
    expect(page.locator("#who")).to_contain_text("Ana Lúcia")
    press(page, "#act-tick-bake-a-cake")
    expect(page.locator("#entries li").first).to_contain_text("Ana Lúcia")
    page.locator("#act-comment-open-the-door").evaluate("(form) => { form.noValidate = true; }")
    press(page, "#act-comment-open-the-door")
    expect(page.locator("#act-comment-open-the-door-text-error")).to_be_visible()
    page.locator("#act-comment-open-the-door [name=text]").fill("Mind the step")
    press(page, "#act-comment-open-the-door")
    expect(page.locator("#entries li").first).to_contain_text("Mind the step")
    assert weir.ask("stores/runbook-party")["last"]["actor"] == "Ana Lúcia"


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing(join, weir, scheme, width):
    sequence = act(weir, type="comment", step="bake-a-cake", text="With cherries")["sequence"]
    page = looking(join("Ana", color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce"))
    act(weir, type="assign", step="bake-a-cake", to="Ana")
    painted(page, act(weir, type="assign", step="hang-the-lamps", to="Ana"))
    expect(page.locator(TOAST)).to_have_count(2)
    for details in page.locator("main details, #who details").all():
        details.evaluate("(details) => { details.open = true; }")
    found = {}
    for path in (None, "/stores", f"{STORE}?at={sequence}", "/"):
        if path:
            page.goto(path)
        violations = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"]
        if violations:
            found[path or STORE] = told(violations)
        if (over := page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")) > 0:
            found[f"{path} width"] = over
    assert found == {}


@pytest.mark.long
def test_the_header_leads_to_stores(visit):
    page = live(visit("/"))
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url("**/stores")
    expect(page.locator("#store-runbook-party")).to_contain_text("Party")
    expect(page.get_by_role("link", name="Stores")).to_have_attribute("href", re.compile("/stores$"))
