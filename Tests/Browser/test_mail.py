"""E-mail through a real mail server: TLS, sign-in, refusals, cut connections and servers that hang."""

import contextlib
import datetime
import json
import os
import sqlite3
import subprocess

import pytest
from mailbox import Mailbox, Silent
from weir import BINARY, until

OPERATION = """
title: "Cópia & <b>envio</b> 🚰"
command: [sh, -c, 'for i in $(seq 30); do echo "line $i <script>"; done; echo .; echo "the token is $TOKEN"; exit 3']
inputs: [{name: token, type: secret, kept: token}]
env: {TOKEN: "{{token}}"}
notify: [{when: [failed], email: [ops@example.com, team@example.com]}]
"""


@pytest.fixture
def tls():
    return "starttls"


@pytest.fixture
def mailbox(tmp_path, tls):
    mailbox = Mailbox(tmp_path, tls)
    yield mailbox
    mailbox.stop()


@pytest.fixture
def settings(tmp_path, mailbox, tls):
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "copy.yml").write_text(OPERATION)
    for name, value in {"mail": mailbox.password, "token": "a-token-of-some-length"}.items():
        command = [BINARY, "secret", "set", name, "--data", str(tmp_path / "data")]
        subprocess.run(command, input=value, text=True, check=True, cwd=tmp_path, capture_output=True)
    signed_in = {"WEIR_MAIL_USER": mailbox.user, "WEIR_MAIL_PASSWORD": "mail"}
    return {
        "WEIR_MAIL_SERVER": mailbox.address, "WEIR_MAIL_FROM": "weir@example.com", "WEIR_MAIL_SECURITY": tls,
        "WEIR_MAIL_CA_FILE": str(mailbox.authority), **(signed_in if tls != "none" else {}),
    }


def delivery(weir, status="delivered", seconds=30):
    """The newest message, once it has come to a status."""

    def now():
        found = weir.ask("operations/copy/notifications")["deliveries"]
        return found and found[0]["status"] == status and found[0]["detail"] and found[0]

    return until(now, seconds)


@pytest.mark.parametrize("tls", ["starttls", "tls", "none"])
def test_a_failed_run_is_mailed_as_text_and_html_with_its_last_lines_and_a_link(weir, mailbox, tls):
    run = weir.run("copy")["id"]
    assert delivery(weir)["attempts"] == 1
    assert mailbox.receivers == [["ops@example.com", "team@example.com"]]
    if tls != "none":
        assert mailbox.sign_ins == [("PLAIN", tls == "starttls", True)]
    mail = mailbox.mails[0]
    assert mail["Subject"] == "Cópia & <b>envio</b> 🚰 failed"
    assert mail["From"].addresses[0].addr_spec == "weir@example.com"
    assert [address.addr_spec for address in mail["To"].addresses] == ["ops@example.com", "team@example.com"]
    assert mail["Message-ID"] == f"<{run}-1@example.com>" and mail["Auto-Submitted"] == "auto-generated"
    assert mail["Date"].datetime.tzinfo and not mail.defects
    text, html = (mail.get_body((kind,)).get_content().replace("\r\n", "\n") for kind in ("plain", "html"))
    assert f"{weir.url}/runs/{run}" in text and f'href="{weir.url}/runs/{run}"' in html
    assert "line 13 <script>\n" in text and "\n.\n" in text and "line 12" not in text
    assert "line 30 &lt;script&gt;" in html and "<script>" not in html
    assert "a-token-of-some-length" not in text + html
    assert mailbox.password not in weir.log.read_text()


def test_a_message_that_is_refused_for_now_is_sent_again_only_to_whom_it_did_not_reach(weir, mailbox):
    mailbox.replies["RCPT"] = ["250 ok", "450 greylisted"]
    weir.run("copy")
    until(lambda: len(mailbox.mails) == 2)
    assert mailbox.receivers == [["ops@example.com"], ["team@example.com"]]
    assert len({mail["Message-ID"] for mail in mailbox.mails}) == 1
    assert delivery(weir)["attempts"] == 2


def test_a_message_that_is_refused_for_good_is_given_up_with_the_reason(weir, mailbox):
    mailbox.replies["RCPT"] = ["550 no such user", "250 ok"]
    weir.run("copy")
    found = delivery(weir, "failed")
    assert found["attempts"] == 1 and found["detail"] == "ops@example.com was refused: 550 no such user."
    assert mailbox.receivers == [["team@example.com"]]


def test_a_cut_connection_is_an_attempt_that_is_repeated(weir, mailbox):
    mailbox.replies["DATA"] = ["cut"]
    weir.run("copy")
    assert "connection" in delivery(weir, "waiting")["detail"]
    assert delivery(weir)["attempts"] == 2


def test_a_wrong_password_is_said_and_never_shown(weir, mailbox, tmp_path):
    command = [BINARY, "secret", "set", "mail", "--data", str(weir.data)]
    subprocess.run(command, input="wrong horse battery", text=True, check=True, cwd=tmp_path, capture_output=True)
    until(lambda: (weir.data / "secrets.json").read_text().count("wrong horse"))
    weir.run("copy")
    assert delivery(weir, "failed")["detail"].startswith("The mail server refused the sign-in: 535")
    assert mailbox.mails == [] and "wrong horse" not in weir.log.read_text()


def test_a_server_with_a_certificate_of_somebody_else_gets_nothing(weir, mailbox, tmp_path):
    weir.terminate()
    weir.environment.pop("WEIR_MAIL_CA_FILE")
    weir.start()
    weir.run("copy")
    assert "certificate is not trusted" in delivery(weir, "waiting")["detail"]
    assert mailbox.sign_ins == [] and mailbox.mails == []


@pytest.mark.long
@pytest.mark.parametrize("security", ["starttls", "tls"])
def test_a_server_that_hangs_ends_an_attempt_after_half_a_minute(weir, security):
    silent = Silent()
    weir.terminate()
    weir.environment |= {"WEIR_MAIL_SERVER": silent.address, "WEIR_MAIL_SECURITY": security}
    weir.start()
    weir.run("copy")
    assert "did not take the message within 30 s" in delivery(weir, "waiting", seconds=60)["detail"]
    silent.stop()


SUMMARIES = """
timezone: Europe/Lisbon
notify:
  - {name: day, digest: "HOUR:00", email: [ops@example.com]}
  - {name: week, report: monday 00:00, email: [lead@example.com]}
"""


def notified(weir):
    """What the server knows of its messages, as a dictionary; empty before the first."""
    with contextlib.closing(sqlite3.connect(weir.data / "deliveries.sqlite", timeout=10)) as database:
        row = database.execute("SELECT json FROM state").fetchone()
        return json.loads(row[0]) if row else {}


def sleep_for_a_week(weir):
    """Stops the server, moves its last digest and report eight days back, and starts it again."""
    weir.terminate()
    with contextlib.closing(sqlite3.connect(weir.data / "deliveries.sqlite")) as database:
        state = json.loads(database.execute("SELECT json FROM state").fetchone()[0])
        for tally in state["digests"].values():
            tally["since"] = database.execute(
                "SELECT strftime('%Y-%m-%dT%H:%M:%SZ', 'now', '-8 days')").fetchone()[0]
        database.execute("UPDATE state SET json = ?", [json.dumps(state).encode()])
        database.commit()
    weir.start()


def test_digests_and_reports_that_were_due_while_the_server_was_down_are_sent_once(weir, mailbox, tmp_path):
    weir.terminate()
    # Half a day from now, so that none becomes due during the test.
    hour = (datetime.datetime.now(datetime.timezone.utc).hour + 12) % 24
    (tmp_path / "weir.yml").write_text(SUMMARIES.replace("HOUR", f"{hour:02}"))
    weir.start()
    until(lambda: set(notified(weir).get("digests", {})) == {"day", "week"})
    run = weir.run("copy")["id"]
    until(lambda: notified(weir)["digests"]["day"]["ended"] == 1)

    def summaries():
        return [mail for mail in mailbox.mails if mail["Subject"].startswith("Weir at ")]

    sleep_for_a_week(weir)
    until(lambda: len(summaries()) >= 2, otherwise=lambda: [mail["Subject"] for mail in mailbox.mails])
    assert len(summaries()) == 2, [(mail["Subject"], mail["Message-ID"]) for mail in summaries()]
    day, week = sorted(summaries(), key=lambda mail: "week" in mail["Subject"])
    assert day["Subject"].endswith(": 1 failed run") and [a.addr_spec for a in day["To"].addresses] == ["ops@example.com"]
    assert "week to Sun" in week["Subject"] and [a.addr_spec for a in week["To"].addresses] == ["lead@example.com"]
    assert day["Message-ID"].startswith("<digest-day.") and week["Message-ID"].startswith("<report-week.")
    text, html = (day.get_body((kind,)).get_content().replace("\r\n", "\n") for kind in ("plain", "html"))
    assert f"- Cópia & <b>envio</b> 🚰 · 1 failed" in text and f"{weir.url}/runs/{run}" in text
    assert "(Europe/Lisbon). 1 run ended." in text
    assert f'<a href="{weir.url}/runs/{run}">Cópia &amp; &lt;b&gt;envio' in html and "<b>envio" not in html
    link = next(word for word in week.get_body(("plain",)).get_content().split() if "/report?" in word)
    report = weir.ask(link.split("/", 3)[3])
    asked = weir.ask("report?period=week")
    assert report["timezone"] == "Europe/Lisbon" and (report["from"], report["to"]) == (asked["from"], asked["to"])

    weir.terminate()
    weir.start()
    weir.run("copy")
    until(lambda: notified(weir)["digests"]["day"]["ended"] == 1)
    assert len(summaries()) == 2


def test_settings_of_mail_that_do_not_fit_together_are_refused_at_the_start(tmp_path):
    def start(**settings):
        variables = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_MAIL")}
        command = [BINARY, "serve", "--port", "0", "--data", str(tmp_path / "other")]
        ended = subprocess.run(
            command, env=variables | settings, cwd=tmp_path, capture_output=True, text=True, timeout=30)
        return ended.returncode, ended.stderr

    server = {"WEIR_MAIL_SERVER": "localhost:25"}
    code, words = start(**server)
    assert code == 78 and "mail.from is not" in words
    server["WEIR_MAIL_FROM"] = "weir@example.com"
    code, words = start(**server, WEIR_MAIL_USER="weir")
    assert code == 78 and "mail.password or mail.password-file" in words
    code, words = start(**server, WEIR_MAIL_USER="weir", WEIR_MAIL_PASSWORD="x", WEIR_MAIL_SECURITY="none")
    assert code == 78 and "readable on the network" in words
    code, words = start(WEIR_MAIL_SERVER="localhost:25", WEIR_MAIL_FROM="Weir <weir@example.com>\nBcc: x@example.com")
    assert code == 78 and "WEIR_MAIL_FROM" in words
