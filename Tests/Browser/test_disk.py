"""The journal's disk is in trouble: it is seen, nothing ends, and what happened meanwhile is recorded afterwards."""

import contextlib
import json
import pathlib
import re
import resource
import shutil
import sqlite3
import subprocess
import threading
import time
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from weir import until

NAMESPACE = ["unshare", "--mount", "--map-root-user"]


def may_mount():
    """Whether a process may have mounts of its own, as root and, on most systems, everybody may."""
    if not shutil.which("unshare"):
        return False
    tried = subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    return tried.returncode == 0


class Full:
    """A disk of a few megabytes, filled by somebody else, who also takes whatever becomes free."""

    words = "No space is left for the journal."

    def prefix(self, data):
        data.mkdir()
        return [*NAMESPACE, "sh", "-c", 'mount -t tmpfs -o size=8m none "$0" && exec "$@"', data]

    def strike(self, weir):
        self.weir = weir
        self.ballast = pathlib.Path(f"/proc/{weir.process.pid}/root{weir.data}/ballast")
        self.is_mended = threading.Event()
        self.filling = threading.Thread(target=self.fill, daemon=True)
        self.filling.start()
        # What the journal's files have room for goes in first: also what its log has once more after it was copied into the database.
        until(lambda: self.fills(weir), 120)

    def fills(self, weir):
        """Whether nothing is recorded any more, tried until then and looked at for a while."""
        assert any(weir.run("greeting", label="Filling").get("recorded") is False for _ in range(400))
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            if health(weir, "ready")[0] == 200:
                return False
        return True

    def fill(self):
        # A journal that opens its file again gives room back and would have some: the next changes fitted in.
        with self.ballast.open("wb", buffering=0) as ballast:
            while self.weir.process.poll() is None and not self.is_mended.wait(0.005):
                with contextlib.suppress(OSError):
                    while True:
                        ballast.write(bytes(4_096))

    def mend(self, weir):
        self.is_mended.set()
        self.filling.join()
        self.ballast.unlink()


class Refusing:
    """A disk on which nothing may be written beyond the first page of a file: less than an append to the journal takes."""

    words = "The journal's file cannot be read or written."

    def prefix(self, data):
        return []

    def strike(self, weir):
        size = 4_096
        assert weir.log.stat().st_size < size / 2
        self.before = resource.prlimit(weir.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(weir.process.pid, resource.RLIMIT_FSIZE, (size, self.before[1]))

    def mend(self, weir):
        resource.prlimit(weir.process.pid, resource.RLIMIT_FSIZE, self.before)


class Locked:
    """Another program that holds the file."""

    words = "Another program holds the journal."

    def prefix(self, data):
        return []

    def strike(self, weir):
        self.other = sqlite3.connect(weir.data / "journal.sqlite", isolation_level=None)
        self.other.execute("BEGIN EXCLUSIVE")

    def mend(self, weir):
        self.other.execute("ROLLBACK")
        self.other.close()


@pytest.fixture(params=[Full, Refusing, Locked])
def fault(request):
    if request.param is Full and not may_mount():
        pytest.skip("no mounts of its own for this user")
    if request.param is Refusing and not hasattr(resource, "prlimit"):
        pytest.skip("limits of another process cannot be set here")
    return request.param()


@pytest.fixture
def settings():
    # The server accepts starts, so that what waits is recorded later.
    return {"WEIR_DISK_KEEP_FREE": "1"}


@pytest.fixture
def prefix(request, tmp_path):
    return request.getfixturevalue("fault").prefix(tmp_path / "data") if "fault" in request.fixturenames else []


def health(weir, path):
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(f"{weir.url}/health/{path}") as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


def start_unrecorded(weir, label):
    """Starts a greeting that cannot be recorded; what the answer says."""
    begun = weir.run("greeting", label=label)
    assert begun["recorded"] is False
    return begun["detail"]


# K7
@pytest.mark.long
def test_what_cannot_be_recorded_is_seen_and_recorded_afterwards(visit, weir, fault):
    page = visit("/operations/greeting")
    page.evaluate("window.stays = true")
    before = weir.ended(weir.run("greeting", label="Before"))
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Before!")
    expect(page.locator("#notice")).to_be_empty()
    fault.strike(weir)
    said = []
    starts = [threading.Thread(target=lambda n=n: said.append(start_unrecorded(weir, f"During {n}"))) for n in range(3)]
    for start in starts:
        start.start()
    banner = page.locator("#notice .banner")
    expect(banner).to_have_text(re.compile(r"Not recorded since \d\d:\d\d"))
    expect(page.locator("#current .state")).not_to_contain_text("During")
    status, problem = health(weir, "ready")
    assert status == 503 and fault.words in problem["detail"]
    assert health(weir, "live")[0] == 200
    assert fault.words in weir.log.read_text()
    expect(visit("/", locale="pt-BR").locator("#notice .banner")).to_have_text(re.compile(r"Sem registro desde \d\d:\d\d"))
    for start in starts:
        start.join()
    assert all("could not be recorded yet" in detail for detail in said)
    fault.mend(weir)
    expect(page.locator("#notice")).to_be_empty()
    expect(page.locator("#current .state")).to_have_text(re.compile("Success: Hello, During"))
    expect(page.locator("#live")).to_have_attribute("data-state", "live")
    assert page.evaluate("window.stays"), "the page was loaded anew"
    until(lambda: health(weir, "ready")[0] == 200)
    runs = weir.ask("runs?operation=greeting&limit=500")["runs"]
    labels = sorted(run["input"]["label"] for run in runs if run["input"]["label"] != "Filling")
    assert labels == ["Before", "During 0", "During 1", "During 2"] and len(said) == 3
    # It is tried every second, and logged when it begins.
    assert weir.log.read_text().count("Conditions of the server cannot be kept") <= 3
    for run in runs:
        assert weir.cases(weir.ended(run)) == ["none", "loading", "success"]
    assert weir.ask(f"runs/{before['id']}") == before


# K7
def test_a_damaged_file_is_set_aside_and_a_new_journal_begun(visit, weir):
    weir.ended(weir.run("greeting", label="Before"))
    page = visit("/operations/greeting")
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Before!")
    assert weir.terminate()[0] == 0
    file = weir.data / "journal.sqlite"
    damaged = file.read_bytes()
    damaged = damaged[:4_096] + bytes(reversed(damaged[4_096:]))
    file.write_bytes(damaged)
    weir.start()
    (aside,) = [path for path in weir.data.glob("journal.sqlite.damaged-*") if not path.name.endswith(("-wal", "-shm", "-mark"))]
    assert aside.read_bytes() == damaged
    assert aside.name in weir.log.read_text()
    expect(page.locator("#current")).to_have_text("Not started yet.", timeout=40_000)
    expect(visit("/").locator(".banner")).to_contain_text(f"is saved as {aside.name}")
    weir.run("greeting", label="After")
    expect(page.locator("#current .state")).to_have_text("Success: Hello, After!")


def refused(weir):
    """Starts a server that cannot begin: what it says, after it ended with the code for it."""
    ended = subprocess.run(weir.command, capture_output=True, text=True, env=weir.environment, timeout=30, check=False)
    assert ended.returncode == 69, ended
    return ended.stderr


# K7
@pytest.mark.long
def test_a_server_that_cannot_have_its_journal_says_why(weir):
    run = weir.ended(weir.run("greeting", label="Before"))
    assert "Another Weir is using this journal." in refused(weir)
    weir.kill()
    lock = Locked()
    lock.strike(weir)
    assert Locked.words in refused(weir)
    lock.mend(weir)
    if may_mount():
        command = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
        weir.prefix = [*NAMESPACE, "sh", "-c", command, str(weir.data)]
        assert "Give the server write permission to its data folder." in refused(weir)
        weir.prefix = []
    weir.start()
    assert weir.ask(f"runs/{run['id']}") == run
    assert list(weir.data.glob("*damaged*")) == []
