"""A server is backed up while it works, and restored; restored copies start quietly."""

import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import tarfile
import threading
import time
import urllib.error
import urllib.request

import pytest
from receivers import Receivers
from weir import BINARY, Weir, until

SEED = int(os.environ.get("WEIR_BACKUP_SEED", "20261127"))
PRINTING = """
title: Printing
command: [sh, -c, "for i in 1 2 3 4 5 6 7 8; do echo line $i; done"]
"""
SENDING = """
title: Sending
command: ["false"]
notify: [{when: [failed], webhook: {url: "URL/broken"}}]
"""
SCHEDULED = """
title: Scheduled
command: ["true"]
schedule: {every: 1s}
"""


@pytest.fixture
def receivers():
    receivers = Receivers()
    yield receivers
    receivers.stop()


@pytest.fixture
def settings(tmp_path, sky, receivers):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "printing.yml").write_text(PRINTING)
    (folder / "sending.yml").write_text(SENDING.replace("URL", receivers.url))
    (folder / "scheduled.yml").write_text(SCHEDULED)
    sky.greets.set()
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_OPERATIONS": str(folder), "WEIR_RUNS_MAXIMUM": "10000"}


def command(weir, *arguments, code=0):
    """Runs a command on the server's machine; returns what it says."""
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=weir.environment, cwd=weir.folder, timeout=120
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def changes(file, head=None):
    """All changes of a journal's file up to a sequence, in order, each with its run."""
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return database.execute(
            'SELECT sequence, stream, revision, at, "case", phase, payload, cause FROM changes'
            " WHERE sequence <= ? ORDER BY sequence", (head or 1 << 62,)
        ).fetchall()


def output(file):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        return {(stream, number): text for stream, number, text in database.execute("SELECT stream, number, text FROM output")}


class Load(threading.Thread):
    """Starts operations one after the other, and uploads files."""

    def __init__(self, weir, pause):
        super().__init__(daemon=True)
        self.weir, self.pause, self.ends, self.problem, self.number = weir, pause, False, None, 0

    def run(self):
        try:
            while not self.ends:
                self.number += 1
                self._start("printing", {})
                self._start("greeting", {"label": f"n{self.number}"})
                self._send(f"operations/file-upload/runs?filename=f{self.number}.bin", os.urandom(20_000), "application/octet-stream")
                time.sleep(self.pause)
        except BaseException as problem:
            self.problem = repr(problem)

    def _start(self, operation, body):
        self._send(f"operations/{operation}/runs", json.dumps(body).encode(), "application/json")

    def _send(self, path, body, kind):
        request = urllib.request.Request(
            f"{self.weir.url}/api/v1/{path}", method="POST", data=body, headers={"Content-Type": kind})
        try:
            urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.HTTPError as error:
            # As many runs are active as one actor may have.
            assert error.code in (429, 503), error.read()


@pytest.mark.alone
@pytest.mark.parametrize("count", [3, pytest.param(100, marks=pytest.mark.long)])
def test_each_backup_of_a_working_server_is_a_prefix_of_its_history(weir, tmp_path, count):
    chance = random.Random(SEED)
    key = tmp_path / "key"
    key.write_text("correct horse battery staple\n")
    weir.add_user("ana", "admin")
    # A history that grew as fast as it can would be too long to be restored a hundred times.
    load = Load(weir, pause=0 if count < 10 else 0.5)
    load.start()
    restored = []
    for number in range(count):
        held = load.number
        wanted = held + chance.randint(0, 3)
        until(lambda: load.number >= wanted or not load.is_alive())
        file, place = tmp_path / f"{number}.backup", tmp_path / f"restored-{number}"
        keyed = ["--key-file", key] if number % 2 else []
        command(weir, "backup", file, "--data", weir.data, *keyed)
        command(weir, "restore", file, "--data", place, *keyed)
        if number < 2:
            assert "in order" in command(weir, "backup", "verify", file, *keyed)
        assert "in order" in command(weir, "journal", "check", "--data", place)
        assert "head" in command(weir, "audit", "verify", "--data", place)
        with sqlite3.connect(place / "access.sqlite") as database:
            assert database.execute("SELECT count(*) FROM record WHERE kind = 'user'").fetchone() == (1,)
        restored.append((changes(place / "journal.sqlite"), output(place / "journal.sqlite")))
        uploads = {path.name: path.read_bytes() for path in (place / "archive").rglob("*") if path.is_file()}
        for name, content in uploads.items():
            assert next((weir.data / "archive").rglob(name)).read_bytes() == content
        shutil.rmtree(place)
    load.ends = True
    load.join(60)
    assert not load.is_alive() and load.problem is None, load.problem
    weir.terminate()
    whole, lines = changes(weir.data / "journal.sqlite"), output(weir.data / "journal.sqlite")
    heads = []
    for found, printed in restored:
        assert found and found == whole[: len(found)], "what was restored is not a prefix"
        assert printed.items() <= lines.items()
        heads.append(len(found))
    assert heads == sorted(heads) and len(set(heads)) > 1, heads
    with tarfile.open(tmp_path / "0.backup", "r:gz") as archive:
        names = archive.getnames()
    assert names[-1] == "manifest.json" and "journal.sqlite" in names and "configuration/operations/printing.yml" in names


def stopped_with_a_waiting_message(weir):
    """Stops the server when a message waits to be sent again."""
    weir.ended(weir.run("sending"))
    until(lambda: weir.ask("operations/sending/notifications")["deliveries"][0]["attempts"] > 0)
    weir.terminate()


def copied(weir, sky, place, how):
    """Another server on a restored backup, or on a copy of the files."""
    copy = Weir(place, sky, {k: v for k, v in weir.environment.items() if k.startswith("WEIR_")})
    if how == "backup":
        command(weir, "backup", place / "a.backup", "--data", weir.data)
        command(weir, "restore", place / "a.backup", "--data", copy.data)
    else:
        shutil.copytree(weir.data, copy.data)
    return copy


def scheduled(weir):
    return len(weir.ask("runs?operation=scheduled&limit=200")["runs"])


@pytest.mark.parametrize("how", ["backup", "copy"])
def test_a_restored_copy_starts_and_sends_nothing_until_it_is_resumed(weir, sky, receivers, tmp_path, how):
    until(lambda: scheduled(weir) > 1)
    stopped_with_a_waiting_message(weir)
    receivers.fails = False
    copy = copied(weir, sky, tmp_path / how, how)
    try:
        copy.start()
        ready = json.load(urllib.request.urlopen(copy.url + "/health/ready"))
        assert ready["status"] == "ready" and ready["quiet"] is True
        assert "weir resume" in copy.page("/") and 'action="/resumption?discard=yes"' in copy.page("/")
        assert "The start is quiet" in copy.log.read_text()
        before = scheduled(copy)
        # Quiet after a restart as well.
        copy.kill()
        copy.start()
        copy.ended(copy.run("printing"))
        assert scheduled(copy) == before and receivers.of("broken") == []
        if how == "copy":
            assert "resumes" in command(copy, "resume", "--data", copy.data, "--discard")
        else:
            copy.ask("resumption?discard=yes", "POST")
        until(lambda: scheduled(copy) > before)
        assert "quiet" not in json.load(urllib.request.urlopen(copy.url + "/health/ready"))
        messages = copy.ask("operations/sending/notifications")["deliveries"]
        assert [message["status"] for message in messages] == ["failed"] and receivers.of("broken") == []
        assert "nothing to resume" in command(copy, "resume", "--data", copy.data, code=66)
        copy.terminate()
        copy.start()
        assert "weir resume" not in copy.page("/")
    finally:
        copy.close()


def test_a_resumed_copy_sends_what_has_waited(weir, sky, receivers, tmp_path):
    stopped_with_a_waiting_message(weir)
    copy = copied(weir, sky, tmp_path / "copy", "backup")
    try:
        # Before its first start.
        command(copy, "resume", "--data", copy.data)
        receivers.fails = False
        copy.start()
        until(lambda: len(receivers.of("broken")) == 1)
    finally:
        copy.close()


def test_an_administrator_asks_for_a_backup(weir, sky, tmp_path):
    with pytest.raises(urllib.error.HTTPError) as refused:
        weir.ask("backups", "POST")
    assert refused.value.code == 404
    weir.terminate()
    weir.environment["WEIR_BACKUP_FOLDER"] = str(tmp_path / "backups")
    weir.start()
    assert weir.ask("backups/latest")["status"] == "none"
    weir.ask("backups", "POST")
    until(lambda: weir.ask("backups/latest")["status"] == "ok")
    assert weir.ask("backups/latest")["verified"] is True
    [file] = (tmp_path / "backups").iterdir()
    assert "in order" in command(weir, "backup", "verify", file)
    assert json.load(urllib.request.urlopen(weir.url + "/health/ready"))["backup"] == "ok"
    assert "Last backup" in weir.page("/system")


def test_a_stop_is_announced_before_connections_are_refused(weir):
    weir.terminate()
    weir.environment["WEIR_SHUTDOWN_NOTICE"] = "3"
    weir.start()
    assert urllib.request.urlopen(weir.url + "/health/ready").status == 200
    weir.process.send_signal(signal.SIGTERM)

    def refused():
        try:
            urllib.request.urlopen(weir.url + "/health/ready").close()
        except urllib.error.HTTPError as error:
            return error.code == 503

    begun = time.monotonic()
    until(refused)
    assert time.monotonic() - begun < 2
    # Everything else is answered meanwhile.
    assert weir.page("/") and weir.ended(weir.run("printing"))["phase"] == "succeeded"
    assert weir.process.wait(15) == 0
    said = weir.log.read_text()
    places = [said.rindex(words) for words in ("The server is stopping", "no longer accepted", "The server has stopped")]
    assert places == sorted(places)


@pytest.fixture(params=["8k", "40k"])
def full_disk(request, tmp_path):
    """A folder on a disk that is too small for the copies of a data folder."""
    if os.getuid() != 0:
        pytest.skip("a disk of its own takes a mount, which root may make")
    folder = tmp_path / "small"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={request.param}", "none", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_a_backup_to_a_full_disk_says_that_the_folder_is_full_and_leaves_nothing(weir, full_disk):
    said = command(weir, "backup", full_disk / "weir.backup", "--data", weir.data, code=69)
    assert said == f"{full_disk} cannot be written: there is no space left.\n"
    assert not list(full_disk.iterdir())


def test_a_backup_beyond_the_largest_size_of_a_file_says_that_the_folder_is_full(weir, tmp_path):
    done = subprocess.run(
        [BINARY, "backup", str(tmp_path / "backups/weir.backup"), "--data", str(weir.data)], capture_output=True, text=True,
        env=weir.environment, cwd=weir.folder, restore_signals=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4_096, resource.RLIM_INFINITY)))
    assert (done.returncode, done.stderr) == (69, f"{tmp_path}/backups cannot be written: there is no space left.\n")


def test_the_verification_of_an_audit_that_is_not_there_fails(weir, tmp_path):
    command(weir, "audit", "verify", "--data", weir.data)
    (tmp_path / "empty/audit").mkdir(parents=True)
    for name in ("empty", "missing"):
        said = command(weir, "audit", "verify", "--data", tmp_path / name, code=66)
        assert said == f"There is no audit in {tmp_path / name}/audit. Name the server's data folder with --data.\n"
