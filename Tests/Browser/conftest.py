"""The browser, and the real server with a sky of its own: nothing leaves this machine."""

import os
import shutil

import pytest
from playwright.sync_api import expect, sync_playwright
from sky import Sky
from weir import Weir

WHOLE_CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or "/usr/bin/chromium"
# The same engine without the browser around it, which needs a third of the processor time for a page.
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium-headless-shell") or WHOLE_CHROMIUM
PATIENCE = 20_000
WATCH = """
    window.painted = [];
    window.violations = [];
    document.addEventListener("weir:painted", (event) => window.painted.push(event.detail));
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
expect.set_options(timeout=PATIENCE)


def pytest_configure(config):
    config.addinivalue_line("markers", "alone: measures, or needs the machine for itself; runs beside no other test")
    config.addinivalue_line("markers", "long: runs with `script/test long`, not before each change")


#: The modules whose tests take longest. They begin first, so that no worker waits for them at the end.
LONGEST = ("test_graph_kills", "test_kill")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.module.__name__ not in LONGEST)


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright):
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    yield browser
    browser.close()


@pytest.fixture
def whole_browser(playwright):
    """Chromium with its cache of pages for going back and forward, which the shell does not have."""
    browser = playwright.chromium.launch(
        executable_path=WHOLE_CHROMIUM, args=["--no-sandbox"], ignore_default_args=["--disable-back-forward-cache"]
    )
    yield browser
    browser.close()


@pytest.fixture
def sky():
    sky = Sky()
    yield sky
    sky.stop()


@pytest.fixture
def settings():
    """More settings of the server, as environment variables."""
    return {}


@pytest.fixture
def prefix():
    """What stands before the server's command."""
    return []


@pytest.fixture
def weir(tmp_path, sky, settings, prefix):
    weir = Weir(tmp_path, sky, settings, prefix)
    yield weir.start()
    weir.close()


@pytest.fixture
def visit(browser, weir):
    """Makes tabs, each in a context of its own; holds each to no error and no breach of the policy."""
    contexts, pages = [], []

    def open_tab(path="/", **options):
        context = browser.new_context(base_url=weir.url, **{"locale": "en-GB", **options})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        if options.get("java_script_enabled", True):
            context.add_init_script(WATCH)
            page.errors = []
            page.on("pageerror", lambda error: page.errors.append(str(error)))
            pages.append(page)
        page.goto(path)
        return page

    yield open_tab
    for page in pages:
        assert page.errors == []
        assert page.evaluate("window.violations") == []
    for context in contexts:
        context.close()
