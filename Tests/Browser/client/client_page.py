"""What the tests of the client do with a page and its loopback server."""

from playwright.sync_api import expect
from weir import until

STATE = '<p id="state">State {}</p>'
WATCH = """
    window.painted = [];
    window.violations = [];
    document.addEventListener("weir:painted", (event) => window.painted.push(event.detail.sequence));
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""


def at(page, sequence, seconds=20):
    expect(page.locator("#page")).to_have_attribute("data-sequence", str(sequence), timeout=seconds * 1000)


def body(page):
    return page.evaluate("document.getElementById('page').innerHTML")


def morph(number):
    return [["m", "state", STATE.format(number)]]


def open_page(page, server, path="/"):
    page.goto(server.url + path)
    until(lambda: server.count("/live/") > 0)


def hide(page, hidden):
    page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )
