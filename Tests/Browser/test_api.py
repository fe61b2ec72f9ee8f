"""The server keeps to its description of the API: requests made from it, by schemathesis, find nothing."""

import json
import os
import pathlib
import subprocess
import sys

import httpx
import pytest
from weir import BINARY, until

SCHEMATHESIS = pathlib.Path(sys.executable).with_name("schemathesis")
BUILD = """
title: Build
inputs: [{name: version}, {name: count, type: integer}, {name: quick, type: switch}]
shell: |
  echo "building $WEIR_INPUT_VERSION"
  echo careful >&2
  mkdir -p dist
  echo package > dist/package.txt
artifacts: ["dist/*"]
"""
RELEASE = """
title: Release
inputs: [{name: version}]
steps:
  - {name: build, shell: "echo built"}
  - {name: approval, approve: {prompt: "Go live?"}}
"""
NIGHTLY = """
title: Nightly
command: [echo, nightly]
schedule: {cron: "30 3 * * *", inputs: {}}
"""
REPORTED = "title: Backup\nreported: true\n"


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, text in {"build": BUILD, "release": RELEASE, "nightly": NIGHTLY, "backup": REPORTED}.items():
        (folder / f"{name}.yml").write_text(text)
    (tmp_path / "party.md").write_text("# Party\n\n- [ ] Bake a cake\n- [ ] Hang the lamps\n")
    return {
        "WEIR_OPERATIONS": str(folder), "WEIR_RUNBOOK": str(tmp_path / "party.md"), "WEIR_LOG_LEVEL": "warning",
        "WEIR_BACKUP_FOLDER": str(tmp_path / "backups"),
    }


def token(weir, role):
    """A token with a role, once the server knows it."""
    made = subprocess.run(
        [BINARY, "token", "create", f"one {role}", "--role", role, "--data", str(weir.data)], capture_output=True, text=True, check=True,
        env=weir.environment, cwd=weir.folder)
    headers = {"Authorization": "Bearer " + next(word for word in made.stdout.split() if word.startswith("weir_"))}
    until(lambda: httpx.get(f"{weir.url}/api/v1/operations", headers=headers, trust_env=False).status_code == 200)
    return headers


def prepare(weir):
    """Makes something of each kind, and returns their names by the name of their parameter."""
    runs = [weir.ask("operations/build/runs", "POST", {"version": f"v{number}"})["id"] for number in range(2)]
    runs += [weir.ask(f"operations/{name}/runs", "POST", {})["id"] for name in ["nightly", "release"]]
    until(lambda: all(weir.ask(f"runs/{run}")["endedAt"] for run in runs[:3]))
    with httpx.Client(base_url=f"{weir.url}/api/v1", headers=weir.headers, trust_env=False) as client:
        opened = client.put("streams/reported/backup/nightly-1", json={"title": "Nightly"})
        assert opened.status_code == 201
    feeds = ["board", "operation-build", "store-runbook-party", f"run-{runs[0]}", f"output-{runs[0]}"]
    return {
        "run": [*runs, "nightly-1"], "operation": ["build", "release", "nightly", "backup", "file-upload"],
        "store": ["runbook-party"], "feed": feeds, "name": ["dist/package.txt"],
    }


# What the description cannot say: parameters that exclude each other, and texts that the server makes, such as cursors.
DEPENDENT = [
    "listRuns", "exportRuns", "readOutput", "compareRuns", "listChanges", "readStream", "readOutputText", "readReport",
    "openReport", "reportMessages", "createUpload", "startRun", "retryRun", "sendAction", "replaceState",
    "importRuns", "getReport",
]
# A valid request can be refused for what it names: an input depends on the operation, and a run's state on the moment.
VALID = ["2xx", "304", "401", "403", "404", "409", "410", "412", "413", "415", "422", "429", "460", "503", "507"]
INVALID = ["400", "401", "403", "404", "405", "406", "409", "410", "412", "413", "415", "422", "428", "429", "431", "460", "5xx"]


def check(weir, folder, names, examples, phases, seed, headers=None):
    """Runs schemathesis; every finding is an error of the server, or of its description."""
    lines = [
        f"seed = {seed}", "workers = 2", "request-timeout = 70", "max-failures = 20", "max-stream-events = 3",
        "continue-on-failure = true",
    ]
    for name, values in names.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(values)}"]
    lines += ["[parameters]"]
    lines += [f'"path.{name}" = {{ dictionary = "{name}", probability = 0.7 }}' for name in names]
    lines += [
        # Held requests would take the time of the test.
        '"query.wait" = 0', '"query.with" = { dictionary = "run", probability = 0.7 }',
        "[generation]", f"max-examples = {examples}", "allow-extra-parameters = false",
        "[checks]",
        f"positive_data_acceptance = {{ expected-statuses = {json.dumps(VALID)} }}",
        f"negative_data_rejection = {{ expected-statuses = {json.dumps(INVALID)} }}",
        f"missing_required_header = {{ expected-statuses = {json.dumps(INVALID)} }}",
    ]
    for name in DEPENDENT:
        lines += [
            "[[operations]]", f'include-operation-id = "{name}"',
            f"checks.positive_data_acceptance.expected-statuses = {json.dumps([*VALID, '400'])}",
        ]
    config = folder / "schemathesis.toml"
    config.write_text("\n".join(lines) + "\n")
    done = subprocess.run(
        [SCHEMATHESIS, "--config-file", config, "--no-color", "run", f"{weir.url}/api/v1/openapi.json", "--phases", phases,
         "--warnings", "off",
         # No serializer of schemathesis makes the body of a continued upload.
         "--exclude-operation-id", "continueUpload", "--output-truncate", "true",
         *(part for name, value in (headers or {}).items() for part in ("--header", f"{name}: {value}"))],
        capture_output=True, text=True, timeout=3_000, cwd=folder,
        env={**os.environ, "NO_PROXY": "127.0.0.1", "COLUMNS": "160"},
    )
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
    assert weir.process.poll() is None


def test_requests_made_from_the_description_find_nothing(weir, tmp_path):
    check(weir, tmp_path, prepare(weir), 5, "coverage", 1)


@pytest.mark.long
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_many_requests_made_from_the_description_find_nothing(weir, tmp_path, seed):
    check(weir, tmp_path, prepare(weir), 100, "coverage,fuzzing,stateful", seed)


class TestWithRights:
    @pytest.fixture
    def settings(self, settings):
        return {**settings, "WEIR_AUTH": "password"}

    @pytest.mark.long
    @pytest.mark.parametrize("seed", [5, 6])
    @pytest.mark.parametrize("role", ["viewer", "operator", "admin"])
    def test_requests_of_each_role_find_nothing(self, weir, tmp_path, role, seed):
        weir.headers = token(weir, "admin")
        names = prepare(weir)
        headers = weir.headers if role == "admin" else token(weir, role)
        check(weir, tmp_path, names, 20, "coverage,fuzzing,stateful", seed, headers)
