"""`weir doctor`: what is wrong with an installation, each problem caused for real."""

import contextlib
import http.server
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import threading
import urllib.request

import pytest
from mailbox import Mailbox
from postgres import Postgres, unprivileged
from proxies import Nginx, missing
from weir import BINARY, Weir, free_port, until

# Neither the times of files nor the monotonic clock are moved.
FAKETIME = ["env", "NO_FAKE_STAT=1", "FAKETIME_DONT_FAKE_MONOTONIC=1", "faketime", "-f"]
NAMESPACE = ["unshare", "--mount", "--map-root-user"]


class Report:
    def __init__(self, ended):
        self.code = ended.returncode
        assert ended.stdout, ended.stderr
        self.findings = json.loads(ended.stdout)["findings"]

    def said(self, topic, status, words):
        """The remedy of the finding with these words."""
        found = [finding for finding in self.findings if finding["topic"] == topic and words in finding["sentence"]]
        assert [finding["status"] for finding in found] == [status], self.findings
        return found[0].get("remedy", "")

    def statuses(self, topic):
        return [finding["status"] for finding in self.findings if finding["topic"] == topic]


def doctor(folder, *words, prefix=(), settings=None, **options):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")} | (settings or {})
    return Report(subprocess.run(
        [*map(str, prefix), BINARY, "doctor", "--json", *map(str, words)], cwd=folder, env=environment,
        capture_output=True, text=True, timeout=120, check=False, **options,
    ))


@pytest.fixture
def port():
    return free_port()


def test_a_stopped_installation_in_order_is_told_so_and_nothing_is_made(tmp_path, port):
    report = doctor(tmp_path, "--port", port)
    assert report.code == 0 and list(tmp_path.iterdir()) == []
    report.said("data", "good", "does not exist yet")
    report.said("server", "good", f"port {port} of 127.0.0.1 is free")
    report.said("backup", "warning", "No backup was ever made")


def test_a_running_server_is_found_by_its_data_folder_and_nothing_is_changed(weir, tmp_path):
    before = sorted((path.name, path.read_bytes()) for path in weir.data.iterdir() if path.suffix == ".json")
    report = doctor(tmp_path, "--data", weir.data)
    assert report.code == 0, report.findings
    report.said("server", "good", f"answers at {weir.url}/, and records")
    for topic in ("settings", "data", "version", "journal", "files", "programs"):
        assert report.statuses(topic) == ["good"], topic
    assert before == sorted((path.name, path.read_bytes()) for path in weir.data.iterdir() if path.suffix == ".json")


def test_reading_the_folder_of_a_stopped_server_leaves_no_file_there(weir, tmp_path):
    weir.run("greeting")
    weir.terminate()
    before = sorted(weir.data.rglob("*"))
    doctor(tmp_path, "--data", weir.data)
    for words in (["journal", "check"], ["backup", str(tmp_path / "weir.backup")]):
        subprocess.run([BINARY, *words, "--data", str(weir.data)], cwd=tmp_path, check=True, capture_output=True)
    # The backup notes when it was made.
    assert before == sorted(set(weir.data.rglob("*")) - {weir.data / "last-backup.json"})


def test_the_list_for_people_has_marks_and_remedies(tmp_path, port):
    (tmp_path / "weir.yml").write_text("prt: 1\n")
    ended = subprocess.run([BINARY, "doctor", "--port", str(port)], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    lines = ended.stdout.splitlines()
    assert lines[0].startswith("✕ settings: weir.yml:1: there is no setting `prt`") and lines[1].startswith("    → ")
    assert any(line.startswith("✓ server:") for line in lines) and lines[-1].endswith(" to look at.")


def test_mistakes_of_settings_and_operations_are_findings(tmp_path, port):
    (tmp_path / "weir.yml").write_text("backup: {schedule: '0 3 * * *'}\n")
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "copy.yml").write_text("title: Copy\ncomand: [x]\n")
    report = doctor(tmp_path, "--port", port)
    assert report.code == 1
    report.said("settings", "failure", "backup.folder is not")
    report.said("settings", "failure", "copy.yml:2")


@pytest.mark.skipif(os.getuid() != 0, reason="gives a folder to another user")
def test_a_folder_of_another_user_cannot_be_used(tmp_path, port):
    for parent in (tmp_path, *tmp_path.parents[:3]):
        if parent.stat().st_uid == 0 and str(parent) != "/tmp":
            parent.chmod(parent.stat().st_mode | 0o011)
    data = tmp_path / "data"
    data.mkdir(0o700)
    report = doctor(tmp_path, "--port", port, "--data", data, **unprivileged())
    assert report.code == 1
    assert "sudo -u root" in report.said("data", "failure", "cannot be read and written by this user")


@pytest.mark.skipif(os.getuid() != 0, reason="gives a file to another user")
def test_files_that_a_command_of_root_has_left_are_named(tmp_path, port):
    data = tmp_path / "data"
    data.mkdir(0o700)
    (data / "access.sqlite").touch(0o600)
    user = unprivileged()
    os.chown(data, user["user"], user["group"])
    report = doctor(tmp_path, "--port", port, "--data", data)
    assert report.code == 1
    assert report.said("data", "failure", "access.sqlite (root)").startswith("chown -R postgres ")
    report.said("data", "warning", "this command runs as another user")


def test_a_folder_that_others_can_read_is_closed_by_hand(tmp_path, port):
    data = tmp_path / "data"
    data.mkdir(0o755)
    report = doctor(tmp_path, "--port", port, "--data", data)
    assert report.code == 0 and report.said("data", "warning", "can read items").startswith("chmod -R go=")


def test_a_taken_port_is_told_with_its_holder(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        # Answers nothing, as a program that speaks something else.
        taken.settimeout(0.1)
        report = doctor(tmp_path, "--port", port)
    assert report.code == 1
    report.said("port", "failure", f"process {os.getpid()}, listens on it")


def test_an_address_of_another_machine_cannot_be_listened_on(tmp_path, port):
    report = doctor(tmp_path, "--port", port, "--host", "192.0.2.1", "--auth", "none")
    assert report.code == 1
    report.said("port", "failure", "192.0.2.1 is not an address of this machine")


def test_a_server_of_another_folder_on_the_port_is_not_taken_for_this_one(weir, tmp_path):
    report = doctor(tmp_path, "--port", weir.port, "--data", tmp_path / "other")
    assert report.code == 1
    report.said("server", "failure", "does not use the data folder")


def test_a_full_disk_and_one_without_inodes_are_told(tmp_path, port):
    tried = subprocess.run([*NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False)
    if not shutil.which("unshare") or tried.returncode != 0:
        pytest.skip("no mount is allowed here")
    data = tmp_path / "data"
    data.mkdir()
    mount = [*NAMESPACE, "sh", "-c", 'mount -t tmpfs -o size=8m,nr_inodes=20,mode=700 none "$0" && exec "$@"', data]
    report = doctor(tmp_path, "--port", port, "--data", data, prefix=mount)
    assert report.code == 1
    assert "retention" in report.said("disk", "failure", "less than disk.keep-free")
    report.said("disk", "failure", "more files")


@pytest.mark.skipif(not shutil.which("faketime"), reason="faketime is missing")
def test_a_clock_behind_the_files_and_the_server_is_told(weir, tmp_path):
    report = doctor(tmp_path, "--data", weir.data, prefix=FAKETIME + ["-3d"])
    assert report.code == 1
    report.said("clock", "failure", "files of the data folder are of")
    report.said("clock", "failure", "behind the server's")


def test_a_damaged_journal_is_told(tmp_path, port):
    data = tmp_path / "data"
    data.mkdir(0o700)
    (data / "journal.sqlite").write_bytes(b"not a database" * 1000)
    report = doctor(tmp_path, "--port", port, "--data", data)
    assert report.code == 1 and "weir journal check" in report.said("journal", "failure", "cannot be used")


def test_data_of_a_newer_version_is_told_with_the_way_back(weir, tmp_path, port):
    weir.run("greeting")
    weir.terminate()
    for name in ("journal", "deliveries", "access"):
        with contextlib.closing(sqlite3.connect(weir.data / f"{name}.sqlite")) as database:
            database.execute("PRAGMA user_version = 99")
            database.commit()
    report = doctor(tmp_path, "--port", port, "--data", weir.data)
    assert report.code == 1
    assert "Install the newer version" in report.said("journal", "failure", "newer version of Weir has written the journal")
    assert "messages that wait are lost" in report.said("data", "failure", "the file of messages")
    report.said("settings", "failure", "a newer Weir's")
    for number in (8, 10, 99):
        (weir.data / f"journal.sqlite-format-{number}").touch(0o600)
    report = doctor(tmp_path, "--port", port, "--data", weir.data)
    assert "journal.sqlite-format-10, which lacks" in report.said("journal", "failure", "newer version")


def test_a_server_whose_program_was_replaced_is_told_to_restart(tmp_path, sky):
    program = tmp_path / "installed" / "weir"
    program.parent.mkdir()
    for path in pathlib.Path(BINARY).resolve().parent.iterdir():
        if path.suffix == ".resources" or path.name == "weir-exec":
            (program.parent / path.name).symlink_to(path)
    shutil.copy2(BINARY, program)
    weir = Weir(tmp_path, sky, prefix=["sh", "-c", f'exec "{program}" "$@"'])
    try:
        weir.start()
        doctor(tmp_path, "--data", weir.data).said("version", "good", "this program are")
        program.unlink()
        report = doctor(tmp_path, "--data", weir.data)
    finally:
        weir.close()
    assert report.code == 0 and "systemctl restart weir" in report.said("version", "warning", "was replaced")


def test_a_process_that_does_not_answer_is_told(weir, tmp_path):
    weir.process.send_signal(signal.SIGSTOP)
    try:
        report = doctor(tmp_path, "--data", weir.data)
    finally:
        weir.process.send_signal(signal.SIGCONT)
    assert report.code == 1
    report.said("server", "failure", f"process {weir.process.pid}, does not answer")


def test_few_open_files_are_told(tmp_path, sky):
    weir = Weir(tmp_path, sky, prefix=["sh", "-c", 'ulimit -n 512 && exec "$0" "$@"'])
    try:
        weir.start()
        report = doctor(tmp_path, "--data", weir.data)
        assert "LimitNOFILE" in report.said("files", "warning", "512 files open")
        report = doctor(tmp_path, "--data", weir.data, "--connections-count", 4000)
        report.said("files", "failure", "connections.count needs")
    finally:
        weir.close()


def test_a_backup_that_is_late_or_failed_is_told(tmp_path, port):
    data = tmp_path / "data"
    data.mkdir(0o700)
    record = data / "last-backup.json"
    words = ["--port", port, "--data", data, "--backup-folder", tmp_path / "backups"]
    record.write_text('{"made": "2026-01-01T00:00:00.000Z", "bytes": 5}')
    record.chmod(0o600)
    doctor(tmp_path, *words, "--backup-schedule", "0 3 * * *").said("backup", "failure", "passed twice")
    doctor(tmp_path, *words).said("backup", "warning", "The last backup is of 2026-01-01")
    record.write_text('{"problem": "No space is left."}')
    doctor(tmp_path, *words).said("backup", "failure", "No space is left.")
    (tmp_path / "file").touch()
    report = doctor(tmp_path, *words[:-1], tmp_path / "file" / "backups")
    assert "ReadWritePaths" in report.said("backup", "failure", "cannot be made or written")


@pytest.fixture
def database(tmp_path):
    postgres = Postgres(tmp_path / "postgres")
    yield postgres
    postgres.stop()


def test_a_database_is_examined_and_a_stopped_one_is_told(database, tmp_path, port):
    url = f"postgres://weir@127.0.0.1:{database.port}/postgres"
    words = ["--port", port, "--journal", url]
    report = doctor(tmp_path, *words)
    assert report.code == 1
    report.said("database", "failure", "cannot be reached")
    database.start()
    until(lambda: doctor(tmp_path, *words).statuses("database") == ["good"])
    doctor(tmp_path, *words).said("database", "good", "no tables yet")
    database.client("psql", "-d", "postgres", "-c", "CREATE ROLE guest LOGIN")
    guest = doctor(tmp_path, "--port", port, "--journal", url.replace("weir@", "guest@"))
    guest.said("database", "failure", "lacks a permission")
    assert database.client("psql", "-d", "postgres", "-tAc", "SELECT to_regclass('weir.format') IS NULL").strip() == "t"


def test_tables_of_an_older_or_newer_version_are_told(database, tmp_path, sky, port):
    database.start()
    url = f"postgres://weir@127.0.0.1:{database.port}/postgres"
    words = ["--port", port, "--journal", url]
    until(lambda: doctor(tmp_path, *words).statuses("database") == ["good"])
    weir = Weir(tmp_path, sky, settings={"WEIR_JOURNAL": url})
    try:
        weir.start()
    finally:
        weir.close()
    doctor(tmp_path, *words).said("database", "good", "tables of format")

    def alter(change):
        database.client("psql", "-d", "postgres", "-c", f"UPDATE weir.format SET {change}")
        return doctor(tmp_path, *words)

    report = alter("number = number - 1")
    assert report.code == 0 and "pg_dump" in report.said("database", "warning", "The next start migrates them")
    report = alter("number = number + 2")
    assert report.code == 0 and "on all servers" in report.said("database", "warning", "of a newer version")
    report = alter("minimum = 99")
    assert report.code == 1 and "restore the dump" in report.said("database", "failure", "cannot use them")


class Late(Postgres):
    """A database on a machine whose clock is an hour behind."""

    def launch(self, *command):
        super().launch(*FAKETIME, "-1h", *command)


@pytest.mark.skipif(not shutil.which("faketime"), reason="faketime is missing")
def test_a_database_with_another_clock_is_told(tmp_path, port):
    late = Late(tmp_path / "postgres")
    try:
        late.start()
        report = doctor(tmp_path, "--port", port, "--journal", f"postgres://weir@127.0.0.1:{late.port}/postgres")
    finally:
        late.stop()
    assert report.code == 1
    report.said("clock", "failure", "ahead of the database's")


def test_the_mail_server_is_asked_and_gets_no_mail(tmp_path, port):
    mailbox = Mailbox(tmp_path)
    words = [
        "--port", port, "--mail-from", "weir@example.com", "--mail-server", mailbox.address,
        "--mail-ca-file", mailbox.authority, "--mail-user", mailbox.user, "--mail-password-file", tmp_path / "password",
    ]
    try:
        (tmp_path / "password").write_text(mailbox.password)
        doctor(tmp_path, *words).said("mail", "good", "accepts messages")
        (tmp_path / "password").write_text("wrong")
        doctor(tmp_path, *words).said("mail", "failure", "refused the sign-in")
        assert mailbox.mails == []
    finally:
        mailbox.stop()
    doctor(tmp_path, *words).said("mail", "failure", "E-mail cannot be sent")


class Hiding(Nginx):
    """nginx that limits bodies, and hides the host and the client."""

    def switched(self, *changes):
        text = super().switched(*changes)
        for old, new in (
            ("client_max_body_size 0;", "client_max_body_size 1m;"),
            ("proxy_set_header Host $http_host;", "proxy_set_header Host 127.0.0.1;"),
            ("proxy_set_header X-Forwarded-For $remote_addr;", ""),
        ):
            assert old in text
            text = text.replace(old, new)
        return text


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello", "WEIR_AUTH": "none", "WEIR_TRUSTED_PROXIES": "127.0.0.1"}


@pytest.mark.skipif(bool(missing(Nginx)), reason="nginx is missing")
def test_the_proxy_of_the_documentation_is_in_order(weir, tmp_path):
    proxy = Nginx(tmp_path / "proxy", weir.port)
    try:
        proxy.start()
        report = doctor(tmp_path, "--data", weir.data, "--url", proxy.url, "--auth", "none")
    finally:
        proxy.stop()
    assert set(report.statuses("proxy")) == {"good"} and report.code == 0, report.findings


@pytest.mark.skipif(bool(missing(Nginx)), reason="nginx is missing")
def test_a_proxy_that_limits_and_hides_is_told(weir, tmp_path):
    proxy = Hiding(tmp_path / "proxy", weir.port)
    try:
        proxy.start()
        report = doctor(tmp_path, "--data", weir.data, "--url", proxy.url, "--auth", "none")
    finally:
        proxy.stop()
    assert report.code == 1
    assert "Host $http_host" in report.said("proxy", "failure", "refuses their forms")
    assert "client_max_body_size" in report.said("proxy", "failure", "refuses bodies")
    report.said("proxy", "failure", "Clients can choose the address")


class Keeping(http.server.BaseHTTPRequestHandler):
    """A proxy that passes on an answer when it is whole, and ends silent connections after five seconds."""

    origin, patience = None, 30

    def do_GET(self):
        request = urllib.request.Request(self.origin + self.path, headers={"Host": self.headers["Host"]})
        body = b""
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=self.patience) as answer:
            with contextlib.suppress(TimeoutError):
                while part := answer.read1():
                    body += part
                    if self.patience < 14:
                        self.wfile.write(b"" if len(body) > len(part) else b"HTTP/1.0 200 OK\r\n\r\n")
                        self.wfile.write(part)
        if self.patience >= 14:
            self.wfile.write(b"HTTP/1.0 200 OK\r\n\r\n" + body)

    def do_POST(self):
        self.wfile.write(b"HTTP/1.0 405 No\r\n\r\n")

    def log_message(self, *words):
        pass


@pytest.mark.parametrize(
    "patience, words, remedy", [(30, "keeps answers back", "proxy_buffering off"), (5, "ended a silent connection", "proxy_read_timeout")])
def test_a_proxy_that_keeps_answers_back_or_ends_silent_connections_is_told(weir, tmp_path, patience, words, remedy):
    handler = type("Handler", (Keeping,), {"origin": weir.url, "patience": patience})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        report = doctor(tmp_path, "--data", weir.data, "--url", f"http://127.0.0.1:{proxy.server_address[1]}", "--auth", "none")
        proxy.shutdown()
    assert report.code == 1 and remedy in report.said("proxy", "failure", words)


def test_a_public_url_that_leads_nowhere_is_told(weir, tmp_path, port):
    report = doctor(tmp_path, "--data", weir.data, "--url", f"http://127.0.0.1:{port}")
    assert report.code == 1
    report.said("proxy", "failure", "does not answer")
