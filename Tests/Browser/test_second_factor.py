"""A second factor: set-up and sign-in without JavaScript, and the removal on the command line."""

import base64
import hashlib
import hmac
import time

import pytest
from playwright.sync_api import expect
from test_access import PASSWORD, sign_in
from test_password_links import command


@pytest.fixture
def settings():
    return {"WEIR_AUTH": "password", "WEIR_USERS_SECOND_FACTOR": "operator"}


def code(secret, steps=0):
    """The code of an authenticator app (RFC 6238)."""
    digest = hmac.digest(base64.b32decode(secret), (int(time.time()) // 30 + steps).to_bytes(8, "big"), hashlib.sha1)
    place = digest[19] & 15
    number = int.from_bytes(digest[place:place + 4], "big") & 0x7FFFFFFF
    return f"{number % 1_000_000:06d}"


def enter(page):
    page.goto("/sign-in")
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()


def test_an_operator_sets_up_the_required_second_factor_and_signs_in_with_it(visit, weir):
    weir.add_people(root="admin", ana="operator")
    page = visit("/sign-in", java_script_enabled=False, viewport={"width": 390, "height": 844})
    sign_in(page, "ana")
    page.goto("/runs")
    expect(page).to_have_url(weir.url + "/account/second-factor?back=%2Fruns")
    secret = page.locator("#secret").inner_text().replace(" ", "")
    assert f"secret={secret}" in page.locator("#secret-uri").get_attribute("href")
    page.get_by_label("Current password").fill(PASSWORD)
    page.get_by_label("Code of the app").fill(code(secret))
    page.get_by_role("button", name="Set up a second factor").click()
    codes = page.locator("#recovery-codes code").all_inner_texts()
    assert len(set(codes)) == 10
    page.get_by_role("link", name="I have kept the codes").click()
    expect(page).to_have_url(weir.url + "/runs")
    page.get_by_role("button", name="Sign out").click()
    for answer in (code(secret, 1), codes[0]):
        enter(page)
        expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
        page.get_by_label("Code").fill("000")
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator("#sign-in-code-error")).to_contain_text("The code is wrong, or was used.")
        page.get_by_label("Code").fill(answer)
        page.get_by_role("button", name="Sign in").click()
        expect(page.locator(".me a")).to_have_text("ana")
        page.get_by_role("button", name="Sign out").click()
    assert "second factor" in command(weir, "list")[0]
    assert "9 unused recovery codes" in command(weir, "second-factor", "ana")[0]
    assert command(weir, "second-factor", "ana", "--remove") == ["ana has no second factor."]
    sign_in(page, "ana")
    expect(page).to_have_url(weir.url + "/account/second-factor?back=%2F")
