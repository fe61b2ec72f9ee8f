"""Files that runs of programs keep: on the page, by the API, in later steps, and after retention."""

import httpx
import pytest
from playwright.sync_api import expect
from weir import until

BUILD = """
title: Build
shell: |
  mkdir -p dist
  printf 'name,size\\nAna,1\\n' > dist/table.csv
  printf 'hello <b>' > dist/notes.txt
  printf '<script>document.title = "ran"</script><p>still</p>' > dist/page.html
  printf '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"/>' > dist/picture.svg
  ln -sf /etc/hostname dist/link.txt
  while test -e wait; do sleep 0.05; done
artifacts: ["dist/*"]
"""

RELEASE = """
title: Release
steps:
  - {name: build, shell: "echo package > package.txt; echo more > more.txt", artifacts: [package.txt, more.txt]}
  - {name: publish, command: [cat, "{{steps.build.artifacts.1}}"]}
  - {name: each, for_each: "{{steps.build.artifacts}}", command: [test, -s, "{{item}}"]}
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
    return {"WEIR_OPERATIONS": str(folder)}


def ended(weir, operation):
    run = weir.ask(f"operations/{operation}/runs", "POST", {})["id"]
    until(lambda: weir.ask(f"runs/{run}")["endedAt"])
    return run


def test_the_page_of_a_run_lists_its_files_when_it_ends_and_shows_them(weir, visit, folder):
    (folder / "wait").touch()
    run = weir.ask("operations/build/runs", "POST", {})["id"]
    page = visit(f"/runs/{run}")
    expect(page.locator(".artifacts")).to_have_count(0)
    (folder / "wait").unlink()
    expect(page.locator(".artifacts li")).to_have_count(4)
    expect(page.locator("#output")).to_contain_text("“dist/link.txt” is not kept: it is a link")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download dist/notes.txt").click()
    assert download.value.suggested_filename == "notes.txt"
    assert download.value.path().read_text() == "hello <b>"
    page.get_by_role("link", name="dist/table.csv", exact=True).click()
    expect(page.get_by_role("columnheader", name="size")).to_be_visible()
    expect(page.get_by_role("cell", name="Ana")).to_be_visible()
    page.goto(f"{weir.url}/runs/{run}/artifacts/dist/picture.svg?show=page")
    expect(page.locator("img.file")).to_have_js_property("naturalWidth", 4)


def test_html_that_a_program_made_is_shown_and_runs_no_script(weir, visit):
    run = ended(weir, "build")
    page = visit(f"/runs/{run}/artifacts/dist/page.html?show=page")
    page.get_by_role("link", name="Show the file").click()
    expect(page.get_by_text("still")).to_be_visible()
    assert page.title() != "ran"
    assert page.evaluate("self.origin") == "null"


def test_later_steps_read_the_files_that_an_earlier_one_keeps(weir):
    run = ended(weir, "release")
    steps = weir.ask(f"runs/{run}")["state"]["steps"]
    assert [step["status"] for step in steps] == ["succeeded"] * 3, steps
    assert steps[2]["items"]["marks"] == "ss"
    lines = weir.ask(f"runs/{steps[1]['run']}/output")["lines"]
    assert [line["text"] for line in lines] == ["package"]


def test_files_are_private_on_the_disk_and_listed_by_the_api(weir):
    run = ended(weir, "build")
    files = weir.ask(f"runs/{run}/artifacts")["artifacts"]
    assert [file["name"] for file in files] == [
        "dist/notes.txt", "dist/page.html", "dist/picture.svg", "dist/table.csv"]
    answer = httpx.get(weir.url + files[0]["url"], trust_env=False)
    assert answer.text == "hello <b>"
    kept = [path for path in (weir.data / "artifacts").rglob("*")]
    assert kept and all(path.stat().st_mode & 0o077 == 0 for path in kept)
