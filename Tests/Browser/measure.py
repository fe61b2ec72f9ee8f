"""Measures how soon a change is seen, and how soon a server that starts for the first time can be used.

Run by hand: python Tests/Browser/measure.py [count]; WEIR_BINARY names the binary, best one built with optimisation.
From `at`, the moment that a change carries, to the frame in which Chromium has painted it, by this machine's one clock.
"""

import datetime
import os
import sys
import tempfile
import time

from conftest import CHROMIUM, WATCH
from playwright.sync_api import expect, sync_playwright
from sky import Sky
from weir import BINARY, Weir


def milliseconds(moment):
    return datetime.datetime.fromisoformat(moment.replace("Z", "+00:00")).timestamp() * 1000


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def first_starts(sky, browser, count=5):
    """Seconds from starting the process on an empty folder until it listens, and until a page of it moves."""
    listening, moving = [], []
    for _ in range(count):
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            weir = Weir(folder, sky).start()
            listening.append(weir.started_in)
            page = browser.new_page()
            page.goto(weir.url)
            expect(page.locator("#op-host-vitals .vitals")).to_be_visible()
            moving.append(time.monotonic() - begun)
            page.close()
            weir.close()
    return listening, moving


def latencies(sky, browser, count):
    """Milliseconds from change to paint: of each first change after a quiet moment, and of all."""
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(folder, sky, {"WEIR_GREETING_URL": sky.url + "/hello"}).start()
        page = browser.new_page()
        page.add_init_script(WATCH)
        page.goto(weir.url + "/operations/greeting")
        expect(page.locator("html[data-live]")).to_be_attached()
        for number in range(count):
            run = weir.ended(weir.run("greeting", label=f"number {number}"))
            page.wait_for_function("(last) => window.painted.at(-1)?.sequence >= last", arg=run["sequence"])
        painted = {seen["sequence"]: seen["at"] for seen in page.evaluate("window.painted")}
        changes, after = [], ""
        while True:
            answer = weir.ask("feeds/operation-greeting/changes" + after)
            changes += answer["changes"]
            if not answer["more"]:
                break
            after = f"?after={answer['epoch']}.{answer['to']}"
        every = {change["sequence"]: painted[change["sequence"]] - milliseconds(change["at"]) for change in changes if change["sequence"] in painted}
        openings = [every[change["sequence"]] for change in changes if change["revision"] == 1 and change["sequence"] in every]
        page.close()
        weir.close()
        assert len(every) == len(changes), f"{len(changes) - len(every)} changes were never painted"
        return openings, list(every.values())


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    sky = Sky()
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        listening, moving = first_starts(sky, browser)
        print(f"first start: listens after {min(listening):.2f} to {max(listening):.2f} s, a page moves after {min(moving):.2f} to {max(moving):.2f} s")
        openings, every = latencies(sky, browser, count)
        for name, values in (("first change of a run", openings), ("every change", every)):
            print(f"{name}, recorded to painted: p50 {quantile(values, 0.5):.1f} ms, p99 {quantile(values, 0.99):.1f} ms, n {len(values)}")
        browser.close()
    sky.stop()


if __name__ == "__main__":
    main()
