"""Measures the page of a run that has printed a million lines.

Run by hand: python Tests/Browser/measure_output.py [lines]; WEIR_BINARY names the binary. Prints how long the first screen, a search and a
jump to a line take, and how the memory of the tab grows while its reader scrolls.
"""

import pathlib
import sys
import tempfile
import time

from conftest import CHROMIUM, WATCH
from playwright.sync_api import sync_playwright
from sky import Sky
from weir import Weir

FILE = """title: Talk
command: [sh, -c, "seq -f 'line %.0f of the output' COUNT"]
max_output: 200 MB
"""
SCROLLS = 200


def heap(page):
    """The heap of the page in MB, after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {metric["name"]: metric["value"] for metric in session.send("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6, int(metrics["Nodes"])


def measure(page, run, count):
    begun = time.perf_counter()
    page.goto(f"/runs/{run['id']}", wait_until="commit")
    page.locator(f"#line-{count}").wait_for()
    shown = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    print(f"first screen: {shown:.0f} ms after the navigation, last line after {(time.perf_counter() - begun) * 1000:.0f} ms")
    page.wait_for_function("() => document.querySelector('[data-follows]').onclick")
    for text in ("line 777777 ", "99 of", "nothing of the kind"):
        begun = time.perf_counter()
        with page.expect_response(lambda response: "search=" in response.url) as answer:
            page.get_by_role("searchbox", name="Search the output").fill(text)
        taken = (time.perf_counter() - begun) * 1000
        print(f"search for {text!r}: {taken:.0f} ms, which include a pause of 250 ms; {answer.value.json()['text']}")
    page.get_by_role("searchbox", name="Search the output").fill("")
    for number in (count // 2, 1, count):
        begun = time.perf_counter()
        page.evaluate("(number) => { location.hash = `line-${number}`; }", number)
        page.locator(f"#line-{number}[aria-current]").wait_for()
        print(f"line {number:,}: {(time.perf_counter() - begun) * 1000:.0f} ms")
    print("heap before: {:.1f} MB, {} nodes".format(*heap(page)))
    page.evaluate("(number) => { location.hash = `line-${number}`; }", count // 2)
    page.locator(f"#line-{count // 2}[aria-current]").wait_for()
    for _ in range(SCROLLS):
        first = page.evaluate("() => document.querySelector('#output-lines').firstElementChild.value")
        page.evaluate("() => { document.querySelector('#output-box').scrollTop = 0; }")
        page.wait_for_function("(first) => document.querySelector('#output-lines').firstElementChild.value < first", arg=first)
    lines = page.locator("#output-lines li").count()
    print("heap after {} scrolls: {:.1f} MB, {} nodes; {} lines".format(SCROLLS, *heap(page), lines))


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        operations = pathlib.Path(folder) / "operations"
        operations.mkdir()
        (operations / "talk.yml").write_text(FILE.replace("COUNT", str(count)))
        sky = Sky()
        weir = Weir(folder, sky, {"WEIR_OPERATIONS": str(operations)})
        weir.start()
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            begun = time.perf_counter()
            run = weir.run("talk")
            while weir.ask(f"runs/{run['id']}")["phase"] in ("idle", "active"):
                time.sleep(0.5)
            print(f"{count:,} lines recorded in {time.perf_counter() - begun:.1f} s")
            page = browser.new_context(base_url=weir.url, locale="en-GB").new_page()
            page.add_init_script(WATCH)
            page.set_default_timeout(60_000)
            measure(page, run, count)
        finally:
            browser.close()
            weir.close()
            sky.stop()


if __name__ == "__main__":
    main()
