"""Forms."""

import threading

from client_page import STATE, at, morph, open_page
from playwright.sync_api import expect
from weir import until


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
        answered.wait(60)
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
        answered.wait(60)
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


def test_an_upload_that_is_stopped_before_it_began_sends_nothing(page, server):
    server.feed.body = upload_form()
    held = []
    page.route("**/upload.js", lambda route: held.append(route))
    open_page(page, server)
    page.set_input_files("#send-file", {"name": "a.bin", "mimeType": "application/octet-stream", "buffer": b"x" * 1_000})
    page.click("#go")
    until(lambda: held or page.wait_for_timeout(20))
    page.click("[data-abort]")
    held[0].continue_()
    expect(page.locator("#send")).not_to_have_attribute("aria-busy", "true")
    assert page.input_value("#send-file").endswith("a.bin")
    assert not server.posts


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
