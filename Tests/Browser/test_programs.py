"""Programs that fill the disk, or look for the secrets of the server."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import urllib.error

import pytest
from test_disk import NAMESPACE, may_mount
from weir import Weir, until

SECRET = "a-secret-of-the-provider"


@pytest.fixture
def settings(tmp_path):
    operations = tmp_path / "operations"
    operations.mkdir()
    (operations / "fill.yml").write_text("title: Fill\nshell: yes a line that fills the disk\nstop_grace_period: 1s\n")
    (operations / "short.yml").write_text("title: Short\ncommand: [seq, '1', '9']\nmax_output: 5 B\n")
    (operations / "look.yml").write_text(
        "title: Look\ninputs: [{name: server, type: integer}]\n"
        "shell: cd /proc/$WEIR_INPUT_SERVER; cat environ; head -c 1 mem; ls fd\n"
    )
    return {"WEIR_OPERATIONS": str(operations), "WEIR_DISK_KEEP_FREE": "20 MiB", "WEIR_OIDC_CLIENT_SECRET": SECRET}


@pytest.fixture
def disk(tmp_path):
    """A disk of 64 MiB for the data, in a namespace that lives as long as the test."""
    if not may_mount():
        pytest.skip("no mounts of its own for this user")
    data = tmp_path / "data"
    data.mkdir()
    holder = subprocess.Popen(
        [*NAMESPACE, "sh", "-c", 'mount -t tmpfs -o size=64m none "$0" && echo mounted && exec sleep 600', data],
        stdout=subprocess.PIPE, text=True,
    )
    assert holder.stdout.readline() == "mounted\n"
    yield holder
    holder.kill()
    holder.wait()
    holder.stdout.close()


def output(weir, run):
    return [line["text"] for line in weir.ask(f"runs/{run['id']}/output?limit=1000")["lines"]]


def refusal(weir, operation):
    with pytest.raises(urllib.error.HTTPError) as error:
        weir.ask(f"operations/{operation}/runs", "POST", {})
    return error.value.code


def test_a_disk_that_a_program_fills_keeps_room_for_the_end_and_for_a_start(tmp_path, sky, settings, disk):
    prefix = ["nsenter", "-U", "-m", "--preserve-credentials", "-t", disk.pid] if os.getuid() else ["nsenter", "-m", "-t", disk.pid]
    with contextlib.closing(Weir(tmp_path, sky, settings, prefix)) as weir:
        weir.start()
        run = weir.ask("operations/fill/runs", "POST", {})
        until(lambda: "almost full" in weir.page("/"), 60)
        assert refusal(weir, "short") == 507
        weir.ask(f"runs/{run['id']}/cancellation", "POST", {})
        assert weir.ended(run)["phase"] == "cancelled"
        assert weir.terminate()[0] == 0
        # Another program takes all that is left.
        ballast = pathlib.Path(f"/proc/{disk.pid}/root{weir.data}/ballast")
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4_096))
        weir.start()
        assert weir.ask(f"runs/{run['id']}")["phase"] == "cancelled"
        assert refusal(weir, "short") == 507
        ballast.unlink()
        weir.terminate()
        shutil.rmtree(ballast.parent)


def test_output_beyond_the_maximum_of_a_file_is_counted(weir):
    run = weir.ended(weir.ask("operations/short/runs", "POST", {}))
    assert run["phase"] == "succeeded"
    assert output(weir, run) == [
        *"12345",
        "… The output has reached its maximum of 5 bytes. Further lines are not kept.",
        "… 4 lines were not kept: the output is longer than 5 bytes.",
    ]


def test_a_program_cannot_read_the_environment_and_the_memory_of_the_server(tmp_path, sky, settings):
    if os.getuid() or not shutil.which("setpriv"):
        pytest.skip("only root can start the server as another user")
    for folder in [tmp_path, *tmp_path.parents]:
        if folder.owner() == "root" and folder != pathlib.Path("/") and folder != pathlib.Path("/tmp"):
            folder.chmod(folder.stat().st_mode | 0o111)
    os.chown(tmp_path, 1, 1)
    with contextlib.closing(
        Weir(tmp_path, sky, settings, ["setpriv", "--reuid=1", "--regid=1", "--clear-groups", "--inh-caps=-all"])
    ) as weir:
        weir.start()
        # Root reads it, so that this also holds for the programs of a server that runs as root.
        assert SECRET.encode() not in pathlib.Path(f"/proc/{weir.process.pid}/environ").read_bytes()
        run = weir.ended(weir.ask("operations/look/runs", "POST", {"server": weir.process.pid}))
        lines = output(weir, run)
        assert len(lines) == 3 and all("ermission denied" in line for line in lines), lines
