"""Two servers on one database with different files, secrets and data folders: each says what it lacks, and which server has it."""

import hashlib
import hmac
import json
import subprocess
import urllib.error
import urllib.request

import pytest
from cluster import postgres, settings as cluster_settings  # noqa: F401
from weir import BINARY, Weir, until

KEPT = """
title: Kept
inputs: [{name: password, type: secret, kept: site}]
command: [sh, -c, 'echo "with $PASSWORD" > out.txt']
env: {PASSWORD: "{{password}}"}
artifacts: [out.txt]
triggers: [{name: push, secret: site}]
"""
VALUE = "correct horse battery staple"


def keep(server, verb="set"):
    command = [BINARY, "secret", verb, "site", "--data", str(server.data)]
    subprocess.run(command, input=VALUE, text=True, check=True, cwd=server.folder, capture_output=True)


def refused(ask, status):
    with pytest.raises(urllib.error.HTTPError) as caught:
        ask()
    assert caught.value.code == status
    return json.load(caught.value)


@pytest.fixture
def settings(cluster_settings, tmp_path):  # noqa: F811
    for name in ("operations", "others"):
        (tmp_path / name).mkdir(exist_ok=True)
        (tmp_path / name / "kept.yml").write_text(KEPT)
    return {name: value for name, value in cluster_settings.items() if name != "WEIR_RUNBOOK"}


@pytest.fixture
def weir(tmp_path, sky, settings):
    weir = Weir(tmp_path / "first", sky, settings)
    yield weir.start()
    weir.close()


@pytest.fixture
def other(tmp_path, sky, settings, weir):
    other = Weir(tmp_path / "other", sky, settings | {"WEIR_OPERATIONS": str(tmp_path / "others")})
    yield other.start()
    other.close()


def names(server):
    return {each["this"]: each["name"] for each in server.ask("servers")["servers"]}


def test_a_run_needs_the_secret_of_the_server_that_executes_it_and_its_files_are_there(weir, other):
    until(lambda: len(names(weir)) == 2)
    mine = names(other)[True]
    keep(weir)
    ended = other.ended(other.run("kept"))
    assert ended["phase"] == "failed"
    assert f"The server “{mine}” keeps no secret “site”." in json.dumps(ended, ensure_ascii=False)
    keep(weir, "remove")
    keep(other)
    run = until(lambda: (ended := other.ended(other.run("kept")))["phase"] == "succeeded" and ended)
    assert "keeps no secret" in json.dumps(refused(lambda: weir.run("kept"), 422))
    # The file is downloaded from the server that has it, and the other one names that server.
    [file] = weir.ask(f"runs/{run['id']}/artifacts")["artifacts"]
    assert (file["name"], file["server"]) == ("out.txt", mine)
    with urllib.request.urlopen(other.url + file["url"], timeout=30) as answer:
        assert answer.read().decode() == f"with {VALUE}\n"
    assert mine in refused(lambda: weir.ask(f"runs/{run['id']}/artifacts/out.txt"), 404)["detail"]


def test_servers_with_other_operation_files_are_told_apart(weir, other, tmp_path):
    until(lambda: len(names(weir)) == 2)

    def differ(server):
        return len({each["files"] for each in server.ask("servers")["servers"]}) > 1

    until(lambda: differ(weir) and differ(other))
    assert "The servers have different operation files" in weir.page("/system")
    until(lambda: "Other servers have other operation files" in other.log.read_text())
    for file in (tmp_path / "operations").iterdir():
        (tmp_path / "others" / file.name).write_bytes(file.read_bytes())
    until(lambda: not differ(weir) and not differ(other))
    assert "The servers have different operation files" not in other.page("/system")


def test_a_server_that_is_killed_is_reported_until_it_is_back_and_one_that_is_stopped_is_not(weir, other):
    until(lambda: len(names(weir)) == 2)
    other_name = names(other)[True]
    conditions = lambda: weir.ask("servers") and json.load(urllib.request.urlopen(f"{weir.url}/health/ready"))["conditions"]
    other.terminate()
    until(lambda: len(names(weir)) == 1)
    assert "server" not in conditions()
    other.start()
    until(lambda: len(names(weir)) == 2)
    other.kill()
    until(lambda: "server" in conditions())
    assert f"The server {other_name} has sent nothing" in weir.page("/system")
    other.start()
    until(lambda: "server" not in conditions())


def test_a_request_of_a_trigger_that_comes_to_two_servers_starts_one_run(weir, other):
    for server in (weir, other):
        keep(server)
    body = b'{"ref": "main", "id": 1}'
    signature = "sha256=" + hmac.new(VALUE.encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Weir-Signature": signature, "X-Hub-Signature-256": signature}
    answers = []
    for server in (other, weir, other):
        request = urllib.request.Request(server.url + "/hooks/kept/push", body, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            answers.append(json.load(answer))
    assert len({answer["run"] for answer in answers}) == 1
    assert [answer["repeated"] for answer in answers] == [False, True, True]
