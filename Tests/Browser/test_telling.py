"""Notifications of the browser, and widgets on another site."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect

NOTIFICATION = """
    window.notified = [];
    window.Notification = class extends EventTarget {
        static permission = "default";
        static async requestPermission() { return (this.permission = "granted"); }
        constructor(words, options) { super(); window.notified.push([words, options.tag]); }
        close() {}
    };
"""


class Wiki:
    """Another site, with one page."""

    def __init__(self):
        self.page = ""
        wiki = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                body = wiki.page.encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    @property
    def url(self):
        return f"http://localhost:{self.server.server_address[1]}"


@pytest.fixture
def wiki():
    wiki = Wiki()
    yield wiki
    wiki.server.shutdown()
    wiki.server.server_close()


@pytest.fixture
def allowed():
    return True


@pytest.fixture
def settings(wiki, allowed):
    return {"WEIR_FRAME_ANCESTORS": wiki.url if allowed else "https://other.example.com"}


def test_who_asks_is_told_once_that_a_run_has_ended(visit, weir, sky):
    page = visit("/gallery")
    page.context.add_init_script(NOTIFICATION)
    sky.greets.clear()
    run = weir.run("http-request", url=f"{sky.url}/hello?label=there", attempts=1)
    page.goto(f"/runs/{run['id']}")
    button = page.get_by_role("button", name="Tell me when it ends")
    expect(button).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("Notification.permission") == "default", "nobody is asked before they want it"
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.reload()
    expect(button).to_have_attribute("aria-pressed", "true")
    sky.greets.set()
    expect(button).to_have_count(0)
    assert page.evaluate("window.notified") == [["HTTP request: Success", f"run-{run['id']}"]]


def test_a_widget_on_another_site_follows_its_operation(visit, weir, wiki, sky):
    wiki.page = f'<iframe src="{weir.url}/widgets/operations/http-request" title="w" width="420" height="200"></iframe>'
    wiki.page += f'<img src="{weir.url}/operations/http-request/badge.svg" alt="badge"/>'
    page = visit(wiki.url)
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("link", name="HTTP request")).to_have_attribute("target", "_blank")
    assert page.get_by_alt_text("badge").evaluate("(image) => image.complete && image.naturalWidth > 0")
    sky.greets.clear()
    run = weir.run("http-request", url=f"{sky.url}/hello?label=there", attempts=1)
    expect(frame.locator("article")).to_have_class("card run active")
    sky.greets.set()
    weir.ended(run)
    expect(frame.locator("article .chip")).to_have_text("Success")


@pytest.mark.parametrize("allowed", [False])
def test_a_site_that_is_not_allowed_is_shown_nothing(visit, weir, wiki, allowed):
    wiki.page = f'<iframe src="{weir.url}/widgets/operations/http-request"></iframe>'
    page = visit(wiki.url)
    page.wait_for_load_state("networkidle")
    assert "HTTP request" not in page.frames[1].content()
