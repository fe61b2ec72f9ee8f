"""Random graphs of steps while the real server is killed or stopped at random moments, against a model of what must happen."""

import os
import random
import re
import time

import pytest
from weir import until

pytestmark = pytest.mark.alone

KILLS = int(os.environ.get("WEIR_KILLS", "100")) * 2
SEED = int(os.environ.get("WEIR_KILL_SEED", "20261127"))
OVER = {"succeeded", "failed", "cancelled", "interrupted", "skipped"}
MET_SKIPS = {"condition", "noFailure"}
# Each program writes a line when it begins and when it ends, and fails if its name ends in x.
PROGRAM = (
    'echo "begin {name} $WEIR_INPUT_ITEM" >> "$WEIR_INPUT_LOG"; sleep {pause}; '
    'echo "end {name} $WEIR_INPUT_ITEM" >> "$WEIR_INPUT_LOG"'
)


def random_graph(chance):
    """The steps of a graph: each needs some of those before it."""
    steps = []
    for number in range(chance.randint(3, 9)):
        before = [step for step in steps if not step.get("finally")]
        step = {"name": f"s{number}", "fails": chance.random() < 0.2, "pause": round(chance.uniform(0, 0.3), 2)}
        step["needs"] = [other["name"] for other in chance.sample(before, min(len(before), chance.randint(0, 2)))]
        kind = chance.randint(0, 9)
        if kind == 0:
            step["if"] = chance.choice(["yes", "no"])
        elif kind == 1:
            step["items"] = [f"i{index}{'x' if step['fails'] and index == 1 else ''}" for index in range(3)]
        elif kind == 2 and before:
            step["when_failed"] = [chance.choice(before)["name"]]
            step["needs"] = [need for need in step["needs"] if need not in step["when_failed"]]
        elif kind == 3:
            step["repeat"] = True
            step["fails"] = False
        elif kind == 4:
            step["allow_failure"] = True
        steps.append(step)
    steps.append({"name": "last", "finally": True, "fails": False, "pause": 0.05, "needs": []})
    return steps


def written(steps):
    """The graph as a file."""
    lines = ["title: Graph", "inputs: [{name: go, default: 'yes'}, {name: log}]", "at_once: 3", "steps:"]
    for step in steps:
        program = PROGRAM.format(name=step["name"], pause=step["pause"])
        if "items" in step:
            program += '; case "$WEIR_INPUT_ITEM" in *x) exit 1;; esac'
        elif step.get("repeat"):
            program += f'; test $(grep -c "end {step["name"]} " "$WEIR_INPUT_LOG") -ge 3'
        elif step["fails"]:
            program += "; exit 1"
        lines += [f"  - name: {step['name']}", "    interrupted: retry", f"    shell: '{program}'"]
        if step.get("finally"):
            lines.append("    finally: true")
        else:
            lines.append(f"    needs: [{', '.join(step['needs'])}]")
        if "if" in step:
            lines.append(f"    if: {{inputs.go: '{step['if']}'}}")
        if "items" in step:
            lines.append(f"    for_each: [{', '.join(step['items'])}]")
        if "when_failed" in step:
            lines.append(f"    when_failed: [{', '.join(step['when_failed'])}]")
        if step.get("repeat"):
            lines.append("    repeat: {every: 1s, until: {exit_code: 0}, limit: 50}")
        if step.get("allow_failure"):
            lines.append("    allow_failure: true")
    return "\n".join(lines) + "\n"


def expected(steps):
    """What must have happened: the status of each step, why it was skipped, and the outcome of the whole."""
    found = {}

    def is_met(name):
        status, because = found[name]
        allowed = next(step for step in steps if step["name"] == name).get("allow_failure")
        return status == "succeeded" or because in MET_SKIPS or (status == "failed" and allowed)

    for step in steps:
        if not all(is_met(need) for need in step["needs"]):
            found[step["name"]] = ("skipped", "need")
        elif "when_failed" in step and not any(found[name][0] == "failed" for name in step["when_failed"]):
            found[step["name"]] = ("skipped", "noFailure")
        elif step.get("if") == "no":
            found[step["name"]] = ("skipped", "condition")
        else:
            found[step["name"]] = ("failed" if step["fails"] else "succeeded", None)
    hard = {step["name"] for step in steps if not step.get("allow_failure")}
    failed = any(status == "failed" and name in hard for name, (status, _) in found.items())
    return found, "failed" if failed else "succeeded"


class Graph:
    """A graph, its file and a run of it."""

    def __init__(self, name, chance, folder):
        self.name, self.folder, self.steps = name, folder, random_graph(chance)
        (folder / f"{name}.yml").write_text(written(self.steps))

    def begin(self, weir, number, is_cancelled):
        """Starts another run."""
        self.over, self.is_cancelled, self.log = {}, is_cancelled, self.folder / f"{number}.log"
        self.run = weir.ask(f"operations/{self.name}/runs", "POST", {"log": str(self.log)})["id"]

    def look(self, weir):
        """Notes the steps that are over; returns whether the run is."""
        run = weir.ask(f"runs/{self.run}")
        for step in run["state"]["steps"]:
            seen = (step["status"], step.get("run"), step.get("ended"))
            assert self.over.get(step["name"], seen) == seen, f"{self.name}: a step that was over began again"
            if step["status"] in OVER:
                self.over[step["name"]] = seen
        self.end = run
        return run["endedAt"] is not None

    def check(self):
        steps = {step["name"]: step for step in self.end["state"]["steps"]}
        assert steps["last"]["status"] == "succeeded", f"{self.name}: the last step did not run"
        if self.is_cancelled and self.end["phase"] == "cancelled":
            return
        found, outcome = expected(self.steps)
        happened = {name: (step["status"], step.get("because", {}).get("kind")) for name, step in steps.items()}
        assert happened == found, f"{self.name}\n{written(self.steps)}"
        assert self.end["phase"] == outcome
        ran = set(re.findall(r"^begin (\w+)", self.log.read_text(), re.MULTILINE)) if self.log.exists() else set()
        assert ran == {name for name, (status, _) in found.items() if status != "skipped"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "operations").mkdir()
    return tmp_path / "operations"


@pytest.fixture
def settings(folder):
    return {"WEIR_OPERATIONS": str(folder), "WEIR_LOG_LEVEL": "warning"}


@pytest.mark.parametrize("kills", [min(KILLS, 6), pytest.param(KILLS, marks=pytest.mark.long)])
@pytest.mark.parametrize("way", ["kill", "stop"])
def test_a_graph_ends_as_its_model_says_however_often_the_server_is_killed_or_stopped(weir, folder, kills, way):
    chance = random.Random(SEED)
    graphs = [Graph(f"graph-{number}", chance, folder) for number in range(12)]
    until(lambda: sum(operation["id"].startswith("graph-") for operation in weir.ask("operations")["operations"]) == 12)
    waiting, going, killed, started = list(graphs), [], 0, 0
    while going or killed < kills:
        while waiting and len(going) < 5 and killed < kills:
            graph = waiting.pop(chance.randrange(len(waiting)))
            graph.begin(weir, started, is_cancelled=chance.random() < 0.15)
            going.append(graph)
            started += 1
        for graph in going:
            if graph.is_cancelled and graph.over and chance.random() < 0.3:
                cancel(weir, graph.run)
        if killed < kills:
            # The moments are random, and not those at which something changes.
            time.sleep(chance.uniform(0, 0.5))
            [graph.look(weir) for graph in going]
            end(weir, way)
            weir.start()
            killed += 1
        for graph in [graph for graph in going if graph.look(weir)]:
            graph.check()
            going.remove(graph)
            waiting.append(graph)
    assert started >= 5


def end(weir, way):
    if way == "kill":
        weir.kill()
    else:
        code, _ = weir.terminate(30)
        assert code == 0


def cancel(weir, run):
    try:
        weir.ask(f"runs/{run}/cancellation", "POST", {})
    except OSError:
        pass  # It is over.
