"""Measures the tasks of people at a server with 50 operations: taps, seconds, and how many screens down the target is.

Run by hand: python Tests/Browser/measure_tasks.py; WEIR_BINARY names the binary. Each task fails if its target is not found.
"""

import pathlib
import tempfile
import time

from conftest import CHROMIUM
from playwright.sync_api import expect, sync_playwright
from sky import Sky
from weir import Weir, until

PHONE, LAPTOP, WALL = {"width": 390, "height": 844}, {"width": 1280, "height": 800}, {"width": 1920, "height": 1080}
FAILING = "title: Recalculate rates\ntags: [finance]\nschedule: '0 4 * * *'\ncommand: [sh, -c, 'echo reading; echo order 884213 has no rate >&2; exit 1']\n"
WORKING = FAILING.replace("; echo order 884213 has no rate >&2; exit 1", "")


def declare(folder):
    folder.mkdir()
    for number in range(46):
        (folder / f"job-{number:02}.yml").write_text(f"title: Job {number}\ntags: [group-{number % 5}]\ncommand: ['true']\n")
    (folder / "rates.yml").write_text(WORKING)
    (folder / "long.yml").write_text("title: Long\ncommand: [sh, -c, 'seq 50000; echo ERROR: disk full >&2; exit 1']\n")
    (folder / "export.yml").write_text("title: Export orders\ninputs: [{name: month, required: true}]\ncommand: [echo, 'month {{month}} is exported']\n")
    (folder / "slow.yml").write_text("title: Deploy\noverlap: queue\ncommand: [sleep, '600']\n")
    (folder / "release.yml").write_text(
        "title: Release\nsteps:\n  - {name: build, command: ['true']}\n  - {name: approval, approve: {prompt: Go live?, within: 2h}}\n"
    )


class Task:
    """Counts taps and measures the time until each target is visible."""

    def __init__(self, page, name):
        self.page, self.name, self.taps, self.screens, self.began = page, name, 0, 0.0, time.monotonic()

    def tap(self, locator):
        locator.click()
        self.taps += 1

    def see(self, locator):
        expect(locator).to_be_visible(timeout=20_000)
        box = locator.bounding_box()
        self.screens = max(self.screens, box["y"] / self.page.viewport_size["height"])

    def told(self):
        return f"{self.name:60} {self.taps:2} taps {time.monotonic() - self.began:5.1f} s  {self.screens:4.1f} screens down"


def tasks(weir, browser):
    def task(name, path, size):
        page = browser.new_page(viewport=size)
        done = Task(page, name)
        page.goto(weir.url + path)
        return page, done

    page, on_call = task("on call, phone: what failed, and why", "/", PHONE)
    row = page.locator("#fails-rates")
    on_call.see(row.get_by_text("order 884213 has no rate").first)
    yield on_call
    again = Task(page, "on call, phone: start it again")
    again.tap(row.get_by_role("button", name="Try again"))
    again.see(page.locator("#fails-rates"))
    yield again
    weir.ended(weir.latest("rates"))
    pause = Task(page, "on call, phone: pause its schedule")
    pause.tap(row.get_by_text("Pause the schedule"))
    pause.tap(row.get_by_role("button", name="Pause", exact=True))
    expect(page.locator("#op-rates")).to_contain_text("Paused", timeout=20_000)
    yield pause
    page, changed = task("on call, phone: what changed since the last success", "/", PHONE)
    changed.tap(page.locator("#fails-rates").get_by_role("link", name="what changed?"))
    changed.see(page.locator("#compare-file-0"))
    yield changed
    page, line = task("on call, laptop: the failing line of 50,000, and a link to it", "/", LAPTOP)
    line.tap(page.locator("#fails-long p > a").first)
    line.tap(page.locator("#output-errors"))
    page.locator("#output-find").fill("ERROR")
    page.locator("#output-find").press("Enter")
    line.see(page.locator("#line-50001"))
    yield line
    page, export = task("support: find one of 50, start it, get its output", "/", LAPTOP)
    page.locator("#arrange-text").fill("export")
    export.tap(page.locator("#op-export").get_by_role("link", name="Start"))
    page.get_by_label("month").fill("May")
    export.tap(page.locator("#start button[type=submit]").first)
    until(lambda: weir.latest("export"))
    weir.ended(weir.latest("export"))
    export.tap(page.locator(f"a[href='/runs/{weir.latest('export')['id']}']").first)
    export.see(page.locator("#output-download"))
    yield export
    page, queue = task("support: place in the queue; approve a step", "/", LAPTOP)
    queue.see(page.locator("#working").get_by_text("Runs in front: 1").first)
    queue.tap(page.locator("#attention").get_by_role("button", name="Approve"))
    expect(page.locator("#attention").get_by_role("button", name="Approve")).to_have_count(0, timeout=20_000)
    yield queue
    page, weekend = task("lead: failures of a period, slower operations, missed starts", "/runs", LAPTOP)
    weekend.tap(page.get_by_role("link", name="Report"))
    weekend.see(page.locator("#report-operations"))
    weekend.see(page.locator("#report-missed"))
    yield weekend
    page, audit = task("lead: who started what", "/report", LAPTOP)
    audit.see(page.locator("#report-groups"))
    yield audit
    page, wall = task("wall: readable at three metres", "/wall", WALL)
    wall.see(page.locator("#attention .card").first)
    size = page.locator("#attention .card").first.evaluate("card => parseFloat(getComputedStyle(card).fontSize)")
    assert size >= 24, size
    yield wall


def main():
    root = pathlib.Path(tempfile.mkdtemp())
    declare(root / "operations")
    sky = Sky()
    weir = Weir(root / "weir", sky, {"WEIR_OPERATIONS": str(root / "operations")})
    weir.start()
    try:
        weir.ended(weir.run("rates"))
        (root / "operations" / "rates.yml").write_text(FAILING)
        time.sleep(4)
        for _ in range(3):
            weir.ended(weir.run("rates"))
        weir.ended(weir.run("long"))
        for operation in ["slow", "slow", "release"]:
            weir.run(operation)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for done in tasks(weir, browser):
                print(done.told(), flush=True)
            browser.close()
    finally:
        weir.close()
        sky.stop()


if __name__ == "__main__":
    main()
