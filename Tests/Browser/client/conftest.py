"""The client in a real browser, against a loopback server that speaks protocol 1. Nothing here needs Weir itself."""

import pytest
from client_page import STATE, WATCH
from loopback import Loopback


@pytest.fixture
def server():
    server = Loopback()
    server.feed.body = STATE.format(0) + '<ul id="rows"></ul>'
    yield server
    server.close()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    context.set_default_timeout(20_000)
    context.add_init_script(WATCH)
    yield context
    context.close()


@pytest.fixture
def page(context):
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    assert errors == []
    assert page.evaluate("window.violations") == []
