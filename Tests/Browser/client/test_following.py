"""Following a feed."""

import json

from client_page import STATE, WATCH, at, body, morph, open_page, hide
from playwright.sync_api import expect
from weir import until


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


def test_hidden_for_two_minutes_it_holds_nothing_and_then_shows_every_change(page, server):
    page.clock.install()
    # Counted where it is asked: what was given up at once may reach the server later, or not at all.
    page.add_init_script("window.asked = 0; const ask = fetch; window.fetch = (...all) => { window.asked += 1; return ask(...all); };")
    open_page(page, server)
    hide(page, True)
    page.clock.run_for(31_000)
    asked = page.evaluate("window.asked")
    assert asked > 0
    for number in range(1, 31):
        server.publish(morph(number))
    page.clock.run_for(90_000)
    assert page.evaluate("window.asked") == asked
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


def test_back_from_the_browsers_cache_it_catches_up(whole_browser, server):
    page = whole_browser.new_context().new_page()
    page.add_init_script(WATCH)
    server.pages["/other"] = lambda: "<!DOCTYPE html><title>Other</title>"
    open_page(page, server)
    page.evaluate("window.sameDocument = true")
    page.goto(server.url + "/other")
    server.publish(morph(1))
    page.evaluate("history.back()")
    at(page, 1)
    assert page.evaluate("window.sameDocument") is True
    expect(page.locator("#state")).to_have_text("State 1")


def test_what_may_not_be_seen_any_more_is_shown_no_longer(page, server):
    open_page(page, server)
    server.publish(morph(1))
    at(page, 1)
    server.script({"status": 401})
    link = page.locator("#page a")
    expect(link).to_have_text("Signed out. Load again.")
    assert page.locator("#page").inner_text() == "Signed out. Load again."
    assert page.title() == "Weir"
    expect(page.locator("#live")).to_have_attribute("data-state", "stopped")
    # Nothing that comes later is painted.
    server.publish(morph(2))
    page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
    assert "State" not in page.locator("#page").inner_text()
    link.click()
    expect(page.locator("#state")).to_have_text("State 0")
