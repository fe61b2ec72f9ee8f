"""Who else has a store's page open, as several people who are signed in see it."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from test_access import sign_in
from test_accessibility import TAGS

PATH = "/stores/runbook-release"


@pytest.fixture
def settings(tmp_path):
    file = tmp_path / "release.md"
    file.write_text("# Release\n\n- [ ] Tests are green\n- [ ] Tell everybody\n")
    return {"WEIR_AUTH": "password", "WEIR_RUNBOOK": str(file)}


@pytest.fixture
def people(weir):
    """Two administrators and a viewer, whom the running server has noticed."""
    weir.add_people(ana="admin", rui="admin", vera="viewer")


@pytest.fixture
def arrive(visit, people):
    def arrive(name, language="en", **options):
        page = visit("/sign-in", **options)
        sign_in(page, name)
        page.goto(f"{PATH}?lang={language}")
        expect(page.locator("html[data-live]")).to_be_attached()
        return page

    return arrive


def test_people_see_who_comes_and_who_leaves_and_nobody_sees_themselves(arrive):
    ana = arrive("ana")
    here = ana.locator("#viewers")
    expect(here).to_be_hidden()
    ana.evaluate("window.stays = true")
    sequence = ana.locator("#page").get_attribute("data-sequence")
    rui = arrive("rui", viewport={"width": 390, "height": 844}, color_scheme="dark", language="pt-BR")
    expect(here).to_have_text("Also here: rui")
    expect(rui.locator("#viewers")).to_have_text("Também aqui: ana")
    expect(rui.get_by_text("Uma lista de tarefas que várias pessoas fazem juntas.")).to_be_visible()
    vera = arrive("vera")
    expect(here).to_have_text("Also here: rui, vera")
    expect(vera.locator("#viewers")).to_have_text("Also here: ana, rui")
    for page in [ana, rui]:
        assert Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"] == []
        assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    # Another tab of the same person is nobody else, and to load a page anew is not to leave.
    ana.evaluate("""window.seen = [];
        new MutationObserver(() => seen.push(document.getElementById("viewers").textContent))
            .observe(document.getElementById("viewers"), { childList: true, subtree: true })""")
    rui.reload()
    expect(rui.locator("html[data-live]")).to_be_attached()
    expect(rui.locator("#viewers")).to_have_text("Também aqui: ana, vera")
    vera.goto("/account")
    expect(here).to_have_text("Also here: rui")
    assert ana.evaluate("[...new Set(seen)]") == ["Also here: rui"]
    assert ana.evaluate("window.stays")
    # It is no history.
    assert ana.locator("#page").get_attribute("data-sequence") == sequence


@pytest.mark.long
def test_who_is_there_stands_on_the_page_as_it_is_loaded(arrive, visit, weir):
    ana = arrive("ana")
    plain = visit("/sign-in", java_script_enabled=False)
    sign_in(plain, "rui")
    plain.goto(PATH)
    expect(plain.locator("#viewers")).to_have_text("Also here: ana")
    expect(ana.locator("#viewers")).to_be_hidden()
