"""The client in a real browser, against a loopback server that speaks protocol 1. Nothing here needs Weir itself."""

import json
import threading
import time

import pytest
from loopback import Loopback
from playwright.sync_api import expect
from weir import until

WATCH = """
    window.painted = [];
    window.violations = [];
    document.addEventListener("weir:painted", (event) => window.painted.push(event.detail.sequence));
    document.addEventListener("securitypolicyviolation", (event) => window.violations.push(event.violatedDirective));
"""
STATE = '<p id="state">State {}</p>'


@pytest.fixture
def server():
    server = Loopback()
    server.feed.body = STATE.format(0) + '<ul id="rows"></ul>'
    yield server
    server.close()


@pytest.fixture
def context(browser):
    context = browser.new_context()
    context.set_default_timeout(8_000)
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


def at(page, sequence, seconds=8):
    expect(page.locator("#page")).to_have_attribute("data-sequence", str(sequence), timeout=seconds * 1000)


def body(page):
    return page.evaluate("document.getElementById('page').innerHTML")


def morph(number):
    return [["m", "state", STATE.format(number)]]


def open_page(page, server, path="/"):
    page.goto(server.url + path)
    until(lambda: server.count("/live/") > 0)


# Following


def test_each_change_is_painted_once_and_in_order(page, server):
    open_page(page, server)
    for number in range(1, 91):
        server.publish(morph(number))
    at(page, 90)
    until(lambda: len(page.evaluate("window.painted")) == 90)
    assert page.evaluate("window.painted") == list(range(1, 91))
    expect(page.locator("#state")).to_have_text("State 90")


def test_each_change_of_a_short_burst_has_a_frame_of_its_own(page, server):
    open_page(page, server)
    page.evaluate(
        """() => {
            window.frames = [];
            const look = () => { window.frames.push(document.getElementById("state").textContent); requestAnimationFrame(look); };
            requestAnimationFrame(look);
        }"""
    )
    with server.changed:
        for number in range(1, 41):
            server.publish(morph(number))
    at(page, 40)
    until(lambda: page.evaluate("window.frames.at(-1)") == "State 40")
    seen = page.evaluate("window.frames")
    assert [f"State {number}" for number in range(1, 41)] == list(dict.fromkeys(seen))[1:]


def test_two_thousand_changes_at_once_are_all_painted_in_order(page, server):
    open_page(page, server)
    with server.changed:
        for number in range(1, 2_001):
            server.publish(morph(number) + [["a", "rows", f'<li id="row-{number}">{number}</li>']])
    at(page, 2_000, 20)
    until(lambda: len(page.evaluate("window.painted")) == 2_000)
    assert page.evaluate("window.painted") == list(range(1, 2_001))
    assert page.locator("#rows li").count() == 2_000


def test_a_change_between_the_page_and_its_first_poll_arrives(page, server):
    html = server.document()
    server.pages["/"] = lambda: html
    server.publish(morph(1))
    open_page(page, server)
    at(page, 1)
    expect(page.locator("#state")).to_have_text("State 1")


def test_duplicated_overlapping_reordered_and_truncated_answers_end_in_the_snapshots_dom(page, server):
    def rows(upto):
        return STATE.format(upto) + '<ul id="rows">' + "".join(f'<li id="row-{n}">{n}</li>' for n in range(1, upto + 1)) + "</ul>"

    def change(number):
        return [number, "run-1", number, morph(number) + [["a", "rows", f'<li id="row-{number}">{number}</li>']]]

    def batch(start, stop):
        links = server.links("board", stop)
        events = [change(number) for number in range(start + 1, stop + 1)]
        return {"v": 1, "k": "batch", "e": "e1", "from": start, "to": stop, "more": False, "ev": events, **links}

    open_page(page, server)
    whole = json.dumps(batch(0, 4)).encode()
    with server.changed:
        for number in range(1, 13):
            server.publish(change(number)[3], rows(number))
    server.script(
        batch(0, 3),  # as it should be
        batch(0, 3),  # a duplicate
        batch(1, 5),  # overlapping
        batch(8, 10),  # from further on
        whole[: len(whole) // 2],  # cut in the middle
        {"v": 2, "k": "batch"},  # of another protocol
        batch(4, 6),  # late
    )
    at(page, 12)
    assert body(page) == server.feed.body


def test_a_missing_element_takes_the_page_anew(page, server):
    open_page(page, server)
    server.publish([["m", "unheard-of", '<p id="unheard-of">new</p>']], STATE.format(1) + '<p id="unheard-of">new</p>')
    at(page, 1)
    assert body(page) == server.feed.body
    assert server.count("/snap") == 1
    server.publish(morph(2))
    at(page, 2)


def test_an_optional_or_removed_element_may_be_missing(page, server):
    open_page(page, server)
    server.publish([["m", "nowhere", '<p id="nowhere"></p>', 1], ["r", "nowhere"], ["t", "nowhere", "x", 1], ["t", "state", "on"]])
    at(page, 1)
    expect(page.locator("#state")).to_have_text("on")
    assert server.count("/snap") == 0


def test_active_content_is_refused(page, server):
    open_page(page, server)
    server.publish([["m", "state", '<p id="state"><script>window.hacked = true</script></p>']], STATE.format(1))
    at(page, 1)
    expect(page.locator("#state")).to_have_text("State 1")
    assert page.evaluate("window.hacked") is None


def test_a_gap_is_told_and_the_page_taken_anew(page, server):
    open_page(page, server)
    server.publish(morph(1))
    at(page, 1)
    with server.changed:
        server.feed.changes.clear()
        server.feed.floor = 13
        server.feed.next_sequence = 14
        server.feed.body = STATE.format(13)
        server.changed.notify_all()
    at(page, 13)
    expect(page.locator("#live-text")).to_have_text("12 updates not kept")
    assert body(page) == server.feed.body


def test_a_new_epoch_takes_the_page_anew(page, server):
    open_page(page, server)
    server.publish(morph(1))
    at(page, 1)
    with server.changed:
        server.feed.epoch = "e2"
        server.feed.changes.clear()
        server.feed.next_sequence = 1
        server.feed.body = STATE.format("afresh")
        server.changed.notify_all()
    expect(page.locator("#page")).to_have_attribute("data-epoch", "e2")
    server.publish(morph(1))
    at(page, 1)
    expect(page.locator("#state")).to_have_text("State 1")


def test_a_drain_is_followed_by_the_rest(page, server):
    open_page(page, server)
    links = server.links("board", 0)
    server.script({"v": 1, "k": "drain", "e": "e1", "from": 0, "to": 0, "retry": [0, 50], **links})
    server.publish(morph(1))
    at(page, 1)


def test_the_line_says_when_the_server_is_gone_and_when_it_is_back(page, server):
    open_page(page, server)
    server.refuse = True
    server.script({"v": 1, "k": "empty", "e": "e1", "from": 0, "to": 0, **server.links("board", 0)})
    expect(page.locator("#live")).to_have_attribute("data-state", "reconnecting")
    expect(page.locator("#live-text")).to_have_text("Reconnecting…")
    server.refuse = False
    server.publish(morph(1))
    at(page, 1, 30)
    expect(page.locator("#live-text")).to_have_text("Live")


def test_offline_and_online_again_loses_nothing(page, context, server):
    open_page(page, server)
    context.set_offline(True)
    expect(page.locator("#live")).to_have_attribute("data-state", "reconnecting")
    for number in range(1, 6):
        server.publish(morph(number))
    context.set_offline(False)
    at(page, 5)
    until(lambda: page.evaluate("window.painted") == [1, 2, 3, 4, 5])


def test_the_end_is_said_and_nothing_more_is_asked(page, server):
    open_page(page, server)
    server.publish(morph(1))
    at(page, 1)
    with server.changed:
        server.feed.closed = True
        server.changed.notify_all()
    expect(page.locator("#live-text")).to_have_text("Ended")


def test_a_page_of_the_past_is_paused(page, server):
    server.pages["/"] = lambda: server.document().replace("data-next=", "data-was=").replace("<main ", '<main data-paused="1042" ')
    page.goto(server.url)
    expect(page.locator("#live-text")).to_have_text("Paused at change 1,042")
    assert server.count("/live/1") == 0


def hide(page, hidden):
    page.evaluate(
        """(hidden) => {
            Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_hidden_for_two_minutes_it_holds_nothing_and_then_shows_every_change(page, server):
    page.clock.install()
    open_page(page, server)
    hide(page, True)
    page.clock.run_for(31_000)
    asked = server.count("/live/1")
    for number in range(1, 31):
        server.publish(morph(number))
    page.clock.run_for(90_000)
    assert server.count("/live/1") == asked
    hide(page, False)
    until(lambda: page.clock.run_for(20) or page.get_attribute("#page", "data-sequence") == "30")
    assert page.evaluate("window.painted") == list(range(1, 31))


def test_after_the_machine_slept_it_catches_up(page, server):
    page.clock.install()
    open_page(page, server)
    page.clock.run_for(2_000)
    before = server.count("/now")
    page.clock.fast_forward(3_600_000)
    until(lambda: page.clock.run_for(20) or server.count("/now") > before)


def test_back_from_the_browsers_cache_it_catches_up(page, server):
    server.pages["/other"] = lambda: "<!DOCTYPE html><title>Other</title>"
    open_page(page, server)
    page.evaluate("window.sameDocument = true")
    page.goto(server.url + "/other")
    server.publish(morph(1))
    page.evaluate("history.back()")
    at(page, 1)
    assert page.evaluate("window.sameDocument") is True
    expect(page.locator("#state")).to_have_text("State 1")


# Tabs


def test_two_tabs_share_one_request_and_both_show_every_change(context, server):
    first, second = context.new_page(), context.new_page()
    open_page(first, server)
    second.goto(server.url)
    expect(second.locator("html")).to_have_attribute("data-live", "")
    for number in range(1, 31):
        server.publish(morph(number))
        at(second, number)
    at(first, 30)
    for tab in (first, second):
        until(lambda: tab.evaluate("window.painted") == list(range(1, 31)))
    tails = [path for _, path in server.requests if path.startswith("/live/1") and not path.endswith("now")]
    assert len(tails) == len(set(tails)), "no URL was held twice"
    first.close()
    server.publish(morph(31))
    at(second, 31)


def test_a_leader_that_was_refused_does_not_keep_the_others_waiting(context, server):
    first, second = context.new_page(), context.new_page()
    open_page(first, server)
    second.goto(server.url)
    expect(second.locator("html")).to_have_attribute("data-live", "")
    server.script({"status": 403})
    expect(first.locator("#live-text")).to_have_text("Stopped. Reload the page.")
    server.publish(morph(1))
    at(second, 1)
    assert first.get_attribute("#page", "data-sequence") == "0"


def test_with_seven_tabs_on_seven_feeds_navigation_is_quick_and_all_are_live(context, server):
    tabs = [context.new_page() for _ in range(7)]
    for number, tab in enumerate(tabs):
        tab.goto(f"{server.url}/feeds/run-{number}")
        expect(tab.locator("html")).to_have_attribute("data-live", "")
    started = time.monotonic()
    tabs[0].goto(f"{server.url}/feeds/run-9")
    assert time.monotonic() - started < 1
    server.publish(morph(1))
    for tab in tabs:
        at(tab, 1)


# What belongs to the reader

FORM = """
<form id="start" data-action="start" method="post" action="/start">
  <label>Label <input id="start-label" name="label" value=""/></label>
  <label>Note <textarea id="start-note" name="note"></textarea></label>
  <label>Size <select id="start-size" name="size"><option value="1" selected="selected">one</option><option value="2">two</option></select></label>
  <label><input type="checkbox" id="start-quick" name="quick"/> Quick</label>
  <button class="tick{0}">Start</button>
</form>
<details id="more"><summary>More</summary><p>tick {0}</p></details>
<div id="box" class="tick{0}"><p>first line</p><p>second {0}</p><p>third</p><p>fourth</p></div>
<p id="text">A text whose number is {0} and whose end stays.</p>
<p id="free" class="tick{0}" contenteditable="true">free</p>
<div id="pop" popover="auto" class="tick{0}">popped {0}</div><button popovertarget="pop">Pop</button>
<ol id="log">{1}</ol>
"""


def tick(number):
    rows = "".join(f'<li id="log-{row}">row {row}</li>' for row in range(number, max(0, number - 20), -1))
    return f'<section id="all">{FORM.format(number, rows)}</section>'


def test_typing_dirty_fields_details_scroll_and_selection_survive_a_thousand_patches(page, server):
    server.feed.body = tick(0)
    open_page(page, server)
    page.evaluate(
        """() => {
            const box = document.getElementById("box");
            const sheet = new CSSStyleSheet();
            sheet.replaceSync("#box { height: 40px; overflow: auto }");
            document.adoptedStyleSheets = [sheet];
            box.scrollTop = 30;
            window.nodes = Object.fromEntries([...document.querySelectorAll("[id]")].map((element) => [element.id, element]));
        }"""
    )
    page.fill("#start-note", "half a thought")
    page.select_option("#start-size", "2")
    page.check("#start-quick")
    page.click("#more summary")
    page.click("button[popovertarget]")
    page.evaluate(
        """() => {
            const text = document.getElementById("text").firstChild;
            const field = document.getElementById("start-label");
            field.focus();
            document.getSelection().setBaseAndExtent(text, 2, text, 6);
            field.focus({ preventScroll: true });
        }"""
    )
    page.click("#start-label")
    writer = threading.Thread(
        target=lambda: [server.publish([["m", "all", tick(number)]], tick(number)) for number in range(1, 1_001)]
    )
    writer.start()
    page.keyboard.type("typed while everything moves", delay=10)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    writer.join()
    at(page, 1_000, 30)
    page.keyboard.type("!")
    state = page.evaluate(
        """() => {
            const get = (id) => document.getElementById(id);
            return {
                label: get("start-label").value, note: get("start-note").value, size: get("start-size").value,
                quick: get("start-quick").checked, open: get("more").open, scroll: get("box").scrollTop,
                focus: document.activeElement.id, caret: get("start-label").selectionStart, pop: get("pop").matches(":popover-open"),
                moved: Object.keys(window.nodes).filter((id) => get(id) && get(id) !== window.nodes[id]),
                button: document.querySelector("#start button").className, text: get("text").textContent,
                painted: window.painted.length,
            };
        }"""
    )
    assert state == {
        "label": "typed while everything mov!es", "note": "half a thought", "size": "2",
        "quick": True, "open": True, "scroll": 30, "focus": "start-label", "caret": 27, "pop": state["pop"], "moved": [],
        "button": "tick1000", "text": "A text whose number is 1000 and whose end stays.", "painted": 1_000,
    }


def test_an_open_popover_and_an_open_dialog_stay_open(page, server):
    def content(number):
        return f'<div id="all"><div id="pop" popover="auto" class="t{number}">{number}</div><button popovertarget="pop">Pop</button></div>'

    server.feed.body = content(0)
    server.extra = '<dialog id="keys"><p>Keys</p></dialog>'
    open_page(page, server)
    page.click("button")
    server.publish([["m", "all", content(1)]])
    at(page, 1)
    assert page.evaluate("document.getElementById('pop').matches(':popover-open')")
    assert page.inner_text("#pop") == "1"
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    server.publish([["m", "all", content(2)]])
    at(page, 2)
    assert page.evaluate("document.getElementById('keys').open")


def test_a_selection_stays_on_its_words_while_other_words_change(page, server):
    server.feed.body = '<p id="text">Sent 1 of 100 parts</p>'
    open_page(page, server)
    page.evaluate(
        """() => {
            const text = document.getElementById("text").firstChild;
            document.getSelection().setBaseAndExtent(text, 14, text, 19);
        }"""
    )
    for number in (2, 50, 100):
        server.publish([["m", "text", f'<p id="text">Sent {number} of 100 parts</p>']])
    at(page, 3)
    assert page.evaluate("String(document.getSelection())") == "parts"
    server.publish([["t", "text", "Sent 7 of 100 parts"]])
    at(page, 4)
    assert page.evaluate("String(document.getSelection())") == "parts"
    page.evaluate("document.getSelection().setBaseAndExtent(document.getElementById('text').firstChild, 0, document.getElementById('text').firstChild, 4)")
    server.publish([["t", "text", "Sent 8 of 100 parts"]])
    at(page, 5)
    assert page.evaluate("String(document.getSelection())") == "Sent"


def test_what_an_input_method_composes_is_not_disturbed(page, context, server):
    server.feed.body = tick(0)
    open_page(page, server)
    page.click("#start-label")
    keyboard = context.new_cdp_session(page)
    keyboard.send("Input.imeSetComposition", {"text": "に", "selectionStart": 1, "selectionEnd": 1})
    page.evaluate(
        """() => {
            window.ended = 0;
            document.addEventListener("compositionend", () => { window.ended += 1; });
        }"""
    )
    for number in range(1, 31):
        server.publish([["m", "all", tick(number)]])
    at(page, 30)
    assert page.evaluate("window.ended") == 0
    keyboard.send("Input.imeSetComposition", {"text": "にほん", "selectionStart": 3, "selectionEnd": 3})
    keyboard.send("Input.insertText", {"text": "日本"})
    assert page.input_value("#start-label") == "日本"
    assert page.evaluate("window.ended") == 1


def test_an_untouched_field_follows_the_server_and_a_touched_one_does_not(page, server):
    def content(value, checked, chosen):
        options = "".join(f'<option value="{o}"{" selected" if o == chosen else ""}>{o}</option>' for o in "abc")
        box = f'<input type="checkbox" id="c"{" checked" if checked else ""}/>'
        return f'<div id="all"><input id="i" value="{value}"/><textarea id="t">{value}</textarea>{box}<select id="s">{options}</select></div>'

    read = "['i', 't', 'c', 's'].map((id) => { const e = document.getElementById(id); return e.type === 'checkbox' ? e.checked : e.value; })"
    server.feed.body = content("one", False, "a")
    open_page(page, server)
    server.publish([["m", "all", content("two", True, "b")]])
    at(page, 1)
    assert page.evaluate(read) == ["two", "two", True, "b"]
    page.fill("#i", "mine")
    page.fill("#t", "mine")
    page.uncheck("#c")
    page.select_option("#s", "c")
    page.evaluate("document.activeElement.blur()")
    server.publish([["m", "all", content("three", True, "a")]])
    at(page, 2)
    assert page.evaluate(read) == ["mine", "mine", False, "c"]


def test_a_field_somebody_is_in_stays_until_they_leave_it(page, server):
    server.feed.body = '<p id="all"><input id="i" value="one"/></p>'
    open_page(page, server)
    page.click("#i")
    for number, value in enumerate(("two", "three"), 1):
        server.publish([["m", "all", f'<p id="all"><input id="i" class="{value}" value="{value}"/></p>']])
        at(page, number)
        assert page.get_attribute("#i", "class") == value
        assert page.input_value("#i") == ("one" if number == 1 else "three")
        page.evaluate("document.activeElement.blur()")


def test_prepending_keeps_the_first_visible_row_where_it_is(page, server):
    rows = "".join(f'<li id="row-{row}">row {row}</li>' for row in range(60))
    server.feed.body = f'<ul id="rows">{rows}</ul>'
    open_page(page, server)
    for scroller in ("page", "box"):
        page.evaluate(
            """(scroller) => {
                const sheet = new CSSStyleSheet();
                sheet.replaceSync(scroller === "page" ? "li { height: 40px }" : "li { height: 40px } #rows { height: 300px; overflow: auto }");
                document.adoptedStyleSheets = [sheet];
                (scroller === "page" ? document.scrollingElement : document.getElementById("rows")).scrollTop = 0;
            }""",
            scroller,
        )
        sequence = int(page.get_attribute("#page", "data-sequence"))
        server.publish([["p", "rows", f'<li id="new-{sequence}">new</li>']])
        at(page, sequence + 1)
        assert page.evaluate("(document.getElementById('rows').scrollTop || document.scrollingElement.scrollTop)") == 0
        page.evaluate("document.getElementById('row-20').scrollIntoView({ block: 'start' })")
        top = "document.getElementById('row-21').getBoundingClientRect().top"
        before = page.evaluate(top)
        for number in range(10):
            server.publish([["p", "rows", f'<li id="new-{sequence}-{number}">new</li>']])
        at(page, sequence + 11)
        settled = "() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))"
        page.evaluate(settled)
        assert page.evaluate(top) == before
        assert page.locator("#rows li").first.inner_text() == "new"


def test_appending_twice_appends_once_and_a_limit_keeps_the_newest(page, server):
    server.feed.body = '<ul id="rows" data-limit="3"></ul>'
    open_page(page, server)
    for number in (1, 2, 1, 3, 4):
        server.publish([["a", "rows", f'<li id="row-{number}">{number}</li>']])
    at(page, 5)
    assert page.locator("#rows li").all_inner_texts() == ["2", "3", "4"]


@pytest.mark.parametrize("browser_has", ["moveBefore", "no moveBefore"])
def test_focus_and_caret_survive_that_their_field_moves(page, server, browser_has):
    if browser_has == "no moveBefore":
        page.add_init_script("for (const kind of [Element, Document, DocumentFragment]) delete kind.prototype.moveBefore")
    server.feed.body = '<div id="all"><p><input id="a"/></p><p><input id="b"/></p></div>'
    open_page(page, server)
    page.click("#a")
    page.keyboard.type("xz")
    page.keyboard.press("ArrowLeft")
    server.publish([["m", "all", '<div id="all"><section><p><input id="b"/></p><div><input id="a"/></div></section></div>']])
    at(page, 1)
    page.keyboard.type("y")
    assert page.input_value("#a") == "xyz"


# Forms


def start_form(extra=""):
    return (
        '<div id="wrap"><form id="start" data-action="start" method="post" action="/start">'
        '<label>Label <input name="label" id="start-label"/></label>'
        f"{extra}<button name=\"how\" value=\"fast\">Start</button></form></div>" + STATE.format(0)
    )


def test_a_form_is_pending_until_the_page_shows_what_it_caused(page, server):
    server.feed.body = start_form()
    server.reply = lambda *_: (201, {"cursor": "e1.1", "location": "/runs/1"}, "application/json")
    open_page(page, server)
    page.fill("#start-label", "x & y")
    page.click("button")
    until(lambda: server.posts)
    expect(page.locator("#start")).to_have_attribute("aria-busy", "true")
    page.locator("button").dispatch_event("click")
    path, headers, sent = server.posts[0]
    assert (path, headers["Accept"], sent) == ("/start", "application/json", b"label=x+%26+y&how=fast")
    assert headers["Idempotency-Key"]
    server.publish(morph(1))
    expect(page.locator("#start")).not_to_have_attribute("aria-busy", "true")
    at(page, 1)
    assert len(server.posts) == 1
    assert page.input_value("#start-label") == ""
    assert page.url == server.url + "/"


def test_a_form_in_flight_queues_its_patches(page, server):
    server.feed.body = start_form()
    answered = threading.Event()

    def reply(*_):
        answered.wait(8)
        return 422, {"title": "No", "errors": [{"field": "label", "detail": "Too short"}]}, "application/problem+json"

    server.reply = reply
    open_page(page, server)
    page.fill("#start-label", "x")
    page.click("button")
    until(lambda: server.posts)
    changed = start_form('<p id="hint">new hint</p>').split("</div>")[0] + "</div>"
    server.publish([["m", "wrap", changed]] + morph(1))
    at(page, 1)
    assert page.locator("#hint").count() == 0
    answered.set()
    expect(page.locator("#hint")).to_have_text("new hint")
    expect(page.locator("#start-label-error")).to_have_text("Too short")
    assert page.input_value("#start-label") == "x"


def test_mistakes_are_told_beside_their_fields_and_patches_do_not_wipe_them(page, server):
    server.feed.body = start_form('<label>Times <input name="times" id="start-times" value="1"/></label>')
    problem = {
        "title": "Some fields are not right",
        "errors": [{"field": "times", "detail": "Between 1 and 5"}, {"field": "nowhere", "detail": "The disk is full"}],
    }
    server.reply = lambda *_: (422, problem, "application/problem+json")
    open_page(page, server)
    page.fill("#start-label", "kept")
    page.fill("#start-times", "9")
    page.click("button")
    message = page.locator("#start-times-error")
    expect(message).to_have_text("Between 1 and 5")
    expect(message).to_have_attribute("role", "alert")
    expect(page.locator("#start-error")).to_have_text("The disk is full")
    field = page.locator("#start-times")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_have_attribute("aria-describedby", "start-times-error")
    expect(field).to_be_focused()
    server.publish([["m", "wrap", server.feed.body.split("<p id")[0]]])
    at(page, 1)
    expect(message).to_have_text("Between 1 and 5")
    expect(field).to_have_attribute("aria-invalid", "true")
    assert [page.input_value("#start-label"), page.input_value("#start-times")] == ["kept", "9"]
    page.fill("#start-times", "3")
    expect(message).to_be_hidden()
    expect(field).not_to_have_attribute("aria-invalid", "true")


def test_no_answer_is_told_and_sending_again_is_the_same_attempt(page, server):
    server.feed.body = start_form()
    open_page(page, server)
    page.route("**/start", lambda route: route.abort())
    page.fill("#start-label", "x")
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/start")) as failed:
        page.click("button")
    expect(page.locator("#start-error")).to_have_text("No answer. Try again.")
    page.unroute("**/start")
    page.click("button")
    until(lambda: server.posts)
    assert server.posts[0][1]["Idempotency-Key"] == failed.value.headers["idempotency-key"]
    expect(page.locator("#start-error")).to_be_hidden()


def test_a_form_that_follows_goes_where_the_answer_says(page, server):
    server.feed.body = start_form().replace("data-action", "data-follow data-action")
    server.reply = lambda *_: (201, {"cursor": "e1.9", "location": "/runs/1"}, "application/json")
    open_page(page, server)
    page.click("button")
    page.wait_for_url("**/runs/1")


def upload_form():
    return (
        '<form id="send" data-action="send" method="post" action="/upload" enctype="multipart/form-data">'
        '<input type="file" name="file" id="send-file"/><progress data-upload="data-upload" hidden="hidden" max="100" value="0"></progress>'
        '<button type="button" data-abort="data-abort" hidden="hidden">Stop</button><button id="go">Send</button></form>' + STATE.format(0)
    )


def test_a_file_is_sent_with_its_progress_shown(page, server):
    server.feed.body = upload_form()
    answered = threading.Event()

    def reply(*_):
        answered.wait(8)
        return 201, {"cursor": "e1.0"}, "application/json"

    server.reply = reply
    open_page(page, server)
    page.set_input_files("#send-file", {"name": "a.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 3_000_000})
    page.click("#go")
    gauge = page.locator("progress")
    expect(gauge).to_be_visible()
    until(lambda: page.evaluate("document.querySelector('progress').value") >= 3_000_000)
    server.publish([["m", "send", upload_form().split("<p id")[0]]])
    at(page, 1)
    expect(gauge).to_be_visible()
    answered.set()
    expect(gauge).to_be_hidden()
    _, headers, sent = server.posts[0]
    assert headers["Content-Type"].startswith("multipart/form-data")
    assert b"x" * 3_000_000 in sent
    assert page.input_value("#send-file") == ""


def test_an_upload_can_be_stopped_and_the_file_stays_chosen(page, server):
    server.feed.body = upload_form()
    stop = threading.Event()
    server.reply = lambda *_: stop.wait(8) and (201, {}, "application/json") or (201, {}, "application/json")
    open_page(page, server)
    page.set_input_files("#send-file", {"name": "a.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 1_000})
    page.click("#go")
    page.click("[data-abort]")
    expect(page.locator("#send")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("[data-abort]")).to_be_hidden()
    assert page.input_value("#send-file").endswith("a.bin")
    stop.set()


# Title, times, keys, scrubber


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
            f'<p id="when">tick {number} <time datetime="2026-11-21T11:55:00Z" data-relative="">11:55:00</time> '
            '<time datetime="2026-11-21T11:58:50Z" data-since="">0 s…</time></p>'
        )

    server.feed.body = content(0)
    open_page(page, server)
    ago, since = page.locator("time[data-relative]"), page.locator("time[data-since]")
    expect(ago).to_have_text("5 minutes ago")
    assert "2026" in ago.get_attribute("title")
    expect(since).to_have_text("1 min 10 sec…")
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
    expect(ago).to_have_text("5 minutes ago")
    page.clock.run_for(2_000)
    expect(since).to_have_text("1 min 12 sec…")
    assert page.evaluate("window.written") == []
    page.clock.run_for(60_000)
    expect(ago).to_have_text("6 minutes ago")


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
