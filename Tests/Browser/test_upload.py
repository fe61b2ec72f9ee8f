"""Uploading a file."""

import gzip
import hashlib
import os
import signal

import pytest
from playwright.sync_api import expect
from weir import until

SEEN = """() => {
    window.seen = [];
    const look = () => {
        const now = document.querySelector("#current .run > header .chip")?.textContent;
        if (now && window.seen.at(-1) !== now) window.seen.push(now);
    };
    new MutationObserver(look).observe(document.getElementById("page"), { childList: true, subtree: true, characterData: true });
}"""


@pytest.fixture
def file(tmp_path):
    """A file that does not compress."""
    path = tmp_path / "mélange & co.bin"
    path.write_bytes(os.urandom(24_000_000))
    return path


def archived(weir):
    folder = weir.data / "archive"
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def spooled(weir):
    folder = weir.data / "spool"
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def send(page, file):
    page.set_input_files("input[type=file]", file)
    page.locator("#start button[type=submit]").click()


def test_a_file_is_stored_whole_and_each_phase_is_seen_live(visit, weir, file):
    page = visit("/operations/file-upload")
    page.evaluate(SEEN)
    send(page, file)
    expect(page.locator("#current .run > header .chip")).to_have_text("Success", timeout=60_000)
    phases = ["Receiving", "Compressing", "Opening session", "Uploading", "Closing session", "Success"]
    seen = page.evaluate("window.seen")
    assert [phase for phase in seen if phase in phases] == phases
    sent = file.read_bytes()
    expect(page.locator("#current .state")).to_contain_text(hashlib.sha256(sent).hexdigest())
    expect(page.locator("#current .state")).to_contain_text("mélange & co.bin")
    (stored,) = archived(weir)
    assert gzip.decompress(stored.read_bytes()) == sent
    # What the run no longer needs is removed when it has said how it ended.
    until(lambda: spooled(weir) == [])
    expect(page.locator("input[type=file]")).to_have_value("")


def test_cancelling_while_it_is_worked_on_leaves_nothing_behind(visit, weir, file):
    page = visit("/operations/file-upload")
    send(page, file)
    cancel = page.get_by_role("button", name="Cancel")
    cancel.wait_for()
    # The work stands still until the button is pressed: else it may be over by then.
    weir.process.send_signal(signal.SIGSTOP)
    try:
        cancel.click()
    finally:
        weir.process.send_signal(signal.SIGCONT)
    expect(page.locator("#current .run > header .chip")).to_have_text("Cancelled")
    until(lambda: archived(weir) == [] and spooled(weir) == [])
    assert weir.latest("file-upload")["phase"] == "cancelled"


def test_sending_can_be_stopped_half_way(visit, weir, file):
    page = visit("/operations/file-upload")
    slow = page.context.new_cdp_session(page)
    slow.send("Network.enable")
    slow.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 500_000},
    )
    send(page, file)
    expect(page.locator("progress[data-upload]")).to_be_visible()
    expect(page.locator("#current .run > header .chip")).to_have_text("Receiving")
    page.get_by_role("button", name="Stop sending").click()
    expect(page.locator("#current .run > header .chip")).not_to_have_text("Receiving")
    expect(page.locator("progress[data-upload]")).to_be_hidden()
    assert weir.latest("file-upload")["phase"] in ("cancelled", "failed")
    until(lambda: archived(weir) == [] and spooled(weir) == [])
    assert page.locator("input[type=file]").input_value().endswith("co.bin")


def test_without_a_file_the_form_says_so(visit, weir):
    page = visit("/operations/file-upload")
    page.locator("#start form").evaluate("(form) => { form.noValidate = true; }")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#start [role=alert]").first).to_be_visible()
    assert weir.latest("file-upload") is None
