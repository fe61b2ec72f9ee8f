"""The picture of a run whose steps are a graph, in the browser on the real server."""

import pathlib
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from weir import until

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "Examples/operations"
GRAPH = """
title: Graph
steps:
  - {name: build, command: ["true"]}
  - {name: unit, needs: [build], command: [sh, -c, "while ! test -e unit.go; do sleep 0.05; done"]}
  - {name: regions, needs: [build], command: [sh, -c, "while ! test -e regions.go; do sleep 0.05; done"]}
  - {name: smoke, needs: [unit, regions], command: ["true"]}
  - {name: tidy, finally: true, command: ["true"]}
"""


PAIR = """
title: Pair
inputs: [{name: word, default: one}, {name: bad, options: [b, none], default: none}]
steps:
  - {name: say, needs: [], command: [echo, "::weir said word={{word}}::"]}
  - {name: each, needs: [say], for_each: [a, b, c], shell: 'test "$WEIR_INPUT_ITEM" != "$WEIR_INPUT_BAD"'}
  - {name: a-step-with-a-long-name-too, needs: [each], command: ["true"]}
"""


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "graph.yml").write_text(GRAPH)
    (folder / "pair.yml").write_text(PAIR)
    return folder


@pytest.fixture
def settings(folder):
    return {"WEIR_OPERATIONS": str(folder)}


def begin(weir):
    run = weir.ask("operations/graph/runs", "POST", {})["id"]
    until(lambda: [step["status"] for step in weir.ask(f"runs/{run}")["state"]["steps"]][1:3] == ["running", "running"])
    return run


def boxes(page):
    return page.locator(".node").evaluate_all("(nodes) => nodes.map((node) => node.getBoundingClientRect().toJSON())")


def test_a_step_that_ends_changes_its_node_alone_and_focus_and_scroll_stay(weir, visit, folder):
    run = begin(weir)
    page = visit(f"/runs/{run}", viewport={"width": 700, "height": 500})
    expect(page.locator("html[data-live]")).to_be_attached()
    link = page.locator(".node a").nth(2)
    link.focus()
    page.evaluate("document.querySelector('.graph').parentElement.scrollLeft = 60; window.scrollBy(0, 40)")
    places = boxes(page)
    at = page.evaluate("[document.querySelector('.graph').parentElement.scrollLeft, scrollY]")
    answers = []
    page.on("requestfinished", lambda request: answers.append(request) if "/live/" in request.url else None)
    (folder / "unit.go").touch()
    expect(page.locator(".node").nth(1)).to_contain_text("Succeeded")
    assert sum(request.sizes()["responseBodySize"] for request in answers) <= 1_000
    assert boxes(page) == places
    assert page.evaluate("[document.querySelector('.graph').parentElement.scrollLeft, scrollY]") == at
    expect(link).to_be_focused()
    (folder / "regions.go").touch()
    until(lambda: weir.ask(f"runs/{run}")["phase"] == "succeeded")
    expect(page.get_by_text("Critical path: Build → Regions → Smoke → Tidy")).to_be_visible()


@pytest.mark.parametrize("java_script", [True, False])
def test_the_past_shows_the_graph_of_its_moment(weir, visit, folder, java_script):
    run = begin(weir)
    (folder / "unit.go").touch()
    (folder / "regions.go").touch()
    done = until(lambda: (found := weir.ask(f"runs/{run}"))["phase"] == "succeeded" and found)
    page = visit(f"/runs/{run}?at={done['sequence'] - 1}", java_script_enabled=java_script)
    expect(page.locator(".node")).to_have_count(5)
    expect(page.locator(".node.critical")).to_have_count(0)
    page.goto(f"/runs/{run}")
    expect(page.locator(".node.ok")).to_have_count(5)


@pytest.mark.parametrize("width", [390, 1280])
def test_before_the_first_run_the_picture_is_there_and_its_edges_lead_onwards(weir, visit, width):
    page = visit("/operations/graph", viewport={"width": width, "height": 844}, reduced_motion="reduce")
    expect(page.locator(".node.idle")).to_have_count(5)
    build, unit, regions, smoke, tidy = boxes(page)
    side = "left" if width > 620 else "top"
    assert build[side] < unit[side] < smoke[side] < tidy[side]
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert Axe().run(page).response["violations"] == []


def ended(weir, run):
    """The run at its end; its decisions are approved."""
    while not (found := weir.ask(f"runs/{run}"))["endedAt"]:
        for step in found["state"]["steps"]:
            if step["status"] == "asking":
                weir.ask(f"runs/{run}/decision", "POST", {"step": step["name"], "decision": "approve"})
    return found


@pytest.mark.parametrize(
    ("name", "values", "phase", "others"),
    [
        ("regions", {"version": "2.1"}, "succeeded", {}),
        (
            "regions", {"version": "2.1", "broken": "us"}, "failed",
            {"load": "failed", "approval": "skipped", "switch": "skipped", "ready": "skipped"},
        ),
        ("etl", {}, "succeeded", {}),
        ("nightly-tests", {}, "succeeded", {"style": "failed", "blame": "skipped"}),
        ("nightly-tests", {"failing": "large"}, "failed", {"style": "failed", "tests": "failed", "publish": "skipped"}),
        ("restore-drill", {}, "succeeded", {}),
    ],
)
def test_the_examples_with_graphs_run_as_they_are(weir, folder, name, values, phase, others):
    shutil.copy(EXAMPLES / f"{name}.yml", folder)
    until(lambda: name in [operation["id"] for operation in weir.ask("operations")["operations"]])
    run = ended(weir, weir.ask(f"operations/{name}/runs", "POST", values)["id"])
    statuses = {step["name"]: step["status"] for step in run["state"]["steps"]}
    assert (run["phase"], {name: status for name, status in statuses.items() if status != "succeeded"}) == (phase, others)


@pytest.mark.parametrize("java_script", [True, False])
def test_an_ended_run_starts_again_from_a_chosen_step(weir, visit, folder, java_script):
    (folder / "unit.go").touch()
    (folder / "regions.go").touch()
    run = ended(weir, weir.ask("operations/graph/runs", "POST", {})["id"])
    page = visit(f"/runs/{run['id']}", java_script_enabled=java_script)
    page.get_by_label("Again from").select_option("Smoke")
    page.get_by_role("button", name="Start", exact=True).click()
    page.wait_for_url(lambda url: "/runs/" in url and run["id"] not in url)
    steps = ended(weir, page.url.split("/runs/")[1][:26])["state"]["steps"]
    assert [step.get("doneIn") for step in steps] == [run["id"]] * 3 + [None] * 2


def pair(weir, **inputs):
    return weir.ended(weir.run("pair", **inputs))


def test_two_runs_are_compared_step_by_step(weir, visit):
    first, second = pair(weir), pair(weir, word="two", bad="b")
    assert second["state"]["message"] == "The step “each” failed for 1 of 3 items: b"
    nodes = weir.ask(f"runs/{first['id']}/comparison?with={second['id']}")["nodes"]
    assert [(node["step"], node["same"]) for node in nodes] == [
        ("say", False), ("each", False), ("a-step-with-a-long-name-too", False)
    ]
    assert nodes[0]["differingValues"] == ["word"] and nodes[1]["b"]["items"]["failed"] == 1
    page = visit(f"/operations/pair/compare?a={first['id']}&b={second['id']}")
    rows = page.locator("section[aria-labelledby=compare-steps] tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Word: one")
    expect(rows.first).to_contain_text("Word: two")
    expect(rows.nth(1)).to_contain_text("3 of 3")
    expect(rows.nth(1)).to_contain_text("2 of 3")
    assert Axe().run(page).response["violations"] == []


@pytest.mark.parametrize("width", [390, 1280])
def test_the_form_that_begins_again_at_a_step_stays_in_one_line(weir, visit, width):
    page = visit(f"/runs/{pair(weir, bad='b')['id']}", viewport={"width": width, "height": 800})
    expect(page.get_by_role("button", name="Again from the failed step")).to_be_visible()
    heights = page.locator(".from").first.evaluate(
        "(form) => [...form.children].map((each) => each.getBoundingClientRect()).map(({top, bottom}) => (top + bottom) / 2)")
    assert max(heights) - min(heights) < 4
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_cancelled_run_begins_again_where_it_stopped(weir, visit, folder):
    run = begin(weir)
    (folder / "regions.go").touch()
    until(lambda: weir.ask(f"runs/{run}")["state"]["steps"][2]["status"] == "succeeded")
    weir.ask(f"runs/{run}/cancellation", "POST", {})
    until(lambda: weir.ask(f"runs/{run}")["endedAt"])
    page = visit(f"/runs/{run}")
    page.get_by_role("button", name="Again from where it stopped").click()
    again = until(lambda: [found for found in weir.ask("runs?operation=graph")["runs"] if found["retryOf"] == run])[0]["id"]
    (folder / "unit.go").touch()
    done = weir.ended({"id": again})
    assert done["phase"] == "succeeded"
    assert [step.get("doneIn") for step in done["state"]["steps"][:3]] == [run, None, run]
