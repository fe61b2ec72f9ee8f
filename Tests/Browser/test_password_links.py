"""Links with which people set passwords, and required changes: command line, mail, and a browser without JavaScript."""

import subprocess

import pytest
from mailbox import Mailbox
from playwright.sync_api import expect
from test_access import PASSWORD, sign_in
from weir import BINARY, until

NEW = "battery staple"


@pytest.fixture
def mailbox(tmp_path):
    mailbox = Mailbox(tmp_path, "none")
    yield mailbox
    mailbox.stop()


@pytest.fixture
def settings(mailbox):
    return {
        "WEIR_AUTH": "password", "WEIR_MAIL_SERVER": mailbox.address, "WEIR_MAIL_SECURITY": "none",
        "WEIR_MAIL_FROM": "weir@example.com",
    }


@pytest.fixture
def people(weir):
    weir.add_people(root="admin", vera="viewer")


def command(weir, *words):
    done = subprocess.run(
        [BINARY, "user", *words, "--data", str(weir.data)], text=True, env=weir.environment, cwd=weir.folder,
        capture_output=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_an_invited_person_chooses_a_password_without_javascript(visit, weir, people, mailbox):
    lines = command(weir, "invite", "ana", "--role", "operator", "--operations", "greeting", "--mail", "ana@example.com")
    assert lines[0].startswith(weir.url + "/password/weir_password_") and lines[1] == "Mailed to ana@example.com."
    text, html = (mailbox.mails[0].get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert lines[0] in text and f'href="{lines[0]}"' in html and mailbox.receivers == [["ana@example.com"]]
    link = lines[0].removeprefix(weir.url)
    page = visit(link, java_script_enabled=False, viewport={"width": 390, "height": 844})
    expect(page.get_by_label("Name")).to_have_value("ana")
    page.locator("#new-password-new").fill(NEW)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".me a")).to_have_text("ana")
    page.goto(link)
    expect(page.locator("main")).to_contain_text("This link is not known, was used, has expired")


def test_an_administrator_makes_a_link_and_a_narrow_role_on_the_page_of_users(visit, weir, people, mailbox):
    page = visit("/sign-in", java_script_enabled=False)
    sign_in(page, "root")
    page.goto("/users")
    row = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name="vera")).first
    row.get_by_text("Change").first.click()
    row.get_by_label("E-mail address").fill("vera@example.com")
    row.get_by_role("button", name="Make a link for a new password").click()
    expect(page.locator("#secret")).to_contain_text("/password/weir_password_")
    assert page.locator("#secret").inner_text() in mailbox.mails[0].get_body(("plain",)).get_content()
    row.get_by_text("Change").first.click()
    row.locator("summary", has_text="Add a role").click()
    form = row.locator("form", has=page.get_by_role("button", name="Add a role"))
    form.get_by_label("Role").select_option("operator")
    form.get_by_label("For", exact=True).select_option("only")
    form.get_by_label("Only for operations").fill("greeting")
    form.get_by_role("button", name="Add a role").click()
    expect(row).to_contain_text("viewer, operator (operations greeting)")
    audit = page.request.get("/api/v1/audit?action=change-roles").json()["entries"]
    assert audit[0]["detail"] == "before: viewer; after: viewer, operator (operations greeting)"


def test_a_required_change_leads_every_page_to_the_form_until_it_is_made(visit, weir, people):
    page = visit("/sign-in")
    sign_in(page, "vera")
    page.goto("/runs")
    command(weir, "require-change", "vera")
    until(lambda: page.request.get("/api/v1/runs").status == 403)
    assert page.request.get("/api/v1/runs").json()["type"] == "urn:weir:problem:password-change-required"
    expect(page.locator("main")).not_to_contain_text("Greeting", timeout=20_000)
    page.goto("/runs")
    expect(page).to_have_url(weir.url + "/account/password?back=%2Fruns")
    page.get_by_label("Current password").fill(PASSWORD)
    page.locator("#new-password-new").fill(NEW)
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(weir.url + "/runs")
    assert command(weir, "list")[1] == "vera\tviewer"
