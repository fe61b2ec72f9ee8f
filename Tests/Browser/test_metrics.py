"""Metrics as Prometheus reads them, the log as programs read it, and traces as a collector receives them."""

import http.server
import json
import pathlib
import re
import subprocess
import threading
import urllib.error
import urllib.request

import pytest
from weir import Weir, free_port, until

DOCUMENTATION = pathlib.Path(__file__).resolve().parents[2] / "Documentation"

FILE = """
title: Job
description: Does what it is told.
inputs: [{name: outcome, default: fine}]
shell: |
  echo "traceparent=$TRACEPARENT"
  test "$WEIR_INPUT_OUTCOME" = fine
"""


def get(url, accept=None):
    request = urllib.request.Request(url, headers={"Accept": accept} if accept else {})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
        return answer.headers["Content-Type"], answer.read().decode()


def reachable(url):
    try:
        return get(url)
    except urllib.error.URLError:
        return None


def names(text):
    """The names of all metrics: those that have a sample, and those that only have a type so far."""
    return set(re.findall(r"^(?:# TYPE )?([a-z_]+)(?:{.*})? ", text, re.M))


class Collector:
    """An OpenTelemetry collector that keeps all spans."""

    def __init__(self):
        self.spans, self.asked, collector = [], [], self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/v1/traces" and self.headers["Content-Type"] == "application/json":
                    for group in body["resourceSpans"]:
                        collector.service = {item["key"]: item["value"] for item in group["resource"]["attributes"]}
                        collector.spans += [span for scope in group["scopeSpans"] for span in scope["spans"]]
                self.send_response(200)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def do_GET(self):
                collector.asked.append(self.headers["traceparent"])
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def server(tmp_path, sky):
    """Starts servers with an operation of a file and an address for metrics."""
    processes = []

    def start(**settings):
        metrics = free_port()
        operations = tmp_path / "operations"
        operations.mkdir(exist_ok=True)
        (operations / "job.yml").write_text(FILE)
        weir = Weir(
            tmp_path / "weir", sky,
            {"WEIR_OPERATIONS": str(operations), "WEIR_METRICS_LISTEN": f"127.0.0.1:{metrics}", **settings})
        weir.start()
        processes.append(weir)
        weir.metrics = f"http://127.0.0.1:{metrics}/metrics"
        until(lambda: reachable(weir.metrics))
        return weir

    yield start
    for weir in processes:
        weir.close()


def finished(weir, outcome="fine", **headers):
    request = urllib.request.Request(
        weir.url + "/api/v1/operations/job/runs", method="POST", data=json.dumps({"outcome": outcome}).encode(),
        headers={"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=30) as answer:
        run, identity = json.load(answer)["id"], answer.headers["X-Request-ID"]
    until(lambda: weir.ask(f"runs/{run}").get("endedAt"))
    return run, identity


def test_promtool_finds_nothing_wrong_with_the_metrics(server):
    weir = server()
    finished(weir)
    for url in (weir.metrics, weir.url + "/metrics"):
        kind, text = get(url)
        assert kind.startswith("text/plain; version=0.0.4")
        assert 'weir_runs_total{operation="job",outcome="succeeded"} 1' in text
        check = subprocess.run(["promtool", "check", "metrics"], input=text, text=True, capture_output=True)
        assert check.returncode == 0 and not check.stdout + check.stderr, check.stdout + check.stderr
    kind, text = get(weir.metrics, "application/openmetrics-text; version=1.0.0")
    assert kind.startswith("application/openmetrics-text; version=1.0.0") and text.endswith("\n# EOF\n")


def test_rules_and_dashboard_use_metrics_that_the_server_has(server):
    weir = server()
    finished(weir)
    exposed = names(until(lambda: (text := get(weir.metrics)[1]) if "weir_disk_free_bytes" in get(weir.metrics)[1] else None))
    rules = DOCUMENTATION / "prometheus-rules.yml"
    check = subprocess.run(["promtool", "check", "rules", str(rules)], capture_output=True, text=True)
    assert check.returncode == 0, check.stdout + check.stderr
    tests = subprocess.run(
        ["promtool", "test", "rules", str(pathlib.Path(__file__).with_name("prometheus-rules-test.yml"))],
        capture_output=True, text=True)
    assert tests.returncode == 0, tests.stdout + tests.stderr
    dashboard = json.loads((DOCUMENTATION / "grafana-dashboard.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", [])]
    assert len(queries) > 10
    used = set(re.findall(r"\b(?:weir|process)_[a-z_]+\b", rules.read_text() + "\n".join(queries)))
    # A counter without a sample is not exposed yet.
    listed = set(re.findall(r"`([a-z_]+)", (DOCUMENTATION / "monitoring.md").read_text()))
    assert used and used <= exposed | listed, used - exposed - listed
    documented = set(re.findall(r"^\| `((?:weir|process)_[a-z_]+)", (DOCUMENTATION / "monitoring.md").read_text(), re.M))
    bases = {re.sub(r"_(bucket|sum|count)$", "", name) for name in exposed}
    assert bases <= documented, bases - documented


def test_only_metrics_are_at_their_own_address(server):
    weir = server()
    for path, status in (("/", 404), ("/api/v1/operations", 404), ("/metrics/", 404)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            get(weir.metrics.removesuffix("/metrics") + path)
        assert refused.value.code == status
    request = urllib.request.Request(weir.metrics, headers={"Host": "rebound.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)
    assert refused.value.code == 403


def test_the_log_is_json_and_a_failed_run_names_its_request(server):
    weir = server(WEIR_LOG_FORMAT="json", WEIR_LOG_LEVEL="debug")
    run, identity = finished(weir, "bad", **{"X-Request-ID": "ticket-7"})
    assert identity == "ticket-7"

    def failure():
        lines = [json.loads(line) for line in weir.log.read_text().splitlines(keepends=True) if line.endswith("\n")]
        assert all({"time", "level", "logger", "message"} <= set(line) for line in lines)
        return [line for line in lines if line["message"] == "A run failed."]

    (line,) = until(failure)
    assert (line["run"], line["operation"], line["request"], line["level"]) == (run, "job", "ticket-7", "notice")


def test_a_collector_receives_the_trace_of_a_request_through_its_program(server):
    collector = Collector()
    weir = server(WEIR_TRACING_ENDPOINT=collector.url)
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    run, _ = finished(weir, traceparent=f"00-{trace}-{parent}-01")
    spans = until(lambda: {span["name"]: span for span in collector.spans if span["traceId"] == trace})
    spans = until(
        lambda: (found := {span["name"]: span for span in collector.spans if span["traceId"] == trace})
        if len([span for span in collector.spans if span["traceId"] == trace]) == 4 else None)
    request, whole = spans["POST api"], spans["run job"]
    assert request["parentSpanId"] == parent and whole["parentSpanId"] == request["spanId"]
    assert spans["queue"]["parentSpanId"] == spans["program"]["parentSpanId"] == whole["spanId"]
    assert {"key": "weir.run", "value": {"stringValue": run}} in whole["attributes"]
    assert collector.service["service.name"] == {"stringValue": "weir"}
    printed = get(f"{weir.url}/runs/{run}/output")[1]
    assert f"traceparent=00-{trace}-{spans['program']['spanId']}-01" in printed


def test_a_request_of_an_operation_continues_its_trace(server):
    collector = Collector()
    weir = server(WEIR_TRACING_ENDPOINT=collector.url)
    weir.ask("operations/http-request/runs", "POST", {"url": collector.url + "/asked"})
    (asked,) = until(lambda: collector.asked)
    program = until(lambda: [span for span in collector.spans if span["name"] == "program"])
    assert asked in [f"00-{span['traceId']}-{span['spanId']}-01" for span in program]


def test_a_collector_that_is_away_delays_nothing_and_loses_spans_with_a_count(server):
    weir = server(WEIR_TRACING_ENDPOINT="http://127.0.0.1:9")
    finished(weir)
    until(lambda: re.search(r"^weir_spans_dropped_total [1-9]", get(weir.metrics)[1], re.M))
    assert "Spans cannot be exported" in weir.log.read_text()
    code, took = weir.terminate()
    assert code == 0 and took < 5


def test_prometheus_scrapes_the_server_and_its_rules_see_a_failure(server, tmp_path):
    weir = server()
    finished(weir)
    finished(weir, "bad")
    port = free_port()
    (tmp_path / "prometheus.yml").write_text(json.dumps({
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(DOCUMENTATION / "prometheus-rules.yml")],
        "scrape_configs": [{"job_name": "weir", "static_configs": [{"targets": [weir.metrics.split("/")[2]]}]}],
    }))
    prometheus = subprocess.Popen(
        ["prometheus", f"--config.file={tmp_path / 'prometheus.yml'}", f"--storage.tsdb.path={tmp_path / 'tsdb'}",
         f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        base = f"http://127.0.0.1:{port}/api/v1/"

        def value(query):
            """The first sample of a query, or None."""
            if reachable(base + "query?query=" + query) is None:
                return None
            found = json.loads(get(base + "query?query=" + query)[1])["data"]["result"]
            return found[0]["value"][1] if found else None

        until(lambda: value('up{job="weir"}') == "1")
        assert until(lambda: value('weir_runs_total{operation="job",outcome="failed"}')) == "1"
        assert float(until(lambda: value("scrape_duration_seconds"))) < 1
        groups = json.loads(get(base + "rules")[1])["data"]["groups"]
        rules = [rule for group in groups for rule in group["rules"]]
        until(lambda: all(
            rule["health"] == "ok" for group in json.loads(get(base + "rules")[1])["data"]["groups"] for rule in group["rules"]))
        assert len(rules) > 5
    finally:
        prometheus.terminate()
        prometheus.wait()
