"""What a run prints, on its page: live, coloured, capped, resumed, and all of it to keep."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from playwright.sync_api import expect
from weir import until

NUMBERS = "(items) => items.map((item) => Number(item.id.slice('line-'.length)))"


class Talker:
    """A server that answers with as many header fields as it is asked for, each time it is let."""

    def __init__(self):
        self.leave = threading.Semaphore(0)
        talker = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                talker.leave.acquire(timeout=60)
                *words, count = self.path.strip("/").split("/")
                hops = int(words[-1]) if words and words[-1].isdigit() else 0
                self.send_response(503 if "busy" in words else 302 if hops else 200)
                if hops:
                    self.send_header("Location", f"/{hops - 1}/{count}")
                for number in range(int(count)):
                    self.send_header(f"X-Field-{number}", f"<b>{number}</b>")
                self.send_header("Set-Cookie", "id=hush")
                self.send_header("Content-Length", "0")
                self.end_headers()

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def answer(self, times=1):
        self.leave.release(times)

    def stop(self):
        self.answer(100)
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def talker():
    talker = Talker()
    yield talker
    talker.stop()


def lines(weir, run):
    return weir.ask(f"runs/{run['id']}/output")["lines"]


def test_lines_appear_while_the_run_goes_on_and_are_coloured(visit, weir, talker):
    run = weir.run("http-request", method="GET", url=f"{talker.url}/3")
    page = visit(f"/runs/{run['id']}")
    expect(page.locator("#output-lines li", has_text="> GET /3 HTTP/1.1")).to_be_visible()
    page.evaluate("window.same = document.getElementById('line-1')")
    talker.answer()
    status = page.locator("#output-lines .ansi-green.ansi-bold")
    expect(status).to_have_text("HTTP/1.0 200 OK")
    assert status.evaluate("(span) => getComputedStyle(span).color !== getComputedStyle(document.body).color")
    expect(page.locator("#output-lines li", has_text="< X-Field-2: <b>2</b>")).to_be_visible()
    expect(page.locator("#output-lines li", has_text="Set-Cookie: (hidden)")).to_be_visible()
    expect(page.locator("#output")).not_to_contain_text("hush")
    weir.ended(run)
    expect(page.locator("#output-lines li")).to_have_count(len(lines(weir, run)))
    assert page.evaluate("window.same.isConnected")
    expect(page.locator("#output-count")).to_have_text(f"{len(lines(weir, run))} lines")


@pytest.mark.long
def test_the_newest_500_lines_are_shown_and_all_can_be_downloaded(visit, weir, talker):
    run = weir.run("http-request", method="GET", url=f"{talker.url}/5/100")
    page = visit(f"/runs/{run['id']}")
    expect(page.locator("#output-lines li", has_text="> GET /5/100")).to_be_visible()
    talker.answer(6)
    weir.ended(run)
    total = until(lambda: weir.ask(f"runs/{run['id']}/output?limit=1")["count"])
    for _ in range(2):
        expect(page.locator(f"#line-{total}")).to_be_visible()
        assert page.locator("#output-lines li").evaluate_all(NUMBERS) == list(range(total - 499, total + 1))
        expect(page.locator("#output-count")).to_contain_text(f"{total} lines")
        page.reload()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all").click()
    kept = download.value.path().read_text().splitlines()
    assert len(kept) == total and sum(line.startswith("< X-Field-") for line in kept) == 600
    assert download.value.suggested_filename == f"run-{run['id']}.txt"


def test_lines_go_on_where_they_were_after_the_network_was_away(visit, weir, talker):
    run = weir.run("http-request", method="GET", url=f"{talker.url}/busy/40", attempts=2)
    page = visit(f"/runs/{run['id']}")
    expect(page.locator("#output-lines li", has_text="> GET /busy/40")).to_be_visible()
    page.context.set_offline(True)
    talker.answer(2)
    weir.ended(run)
    after = lines(weir, run)
    assert len(after) > 80
    page.context.set_offline(False)
    expect(page.locator(f"#line-{after[-1]['number']}")).to_be_attached()
    assert page.locator("#output-lines li").evaluate_all(NUMBERS) == [line["number"] for line in after]


@pytest.mark.long
def test_a_reader_at_the_end_stays_there_and_one_further_up_is_left_alone(visit, weir, talker):
    run = weir.run("http-request", method="GET", url=f"{talker.url}/busy/100", attempts=3)
    page = visit(f"/runs/{run['id']}")
    box, newest = page.locator("#output-box"), page.get_by_role("button", name="Go to the newest lines")
    below = "(box) => box.scrollHeight - box.scrollTop - box.clientHeight"
    sent = page.locator("#output-lines li", has_text="> GET /busy/100")
    expect(sent).to_have_count(1)
    talker.answer()
    expect(sent).to_have_count(2)
    until(lambda: box.evaluate(below) < 2)
    expect(newest).to_be_hidden()
    box.evaluate("(box) => { box.scrollTop = 40; }")
    until(lambda: box.evaluate("(box) => box.scrollTop") == 40)
    talker.answer()
    expect(sent).to_have_count(3)
    expect(newest).to_be_visible()
    assert box.evaluate("(box) => box.scrollTop") == 40
    newest.click()
    until(lambda: box.evaluate(below) < 2)
    expect(newest).to_be_hidden()
    talker.answer()
    weir.ended(run)
    expect(page.locator(f"#line-{lines(weir, run)[-1]['number']}")).to_be_in_viewport()


@pytest.mark.long
def test_without_javascript_the_newest_lines_are_there_and_in_view(visit, weir, talker):
    talker.answer()
    run = weir.run("http-request", method="GET", url=f"{talker.url}/100")
    weir.ended(run)
    page = visit(f"/runs/{run['id']}", java_script_enabled=False)
    expect(page.locator("#output-lines li").last).to_contain_text("bytes of body")
    hidden = "(box) => box.getBoundingClientRect().bottom - box.querySelector('li:last-child').getBoundingClientRect().bottom"
    assert page.locator("#output-box").evaluate(hidden) >= 0
