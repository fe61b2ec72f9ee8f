"""Conditions of the server itself, each brought about for real: reported at its begin and its end, and shown."""

import datetime
import json
import signal
import sqlite3
import ssl
import subprocess
import urllib.request

import pytest
import trustme
from receivers import Receivers
from weir import BINARY, until

HANGING = """
title: Hanging
command: [sh, -c, "until [ -e released ]; do sleep 0.1; done"]
schedule: {every: 1s}
"""
UNHEARD = """
title: Unheard
command: ["false"]
notify: [{when: [failed], webhook: {url: "URL/slack"}}]
"""


@pytest.fixture
def receivers():
    receivers = Receivers()
    yield receivers
    receivers.stop()


@pytest.fixture
def settings(tmp_path, receivers):
    folder = tmp_path / "operations"
    folder.mkdir()
    (tmp_path / "weir.yml").write_text(notify(receivers))
    (folder / "unheard.yml").write_text(UNHEARD.replace("URL", receivers.url))
    (tmp_path / "backups").write_text("")
    return {"WEIR_BACKUP_FOLDER": str(tmp_path / "backups"), "WEIR_RUNS_MAXIMUM_PER_OPERATION": "1"}


def notify(receivers):
    return f'notify:\n  - {{when: [server], webhook: {{url: "{receivers.url}/generic"}}}}\n'


def told(receivers, kind):
    """Whether each message about a condition was of its end, and what it says."""
    # A server that is killed before it knows that a message arrived sends it again, with the same id.
    bodies = {body["delivery"]: body["condition"] for body in receivers.of("generic")}.values()
    return [(body["over"], body["message"]) for body in bodies if body["kind"] == kind]


def standing(weir, context=None):
    request = urllib.request.Request(f"{weir.url}/health/ready")
    with urllib.request.urlopen(request, context=context, timeout=30) as answer:
        return json.load(answer)["conditions"]


def begun(weir, receivers, kind, words):
    until(lambda: told(receivers, kind))
    (is_over, message), = told(receivers, kind)
    assert not is_over and words in message, message


def ended(weir, receivers, kind):
    until(lambda: len(told(receivers, kind)) == 2)
    assert [is_over for is_over, _ in told(receivers, kind)] == [False, True]
    until(lambda: kind not in standing(weir))


def test_files_with_mistakes(weir, receivers):
    broken = weir.folder / "operations" / "broken.yml"
    broken.write_text("title: Broken\ncomand: [x]\n")
    begun(weir, receivers, "files", "broken.yml:2")
    assert standing(weir) == ["files"]
    page = weir.page("/system")
    assert "Files have mistakes" in page and "comand" in page
    metrics = urllib.request.urlopen(f"{weir.url}/metrics").read().decode()
    assert 'weir_server_condition{condition="files"} 1' in metrics
    assert 'weir_server_condition{condition="disk"} 0' in metrics
    broken.unlink()
    ended(weir, receivers, "files")


def test_refused_settings(weir, receivers):
    (weir.folder / "weir.yml").write_text(notify(receivers) + "prt: 1\n")
    weir.process.send_signal(signal.SIGHUP)
    begun(weir, receivers, "settings", "was refused")
    (weir.folder / "weir.yml").write_text(notify(receivers))
    weir.process.send_signal(signal.SIGHUP)
    ended(weir, receivers, "settings")


def test_a_disk_below_its_limit_is_not_reported_again_after_a_restart(weir, receivers):
    weir.terminate()
    weir.environment["WEIR_DISK_WARN_BELOW"] = "1000000 GB"
    weir.start()
    begun(weir, receivers, "disk", "disk.warn-below")
    weir.kill()
    weir.start()
    until(lambda: standing(weir) == ["disk"])
    weir.terminate()
    del weir.environment["WEIR_DISK_WARN_BELOW"]
    weir.start()
    ended(weir, receivers, "disk")


def test_a_scheduled_start_that_is_refused(weir, receivers):
    file = weir.folder / "operations" / "hanging.yml"
    file.write_text(HANGING)
    begun(weir, receivers, "schedule", "was refused")
    (weir.folder / "operations" / "released").touch()
    ended(weir, receivers, "schedule")


def test_a_message_that_is_given_up(weir, receivers):
    weir.run("unheard")
    begun(weir, receivers, "delivery", "Unheard failed")
    receivers._slack = receivers._generic
    weir.run("unheard")
    ended(weir, receivers, "delivery")


def test_a_test_by_the_rules_of_the_server_and_its_results(weir, receivers):
    client = ["--server", weir.url]
    sent = subprocess.run([BINARY, "notify", "test", *client], capture_output=True, text=True, check=True).stdout
    assert sent.startswith("waiting  test  Webhook: 127.0.0.1")
    until(lambda: [body for body in receivers.of("generic") if body["event"] == "test"])
    listed = lambda: subprocess.run([BINARY, "notify", "list", *client], capture_output=True, text=True, check=True).stdout
    until(lambda: listed().startswith("delivered  test"))
    assert "Send a test" in weir.page("/system")


def test_a_backup_that_failed(weir, receivers):
    weir.ask("backups", "POST", {})
    begun(weir, receivers, "backup", "")
    (weir.folder / "backups").unlink()
    weir.ask("backups", "POST", {})
    ended(weir, receivers, "backup")


def test_a_journal_that_accepts_nothing(weir, receivers):
    other = sqlite3.connect(weir.data / "journal.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    weir.run("greeting", label="During")
    begun(weir, receivers, "recording", "Another program holds the journal.")
    other.execute("ROLLBACK")
    other.close()
    ended(weir, receivers, "recording")


def test_a_certificate_that_ends_soon(weir, receivers):
    authority = trustme.CA()
    chain, key = weir.folder / "chain.pem", weir.folder / "key.pem"

    def issue(days):
        end = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=days)
        issued = authority.issue_cert("127.0.0.1", not_after=end)
        chain.write_bytes(issued.cert_chain_pems[0].bytes())
        key.write_bytes(issued.private_key_pem.bytes())

    issue(13)
    weir.terminate()
    weir.environment |= {"WEIR_TLS_CERT": str(chain), "WEIR_TLS_KEY": str(key)}
    weir.start()
    begun(weir, receivers, "certificate", "Renew it")
    issue(90)
    weir.process.send_signal(signal.SIGHUP)
    until(lambda: len(told(receivers, "certificate")) == 2)
    context = ssl.create_default_context()
    authority.configure_trust(context)
    until(lambda: standing(weir, context) == [])
