"""A server that cannot start, or was told something odd, says so in a sentence with a remedy."""

import os
import subprocess
import urllib.error

import pytest
from weir import Weir, until

# sysexits.h
UNAVAILABLE, MISCONFIGURED = 69, 78


def refused(weir, *more, **variables):
    """Starts a server that cannot begin, on data of its own: its exit status and what it says."""
    command = [*weir.command, "--port", "0", "--data", str(weir.folder / "other"), *map(str, more)]
    ended = subprocess.run(
        command, capture_output=True, text=True, env=weir.environment | variables, cwd=weir.folder, timeout=30, check=False)
    said = [line for line in ended.stderr.splitlines() if " warning " not in line]
    assert not [line for line in said if "Error" in line or "NSCocoa" in line], ended.stderr
    return ended.returncode, "\n".join(said)


@pytest.mark.long
@pytest.mark.parametrize("setting", ["public", "templates"])
@pytest.mark.parametrize("place", ["nowhere", "file"])
def test_a_folder_that_is_none_is_refused_with_its_name(weir, setting, place):
    (weir.folder / "file").touch()
    code, said = refused(weir, f"--{setting}", weir.folder / place)
    assert code == MISCONFIGURED
    assert str(weir.folder / place) in said and "Use a folder" in said


def test_a_data_folder_that_is_a_file_is_refused_with_a_remedy(weir):
    (weir.folder / "file").touch()
    code, said = refused(weir, "--data", weir.folder / "file")
    assert code in (UNAVAILABLE, MISCONFIGURED)
    assert "choose another with --data" in said


def test_a_port_that_is_taken_is_refused_as_taken(weir):
    code, said = refused(weir, "--port", weir.port)
    assert code == UNAVAILABLE
    assert f"Another program listens on port {weir.port}" in said


@pytest.mark.long
def test_an_address_of_another_machine_is_not_called_taken(weir):
    code, said = refused(weir, "--host", "192.0.2.7", "--auth", "none")  # RFC 5737: nobody's
    assert code == MISCONFIGURED
    assert "192.0.2.7 is not an address of this machine" in said


@pytest.mark.long
@pytest.mark.skipif(os.geteuid() == 0, reason="every port is root's")
def test_a_port_for_privileged_programs_is_refused_as_such(weir):
    code, said = refused(weir, "--port", "1")
    assert code == MISCONFIGURED
    assert "ports below 1024" in said


def test_mistyped_names_are_refused_with_what_they_resemble_and_all_at_once(weir):
    (weir.folder / "odd.yml").write_text("data: x\nprot: 1\n")
    code, said = refused(weir, "--prot", "9000", "--actor-header=X-User", "--config", "odd.yml", WEIR_LOG_LEVEL="loud")
    assert code == MISCONFIGURED
    assert said.splitlines() == [
        "--prot: there is no such flag; did you mean --port?",
        'WEIR_LOG_LEVEL: is "loud"; it must be one of trace, debug, info, notice, warning, error, critical',
        "odd.yml:2: there is no setting `prot`; did you mean `port`?",
    ]


@pytest.mark.long
@pytest.mark.parametrize("settings", [{"WEIR_PROT": "1", "WEIR_LOG_LEVEL": "warning"}])
def test_a_mistyped_variable_is_a_warning_with_what_it_resembles(weir):
    until(lambda: "WEIR_PROT is not a setting and has no effect; did you mean WEIR_PORT?" in weir.log.read_text())


def test_the_help_of_serve_lists_every_setting(weir):
    listed = subprocess.run([weir.command[-6], "settings"], capture_output=True, text=True, timeout=30, check=True).stdout
    help = subprocess.run([weir.command[-6], "serve", "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
    flags = [line.split("(")[1].split(",")[0] for line in listed.splitlines() if not line.startswith(" ")]
    assert len(flags) > 20 and [flag for flag in flags if f"{flag} " not in help] == []


HANGING = """
title: Hang
inputs: [%s]
command: [echo]
"""
FIELD = "{name: a%d, options: {command: [sleep, '3600']}}"
LISTED = "{title: Listed, inputs: [{name: a, required: true, options: {command: [echo, one]}}], command: [echo, '{{a}}']}"


def test_a_server_listens_before_the_programs_of_its_choices_have_answered(tmp_path, sky):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "hang.yml").write_text(HANGING % ", ".join(FIELD % number for number in range(3)))
    (folder / "listed.yml").write_text(LISTED)
    weir = Weir(tmp_path, sky, {"WEIR_OPERATIONS": str(folder)}).start()
    try:
        # Each program has ten seconds.
        assert weir.started_in < 8
        assert "The values are still being read." in weir.page("/operations/hang")
        with pytest.raises(urllib.error.HTTPError) as refused:
            weir.run("hang", a0="x")
        assert refused.value.code == 503 and "still being read" in refused.value.read().decode()
        until(lambda: "still being read" not in weir.page("/operations/listed"))
        assert "still being read" in weir.page("/operations/hang")
        assert weir.ended(weir.run("listed", a="one"))["phase"] == "succeeded"
        assert weir.terminate()[1] < 5
    finally:
        weir.close()
