"""Triggers and notifications on the real server: signed requests, messages to receivers, kills in between."""

import hashlib
import hmac
import json
import subprocess
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from receivers import Receivers
from weir import BINARY, until

DEPLOY = """
title: Deploy & tell
inputs: [{name: branch, required: true}]
command: [sh, -c, 'test "$1" != refs/heads/bad', deploy, "{{branch}}"]
triggers:
  - name: push
    secret: github
    only: {header.X-GitHub-Event: push}
    inputs: {branch: "{{body.ref}}"}
notify:
  - {when: [failed, succeeded], webhook: {url: "{{secrets.slack}}", body: slack}}
  - {when: [failed, succeeded], webhook: {url: "URL/teams", body: teams}}
  - {when: [failed, succeeded], webhook: {url: "URL/ntfy/topic", body: ntfy}}
  - {when: [failed, succeeded], webhook: {url: "URL/generic", signed_with: github}}
"""
RETRIED = """
title: Retried
command: ["false"]
notify: [{when: [failed], webhook: {url: "URL/broken"}}]
"""


@pytest.fixture
def receivers():
    receivers = Receivers()
    yield receivers
    receivers.stop()
    assert receivers.wrong == []


@pytest.fixture
def settings(tmp_path, receivers):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "deploy.yml").write_text(DEPLOY.replace("URL", receivers.url))
    (folder / "retried.yml").write_text(RETRIED.replace("URL", receivers.url))
    secrets = {"slack": f"{receivers.url}/slack/T0/B0/abcdefghijkl"}
    for name, value in secrets.items():
        command = [BINARY, "secret", "set", name, "--data", str(tmp_path / "data")]
        subprocess.run(command, input=value, text=True, check=True, cwd=tmp_path, capture_output=True)
    return {"WEIR_OPERATIONS": str(folder)}


@pytest.fixture
def secret(tmp_path, settings):
    command = [BINARY, "secret", "make", "github", "--data", str(tmp_path / "data")]
    return subprocess.run(command, text=True, check=True, cwd=tmp_path, capture_output=True).stdout.strip()


def test_a_secret_is_set_only_if_that_can_be_audited(tmp_path):
    data = tmp_path / "other"
    (data / "access.sqlite").mkdir(parents=True)
    command = [BINARY, "secret", "set", "slack", "--data", str(data)]
    ended = subprocess.run(command, input="value of it", text=True, cwd=tmp_path, capture_output=True)
    assert ended.returncode != 0
    assert not (data / "secrets.json").exists()


def push(weir, secret, ref, event="push"):
    """A request as GitHub sends it; its status and answer."""
    body = json.dumps({"ref": ref}).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"X-Hub-Signature-256": signature, "X-GitHub-Event": event, "Content-Type": "application/json"}
    request = urllib.request.Request(weir.url + "/hooks/deploy/push", body, headers)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_push_starts_a_run_and_every_receiver_is_told_in_its_own_way(secret, weir, receivers):
    assert push(weir, secret, "refs/heads/main", event="ping")[0] == 200
    assert push(weir, secret, "refs/heads/main", event="issues")[1]["ignored"]
    assert push(weir, "wrong", "refs/heads/main")[0] == 401
    status, answer = push(weir, secret, "refs/heads/bad")
    assert status == 202
    run = answer["run"]
    until(lambda: len(receivers.taken) == 4)
    assert receivers.of("slack")[0].startswith("Deploy &amp; tell failed")
    assert receivers.of("teams") == ["Deploy & tell failed"]
    assert receivers.of("ntfy") == ["Deploy & tell failed"]
    assert receivers.of("generic")[0]["run"]["input"] == {"branch": "refs/heads/bad"}
    assert receivers.of("generic")[0]["actor"] == "hook deploy/push"
    assert push(weir, secret, "refs/heads/bad")[1] == {**answer, "repeated": True}

    def stand():
        return [delivery["status"] for delivery in weir.ask(f"runs/{run}/notifications")["deliveries"]]

    until(lambda: stand() == ["delivered"] * 4)
    weir.terminate()
    # Neither the address of Slack nor the secret is anywhere but in the file of secrets.
    for file in weir.data.rglob("*"):
        if file.is_file() and file.name != "secrets.json":
            content = file.read_bytes()
            assert b"abcdefghijkl" not in content and secret.encode() not in content, file.name
    assert "abcdefghijkl" not in weir.log.read_text()
    assert (weir.data / "secrets.json").stat().st_mode & 0o077 == 0


@pytest.mark.long
def test_a_message_outlives_the_kill_of_the_server(secret, weir, receivers):
    def deliveries():
        return weir.ask("operations/retried/notifications")["deliveries"]

    start(weir, "retried")
    until(lambda: deliveries() and deliveries()[0]["detail"])
    weir.kill()
    receivers.fails = False
    weir.start()
    until(lambda: receivers.of("broken"))
    assert len(receivers.of("broken")) == 1
    until(lambda: deliveries()[0]["status"] == "delivered")
    assert deliveries()[0]["id"] == receivers.of("broken")[0]["delivery"]


def start(weir, operation):
    request = urllib.request.Request(
        f"{weir.url}/api/v1/operations/{operation}/runs", b"{}", {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request).close()


@pytest.mark.long
def test_somebody_sends_a_test_from_the_page(secret, weir, visit, receivers):
    push(weir, secret, "refs/heads/main")
    page = visit("/operations/deploy", java_script_enabled=False)
    expect(page.locator("#triggers")).to_contain_text("POST /hooks/deploy/push")
    # What is loaded anew has to be there: the answer to the form.
    with page.expect_navigation():
        page.get_by_role("button", name="Send a test").click()
    until(lambda: len(receivers.taken) == 8)

    def is_shown():
        page.reload()
        return page.locator("#notifications .chip", has_text="Delivered").count() == 8

    until(is_shown)
    expect(page.locator("#notifications")).to_contain_text("Slack: secrets.slack")
    expect(page.locator("#notifications")).not_to_contain_text("abcdefghijkl")
