"""Title, times, keys, slider."""

import re
import time

from client_page import STATE, morph, open_page
from playwright.sync_api import expect
from weir import until


def test_title_and_icon_say_what_the_page_says(page, server):
    def said(title, icon):
        return f'<span id="page-title" hidden="hidden" data-title="{title}" data-icon="{icon}"></span>'

    server.feed.body = said("(10 %) Upload", "active")
    open_page(page, server)
    expect(page).to_have_title("(10 %) Upload")
    server.publish([["m", "page-title", said("✓ Upload", "ok")]])
    expect(page).to_have_title("✓ Upload")
    assert page.get_attribute("#favicon", "href") == "/icons/ok.svg"


def test_times_are_the_readers_and_patches_leave_them(page, server):
    page.clock.install(time="2026-11-21T12:00:00Z")

    def content(number):
        return (
            f'<p id="when">tick {number} <time datetime="2026-11-21T11:55:00Z" data-relative="">5 min ago</time> '
            '<time datetime="2026-11-21T11:58:50Z" data-since="">0 s</time></p>'
        )

    server.feed.body = content(0)
    open_page(page, server)
    ago, since = page.locator("time[data-relative]"), page.locator("time[data-since]")
    expect(ago).to_have_text("5\u00a0min ago")
    assert "2026" in ago.get_attribute("title")
    expect(since).to_have_text(re.compile(r"^1\smin [1-5]\d\ss$"))
    page.evaluate(
        """() => {
            window.written = [];
            new MutationObserver((records) => window.written.push(...records.map((record) => record.target.textContent)))
                .observe(document.querySelector("time[data-relative]"), { childList: true, characterData: true, subtree: true });
        }"""
    )
    server.publish([["m", "when", content(1)]])
    until(lambda: page.clock.run_for(20) or page.get_attribute("#page", "data-sequence") == "1")
    assert "tick 1" in page.inner_text("#when")
    expect(ago).to_have_text("5\u00a0min ago")
    page.clock.run_for(2_000)
    expect(since).to_have_text(re.compile(r"^1\smin [1-5]\d\ss$"))
    assert page.evaluate("window.written") == []
    page.clock.run_for(60_000)
    expect(ago).to_have_text("6\u00a0min ago")


def test_keys_lead_to_places_and_are_silent_while_typing(page, server):
    server.feed.body = '<input id="field"/><input type="search" id="search"/>' + STATE.format(0)
    server.extra = '<dialog id="keys"><form method="dialog"><label><input type="checkbox" data-keys="" checked="checked"/> Keys</label><button>Close</button></form></dialog>'
    open_page(page, server)
    page.click("#field")
    page.keyboard.type("gr?/")
    assert page.input_value("#field") == "gr?/"
    assert page.url == server.url + "/"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_focused()
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url("**/runs")
    page.keyboard.press("?")
    page.uncheck("[data-keys]")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()


def test_a_slider_that_was_moved_leads_from_a_live_page_to_its_moment(page, server):
    server.feed.body = '<form method="get" action="/"><input type="range" id="at" name="at" min="1" max="48" value="48" data-scrub=""/></form>'
    open_page(page, server)
    page.fill("#at", "46")
    page.wait_for_url("**/?at=46")


def test_in_development_an_id_used_twice_is_complained_about(page, server):
    server.main_attributes = 'data-development="data-development"'
    server.feed.body = '<p id="twice"></p><p id="twice"></p>'
    with page.expect_console_message(lambda message: "twice" in message.text and message.type == "error"):
        page.goto(server.url)


def test_the_time_of_painting_is_told(page, server):
    open_page(page, server)
    page.evaluate("document.addEventListener('weir:painted', (event) => { window.last = event.detail; })")
    before = time.time() * 1000
    server.publish(morph(1))
    last = until(lambda: page.evaluate("window.last"))
    assert last["sequence"] == 1
    assert before - 5 <= last["at"] <= time.time() * 1000 + 5
