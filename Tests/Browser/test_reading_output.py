"""Reading what a run has printed: search, links to lines, wrapping, following."""

import pytest
from playwright.sync_api import expect
from test_output import Talker


@pytest.fixture
def talker():
    talker = Talker()
    yield talker
    talker.stop()


@pytest.fixture
def printed(weir, talker):
    """A run that printed 60 header fields, and more."""
    talker.answer(2)
    return weir.ended(weir.run("http-request", url=f"{talker.url}/60"))


def readable(page):
    """Returns when what helps to read the output is there, which is loaded after the page."""
    page.wait_for_function("() => document.querySelector('[data-follows]').onclick")
    return page


def seen(line):
    return line.evaluate(
        """(line) => {
            const [own, box] = [line.getBoundingClientRect(), line.closest("[data-tail]").getBoundingClientRect()];
            return own.bottom > box.top && own.top < box.bottom;
        }"""
    )


def test_search_counts_the_lines_and_enter_goes_through_them(visit, printed):
    page = readable(visit(f"/runs/{printed['id']}"))
    field = page.get_by_role("searchbox", name="Search the output")
    field.fill("x-field-1")
    found = page.locator("[data-found]")
    expect(found).to_have_text("11")
    field.press("Enter")
    expect(found).to_have_text("1 / 11")
    first = page.locator("#output-lines li", has_text="X-Field-1").first
    assert seen(first)
    field.press("Shift+Enter")
    expect(found).to_have_text("11 / 11")
    field.fill("nothing of the kind")
    expect(found).to_have_text("0")


@pytest.mark.long
def test_a_line_has_a_link_that_leads_back_to_it(visit, printed):
    page = visit(f"/runs/{printed['id']}#line-5")
    line = page.locator("#line-5")
    assert seen(line)
    assert line.evaluate("(line) => line.matches(':target')")
    expect(page.get_by_role("button", name="Follow")).to_have_attribute("aria-pressed", "false")
    box, list_box = page.locator("#line-7").bounding_box(), page.locator("#output-lines").bounding_box()
    page.mouse.click(list_box["x"] + 10, box["y"] + box["height"] / 2)
    page.wait_for_url("**#line-7")


@pytest.mark.long
def test_wrapping_is_a_switch_that_the_browser_keeps(visit, printed):
    page = readable(visit(f"/runs/{printed['id']}"))
    wrap = page.get_by_role("button", name="Wrap")
    expect(wrap).to_have_attribute("aria-pressed", "true")
    wrap.click()
    expect(page.locator("#output-box")).to_have_class("lines long")
    page.reload()
    expect(wrap).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#output-box")).to_have_class("lines long")
