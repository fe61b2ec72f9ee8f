"""People who sign in: what they see of themselves, how they leave, and what is left on their screens."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from test_accessibility import TAGS, told

PASSWORD = "correct horse"


@pytest.fixture
def settings():
    return {"WEIR_AUTH": "password"}


@pytest.fixture
def people(weir):
    """An administrator and a viewer, whom the running server has noticed."""
    weir.add_people(root="admin", vera="viewer")


def sign_in(page, name):
    page.goto("/sign-in")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".me a")).to_have_text(name)


def start(page, operation="greeting", **fields):
    """Starts a run as whoever is signed in; returns its id."""
    return page.request.post(
        f"/api/v1/operations/{operation}/runs", data=fields, headers={"Sec-Fetch-Site": "same-origin"}
    ).json()["id"]


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_on_the_pages_of_accounts(visit, people, scheme, width):
    page = visit("/sign-in", color_scheme=scheme, viewport={"width": width, "height": 844}, reduced_motion="reduce")
    found = {}

    def look(name):
        violations = Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"]
        if violations:
            found[name] = told(violations)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        if over > 0:
            wide = "[...document.querySelectorAll('main *')].filter((e) => e.getBoundingClientRect().right > innerWidth)"
            found[name + " width"] = [f"{over} px too wide", *page.evaluate(wide + ".map((e) => e.outerHTML.slice(0, 160))")]

    look("/sign-in")
    page.get_by_label("Name").fill("root")
    page.get_by_label("Password").fill("another horse")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("#sign-in-error")).to_be_visible()
    look("wrong password")
    sign_in(page, "root")
    run = start(page, label="Ada")
    for path in ["/", "/account", "/users", "/tokens", "/audit", f"/runs/{run}", f"/runs/{run}/links", "/nowhere"]:
        page.goto(path)
        look(path)
    page.goto("/tokens")
    page.get_by_label("Purpose").fill("nightly")
    page.get_by_role("button", name="Create a token").click()
    expect(page.locator("#secret")).to_contain_text("weir_")
    look("new token")
    page.goto(f"/runs/{run}/links")
    page.get_by_role("button", name="Create a link").click()
    expect(page.locator("#secret")).to_contain_text("/links/weir_run_")
    look("new link")
    assert found == {}


def test_the_page_for_the_first_user_is_for_everybody_too(visit, weir):
    page = visit("/", viewport={"width": 390, "height": 844})
    expect(page).to_have_url(weir.url + "/setup")
    assert Axe().run(page, options={"runOnly": {"type": "tag", "values": TAGS}}).response["violations"] == []


def test_who_signs_out_in_one_tab_leaves_nothing_in_another(visit, people, weir):
    page = visit("/sign-in")
    sign_in(page, "root")
    run = start(page, label="Ada")
    page.goto(f"/runs/{run}")
    other = page.context.new_page()
    other.goto("/")
    expect(other.locator("main")).to_contain_text("Greeting")
    expect(other.locator("html[data-live]")).to_be_attached()
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_url(re.compile("/sign-in"))
    expect(other.locator("main")).to_have_text("You have been signed out, or no longer have access. Reload the page.")
    assert "Ada" not in other.content() and "Greeting" not in other.locator("body").inner_text()
    other.locator("main a").click()
    expect(other).to_have_url(weir.url + "/sign-in?back=%2F")
    # Nor does going back bring it back.
    page.go_back()
    expect(page.locator("body")).not_to_contain_text("Ada")


@pytest.mark.long
def test_without_a_script_one_sees_who_one_is_and_leaves(visit, people, weir):
    page = visit("/sign-in", java_script_enabled=False, viewport={"width": 390, "height": 844}, locale="pt-BR")
    page.get_by_label("Nome").fill("vera")
    page.get_by_label("Senha").fill(PASSWORD)
    page.get_by_role("button", name="Entrar").click()
    expect(page.locator(".me a")).to_have_text("vera")
    page.get_by_role("button", name="Sair").click()
    expect(page).to_have_url(re.compile("/sign-in"))


def test_the_page_of_an_administrator_leads_to_users_tokens_and_the_audit(visit, people):
    page = visit("/sign-in")
    sign_in(page, "root")
    page.locator(".me a").click()
    for name, title in [("Users", "Users"), ("Tokens", "Tokens"), ("Audit", "Audit")]:
        page.locator("[aria-labelledby=account-more]").get_by_role("link", name=name).click()
        expect(page.locator("h1")).to_have_text(title)
        page.go_back()


def test_a_link_shows_one_run_live_until_it_is_revoked(visit, people, weir):
    page = visit("/sign-in")
    sign_in(page, "root")
    run = start(page, "http-request", url=weir.url + "/hello?label=Ada", attempts=1)
    page.goto(f"/runs/{run}")
    page.get_by_role("link", name="Share").click()
    page.get_by_role("button", name="Create a link").click()
    link = page.locator("#secret").inner_text()
    guest = visit(link)
    expect(guest).to_have_url(weir.url + f"/runs/{run}")
    expect(guest.locator("main")).to_contain_text("HTTP request")
    expect(guest.locator("nav[aria-label='Pages'] a, .bar nav a")).to_have_count(0)
    page.get_by_role("button", name="Revoke").click()
    expect(page.locator("main")).to_contain_text("There are no links.")
    assert guest.request.get(f"/runs/{run}").status == 401 or "/sign-in" in guest.request.get(f"/runs/{run}").url
