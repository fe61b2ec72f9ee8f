"""SIGTERM with pages open."""

import pytest
from playwright.sync_api import expect
from weir import until


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def test_it_ends_within_three_seconds_and_open_pages_say_so_and_come_back(visit, weir, sky):
    pages = [visit(path) for path in ("/", "/", "/runs", "/operations/host-vitals", "/operations/iss-position")]
    sky.greets.clear()
    run = weir.run("greeting", label="Going")
    until(lambda: weir.ask(f"runs/{run['id']}")["case"] == "loading")
    code, seconds = weir.terminate()
    assert code == 0
    assert seconds < 3
    sky.greets.set()
    expect(pages[0].locator("#live")).to_have_attribute("data-state", "reconnecting")
    weir.start()
    for page in pages:
        expect(page.locator("#live")).to_have_attribute("data-state", "live", timeout=40_000)
    ended = weir.ask("runs/" + run["id"])
    assert ended["phase"] in ("cancelled", "interrupted")
    assert ended["cause"]
