"""Holds clients of the protocol, each a program that was built before, to what they are shown over kills and restarts.

Started by script/streams-clients: over_restarts.py FOLDER go|swift…
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading

from sky import Sky
from streams import client, make_runs, recorded
from weir import BINARY, Weir, until

RUNS, STEPS = 300, 100
SETTINGS = {"WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "120", "WEIR_LOG_LEVEL": "warning"}
PROGRAMS = {"go": "go/streamclient", "swift": "swift/debug/StreamClient"}
# Nothing but this machine is asked, whatever proxy the environment names.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.lower().endswith("_proxy")}


class Program(threading.Thread):
    """A client as a process, and what it tells, line by line."""

    def __init__(self, *command):
        super().__init__(daemon=True)
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
        self.messages, self.offset, self.gone, self.failures, self.closed = [], None, 0, 0, False
        self.start()

    def run(self):
        for line in self.process.stdout:
            told = json.loads(line)
            self.messages += told.get("messages", [])
            self.offset = told.get("offset", self.offset)
            self.failures += "failure" in told
            self.closed = self.closed or "closed" in told
            if "gone" in told:
                self.gone += 1
                self.messages = []

    @property
    def sequences(self):
        messages = list(self.messages)
        everything = [message["sequence"] for message in messages]
        assert everything == sorted(set(everything)), "a change came twice, or too late"
        return [message["sequence"] for message in messages if message.get("operation") == "import"]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.join(20)


def stop_and_start(weir, number):
    weir.kill() if number % 2 else weir.terminate(20)
    weir.start()


def follow(weir, program, live):
    """Every change once and in order, over two kills and two restarts; then a history that is gone is told."""
    follower = Program(program, "follow", f"{weir.url}/api/v1/streams/board", live)
    maker = threading.Thread(target=make_runs, args=(weir, 0, RUNS), daemon=True)
    maker.start()
    for stop in range(4):
        until(lambda: len(follower.sequences) >= 2 * RUNS * (stop + 1) // 6, 120)
        stop_and_start(weir, stop)
    maker.join(120)
    expected = recorded(weir)
    assert len(expected) == 2 * RUNS
    until(lambda: len(follower.sequences) >= len(expected), 120)
    assert follower.sequences == expected
    assert follower.failures > 0 and follower.gone == 0
    print(f"  {live}: {len(expected)} changes once and in order, {follower.failures} failed requests on the way")
    weir.terminate(20)
    shutil.rmtree(weir.data)
    weir.start()
    make_runs(weir, RUNS, 5)
    until(lambda: follower.gone and len(follower.sequences) == 10, 120)
    assert follower.sequences == recorded(weir)
    follower.end()
    print(f"  {live}: a history that was replaced was told {follower.gone} time(s), and then read from its beginning")


def follow_to_the_end(weir, program, live, run):
    follower = Program(program, "follow", f"{weir.url}/api/v1/streams/run-{run}", live)
    until(lambda: follower.closed, 60)
    follower.end()
    print(f"  {live}: the end of the run was heard after {len(follower.messages)} changes")


def report(weir, program, name):
    """Every step once and in order, while the server is killed; the run has succeeded then."""
    run = f"from-{name}"
    reporter = Program(program, "report", f"{weir.url}/api/v1/streams/reported/import/{run}", str(STEPS))
    followed = f"{weir.url}/api/v1/streams/run-{run}"

    def steps():
        with client() as http:
            answer = http.get(followed)
            changes = answer.json() if answer.status_code == 200 else []
        return [change["progress"]["completed"] for change in changes if change["case"] == "stepping"]

    for stop in range(4):
        until(lambda: len(steps()) >= STEPS * (stop + 1) // 6, 120)
        stop_and_start(weir, stop)
    assert reporter.process.wait(120) == 0
    reporter.join(20)
    assert steps() == list(range(STEPS))
    assert weir.ask(f"runs/{run}")["phase"] == "succeeded"
    print(f"  {STEPS} steps reported once and in order, {reporter.failures} failed requests on the way")
    return run


def main():
    built = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:]:
        program = built / PROGRAMS[name]
        print(f"{name}, with {BINARY}")
        for live in ("long-poll", "sse"):
            with tempfile.TemporaryDirectory() as folder:
                weir = Weir(folder, Sky(), SETTINGS).start()
                try:
                    follow(weir, program, live)
                    if live == "long-poll":
                        run = report(weir, program, name)
                        for mode in ("long-poll", "sse"):
                            follow_to_the_end(weir, program, mode, run)
                finally:
                    weir.close()


if __name__ == "__main__":
    main()
