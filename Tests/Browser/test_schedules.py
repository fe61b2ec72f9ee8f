"""Schedules on the real server: operations that start by themselves, over kills, and with pauses."""

from datetime import datetime

import pytest
from playwright.sync_api import expect
from weir import until

SLOT = 2_000
TICK = f"""
title: Tick
description: Says that time passes.
overlap: queue
command: [echo, tick]
schedule: {{every: {SLOT // 1_000}s, inputs: {{}}}}
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
    """When runs of the schedule have started, in milliseconds since 1970."""
    runs = weir.ask("runs?operation=tick&limit=200")["runs"]
    assert {run["actor"] for run in runs} <= {"schedule"}
    return [round(datetime.fromisoformat(run["startedAt"]).timestamp() * 1_000) for run in runs]


def test_a_schedule_starts_runs_and_each_time_only_once_over_kills(weir):
    for _ in range(3):
        count = len(starts(weir))
        until(lambda: len(starts(weir)) >= count + 2)
        weir.kill()
        weir.start()
    slots = [time // SLOT for time in starts(weir)]
    assert len(slots) == len(set(slots)), "a time has started two runs"


def test_a_schedule_is_paused_without_javascript_and_stays_paused(weir, visit):
    page = visit("/schedules", java_script_enabled=False)
    card = page.locator("#schedule-tick")
    card.get_by_role("button", name="Pause").click()
    expect(card.get_by_role("button", name="Resume")).to_be_visible()
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


def test_next_times_are_shown_by_the_clock_of_the_schedules_zone(weir, visit):
    page = visit("/operations/backup")
    times = page.locator("#schedule ol time")
    expect(times).to_have_count(5)
    expect(times.first).to_contain_text("03:30")
    assert times.first.get_attribute("datetime").endswith("T06:30:00.000Z")
    visit("/", locale="pt-BR").get_by_role("link", name="Agenda").click()
