"""Somebody takes the journal's files away, cuts them short or puts others in their place: it is told, and nothing is lost in silence."""

import contextlib
import os
import re
import shutil
import sqlite3
import stat
import subprocess

import pytest
from playwright.sync_api import expect
from weir import until


def epoch(weir):
    return weir.ask("feeds/board/changes")["epoch"]


def kinds(weir):
    return [notice["kind"] for notice in weir.ask("notices")["notices"]]


@contextlib.contextmanager
def kept_log(weir):
    """What is recorded stays in the journal's log alone, which is else copied into its file after a second or two of quiet."""
    with contextlib.closing(sqlite3.connect(f"file:{weir.data}/journal.sqlite?mode=ro", uri=True)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT head FROM journal").fetchone()
        yield


def dismissal(page):
    return page.locator("#notice form")


# K11
@pytest.mark.long
def test_a_folder_that_is_removed_from_a_running_server_is_put_back(visit, weir):
    before = weir.ended(weir.run("greeting", label="Before"))
    page = visit("/operations/greeting")
    # In one go: what the server puts back in between would be in the way.
    shutil.rmtree(weir.data.rename(weir.folder / "removed"))
    expect(dismissal(page)).to_contain_text("They were restored, and nothing that was recorded is lost.")
    assert "They were restored" in weir.log.read_text()
    after = weir.ended(weir.run("greeting", label="After"))
    weir.kill()
    weir.start()
    assert weir.ask(f"runs/{before['id']}") == before and weir.ask(f"runs/{after['id']}") == after
    assert kinds(weir) == ["restored"]
    assert stat.S_IMODE(weir.data.stat().st_mode) == 0o700


# K11
@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda file: file.write_bytes(b""), "was missing or empty"),
        (lambda file: file.unlink(), "was missing or empty"),
        (lambda file: file.with_name("journal.sqlite-wal").unlink(), "has lost changes"),
        (lambda file: file.with_name("journal.sqlite-wal").write_bytes(bytes(range(256)) * 400), "has lost changes"),
        (lambda file: file.with_name("journal.sqlite-mark").unlink(), "the mark beside it"),
    ],
    ids=["emptied", "removed", "log removed", "log overwritten", "mark removed"],
)
@pytest.mark.long
def test_harm_to_a_killed_servers_files_is_told_until_it_is_dismissed(visit, weir, harm, words):
    page = visit("/operations/greeting")
    with kept_log(weir):
        weir.run("greeting", label="Before")
        expect(page.locator("#current .state")).to_contain_text("Before")
        old = epoch(weir)
        weir.kill()
    harm(weir.data / "journal.sqlite")
    weir.start()
    assert epoch(weir) != old
    assert words in weir.log.read_text()
    # The page that was open all the while, and another one.
    expect(dismissal(page)).to_contain_text(words, timeout=40_000)
    portuguese = visit("/runs", locale="pt-BR")
    expect(dismissal(portuguese)).to_contain_text(re.compile("diário"))
    weir.kill()
    weir.start()
    again = visit("/")
    expect(dismissal(again)).to_contain_text(words)
    dismissal(again).get_by_role("button", name="Dismiss").click()
    expect(dismissal(again)).to_have_count(0)
    expect(dismissal(visit("/system"))).to_have_count(0)
    # Open pages still say why their history is another one.
    expect(page.locator("#notice")).to_contain_text("The history was replaced by another", timeout=40_000)
    assert kinds(weir) == []


def test_a_notice_is_dismissed_without_javascript(visit, weir):
    weir.run("greeting", label="Before")
    weir.kill()
    (weir.data / "journal.sqlite").unlink()
    weir.start()
    page = visit("/runs?operation=greeting", java_script_enabled=False)
    page.get_by_role("button", name="Dismiss").click()
    expect(page.get_by_role("button", name="Dismiss")).to_have_count(0)
    assert page.url.endswith("/runs?operation=greeting")
    assert kinds(weir) == []


# K11
@pytest.mark.long
def test_a_file_that_is_cut_short_in_use_is_told_and_nothing_is_recorded(visit, weir):
    page = visit("/")
    weir.ended(weir.run("greeting", label="Before"))
    with (weir.data / "journal.sqlite").open("r+b") as file:
        file.truncate(0)
    expect(page.locator("#notice .banner")).to_contain_text("Not recorded since")
    assert "truncated while the server was running" in weir.log.read_text()
    weir.kill()
    weir.start()
    assert kinds(weir) == ["missing"]


# K11
def test_a_second_server_is_refused_though_the_lock_file_was_removed(weir):
    (weir.data / "journal.sqlite-lock").unlink()
    ended = subprocess.run(weir.command, capture_output=True, text=True, env=weir.environment, timeout=30, check=False)
    assert ended.returncode == 69
    assert "Another Weir is using this journal." in ended.stderr
    until(lambda: (weir.data / "journal.sqlite-lock").exists())
    assert weir.ended(weir.run("greeting", label="After"))["phase"] == "succeeded"


# K11
@pytest.mark.long
def test_after_a_power_cut_no_sequence_is_given_out_twice(weir):
    with kept_log(weir):
        shown = weir.ended(weir.run("greeting", label="Before"))
        old = epoch(weir)
        weir.kill()
    for name in ("journal.sqlite-wal", "journal.sqlite-shm"):
        (weir.data / name).unlink()
    weir.start()
    assert epoch(weir) != old
    after = weir.ended(weir.run("greeting", label="After"))
    assert after["id"] != shown["id"]
    answer = weir.ask(f"feeds/board/changes?after={old}.{shown['sequence']}")
    assert answer["reset"]["reason"] == "epoch"


@pytest.mark.long
def test_a_data_folder_that_others_could_read_is_closed_to_them(weir):
    before = epoch(weir)
    weir.terminate()
    weir.data.chmod(0o755)
    for name in ["journal.sqlite", "journal.sqlite-mark"]:
        (weir.data / name).chmod(0o644)
    weir.start()
    assert "it is now closed to them" in weir.log.read_text()
    for path in [weir.data, *weir.data.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
    # That is no harm to the history.
    assert kinds(weir) == [] and epoch(weir) == before


def test_a_new_data_folder_is_for_its_owner_whatever_the_mask_of_its_process_and_programs_have_that_mask(weir):
    weir.terminate()
    shutil.rmtree(weir.data)
    (weir.folder / "operations").mkdir()
    (weir.folder / "operations/mask.yml").write_text("title: Mask\nshell: umask\n")
    before = os.umask(0)
    try:
        weir.start()
    finally:
        os.umask(before)
    run = weir.ended(weir.run("mask"))
    assert [line["text"] for line in weir.ask(f"runs/{run['id']}/output")["lines"]] == ["0000"]
    for path in [weir.data, *weir.data.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path
