"""Clients that generators make from the description of the API, in Python and TypeScript, at work on a server."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

CLIENTS = pathlib.Path(__file__).resolve().parents[1] / "APIClients"
EXPECTED = ["succeeded", {"label": "World"}, [], True, "urn:weir:problem:unknown-run"]


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, **options)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-4_000:]
    return done.stdout


@pytest.fixture
def settings(sky):
    return {"WEIR_GREETING_URL": sky.url + "/hello"}


@pytest.fixture
def description(weir, tmp_path):
    file = tmp_path / "openapi.json"
    file.write_text(json.dumps(weir.ask("openapi.json")))
    return file


@pytest.mark.long
def test_a_generated_client_in_python_starts_a_run_and_reads_it(weir, description, tmp_path):
    generator = pathlib.Path(sys.executable).with_name("openapi-python-client")
    run(generator, "generate", "--path", description, "--output-path", tmp_path / "python")
    told = run(sys.executable, CLIENTS / "client.py", f"{weir.url}/api/v1", env={**os.environ, "PYTHONPATH": str(tmp_path / "python")})
    assert json.loads(told) == EXPECTED


@pytest.mark.long
@pytest.mark.skipif(not all(map(shutil.which, ["java", "tsc", "node"])), reason="needs Java, TypeScript and Node")
def test_a_generated_client_in_typescript_starts_a_run_and_reads_it(weir, description, tmp_path):
    generator = pathlib.Path(sys.executable).with_name("openapi-generator-cli")
    run(
        generator, "generate", "-g", "typescript-fetch", "-i", description, "-o", tmp_path / "generated",
        # Without the latter, it refers to types of forms that it does not write.
        "--skip-validate-spec", "--global-property", "skipFormModel=false",
    )
    for name in ["client.ts", "tsconfig.json"]:
        shutil.copy(CLIENTS / name, tmp_path)
    run("tsc", "-p", tmp_path / "tsconfig.json")
    assert json.loads(run("node", tmp_path / "js" / "client.js", f"{weir.url}/api/v1")) == EXPECTED
