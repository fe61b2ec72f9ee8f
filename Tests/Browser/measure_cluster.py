"""Measures servers on PostgreSQL: changes a second beside pgbench, how soon another server shows a change, and what is asked of it.

Run by hand: python Tests/Browser/measure_cluster.py [seconds] [pages] [runs]; WEIR_BINARY names the binary, best one built with
optimisation. All servers, the database and this program share the machine. pgbench sends the statement that the server sends,
with batches of the same size, by one connection, as one server records. With runs, the database is filled with so many,
each of ten changes, and the list of runs is asked for with every filter.
"""

import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time
import urllib.parse

from cluster import role
from measure_streams import Crowd, get, page_following, settle
from postgres import Postgres
from sky import Sky
from followers import Client
from weir import BINARY, Weir, until

MESSAGES, REPORTERS = 100, 8
JSON = {"Content-Type": "application/json"}
SKY = Sky()
SETTINGS = {
    "WEIR_LOG_LEVEL": "warning", "WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "600",
    "WEIR_RETENTION_RUNS": "100000000", "WEIR_RETENTION_DAYS": "36500", "WEIR_GREETING_URL": SKY.url + "/hello",
}


class Cluster:
    """So many servers on one database; the first records."""

    def __init__(self, count, postgres, folder, name):
        self.postgres, self.name = postgres, name
        settings = SETTINGS | {"WEIR_JOURNAL": postgres.database(name)}
        self.servers = [Weir(folder / f"{name}{number}", SKY, settings).start() for number in range(count)]
        until(lambda: [role(server) for server in self.servers] == ["recording"] + ["following"] * (count - 1))

    def number(self, statement):
        return int(self.postgres.ask(statement, self.name))

    def close(self):
        for server in self.servers:
            server.close()


class Reporter:
    """Reports states of one run, so many with each request."""

    def __init__(self, server, run):
        self.client, self.path, self.place = Client(server), f"/api/v1/streams/reported/measure/{run}", 0
        assert self.client.ask(self.path, "PUT", "{}", JSON)[0] == 201

    def report(self, count=MESSAGES):
        messages = [{"state": "counting", "completed": self.place + n} for n in range(count)]
        self.place += count
        status, body = self.client.ask(self.path, "POST", json.dumps(messages), JSON)
        assert status == 204, (status, body)


def rate(cluster, seconds):
    """Changes a second that are recorded and that the last server shows, and how many come in one batch."""
    reporters = [Reporter(cluster.servers[0], f"rate-{number}") for number in range(REPORTERS)]
    head, batches = "SELECT head FROM weir.journal", "SELECT max(number) FROM weir.batches"
    before, end = (cluster.number(head), cluster.number(batches)), time.monotonic() + seconds

    def work(reporter):
        while time.monotonic() < end:
            reporter.report()

    threads = [threading.Thread(target=work, args=(reporter,)) for reporter in reporters]
    begun = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorded, calls = cluster.number(head), cluster.number(batches)
    # Every server has to show them all.
    for server in cluster.servers:
        until(lambda: standing(server) >= recorded, 60)
    taken = time.monotonic() - begun
    return (recorded - before[0]) / taken, (recorded - before[0]) / (calls - before[1])


def standing(server):
    """The last sequence that a server shows."""
    return int(server.ask("feeds/board/changes?after=now&limit=1")["next"].rpartition(".")[2])


CALL = """
\\set batch :batch + 1
\\set first :last + 1
\\set last :last + {size}
SELECT * FROM weir.append('pgbench', :fence, :batch, NULL, '{{t}}', ARRAY['\\x70'::bytea], ARRAY['\\x70'::bytea],
  ARRAY[:first::bigint], ARRAY[:last::bigint], '{{1}}', '{{{size}}}', '{{1}}', '{{NULL}}', '{{NULL}}', '{{NULL}}', '{{NULL}}', '{{NULL}}',
  '{{NULL}}', '{{NULL}}', '{{NULL}}', '{{NULL}}',
  array_fill(1::bigint, ARRAY[{size}]), ARRAY(SELECT generate_series(:first::bigint, :last::bigint)),
  array_fill(1764000000000::bigint, ARRAY[{size}]), array_fill('counting'::bytea, ARRAY[{size}]), array_fill(1::bigint, ARRAY[{size}]),
  array_fill(true, ARRAY[{size}]), array_fill(7::bigint, ARRAY[{size}]), array_fill(NULL::bigint, ARRAY[{size}]),
  array_fill(NULL::bigint, ARRAY[{size}]), array_fill('{{"completed":7,"state":"counting"}}'::text, ARRAY[{size}]),
  array_fill(NULL::bytea, ARRAY[{size}]), array_fill(NULL::bigint, ARRAY[{size}]), array_fill(NULL::text, ARRAY[{size}]),
  '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}');
"""
OPEN = """
SELECT weir.append('pgbench', {fence}, 1, NULL, '{{t}}', ARRAY['\\x70'::bytea], ARRAY['\\x70'::bytea], '{{0}}', '{{0}}', '{{1}}', '{{1}}',
  '{{1}}', '{{NULL}}', ARRAY['\\x70'::bytea], '{{"{{}}"}}', '{{NULL}}', '{{NULL}}', '{{1764000000000}}', '{{NULL}}', '{{NULL}}', '{{NULL}}',
  '{{1}}', '{{0}}', '{{1764000000000}}', ARRAY['counting'::bytea], '{{1}}', '{{t}}', '{{NULL}}', '{{NULL}}', '{{NULL}}', ARRAY['{{}}'],
  '{{NULL}}', '{{NULL}}', '{{NULL}}',
  '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}')
"""


def bench(postgres, name, size, seconds):
    """Changes a second that pgbench records with batches of one size."""
    fence = postgres.ask("SELECT fence FROM weir.journal", name)
    postgres.ask(OPEN.format(fence=fence), name)
    script = postgres.folder / "append.sql"
    script.write_text(CALL.format(size=size).replace("\n  ", " "))
    said = postgres.client(
        "pgbench", "-n", "-c", "1", "-M", "prepared", "-T", seconds, "-f", script, "-D", f"fence={fence}", "-D", "batch=1", "-D", "last=0", name)
    return float(next(line for line in said.splitlines() if line.startswith("tps")).split()[2]) * size


def latencies(cluster, count=500):
    """Milliseconds from a request that reports a state until a reader of the first server, and of the last, has been told."""
    reporter, times = Reporter(cluster.servers[0], "latency"), {}
    for name, server in (("the same", cluster.servers[0]), ("another", cluster.servers[-1])):
        client, told, found = Client(server), threading.Semaphore(0), []
        answer = client.json("/api/v1/feeds/run-latency/changes?limit=500")

        def read(answer=answer, client=client, told=told, found=found):
            while len(found) < count:
                answer = client.json(f"/api/v1/feeds/run-latency/changes?after={answer['epoch']}.{answer['to']}&wait=20")
                if answer["changes"]:
                    found.append(time.monotonic())
                    told.release()

        while answer["more"]:
            answer = client.json(f"/api/v1/feeds/run-latency/changes?after={answer['epoch']}.{answer['to']}&limit=500")
        thread = threading.Thread(target=read, args=(answer,))
        thread.start()
        sent = []
        for _ in range(count):
            # Long enough for the reader to ask again, and not in step with anything.
            time.sleep(0.02 + 0.01 * (len(sent) % 7) / 7)
            sent.append(time.monotonic())
            reporter.report(1)
            told.acquire()
        thread.join()
        times[name] = [(after - before) * 1_000 for before, after in zip(sent, found)]
    return times


def pages(cluster, count, seconds=10):
    """Connections to the database, and its transactions a second, with no open page and with so many."""
    found = []
    for open_pages in (0, count):
        server = cluster.servers[-1]
        crowd = None
        if open_pages:
            # Nothing runs because this page is watched.
            text = server.page("/operations/greeting")
            poll = text.partition('data-next="')[2].partition('"')[0]
            crowd = Crowd(server, open_pages, get(poll), page_following)
        settle(server)
        asked = "SELECT sum(xact_commit + xact_rollback)::bigint FROM pg_stat_database"
        before = cluster.number(asked)
        time.sleep(seconds)
        # Asking is a transaction, too, and the statistics of a session are told when it has ended.
        transactions = (cluster.number(asked) - before - 1) / seconds
        connections = cluster.number("SELECT count(*) FROM pg_stat_activity WHERE datname IS NOT NULL") - 1
        found.append((open_pages, connections, transactions))
        if crowd:
            crowd.close()
    return found


FILL = """
WITH model AS (
    SELECT r.*, (SELECT min(revision) FROM weir.changes WHERE stream = r.opened) AS lowest FROM weir.runs r
    WHERE r.ended IS NOT NULL AND r.phase = 2 ORDER BY opened LIMIT 1),
rows AS (SELECT c.*, row_number() OVER (ORDER BY c.sequence) AS place, count(*) OVER () AS count
    FROM weir.changes c JOIN model m ON c.stream = m.opened),
actors AS (INSERT INTO weir.names (name) SELECT ('person ' || n)::bytea FROM generate_series(1, 100) n RETURNING id),
listed AS (SELECT array_agg(id) AS ids FROM actors),
base AS (SELECT head FROM weir.journal),
filled AS (INSERT INTO weir.changes (sequence, stream, revision, operation, at, "case", phase, transition, done, total, unit, payload, cause,
        origin, step)
    SELECT b.head + (n - 1) * 10 + k, b.head + (n - 1) * 10 + 1, k - 1, r.operation, {start} + n * {step} + k * 100, r."case", r.phase,
        k IN (1, 10), r.done, r.total, r.unit, r.payload, r.cause, r.origin, r.step
    FROM base b, generate_series(1, {runs}) n, generate_series(1, 10) k
    JOIN rows r ON r.place = CASE k WHEN 1 THEN 1 WHEN 10 THEN r.count ELSE 2 END),
runs AS (INSERT INTO weir.runs (opened, id, operation, actor, input, phase, revision, sequence, started, ended, ended_sequence, ages_from)
    SELECT b.head + (n - 1) * 10 + 1, convert_to('filled-' || n, 'UTF8'), m.operation, l.ids[1 + n % 100], '{{"label":"person ' || n || '"}}',
        CASE WHEN n % 1000 = 0 THEN 3 ELSE 2 END, 9, b.head + n * 10, {start} + n * {step}, {start} + n * {step} + 1000 + n % 5000, b.head + n * 10,
        {start} + n * {step} + 1000
    FROM base b, model m, listed l, generate_series(1, {runs}) n RETURNING operation, phase)
INSERT INTO weir.counts (operation, phase, count) SELECT operation, phase, count(*) FROM runs GROUP BY 1, 2
    ON CONFLICT (operation, phase) DO UPDATE SET count = weir.counts.count + excluded.count;
"""
FILTERS = {
    "all": "", "operation": "operation=greeting", "phase (most)": "phase=succeeded", "phase (one in a thousand)": "phase=failed",
    "actor": "actor=person+7", "text (one)": "text=900001", "text (all)": "text=person", "from": "startedAfter={middle}", "until": "startedBefore={middle}",
    "operation, phase, actor": "operation=greeting&phase=succeeded&actor=person+7", "phase, text, from": "phase=failed&text=person&startedAfter={middle}",
    "longest first": "sort=-duration", "nothing found": "text=no-such-word",
}


def fill(postgres, name, runs):
    start, step = int((time.time() - 20 * 86_400) * 1_000), 20 * 86_400_000 // runs
    begun = time.monotonic()
    postgres.ask(FILL.format(start=start, step=step, runs=runs), name)
    postgres.ask("UPDATE weir.journal SET head = (SELECT max(sequence) FROM weir.changes)", name)
    postgres.ask(
        "INSERT INTO weir.blocks SELECT opened >> 12, min(started), max(started) FROM weir.runs GROUP BY 1"
        " ON CONFLICT (block) DO UPDATE SET earliest = excluded.earliest, latest = excluded.latest", name)
    postgres.ask("VACUUM ANALYZE", name)
    print(f"{runs} runs with {runs * 10} changes written in {time.monotonic() - begun:.0f} s", flush=True)


def lists(cluster, count=100):
    """The list of runs with every filter: p50 and p99 in milliseconds."""
    begun = time.monotonic()
    until(lambda: cluster.number("SELECT count(*) FROM weir.runs WHERE NOT indexed AND ended IS NOT NULL") == 0, 3_600)
    print(f"the words of all runs were indexed after {time.monotonic() - begun:.0f} s", flush=True)
    middle = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() - 10 * 86_400))
    client = Client(cluster.servers[-1])
    for name, query in FILTERS.items():
        times = []
        for _ in range(count):
            begun = time.monotonic()
            found = client.json("/api/v1/runs?" + query.format(middle=urllib.parse.quote(middle)))
            times.append((time.monotonic() - begun) * 1_000)
        print(f"  {name:28} {len(found['runs']):>3} runs, p50 {figure(times, 50)} ms, p99 {figure(times, 99)} ms", flush=True)


def figure(values, percent):
    return f"{statistics.quantiles(values, n=100)[percent - 1]:.1f}"


def main():
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        postgres = Postgres(folder / "postgres").start()
        try:
            rates = {1: [], 3: [], "pgbench": []}
            for turn in range(3):
                for nodes in (1, 3):
                    cluster = Cluster(nodes, postgres, folder, f"rate{turn}{nodes}")
                    try:
                        changes, size = rate(cluster, seconds)
                    finally:
                        cluster.close()
                    rates[nodes].append(changes)
                rates["pgbench"].append(bench(postgres, f"rate{turn}3", max(1, round(size)), seconds))
            middle = {name: statistics.median(values) for name, values in rates.items()}
            print(f"changes a second, with {size:.0f} in a batch: one server {middle[1]:.0f}, three {middle[3]:.0f}, pgbench {middle['pgbench']:.0f};"
                  f" one beside pgbench {middle[1] / middle['pgbench']:.2f}, three beside one {middle[3] / middle[1]:.2f}", flush=True)
            cluster = Cluster(3, postgres, folder, "shown")
            for name, times in latencies(cluster).items():
                print(f"from a report to a reader of {name} server: p50 {figure(times, 50)} ms, p99 {figure(times, 99)} ms", flush=True)
            for open_pages, connections, transactions in pages(cluster, count):
                print(f"{open_pages} open pages: {connections} connections, {transactions:.1f} transactions a second", flush=True)
            cluster.close()
            if runs:
                cluster = Cluster(1, postgres, folder, "filled")
                cluster.servers[0].ended(cluster.servers[0].run("greeting", label="model"))
                cluster.servers[0].terminate()
                fill(postgres, "filled", runs)
                cluster.servers[0].start()
                lists(cluster)
                cluster.close()
        finally:
            postgres.stop()


if __name__ == "__main__":
    main()
