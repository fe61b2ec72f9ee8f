"""What the tests of several servers on one PostgreSQL share: its database, the second and third server, and what they show."""

import json
import urllib.error
import urllib.request

import pytest
from playwright.sync_api import expect
from postgres import Postgres
from weir import Weir, until


@pytest.fixture
def postgres(tmp_path):
    postgres = Postgres(tmp_path / "postgres").start()
    yield postgres
    postgres.stop()


COUNT = """
title: Count
inputs: [{name: name, required: true}]
command: [sh, -c, 'for n in 1 2 3; do echo "line $n"; until test -e "$1.$n"; do sleep 0.02; done; done', sh, "%s/{{name}}"]
"""


SECRET = """
title: Secret
inputs: [{name: password, type: secret, required: true}]
command: [sh, -c, 'test "$PASSWORD" = hunter2hunter2 && echo "with $PASSWORD"']
env: {PASSWORD: "{{password}}"}
"""


@pytest.fixture
def settings(sky, postgres, tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "count.yml").write_text(COUNT % tmp_path)
    (folder / "secret.yml").write_text(SECRET)
    (tmp_path / "party.md").write_text("# Party\n\n- [ ] Bake a cake\n- [ ] Hang the lamps\n")
    return {
        "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_LOG_LEVEL": "warning", "WEIR_JOURNAL": postgres.database(),
        "WEIR_OPERATIONS": str(folder), "WEIR_RUNBOOK": str(tmp_path / "party.md"),
    }


@pytest.fixture
def other(tmp_path, sky, settings):
    """A second server on the same database; a test starts it."""
    other = Weir(tmp_path / "other", sky, settings)
    yield other
    other.close()


def role(weir):
    try:
        with urllib.request.urlopen(weir.url + "/health/ready", timeout=30) as answer:
            return json.load(answer)["role"]
    except OSError:
        return None  # It cannot record at the moment, or is not there.


def taken_over(weir):
    """Returns once the server has taken the place of another: with a run that it has carried out."""

    def begin():
        try:
            return weir.run("greeting", label="taken over")
        except urllib.error.HTTPError as refused:
            assert refused.code == 503
            return None

    run = weir.ended(until(begin))
    assert (role(weir), run["phase"]) == ("recording", "succeeded")


def shown(weir):
    """The history that a server shows: its epoch, and which change has which sequence."""
    epoch = weir.ask("feeds/board/changes")["epoch"]
    return epoch, [(c["sequence"], c["stream"], c["revision"], c["case"]) for c in weir.changes("board")]


def shows_the_same(weir, other):
    """Returns once both show the same changes with the same sequences of the same history, and that history."""
    until(lambda: shown(other) == shown(weir))
    epoch, changes = shown(weir)
    assert [change[0] for change in changes] == list(range(1, len(changes) + 1))
    return epoch, changes


@pytest.fixture
def third(tmp_path, sky, settings):
    """A third server on the same database; a test starts it."""
    third = Weir(tmp_path / "third", sky, settings)
    yield third
    third.close()


def start_by_hand(page, plain, url, count):
    """Greets so many times on a page that is live, and on one without JavaScript, and sees each greeting there."""
    for number in range(count):
        page.get_by_label("Label").fill(f"live {number}")
        page.locator("#start button[type=submit]").click()
        expect(page.locator("#current .state")).to_have_text(f"Success: Hello, live {number}!")
        plain.goto(url + "/operations/greeting")
        plain.get_by_label("Label").fill(f"plain {number}")
        plain.locator("#start button[type=submit]").click()
        expect(plain.locator("main")).to_contain_text(f"plain {number}")
