"""Lines that have not ended: prompts and progress bars, live on the page, on a terminal and in the API, recorded once."""

import pytest
from playwright.sync_api import expect
from terminal import Terminal

FILE = """title: Prompt
command:
  - sh
  - -c
  - |
    step() { while [ ! -e "$GATES/$1" ]; do sleep 0.05; done; }
    printf 'Password: '
    step one
    printf '\\r10 %%'
    step two
    printf '\\r100 %%\\n'
    echo done
env: {GATES: "FOLDER"}
"""


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "prompt.yml").write_text(FILE.replace("FOLDER", str(tmp_path)))
    return {"WEIR_OPERATIONS": str(folder)}


@pytest.fixture
def prompt(weir):
    return weir.run("prompt")


def test_a_prompt_and_a_progress_bar_are_shown_before_they_end_and_recorded_once(visit, weir, prompt, tmp_path):
    page = visit(f"/runs/{prompt['id']}")
    unfinished = page.locator("#output-unfinished")
    expect(unfinished).to_have_text("Password: ")
    path = f"runs/{prompt['id']}/output"
    assert [line["text"] for line in weir.ask(path)["unfinished"]["lines"]] == ["Password: "]
    (tmp_path / "one").touch()
    expect(unfinished).to_have_text("10 %")
    (tmp_path / "two").touch()
    expect(unfinished).to_be_empty()
    weir.ended(prompt)
    expect(page.locator("#output-lines li")).to_have_text(["100 %", "done"])
    answer = weir.ask(path)
    assert [line["text"] for line in answer["lines"]] == ["100 %", "done"] and not answer["unfinished"]["lines"]


def test_a_terminal_shows_the_line_that_has_not_ended_in_place(weir, prompt, tmp_path):
    terminal = Terminal(tmp_path, WEIR_SERVER=weir.url)
    seen = [("Password: ", (tmp_path / "one").touch), ("10 %", (tmp_path / "two").touch)]
    status, text = terminal.screen("output", "-f", prompt["id"], seen=seen)
    terminal.close()
    assert status == 0
    assert text.replace("\r\n", "\n") == "Password: \r\x1b[K10 %\r\x1b[K100 %\ndone\n"
