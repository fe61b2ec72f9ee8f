"""Measures what running a program through Weir costs beside running it bare, and how soon what it says is seen.

Run by hand: python Tests/Browser/measure_commands.py [runs] [lines] [programs] [changes]; WEIR_BINARY names the binary, best one built
with optimisation. Bare runs and runs through Weir take turns, on the same machine in the same minutes; medians are printed.
From a program's write, by its own reading of this machine's clock, to the frame in which Chromium has painted it.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

from conftest import CHROMIUM
from measure import milliseconds, quantile
from playwright.sync_api import expect, sync_playwright
from sky import Sky
from weir import BINARY, Weir, until

NOTHING, COUNTING, WORKING, WAITING, SAYING = "nothing", "counting", "working", "waiting", "saying"
SEEN = """
    window.seen = [];
    let last = "";
    const look = () => {
        const said = document.querySelector("#current")?.innerText.match(/written at (\\d+)/)?.[1];
        if (said && said !== last) window.seen.push(Date.now() - Number(last = said));
    };
    document.addEventListener("weir:painted", look);
"""


def operations(folder, lines, changes):
    """The files of the operations, and the bare commands that do the same."""
    say = folder / "say.py"
    # Unevenly, so that no rhythm of the server's is met by chance.
    say.write_text(
        "import time\n"
        f"for number in range({changes}):\n"
        "    print(f'::weir saying at={time.time_ns() // 1_000_000}::', flush=True)\n"
        "    time.sleep(0.15 + number % 7 / 50)\n"
    )
    work = "import hashlib; hashlib.pbkdf2_hmac('sha256', b'x', b'x', 3_000_000)"
    commands = {
        NOTHING: ["true"], COUNTING: ["seq", str(lines)], WORKING: [sys.executable, "-c", work], WAITING: ["sleep", "600"],
        SAYING: [sys.executable, str(say)],
    }
    (folder / "operations").mkdir()
    for name, command in commands.items():
        states = "states:\n  saying: {show: \"written at {{at}}\"}\n" if name == SAYING else ""
        listed = ", ".join("'" + part.replace("'", "''") + "'" for part in command)
        (folder / f"operations/{name}.yml").write_text(f"title: {name.title()}\ncommand: [{listed}]\n{states}")
    return commands


def took(run):
    return milliseconds(run["endedAt"]) - milliseconds(run["startedAt"])


def ended(weir, run):
    """The run, once it has ended: asked for seldom, so that the asking takes no time from the program."""
    while not (now := weir.ask(f"runs/{run['id']}"))["endedAt"]:
        time.sleep(0.2)
    return now


def bare(command):
    begun = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return (time.monotonic() - begun) * 1_000


def beside(weir, name, command, count):
    """Milliseconds of a bare run, and of one through Weir, the median of some that took turns."""
    pairs = [(bare(command), took(ended(weir, weir.run(name)))) for _ in range(count)]
    return [statistics.median(times) for times in zip(*pairs)]


def memory(pid):
    """Memory that is a process's and its children's alone, in bytes, by PSS, which counts what is shared once."""
    pids, found = [pid], 0
    while pids:
        process = pids.pop()
        rollup = pathlib.Path(f"/proc/{process}/smaps_rollup").read_text()
        found += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) * 1_024
        for task in pathlib.Path(f"/proc/{process}/task").iterdir():
            pids += map(int, (task / "children").read_text().split())
    return found


def many(weir, count):
    """Bytes for each program that runs through Weir: of the server itself, and with its helpers and the programs themselves."""
    own = lambda: int(next(line for line in open(f"/proc/{weir.process.pid}/status") if line.startswith("VmRSS")).split()[1]) * 1_024
    before, all_before = own(), memory(weir.process.pid)
    runs = [weir.run(WAITING) for _ in range(count)]
    until(lambda: all(weir.ask(f"runs/{run['id']}")["case"] == "running" for run in runs[-3:]), 60)
    after, all_after = own(), memory(weir.process.pid)
    for run in runs:
        weir.ask(f"runs/{run['id']}/cancellation", "POST", {})
    for run in runs:
        ended(weir, run)
    return (after - before) / count, (all_after - all_before) / count


def painted(browser, weir):
    page = browser.new_page()
    page.add_init_script(SEEN)
    page.goto(f"{weir.url}/operations/{SAYING}")
    expect(page.locator("html[data-live]")).to_be_attached()
    weir.run(SAYING)
    # The page is asked, not the server, which would have that to do besides.
    expect(page.locator("#current header .chip")).to_have_text("Succeeded", timeout=600_000)
    found = page.evaluate("window.seen")
    page.close()
    return found


def main():
    given = [int(argument) for argument in sys.argv[1:]]
    runs, lines, programs, changes = given + [40, 1_000_000, 200, 200][len(given):]
    sky = Sky()
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as path, sync_playwright() as playwright:
        folder = pathlib.Path(path)
        commands = operations(folder, lines, changes)
        weir = Weir(folder, sky)
        weir.data.mkdir()
        weir.start()
        for name in [NOTHING, WORKING]:
            alone, through = beside(weir, name, commands[name], runs if name == NOTHING else max(3, runs // 8))
            print(f"{' '.join(commands[name])[:40]}: {alone:.1f} ms bare, {through:.1f} ms through Weir ({through - alone:+.1f} ms, {through / alone:.3f}×)")
        alone, through = beside(weir, COUNTING, commands[COUNTING], 3)
        print(f"{lines} lines: {lines / alone * 1_000:,.0f}/s bare into a pipe, {lines / through * 1_000:,.0f}/s through Weir, recorded")
        each, whole = many(weir, programs)
        print(f"{programs} programs at once: {each / 1_000:.0f} kB of the server for each, {whole / 1_000:.0f} kB with its helper and the program")
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        found = painted(browser, weir)
        print(f"written to painted: {len(found)} of {changes} seen, p50 {quantile(found, 0.5):.0f} ms, p99 {quantile(found, 0.99):.0f} ms")
        browser.close()
        weir.close()
    sky.stop()


if __name__ == "__main__":
    main()
