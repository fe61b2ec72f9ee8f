"""Runs on several servers of one PostgreSQL database: each is carried out where it was started."""

import pathlib
import signal
import sys

import pytest
from cluster import other, postgres, role, settings, shows_the_same, taken_over, third  # noqa: F401
from playwright.sync_api import expect
from weir import until


def descends(pid, ancestor):
    """Whether a process was begun by another one, or by one that this one began."""
    while pid > 1:
        if pid == ancestor:
            return True
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return False


def carries_out(weir, name):
    """Whether the command of that name was begun by this server."""
    for command in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if f"/{name}\0" in command.read_text() and descends(int(command.parent.name), weir.process.pid):
                return True
        except (OSError, ValueError):
            continue  # It has ended meanwhile.
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")
def test_runs_are_carried_out_where_they_are_started_and_outlive_the_other_servers(weir, other, third, tmp_path):
    servers = {"a": weir, "b": other, "c": third}
    other.start()
    third.start()
    runs = {}
    for name, server in servers.items():
        runs[name] = server.run("count", name=name)
        until(lambda: all(each.ask(f"runs/{runs[name]['id']}/output")["count"] == 1 for each in servers.values()))
        assert [place for place, each in servers.items() if carries_out(each, name)] == [name]
    weir.kill()
    taken_over(recording := until(lambda: next((each for each in (other, third) if role(each) == "recording"), None)))
    assert recording.ended(runs["a"])["phase"] == "interrupted"
    assert {other.ask(f"runs/{runs[name]['id']}")["phase"] for name in "bc"} == {"active"}
    # Cancelled by way of another server than the one that carries it out.
    stopped = recording.run("count", name="stopped")
    for number in (1, 2, 3):
        for name in "bc":
            (tmp_path / f"{name}.{number}").touch()
    weir.start()
    for name in "bc":
        for each in servers.values():
            assert each.ended(runs[name])["phase"] == "succeeded"
            lines = each.ask(f"runs/{runs[name]['id']}/output")["lines"]
            assert [line["text"] for line in lines] == ["line 1", "line 2", "line 3"]
    weir.ask(f"runs/{stopped['id']}/cancellation", "POST")
    assert other.ended(stopped)["phase"] == "cancelled"
    # The one that carries it out is killed, or stands still for too long.
    following = next(each for each in (other, third) if each is not recording)
    killed, still = following.run("count", name="killed"), weir.run("count", name="still")
    until(lambda: carries_out(following, "killed") and carries_out(weir, "still"))
    following.kill()
    weir.process.send_signal(signal.SIGSTOP)
    for run in (killed, still):
        assert recording.ended(run)["phase"] == "interrupted"
    weir.process.send_signal(signal.SIGCONT)
    until(lambda: not carries_out(weir, "still"))
    after = weir.run("count", name="after")
    until(lambda: carries_out(weir, "after"))
    for number in (1, 2, 3):
        (tmp_path / f"after.{number}").touch()
    assert recording.ended(after)["phase"] == "succeeded"
    shows_the_same(recording, weir)


@pytest.mark.long
def test_a_file_is_taken_by_the_server_that_it_is_sent_to(weir, other, third, visit, tmp_path):
    other.start()
    third.start()
    file = tmp_path / "letter.txt"
    file.write_text("Dear reader, " * 100_000)
    for number, (server, scripted) in enumerate(((other, True), (third, False), (weir, True)), 1):
        page = visit(server.url + "/operations/file-upload", java_script_enabled=scripted)
        page.set_input_files("#start input[type=file]", file)
        page.click("#start button[type=submit]")
        until(lambda: [run["phase"] for run in weir.ask("runs?operation=file-upload")["runs"]] == ["succeeded"] * number)
        expect(page.locator("main .run > header .chip").first).to_have_text("Success")
        assert (server.data / "archive" / "letter.txt.gz").is_file()
