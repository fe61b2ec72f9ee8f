"""Schedules on the real server: operations that start by themselves, over kills, and with pauses."""

import contextlib
import sqlite3

import pytest
from playwright.sync_api import expect
from weir import until

TICK = """
title: Tick
description: Says that time passes.
overlap: queue
command: [echo, tick]
schedule: {every: 2s, inputs: {}}
"""
NIGHTLY = """
title: Back up a database
inputs: [{name: database, type: choice, options: [orders, users], required: true}]
command: [echo, "{{database}}"]
schedule: {cron: "30 3 * * *", timezone: America/Sao_Paulo, random_delay: 5m, inputs: {database: orders}}
"""


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "tick.yml").write_text(TICK)
    (folder / "backup.yml").write_text(NIGHTLY)
    return {"WEIR_OPERATIONS": str(folder)}


def starts(weir):
    """The runs that the schedule has started."""
    runs = weir.ask("runs?operation=tick&limit=200")["runs"]
    assert {run["actor"] for run in runs} <= {"schedule"}
    return runs


def times(weir):
    """For which of the schedule's times each of its runs was started: that may be later, after a stop even as late as the next."""
    with contextlib.closing(sqlite3.connect(weir.data / "journal.sqlite")) as database:
        return [key for key, in database.execute("SELECT idempotency_key FROM runs WHERE idempotency_key LIKE 'schedule/tick/%'")]


@pytest.mark.long
def test_a_schedule_starts_runs_and_each_time_only_once_over_kills(weir):
    for _ in range(3):
        count = len(starts(weir))
        until(lambda: len(starts(weir)) >= count + 2)
        weir.kill()
        weir.start()
    assert weir.terminate()[0] == 0
    started = times(weir)
    assert len(started) >= 6
    assert len(started) == len(set(started)), "a time has started two runs"


def test_a_schedule_is_paused_without_javascript_and_stays_paused(weir, visit):
    page = visit("/schedules", java_script_enabled=False)
    card = page.locator("#schedule-tick")
    card.locator("summary").click()
    card.get_by_label("Reason").fill("Audit in May")
    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_role("button", name="Resume")).to_be_visible()
    expect(card).to_contain_text("Audit in May")
    expect(card.locator(".chip").first).to_have_text("Paused")
    until(lambda: all(run["phase"] == "succeeded" for run in weir.ask("runs?operation=tick")["runs"]))
    count = len(starts(weir))
    weir.kill()
    weir.start()
    schedule = weir.ask("schedules/tick")
    assert schedule["paused"]["by"] and schedule["next"] == []
    assert len(starts(weir)) == count
    page.reload()
    card.get_by_role("button", name="Resume").click()
    until(lambda: len(starts(weir)) > count)


@pytest.mark.long
def test_next_times_are_shown_by_the_clock_of_the_schedules_zone(weir, visit):
    page = visit("/operations/backup")
    times = page.locator("#schedule ol time")
    expect(times).to_have_count(5)
    expect(times.first).to_contain_text("03:30")
    assert times.first.get_attribute("datetime").endswith("T06:30:00.000Z")
    visit("/", locale="pt-BR").get_by_role("link", name="Agenda").click()
