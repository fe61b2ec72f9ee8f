"""Random graphs of steps while the real server is killed or stopped at random moments, against a model of what must happen."""

import os
import random
import re
import time
from datetime import datetime

import pytest
from weir import until

KILLS = int(os.environ.get("WEIR_KILLS", "100")) * 2
SEED = int(os.environ.get("WEIR_KILL_SEED", "20261127"))
OVER = {"succeeded", "failed", "cancelled", "interrupted", "skipped"}
MET_SKIPS = {"condition", "noFailure"}
# Each program writes a line when it begins and when it ends; those that fail do so until the file `fixed` exists.
PROGRAM = (
    'echo "begin {name} $WEIR_INPUT_ITEM" >> "$WEIR_INPUT_LOG"; sleep {pause}; '
    'echo "end {name} $WEIR_INPUT_ITEM" >> "$WEIR_INPUT_LOG"'
)
FIXED = 'test -e "$WEIR_INPUT_LOG.fixed"'
INNER = f"""
title: Inner
inputs: [{{name: log}}, {{name: step}}]
steps:
  - name: one
    interrupted: retry
    shell: '{PROGRAM.format(name="$WEIR_INPUT_STEP", pause=0.1)}'
  - name: two
    interrupted: retry
    shell: '{PROGRAM.format(name="$WEIR_INPUT_STEP", pause=0.1)}'
"""


def reached(name, steps):
    """A step and all that it needs."""
    found = {name}
    for step in reversed(steps):
        if step["name"] in found:
            found.update(step["needs"])
    return found


def random_graph(chance):
    """The steps of a graph: each needs some of those before it."""
    steps = []
    for number in range(chance.randint(3, 9)):
        before = [step for step in steps if not step.get("finally")]
        step = {"name": f"s{number}", "fails": chance.random() < 0.2, "pause": round(chance.uniform(0, 0.3), 2)}
        step["needs"] = [other["name"] for other in chance.sample(before, min(len(before), chance.randint(0, 2)))]
        kind = chance.randint(0, 13)
        keepers = [other["name"] for other in before if "keeps" in other]
        if kind == 0:
            step["if"] = chance.choice(["yes", "no"])
            step["asks"] = chance.choice(["input", "program"])
        elif kind == 1:
            step["items"] = [f"i{index}{'x' if step['fails'] and index == 1 else ''}" for index in range(4)]
            step["at_once"] = chance.randint(1, 3)
        elif kind == 2 and before:
            step["when_failed"] = [chance.choice(before)["name"]]
            # It cannot need the success of what it follows the failure of.
            step["needs"] = [need for need in step["needs"] if step["when_failed"][0] not in reached(need, before)]
        elif kind == 3:
            step["repeat"] = True
            step["fails"] = False
        elif kind == 4:
            step["allow_failure"] = True
        elif kind == 5:
            step["retry"] = True
        elif kind == 6:
            step["approve"] = True
        elif kind == 7:
            step["uses"] = True
            step["fails"] = False
        elif kind in (8, 9):
            step["keeps"] = True
        elif kind in (10, 11) and keepers:
            step["reads"] = chance.choice(keepers)
            step["needs"] = list({*step["needs"], step["reads"]})
        steps.append(step)
    steps.append({"name": "last", "finally": True, "fails": False, "pause": 0.05, "needs": []})
    return steps


def program(step, graph):
    """The script of a step."""
    script = PROGRAM.format(name=step["name"], pause=step["pause"])
    if "items" in step:
        script += f'; case "$WEIR_INPUT_ITEM" in *x) {FIXED};; esac'
    elif step.get("repeat"):
        script += f'; test $(grep -c "end {step["name"]} " "$WEIR_INPUT_LOG") -ge 3'
    elif step["fails"]:
        script += f"; {FIXED} || exit 1"
    elif step.get("retry"):
        # The first attempt fails.
        script += f'; test $(grep -c "end {step["name"]} " "$WEIR_INPUT_LOG") -ge 2'
    if step.get("keeps"):
        script += f"; mkdir -p kept/{graph}; echo {step['name']} > kept/{graph}/{step['name']}"
    elif "reads" in step:
        script += f'; test "$(cat "$WEIR_INPUT_FILE")" = {step["reads"]}'
    return script


def written(steps, graph, stops=False):
    """The graph as a file."""
    lines = ["title: Graph", "inputs: [{name: go, default: 'yes'}, {name: log}]", "at_once: 3"]
    lines += ["when_a_step_fails: stop", "steps:"] if stops else ["steps:"]
    for step in steps:
        lines.append(f"  - name: {step['name']}")
        if step.get("approve"):
            lines.append("    approve: {prompt: 'Go on?'}")
        else:
            lines.append("    interrupted: retry")
            if step.get("uses"):
                lines.append(f"    uses: inner\n    with: {{log: '{{{{log}}}}', step: {step['name']}}}")
            else:
                lines.append(f"    shell: '{program(step, graph)}'")
        if step.get("finally"):
            lines.append("    finally: true")
        else:
            lines.append(f"    needs: [{', '.join(step['needs'])}]")
        if step.get("asks") == "program":
            lines.append(f"    if: {{command: ['test', '{step['if']}', '=', '{{{{go}}}}']}}")
        elif "if" in step:
            lines.append(f"    if: {{inputs.go: '{step['if']}'}}")
        if "items" in step:
            lines.append(f"    for_each: [{', '.join(step['items'])}]\n    at_once: {step['at_once']}")
        if "when_failed" in step:
            lines.append(f"    when_failed: [{', '.join(step['when_failed'])}]")
        if step.get("repeat"):
            lines.append("    repeat: {every: 1s, until: {exit_code: 0}, limit: 50}")
        if step.get("retry"):
            # An attempt that a restart interrupts counts too.
            lines.append(f"    retry: {{limit: {1 if step['fails'] else 20}, interval: 1s}}")
        if step.get("allow_failure"):
            lines.append("    allow_failure: true")
        if step.get("keeps"):
            lines.append(f"    artifacts: ['kept/{graph}/{step['name']}']")
        elif "reads" in step:
            lines.append(f"    with: {{file: '{{{{steps.{step['reads']}.artifacts.0}}}}'}}")
    return "\n".join(lines) + "\n"


def is_good(step, status, because):
    return status == "succeeded" or because in MET_SKIPS or (status == "failed" and bool(step.get("allow_failure")))


def expected(steps, kept=None):
    """What must have happened: the status of each step, why it was skipped, and the outcome of the whole.

    `kept` has the steps that a run takes over from an earlier one, after which no step fails.
    """
    found = {}
    for step in steps:
        if kept and step["name"] in kept:
            found[step["name"]] = kept[step["name"]]
        else:
            found[step["name"]] = by_rules(step, steps, found, step["fails"] and kept is None)
    return found, "failed" if fatal(steps, found) else "succeeded"


def by_rules(step, steps, found, fails):
    """What must become of a step, by what became of those before it."""
    by_name = {step["name"]: step for step in steps}
    for need in step["needs"]:
        if not is_good(by_name[need], *found[need]):
            return ("skipped", found[need][1] if found[need][0] == "skipped" else "need")
    if "when_failed" in step and not any(found[name][0] == "failed" for name in step["when_failed"]):
        return ("skipped", "noFailure")
    if step.get("if") == "no":
        return ("skipped", "condition")
    return ("failed" if fails else "succeeded", None)


def fatal(steps, found):
    """The names of the steps that make the whole fail."""
    return [step["name"] for step in steps if found[step["name"]][0] == "failed" and not step.get("allow_failure")]


def seconds(one, other):
    return (datetime.fromisoformat(other) - datetime.fromisoformat(one)).total_seconds()


def check_stopped(steps, happened, ended, text):
    """Checks a run in which no step begins after a failure, except those with `when_failed` and `finally`.

    Which steps had begun before the failure depends on the schedule, but none that waited for a step that ended later.
    """
    first = min((ended[name] for name in fatal(steps, happened)), default=None)
    for step in steps:
        name, is_ordinary = step["name"], "when_failed" not in step and not step.get("finally")
        if first and is_ordinary and happened[name] == ("skipped", "stopped"):
            continue
        assert happened[name] == by_rules(step, steps, happened, step["fails"]), f"{name}: {happened}\n{text}"
        if first and is_ordinary and happened[name][0] != "skipped":
            # The whole learns of two ends in any order if they are close to each other.
            late = [need for need in step["needs"] if ended[need] and seconds(first, ended[need]) > 1]
            assert not late, f"{name} began after {late}, which ended after a failure\n{text}"


def repeated(steps, found):
    """The steps that begin again after a failure: those that did not succeed, and all that depend on them."""
    again = {step["name"] for step in steps if step.get("finally") or not is_good(step, *found[step["name"]])}
    for step in steps:
        if again & {*step["needs"], *step.get("when_failed", [])}:
            again.add(step["name"])
    return again


class Graph:
    """A graph, its file and a run of it."""

    def __init__(self, name, chance, folder):
        self.name, self.folder, self.steps, self.chance = name, folder, random_graph(chance), chance
        self.stops = chance.random() < 0.3
        self.text = written(self.steps, name, self.stops)
        (folder / f"{name}.yml").write_text(self.text)

    def begin(self, weir, number, is_cancelled):
        """Starts another run."""
        self.over, self.is_cancelled, self.log = {}, is_cancelled, self.folder / f"{number}.log"
        self.kept, self.lines = None, 0
        self.run = weir.ask(f"operations/{self.name}/runs", "POST", {"log": str(self.log)})["id"]

    def begin_again(self, weir):
        """Starts a run that continues from the failed steps; returns whether there are such steps, and others to keep."""
        if self.kept is not None or self.end["phase"] != "failed":
            return False
        found = self.happened
        again = repeated(self.steps, found)
        kept = {name: end for name, end in found.items() if name not in again}
        if not any(status == "succeeded" for status, _ in kept.values()):
            return False
        self.kept = kept
        self.over, self.lines = {}, len(self.log.read_text().splitlines())
        self.log.with_name(self.log.name + ".fixed").touch()
        self.run = weir.ask(f"runs/{self.run}/continuation", "POST", {})["id"]
        return True

    def look(self, weir):
        """Notes the steps that are over, and decides; returns whether the run is over."""
        run = weir.ask(f"runs/{self.run}")
        for step in run["state"]["steps"]:
            seen = (step["status"], step.get("run"), step.get("ended"))
            assert self.over.get(step["name"], seen) == seen, f"{self.name}: a step that was over began again"
            if step["status"] in OVER:
                self.over[step["name"]] = seen
            if step["status"] == "asking" and self.chance.random() < 0.5:
                self.decide(weir, step["name"])
        self.end = run
        return run["endedAt"] is not None

    def decide(self, weir, name):
        refuses = self.kept is None and next(step for step in self.steps if step["name"] == name)["fails"]
        try:
            decision = {"step": name, "decision": "refuse" if refuses else "approve"}
            weir.ask(f"runs/{self.run}/decision", "POST", decision)
        except OSError:
            pass  # It is not asked for yet, after a restart.

    def check(self):
        steps = {step["name"]: step for step in self.end["state"]["steps"]}
        assert steps["last"]["status"] == "succeeded", f"{self.name}: the last step did not run"
        if self.is_cancelled and self.end["phase"] == "cancelled":
            return
        found, outcome = expected(self.steps, self.kept)
        happened = {name: (step["status"], step.get("because", {}).get("kind")) for name, step in steps.items()}
        self.happened = happened
        if self.stops and self.kept is None:
            ended = {name: step.get("ended") for name, step in steps.items()}
            check_stopped(self.steps, happened, ended, self.text)
            found, outcome = happened, "failed" if fatal(self.steps, happened) else "succeeded"
        assert happened == found, f"{self.name}\n{self.text}"
        assert self.end["phase"] == outcome
        lines = self.log.read_text().splitlines()[self.lines :] if self.log.exists() else []
        ran = set(re.findall(r"^begin (\w+)", "\n".join(lines), re.MULTILINE))
        programs = {step["name"] for step in self.steps if not step.get("approve")}
        assert ran == programs & {
            name for name, (status, _) in found.items() if status != "skipped" and name not in (self.kept or {})
        }


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations/inner.yml").write_text(INNER)
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
            if not graph.begin_again(weir):
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
