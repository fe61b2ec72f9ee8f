"""Uploads that go on after a cut, a kill of the server and a reload of the page; several files at once."""

import contextlib
import gzip
import os
import threading

import pytest
from playwright.sync_api import expect
from relay import Relay
from weir import until

SLOW = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 2_000_000}


class Cutter(Relay):
    """Passes connections on to the server, and cuts the first upload after so many bytes, or takes no more of it in silence."""

    def __init__(self, port, after, is_silent=False):
        super().__init__(port)
        self.left, self.cuts, self.is_silent = after, 0, is_silent
        self.over = threading.Event()
        self.url = f"http://127.0.0.1:{self.port}"

    def close(self):
        self.over.set()
        super().close()

    def passes(self, piece, is_sent):
        if not is_sent or len(piece) <= 16_000 or self.left <= 0:
            return True
        self.left -= len(piece)
        if self.left > 0:
            return True
        self.cuts += 1
        if self.is_silent:
            self.over.wait()
        return False


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "film & más.bin"
    path.write_bytes(os.urandom(12_000_000))
    return path


def archived(weir):
    """What the stored files hold, but for those that are still written."""
    found = []
    for path in (weir.data / "archive").rglob("*"):
        try:
            if path.is_file():
                found.append(gzip.decompress(path.read_bytes()))
        except (EOFError, FileNotFoundError):
            pass
    return sorted(found)


def arrived(weir):
    """How many bytes of unfinished uploads are on the disk."""
    count = 0
    for path in (weir.data / "spool" / "uploads").glob("*.bytes"):
        # One may end while it is looked at.
        with contextlib.suppress(FileNotFoundError):
            count += path.stat().st_size
    return count


def slow(page):
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW)
    return session


def phases(weir):
    """How the runs stand: a file may be stored whole before its run says so."""
    return sorted(run["phase"] for run in weir.ask("runs")["runs"])


def send(page, *files):
    # Until what takes several files is loaded, the field takes one.
    expect(page.locator("[data-drop]")).to_be_visible()
    page.set_input_files("input[type=file]", files)
    page.locator("#start button[type=submit]").click()


def test_a_cut_connection_costs_nothing_that_has_arrived(visit, weir, file):
    cutter = Cutter(weir.port, 5_000_000)
    page = visit("about:blank")
    page.goto(cutter.url + "/operations/file-upload")
    send(page, file)
    expect(page.locator("#current .run > header .chip")).to_have_text("Success", timeout=60_000)
    assert cutter.cuts == 1
    assert archived(weir) == [file.read_bytes()]
    assert len(weir.ask("runs")["runs"]) == 1
    page.goto("about:blank")
    cutter.close()


@pytest.mark.long
def test_a_network_that_goes_silent_is_given_up_and_the_file_goes_on(visit, weir, file):
    cutter = Cutter(weir.port, 5_000_000, is_silent=True)
    page = visit("about:blank")
    page.clock.install()
    page.goto(cutter.url + "/operations/file-upload")
    send(page, file)
    until(lambda: cutter.cuts == 1)
    page.clock.fast_forward(30_000)
    expect(page.locator("#current .run > header .chip")).to_have_text("Success", timeout=25_000)
    assert archived(weir) == [file.read_bytes()]
    assert len(weir.ask("runs")["runs"]) == 1
    page.goto("about:blank")
    cutter.close()


def test_a_killed_server_goes_on_with_what_it_had(visit, weir, file):
    page = visit("/operations/file-upload")
    session = slow(page)
    send(page, file)
    until(lambda: arrived(weir) > 1_000_000)
    weir.kill()
    had = arrived(weir)
    weir.start()
    session.send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": -1})
    until(lambda: archived(weir) == [file.read_bytes()], 60)
    until(lambda: phases(weir) == ["interrupted", "succeeded"])
    assert had >= 1_000_000


@pytest.mark.long
def test_after_a_reload_the_same_file_continues(visit, weir, file):
    page = visit("/operations/file-upload")
    session = slow(page)
    send(page, file)
    until(lambda: arrived(weir) > 1_000_000)
    page.on("dialog", lambda dialog: dialog.accept())
    page.reload()
    expect(page.locator("[data-queue] li")).to_contain_text(file.name)
    expect(page.locator("[data-queue] li")).to_contain_text("choose it again")
    session.send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": -1})
    before = arrived(weir)
    offsets = []
    page.on("request", lambda request: offsets.append(request.headers.get("upload-offset")) if request.method == "PATCH" else None)
    send(page, file)
    until(lambda: archived(weir) == [file.read_bytes()], 60)
    expect(page.locator("progress[data-upload]")).to_be_hidden()
    expect(page.locator("[data-queue]")).to_be_hidden()
    assert int(offsets[0]) >= min(before, 1_000_000)
    assert len(weir.ask("runs")["runs"]) == 1


def test_several_files_are_sent_one_after_the_other_each_to_a_run_of_its_own(visit, weir, tmp_path):
    files = []
    for number in range(3):
        files.append(tmp_path / f"part {number}.txt")
        files[-1].write_text(f"number {number}")
    page = visit("/operations/file-upload")
    expect(page.locator("[data-drop]")).to_be_visible()
    page.set_input_files("input[type=file]", files)
    expect(page.locator("[data-queue] li")).to_have_count(3)
    page.locator("#start button[type=submit]").click()
    expect(page.locator("[data-queue] li.sent")).to_have_count(3)
    until(lambda: archived(weir) == [b"number 0", b"number 1", b"number 2"])
    assert len(weir.ask("runs")["runs"]) == 3


def test_one_of_several_files_is_stopped_and_the_others_arrive(visit, weir, file, tmp_path):
    small = tmp_path / "small.txt"
    small.write_text("small")
    page = visit("/operations/file-upload")
    slow(page)
    send(page, file, small)
    until(lambda: arrived(weir) > 100_000)
    page.get_by_role("button", name=f"Stop: {file.name}").click()
    expect(page.locator("[data-queue] li.stopped")).to_contain_text(file.name)
    expect(page.locator("[data-queue] li.sent")).to_contain_text("small.txt")
    until(lambda: archived(weir) == [b"small"] and arrived(weir) == 0)
    until(lambda: phases(weir) == ["cancelled", "succeeded"])


@pytest.mark.long
def test_a_dropped_folder_is_sent_with_all_in_it(visit, weir, tmp_path):
    page = visit("/operations/file-upload")
    expect(page.locator("[data-drop]")).to_be_visible()
    # A browser lets no script make a folder to drop; what stands in for it says so of itself.
    page.evaluate("""() => {
        const file = (name, text) => ({ isFile: true, file: (done) => done(new File([text], name)) });
        const folder = (parts) => ({ isFile: false, createReader: () => ({ readEntries: (done) => done(parts.splice(0)) }) });
        const entry = folder([file("a.txt", "a"), folder([file("b.txt", "b")])]);
        const transfer = { types: ["Files"], files: [], items: [{ webkitGetAsEntry: () => entry }] };
        const event = new Event("drop", { bubbles: true, cancelable: true });
        Object.defineProperty(event, "dataTransfer", { value: transfer });
        document.querySelector("#start form").dispatchEvent(event);
    }""")
    expect(page.locator("[data-queue] li")).to_have_count(2)
    page.locator("#start button[type=submit]").click()
    until(lambda: archived(weir) == [b"a", b"b"])


@pytest.mark.long
def test_start_works_at_once_after_a_stop(visit, weir, file):
    page = visit("/operations/file-upload")
    session = slow(page)
    send(page, file)
    until(lambda: arrived(weir) > 100_000)
    page.get_by_role("button", name="Stop sending").click()
    expect(page.locator("progress[data-upload]")).to_be_hidden()
    until(lambda: weir.latest("file-upload")["phase"] == "cancelled")
    session.send("Network.emulateNetworkConditions", {**SLOW, "uploadThroughput": -1})
    page.locator("#start button[type=submit]").click()
    until(lambda: archived(weir) == [file.read_bytes()], 60)


@pytest.mark.long
def test_by_hand_it_is_what_curl_does(weir):
    import subprocess

    def curl(*arguments):
        return subprocess.run(["curl", "-sS", "-i", *arguments], capture_output=True, text=True, check=True, env=weir.environment).stdout

    base = weir.url + "/api/v1/operations/file-upload/uploads"
    version = ["-H", "Tus-Resumable: 1.0.0"]
    begun = curl("-X", "POST", *version, "-H", "Upload-Length: 6", "-H", "Upload-Metadata: filename YS50eHQ=", base)
    place = next(line.split(": ", 1)[1].strip() for line in begun.splitlines() if line.lower().startswith("location:"))
    part = [*version, "-H", "Content-Type: application/offset+octet-stream"]
    assert " 204" in curl("-X", "PATCH", *part, "-H", "Upload-Offset: 0", "--data-binary", "abc", weir.url + place)
    assert "upload-offset: 3" in curl("-I", *version, weir.url + place).lower()
    assert " 204" in curl("-X", "PATCH", *part, "-H", "Upload-Offset: 3", "--data-binary", "def", weir.url + place)
    until(lambda: archived(weir) == [b"abcdef"])
