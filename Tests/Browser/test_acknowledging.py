"""Failures that a user acknowledges on the overview."""

from playwright.sync_api import expect


def test_an_acknowledged_failure_leaves_the_list_on_every_open_page_and_returns(visit, weir):
    weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    page, other = visit("/"), visit("/")
    page.locator("#fails-http-request").get_by_role("link", name="Acknowledge…").click()
    page.get_by_label("Note").fill("The vendor knows.")
    page.get_by_role("button", name="Acknowledge").click()
    for open_page in [page, other]:
        expect(open_page.locator("#fails-http-request")).to_have_count(0)
        open_page.locator("#acknowledged summary").click()
        expect(open_page.locator("#known-http-request")).to_contain_text("The vendor knows.")
    page.locator("#known-http-request").get_by_role("button", name="Show again").click()
    for open_page in [page, other]:
        expect(open_page.locator("#fails-http-request")).to_be_visible()
