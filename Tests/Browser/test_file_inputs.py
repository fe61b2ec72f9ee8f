"""Programs of operation files that are given a file, and choices that programs list."""

import hashlib
import os

import httpx
import pytest
from playwright.sync_api import expect
from weir import until

RESTORE = """
title: Restore
inputs:
  - {name: table, required: true, options: {command: [cat, tables], cache: 1s}}
  - {name: dump, type: file, required: true}
shell: |
  while test -e wait; do sleep 0.05; done
  echo "$WEIR_INPUT_TABLE $(basename "$WEIR_INPUT_DUMP")"
  sha256sum < "$WEIR_INPUT_DUMP"
"""

COUNT = """
title: Count
inputs: [{name: lines, type: file}]
shell: 'test -z "$WEIR_INPUT_LINES" || { printf "\\033[31mno lines\\033[0m\\n" >&2; exit 3; }'
"""

LOOK = """
title: Look
inputs:
  - {name: database, options: [orders, users], required: true}
  - {name: table, required: true, options: {command: [cat, "{{database}}.tables"]}}
  - {name: note, options: [short, long]}
command: [echo, "{{database}}", "{{table}}", "{{note}}"]
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "restore.yml").write_text(RESTORE)
    (folder / "tables").write_text("orders\nusers\n")
    (folder / "count.yml").write_text(COUNT)
    (folder / "look.yml").write_text(LOOK)
    (folder / "orders.tables").write_text("lines\nstates\n")
    (folder / "users.tables").write_text("names\nstates\n")
    return folder


@pytest.fixture
def settings(folder):
    return {"WEIR_OPERATIONS": str(folder)}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mélange & co.sql"
    path.write_bytes(os.urandom(5_000_000))
    return path


@pytest.fixture(autouse=True)
def listed(weir):
    """Returns once the programs have listed their values: the server listens before that."""
    until(lambda: "still being read" not in weir.page("/operations/restore") + weir.page("/operations/look"))


@pytest.fixture
def client(weir):
    with httpx.Client(base_url=weir.url, trust_env=False, timeout=30) as client:
        yield client


def received(weir):
    folder = weir.data / "received"
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def output(client, run):
    return client.get(f"/runs/{run}/output").text


def told(file):
    return f"users {file.name}\n{hashlib.sha256(file.read_bytes()).hexdigest()}  -\n"


@pytest.mark.parametrize("java_script", [True, False])
def test_a_person_chooses_what_a_program_listed_and_a_file_for_a_program(visit, weir, client, file, java_script):
    page = visit("/operations/restore", java_script_enabled=java_script)
    assert page.get_by_label("Table").locator("option").all_inner_texts()[-2:] == ["orders", "users"]
    page.get_by_label("Table").select_option("users")
    page.set_input_files("input[type=file]", file)
    page.locator("#start button[type=submit]").click()
    run = until(lambda: weir.latest("restore"))
    assert weir.ended(run)["phase"] == "succeeded"
    assert output(client, run["id"]) == told(file)
    assert weir.cases(run) == ["waiting", "receiving", "running", "succeeded"]
    assert received(weir) == []
    page.goto(f"{weir.url}/runs/{run['id']}")
    expect(page.locator(".run > header .chip").first).to_have_text("Succeeded")


@pytest.mark.long
@pytest.mark.parametrize("way", ["form", "bytes", "parts"])
def test_a_program_sends_a_file_in_every_way(weir, client, file, way):
    runs = "/api/v1/operations/restore/runs"
    if way == "form":
        with file.open("rb") as opened:
            answer = client.post(runs, data={"table": "users"}, files={"dump": (file.name, opened)})
    elif way == "bytes":
        answer = client.post(runs, params={"filename": file.name, "table": "users"}, content=file.read_bytes())
    else:
        import base64

        fields = {"filename": file.name, "table": "users"}
        metadata = ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in fields.items())
        answer = client.post(
            "/api/v1/operations/restore/uploads",
            headers={"Tus-Resumable": "1.0.0", "Upload-Length": str(file.stat().st_size), "Upload-Metadata": metadata},
        )
        part = client.patch(
            answer.headers["Location"], content=file.read_bytes(),
            headers={"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"},
        )
        assert part.status_code == 204, part.text
    assert answer.status_code == 201, answer.text
    run = answer.json()
    assert weir.ended(run)["phase"] == "succeeded"
    assert output(client, run["id"]) == told(file)


def test_what_the_program_does_not_list_is_refused(weir, client, file):
    answer = client.post(
        "/api/v1/operations/restore/runs", params={"filename": file.name, "table": "secrets"}, content=b"x")
    assert answer.status_code == 422, answer.text
    assert "orders" in answer.text and "users" in answer.text
    assert weir.latest("restore") is None


@pytest.mark.long
def test_an_open_form_offers_what_the_program_lists_next(visit, folder):
    page = visit("/operations/restore")
    options = page.get_by_label("Table").locator("option")
    expect(options.last).to_have_text("users")
    (folder / "tables").write_text("orders\nusers\nviews\n")
    expect(options.last).to_have_text("views")


@pytest.mark.long
def test_a_choice_offers_what_fits_what_is_chosen_elsewhere(visit, weir, client):
    page = visit("/operations/look")
    offered = page.get_by_label("Table").locator("optgroup:not([hidden]) option")
    expect(offered).to_have_text(["lines", "states"])
    page.get_by_label("Table").select_option("lines")
    page.get_by_label("Database").select_option("users")
    expect(offered).to_have_text(["names", "states"])
    expect(page.get_by_label("Table")).to_have_value("")
    page.locator("optgroup:not([hidden]) option", has_text="states").evaluate("(option) => { option.selected = true; }")
    page.locator("#start button[type=submit]").click()
    run = until(lambda: weir.latest("look"))
    assert weir.ended(run)["phase"] == "succeeded"
    # What nobody chose is no argument.
    assert output(client, run["id"]) == "users states\n"


@pytest.mark.long
def test_without_javascript_what_does_not_fit_is_said_beside_the_field(visit, weir):
    page = visit("/operations/look", java_script_enabled=False)
    page.get_by_label("Database").select_option("users")
    page.get_by_label("Table").select_option("lines")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#start [role=alert]")).to_have_text("Choose “names” or “states”, not “lines”.")
    expect(page.get_by_label("Table")).to_have_value("lines")
    assert weir.latest("look") is None
    page.get_by_label("Table").select_option("names")
    page.locator("#start button[type=submit]").click()
    assert weir.ended(until(lambda: weir.latest("look")))["phase"] == "succeeded"


def test_a_file_does_not_outlive_its_run_nor_a_killed_server(weir, client, folder, file):
    (folder / "wait").touch()
    answer = client.post(
        "/api/v1/operations/restore/runs", params={"filename": file.name, "table": "users"}, content=file.read_bytes())
    run = answer.json()
    until(lambda: weir.ask(f"runs/{run['id']}")["case"] == "running")
    (kept,) = received(weir)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    weir.kill()
    weir.start()
    assert weir.ended(run)["case"] == "interrupted"
    assert received(weir) == []


@pytest.mark.long
def test_a_run_is_tried_again_as_it_was_unless_a_file_would_be_missing(visit, weir, client):
    without = weir.ended(weir.run("count"))
    page = visit(f"/runs/{without['id']}", locale="pt-BR")
    expect(page.get_by_role("button", name="Tentar novamente")).to_be_visible()
    # What a run need not pass through is no step of it until it does.
    expect(page.locator(".steps")).to_have_count(0)
    run = client.post("/api/v1/operations/count/runs", params={"filename": "x"}, content=b"x").json()
    assert weir.ended(run)["phase"] == "failed"
    page.goto(f"{weir.url}/runs/{run['id']}")
    expect(page.get_by_role("link", name="Escolher o arquivo de novo")).to_be_visible()
    expect(page.locator(".steps li")).to_have_count(2)
    expect(page.get_by_role("button", name="Tentar novamente")).to_have_count(0)
    # What happened is said in the reader's language, and the program's last line without its colours.
    expect(page.locator(".message").first).to_have_text("O script terminou com o código de saída 3.")
    expect(page.locator(".run")).to_contain_text("no lines")
    expect(page.locator(".run .state")).not_to_contain_text("[31m")
