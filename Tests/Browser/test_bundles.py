"""`weir export`: what it writes, and what it says of it."""

import json
import subprocess

import pytest


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


def test_an_export_is_the_runs_alone_and_what_is_in_it_is_said_beside(weir):
    for label in ("a", "b"):
        weir.ended(weir.run("greeting", label=label))
    command = [weir.command[0], "export", "--data", str(weir.data)]
    export = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert export.returncode == 0, export.stderr
    lines = [json.loads(line) for line in export.stdout.splitlines()]
    assert "header" in lines[0] and "end" in lines[-1]
    changes = sum("change" in line for line in lines)
    assert changes > 2
    assert export.stderr == f"2 runs: {changes} changes, 0 lines of output.\n"


@pytest.mark.long
def test_an_export_that_cannot_be_made_says_why_and_leaves_no_file(weir, tmp_path):
    command = [weir.command[0], "export", "none", "--data", str(weir.data), "--output", str(tmp_path / "none.jsonl")]
    export = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (export.returncode, export.stderr) == (66, "There is no run none in the journal.\n")
    assert not (tmp_path / "none.jsonl").exists()
