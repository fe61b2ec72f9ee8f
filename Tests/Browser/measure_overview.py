"""Measures what an overview of many operations costs a browser while they change.

Run by hand: python Tests/Browser/measure_overview.py [operations] [changes]; WEIR_BINARY names the binary. Starts runs so that about ten
changes come a second, and prints for each arrangement of the page how long Chromium ran script for a change (from Chromium's own
trace of its main thread), and which tasks took longer than 50 ms.
"""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

from conftest import CHROMIUM, WATCH
from measure import quantile
from playwright.sync_api import expect, sync_playwright
from sky import Sky
from weir import BINARY, Weir

RATE = 10
ARRANGEMENTS = ["/", "/?sort=change", "/?sort=running&group=tag", "/?sort=change&density=compact", "/?text=number+1"]
# A change is painted in a frame of its own: script is what a frame's callback and what it leads to run, and the answer's parsing.
SCRIPT = {"FunctionCall", "FireAnimationFrame", "RunMicrotasks", "EvaluateScript", "TimerFire", "XHRReadyStateChange"}


def declare(folder, count):
    folder.mkdir()
    for number in range(count):
        (folder / f"job-{number}.yml").write_text(
            f"title: Job number {number}\ndescription: Does something, and says so.\ntags: [group-{number % 12}]\n"
            "command: ['true']\n"
        )


def intervals(events, names):
    """The outermost events of those names, as beginnings and ends in milliseconds."""
    found, end = [], 0
    for event in sorted((event for event in events if event["name"] in names and event.get("dur")), key=lambda event: (event["ts"], -event["dur"])):
        if event["ts"] >= end:
            end = event["ts"] + event["dur"]
            found.append((event["ts"] / 1000, end / 1000))
    return found


def trace(browser, page, work):
    """The events of the page's main thread while something is done."""
    path = pathlib.Path(tempfile.mkstemp()[1])
    browser.start_tracing(page=page, path=path, categories=["devtools.timeline", "disabled-by-default-devtools.timeline", "toplevel", "__metadata"])
    work()
    browser.stop_tracing()
    events = json.loads(path.read_text())["traceEvents"]
    path.unlink()
    mains = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name" and event["args"].get("name") == "CrRendererMain"}
    busiest = max(mains, key=lambda main: sum(event.get("dur", 0) for event in events if (event["pid"], event["tid"]) == main and event["name"] in SCRIPT))
    return [event for event in events if (event["pid"], event["tid"]) == busiest]


def measure(weir, browser, path, count, changes):
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(WATCH)
    page.goto(weir.url + path)
    expect(page.locator("html[data-live]")).to_be_attached()
    first = page.locator("#page").get_attribute("data-sequence")
    shown = page.locator("article[data-position]").count()

    def work():
        begun, number = time.monotonic(), 0
        while len(page.evaluate("window.painted")) < changes:
            # A run has about three changes.
            weir.run(f"job-{(number * 37) % count}")
            number += 1
            page.wait_for_timeout(max(0, begun + number * 3 / RATE - time.monotonic()) * 1000)

    begun = time.monotonic()
    events = trace(browser, page, work)
    seconds = time.monotonic() - begun
    painted = len(page.evaluate("window.painted"))
    script = intervals(events, SCRIPT)
    frames = [end - start for start, end in intervals(events, {"FireAnimationFrame"})]
    total = sum(end - start for start, end in script)
    tasks = [end - start for start, end in intervals(events, {"RunTask", "ThreadControllerImpl::RunTask"})]
    style = sum(end - start for start, end in intervals(events, {"Layout", "UpdateLayoutTree", "PrePaint", "Paint"}))
    print(
        f"{path}: {shown} operations, {painted} changes at {painted / seconds:.1f}/s: script {total / painted:.2f} ms a change, "
        f"a frame's p50 {statistics.median(frames):.2f}, p99 {quantile(frames, 0.99):.2f} ms; layout and paint {style / painted:.1f} ms a change; "
        f"longest task {max(tasks):.0f} ms, over 50 ms: {sum(task > 50 for task in tasks)} of {len(tasks)}; from change {first}"
    )
    page.close()


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    sky = Sky()
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, sync_playwright() as playwright:
        operations = pathlib.Path(folder) / "operations"
        declare(operations, count)
        weir = Weir(pathlib.Path(folder) / "weir", sky, {"WEIR_OPERATIONS": str(operations)}).start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for path in ARRANGEMENTS:
            measure(weir, browser, path, count, changes)
        browser.close()
        weir.close()
    sky.stop()


if __name__ == "__main__":
    main()
