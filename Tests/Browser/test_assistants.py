"""Assistants: a public client of the Model Context Protocol, over standard input and over HTTP."""

import asyncio
import json
import subprocess

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from weir import BINARY, apart, until

BUILD = """
title: Build
inputs: [{name: version}]
shell: |
  echo "building $WEIR_INPUT_VERSION"
  test "$WEIR_INPUT_VERSION" != v2 || { echo "no space left" >&2; exit 3; }
"""
RELEASE = """
title: Release
steps:
  - {name: check, shell: "echo checked"}
  - {name: approval, approve: {prompt: "Go live?"}}
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "build.yml").write_text(BUILD)
    (folder / "release.yml").write_text(RELEASE)
    return folder


@pytest.fixture
def settings(folder):
    return {"WEIR_OPERATIONS": str(folder), "WEIR_ASSISTANTS_CHANGES": "yes"}


def command(weir, *flags, token=None):
    """Starts `weir mcp`, as an assistant does."""
    environment = {**weir.environment, "WEIR_SERVER": weir.url, "HOME": str(weir.folder), **({"WEIR_TOKEN": token} if token else {})}
    return StdioServerParameters(command=BINARY, args=["mcp", *flags], env=environment, cwd=weir.folder)


def http(weir, token=None):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    client = httpx2.AsyncClient(headers=headers, trust_env=False, timeout=90)
    return streamable_http_client(f"{weir.url}/mcp", http_client=client)


def transports(weir, token=None):
    return {"stdio": lambda: command(weir, "--allow-changes", token=token), "http": lambda: http(weir, token)}


async def value(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_assistant_starts_follows_and_explains(weir, transport):
    async def talk():
        async with Client(transports(weir)[transport]()) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["start_run"].annotations.destructive_hint and tools["list_runs"].annotations.read_only_hint
            found = await value(client, "list_operations", search="build")
            assert found["operations"][0]["inputSchema"]["properties"]["version"]
            runs = []
            for version in ["v1", "v2"]:
                run = await value(client, "start_run", operation="build", input={"version": version})
                runs.append(await value(client, "follow_run", run=run["id"], seconds=30))
            assert [run["phase"] for run in runs] == ["succeeded", "failed"]
            why = await value(client, "explain_failure", run=runs[1]["id"])
            assert ("stderr", "no space left") in {(line["channel"], line["text"]) for line in why["lastLines"]}
            assert why["sinceLastSuccess"]["lastSuccess"]["id"] == runs[0]["id"]
            assert why["sinceLastSuccess"]["inputs"] == {"version": {"then": "v1", "now": "v2"}}
            assert why["link"] == f"{weir.url}/runs/{runs[1]['id']}"
            lines = await value(client, "read_output", run=runs[1]["id"], search="BUILDING")
            assert [line["text"] for line in lines["lines"]] == ["building v2"] and lines["matches"] == 1
            listed = await value(client, "list_runs", operation="build", phase="failed")
            assert [run["id"] for run in listed["runs"]] == [runs[1]["id"]]
            missing = await client.call_tool("follow_run", {"run": "nothere"})
            assert missing.is_error

    apart(talk())


@pytest.mark.parametrize("transport", ["stdio", "http"])
def test_an_assistant_decides_and_cancels(weir, transport):
    async def talk():
        async with Client(transports(weir)[transport]()) as client:
            for last, phase in [("decide", "succeeded"), ("cancel", "cancelled")]:
                run = (await value(client, "start_run", operation="release"))["id"]
                await asyncio.to_thread(until, lambda run=run: weir.ask(f"runs/{run}")["case"] == "approval")
                if last == "decide":
                    await value(client, "decide_step", run=run, step="approval", decision="approve")
                else:
                    await value(client, "cancel_run", run=run)
                assert (await value(client, "follow_run", run=run, seconds=30))["phase"] == phase

    apart(talk())


def test_an_assistant_only_reads_unless_it_is_told_otherwise(weir):
    async def talk():
        async with Client(command(weir)) as client:
            assert "start_run" not in {tool.name for tool in (await client.list_tools()).tools}
            with pytest.raises(Exception, match="no such tool"):
                await client.call_tool("start_run", {"operation": "build"})

    apart(talk())
    assert weir.ask("runs")["runs"] == []


class TestWithRights:
    @pytest.fixture
    def settings(self, folder):
        return {"WEIR_OPERATIONS": str(folder), "WEIR_ASSISTANTS_CHANGES": "yes", "WEIR_AUTH": "password"}

    @pytest.mark.parametrize("transport", ["stdio", "http"])
    def test_an_assistant_has_the_rights_of_its_token(self, weir, transport):
        made = subprocess.run(
            [BINARY, "token", "create", "helper", "--role", "viewer", "--data", str(weir.data)],
            capture_output=True, text=True, check=True, env=weir.environment, cwd=weir.folder,
        )
        token = next(word for word in made.stdout.split() if word.startswith("weir_"))

        async def talk():
            async with Client(transports(weir, token)[transport]()) as client:
                assert (await value(client, "list_operations", search="build"))["operations"]
                refused = await client.call_tool("start_run", {"operation": "build"})
                assert refused.is_error

        until(lambda: httpx2.get(f"{weir.url}/api/v1/operations", headers={"Authorization": f"Bearer {token}"}, trust_env=False).status_code == 200)
        apart(talk())
        with httpx2.Client(trust_env=False) as client:
            assert client.post(f"{weir.url}/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "ping"}).status_code == 401


def test_hostile_lines_on_standard_input_get_errors_and_the_next_line_is_answered(weir):
    lines = [
        b"{", b"[]", b"\xff\xfe", b'{"jsonrpc":"2.0"}', b"9" * 3_000_000, b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}',
        b"[" * 500_000, b'{"jsonrpc":"2.0","id":"last","method":"ping"}',
    ]
    process = subprocess.Popen(
        [BINARY, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=weir.folder,
        env={**weir.environment, "WEIR_SERVER": weir.url, "HOME": str(weir.folder)},
    )
    process.stdin.write(b"\n".join(lines) + b"\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in lines]
    assert {"jsonrpc": "2.0", "id": "last", "result": {}} in answers
    # A number beyond the range of numbers is a text, as in every body.
    assert {"jsonrpc": "2.0", "id": "1e400", "result": {}} in answers
    assert sum(answer.get("error", {}).get("code") in (-32700, -32600) for answer in answers) == len(lines) - 2
    process.stdin.close()
    assert process.wait(20) == 0
