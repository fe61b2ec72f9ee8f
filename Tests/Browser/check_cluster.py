"""Checks that everybody is shown one history by three servers on one PostgreSQL, while all of them are killed and cut off.

Run by hand: python Tests/Browser/check_cluster.py [changes] [faults | kills]; WEIR_BINARY names the binary, best one built with
optimisation. `kills` kills a server a hundred times and the database thirty times. Runs are started at each of the servers, and reported at the one that records. Some readers stay at one server,
others ask another one each time. Each has to be shown every change, once, in order; what they were shown has to be what the
database holds, where each start is one run, no run ends twice, and no report is lost or doubled.
"""

import hashlib
import itertools
import json
import pathlib
import signal
import sys
import tempfile
import threading
import time

from cluster import role
from followers import APIFollower, Client, Gate, Lost
from postgres import Postgres
from relay import Relay
from sky import Sky
from weir import BINARY, Weir, until

EVERY = 1_000
BATCH, LENGTH = 100, 50
LINES = 15
TALK = f"""
title: Talk
command: [sh, -c, 'for n in $(seq {LINES}); do echo "line $n"; sleep 0.1; done']
"""
JSON = {"Content-Type": "application/json"}
SETTINGS = {
    "WEIR_LOG_LEVEL": "warning", "WEIR_REPORTS_UNDECLARED": "yes", "WEIR_REPORTS_LEASE": "600",
    "WEIR_RETENTION_RUNS": "100000000", "WEIR_AUTH": "none",
}


class Reader(APIFollower):
    """Is shown the board by one server or by several in turn; keeps a digest of all it was shown, not the changes."""

    def __init__(self, name, servers, gate):
        super().__init__(servers[0], gate, "board")
        self.name, self.clients = name, itertools.cycle([Client(server) for server in servers])
        self.digest, self.marks, self.lost = hashlib.sha256(), {}, 0

    def turn(self):
        self.client = next(self.clients)
        try:
            super().turn()
        except AssertionError as refused:
            # A server that is only starting, or that cannot reach the database for what is not in its memory.
            if "was answered 503" not in str(refused):
                raise
            raise Lost from refused

    def take(self, sequence, change):
        assert sequence == self.cursor + 1, f"change {sequence} came after {self.cursor}"
        self.digest.update(f"{sequence}|{change['revision']}|{change['case']}\n".encode())
        self.cursor = sequence
        if sequence % EVERY == 0:
            self.marks[sequence] = self.digest.hexdigest()

    def missed(self):
        self.lost += 1
        time.sleep(0.05)


class Starter:
    """Starts runs at one server, each by a key of its own, and again by it until it is answered."""

    operation, pause = "greeting", 0

    def __init__(self, server, gate, name):
        self.client, self.gate, self.name, self.answered, self.problem = Client(server), gate, name, {}, None

    def once(self):
        key = f"{self.name}-{len(self.answered)}"
        try:
            status, body = self.client.ask(
                f"/api/v1/operations/{self.operation}/runs", "POST", json.dumps(self.input(key)), JSON | {"Idempotency-Key": key})
        except Lost:
            time.sleep(0.05)
            return
        assert status in (200, 201, 202, 503), f"answered {status}: {body[:300]!r}"
        if status in (200, 201):
            self.answered[key] = json.loads(body)["id"]
            time.sleep(self.pause)
        else:
            time.sleep(0.05)

    def input(self, key):
        return {"label": key}


class Talker(Starter):
    """Starts runs that print, one after the other."""

    operation, pause = "talk", 1

    def input(self, key):
        return {}


class Reporter:
    """Reports runs at whichever server records, with numbered requests."""

    def __init__(self, servers, gate, name):
        self.clients, self.gate, self.name, self.problem = [Client(server) for server in servers], gate, name, None
        self.sent, self.run, self.number = {}, -1, LENGTH

    def once(self):
        if self.number == LENGTH:
            self.run, self.number = self.run + 1, -1
        path = f"/api/v1/streams/reported/check/{self.name}-{self.run}"
        if self.number < 0:
            asked = ("PUT", "{}", JSON)
        else:
            fields = {"Producer-Id": "c", "Producer-Epoch": "0", "Producer-Seq": str(self.number)}
            fields |= {"Stream-Closed": "true"} if self.number == LENGTH - 1 else {}
            messages = [{"state": f"s{place}", "completed": self.number * BATCH + place} for place in range(BATCH)]
            asked = ("POST", json.dumps(messages), JSON | fields)
        try:
            status, body = self.clients[0].ask(path, *asked)
        except Lost:
            status, body = 0, b""
        assert status in (0, 200, 201, 204, 409, 503), f"answered {status}: {body[:300]!r}"
        if status in (0, 503):
            # Another server may record by now.
            self.clients.append(self.clients.pop(0))
            time.sleep(0.02)
        elif status == 409:
            # It ended with the server that recorded it; what was accepted is kept.
            self.number = LENGTH
        else:
            self.number += 1
            self.sent[f"{self.name}-{self.run}"] = self.number * BATCH


def working(workers, gate):
    """A thread for each, until the end."""

    def work(worker):
        try:
            gate.each_turn(worker.once)
        except BaseException as problem:  # told at the end
            worker.problem = f"{worker.name}: {problem!r}"

    threads = [threading.Thread(target=work, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    return threads


class Cluster:
    """Three servers, each with a wire of its own to the database, and what can happen to them."""

    def __init__(self, folder):
        self.postgres = Postgres(folder / "postgres").start()
        url = self.postgres.database()
        (folder / "operations").mkdir()
        (folder / "operations/talk.yml").write_text(TALK)
        self.relays = [Relay(self.postgres.port) for _ in range(3)]
        self.servers = []
        for name, relay in zip("abc", self.relays):
            journal = url.replace(f":{self.postgres.port}/", f":{relay.port}/")
            self.servers.append(Weir(folder / name, SKY, SETTINGS | {
                "WEIR_JOURNAL": journal, "WEIR_GREETING_URL": SKY.url + "/hello", "WEIR_OPERATIONS": str(folder / "operations")}))
            self.servers[-1].start()
        until(lambda: all(role(server) for server in self.servers))
        self.kills = [
            self.kill_follower, self.kill_recorder, self.kill_follower, self.kill_database, self.kill_recorder, self.kill_follower,
            self.kill_recorder, self.kill_database, self.kill_follower, self.kill_recorder, self.kill_follower, self.kill_recorder,
            self.kill_database,
        ] * 10
        self.faults = itertools.cycle([
            self.kill_recorder, self.kill_follower, self.kill_database, self.stop_recorder, self.cut_recorder, self.cut_follower,
            self.end_recorder,
        ])

    def recorder(self):
        return until(lambda: next((server for server in self.servers if role(server) == "recording"), None), 60)

    def follower(self):
        return next(server for server in self.servers if server is not self.recorder())

    def replaced(self, server):
        until(lambda: any(role(other) == "recording" for other in self.servers if other is not server), 60)

    def again(self, server):
        """Starts a server that has ended, and waits until all three know of each other and one records."""
        server.start()
        until(lambda: role(server), 60)

    def kill_recorder(self):
        server = self.recorder()
        server.kill()
        self.recorder()
        self.again(server)

    def kill_follower(self):
        server = self.follower()
        server.kill()
        self.again(server)

    def end_recorder(self):
        server = self.recorder()
        assert server.terminate(60)[0] == 0
        self.recorder()
        self.again(server)

    def kill_database(self):
        self.postgres.kill()
        self.postgres.start()
        self.recorder()

    def stop_recorder(self):
        """Stands still until another has taken its place; what it then sends is refused, and it ends."""
        server = self.recorder()
        server.process.send_signal(signal.SIGSTOP)
        self.replaced(server)
        server.process.send_signal(signal.SIGCONT)
        assert server.process.wait(60) == 75
        self.again(server)

    def cut_recorder(self):
        """Loses the database and nothing else: it goes on being asked."""
        server = self.recorder()
        relay = self.relays[self.servers.index(server)]
        relay.cut()
        self.replaced(server)
        relay.mend()
        assert server.process.wait(90) == 75
        self.again(server)

    def cut_follower(self):
        server = self.follower()
        relay = self.relays[self.servers.index(server)]
        relay.cut()
        time.sleep(7)
        relay.mend()
        until(lambda: role(server), 90)

    def close(self):
        for server in self.servers:
            server.close()
        for relay in self.relays:
            relay.close()
        self.postgres.stop()


def recorded(postgres, places):
    """The digests of what the database holds up to each of the places."""
    digest, found, last = hashlib.sha256(), {}, 0
    rows = postgres.ask("SELECT sequence || '|' || revision || '|' || convert_from(\"case\", 'UTF8') FROM weir.changes ORDER BY sequence")
    for row in rows.splitlines():
        last += 1
        assert int(row.partition("|")[0]) == last, f"the database holds {row} in place of {last}"
        digest.update(row.encode() + b"\n")
        if last in places:
            found[last] = digest.hexdigest()
    return found


def check_lines(cluster, runs):
    """Holds what each server shows of the output of each run against the database: each line once, and all of a run that succeeded."""
    found = dict(row.split("|") for row in cluster.postgres.ask(
        "SELECT convert_from(r.id, 'UTF8'), string_agg(convert_from(o.text, 'UTF8'), ',' ORDER BY o.number) FROM weir.runs r"
        " JOIN weir.output o ON o.stream = r.opened GROUP BY r.id").splitlines())
    for run in runs:
        lines = found[run].split(",") if run in found else []
        phases = {server.ask(f"runs/{run}")["phase"] for server in cluster.servers}
        whole = LINES if phases == {"succeeded"} else len(lines)
        assert lines == [f"line {n}" for n in range(1, whole + 1)], f"the database holds {lines} of {run}, which is {phases}"
        for server in cluster.servers:
            shown = server.ask(f"runs/{run}/output?limit=1000")
            assert shown["ended"] and [line["text"] for line in shown["lines"]] == lines, f"{server.folder} shows {shown} of {run}"


def check(cluster, reading, readers, starters, reporters):
    """Holds what everybody was shown and answered against the database; what runs while it is watched goes on meanwhile."""
    ask = cluster.postgres.ask
    last = int(ask("SELECT head FROM weir.journal"))

    def are_there():
        return any(reader.problem for reader in readers) or all(reader.cursor >= last for reader in readers)

    try:
        until(are_there, 120)
    except AssertionError:
        raise AssertionError(f"of {last} changes readers were shown {[(r.name, r.cursor) for r in readers]}") from None
    reading.end()
    for reader in readers:
        reader.join(60)
    for worker in [*readers, *starters, *reporters]:
        assert worker.problem is None, worker.problem
    digests = recorded(cluster.postgres, {reader.cursor for reader in readers})
    for reader in readers:
        for mark, shown in reader.marks.items():
            assert shown == readers[0].marks.get(mark, shown), f"{reader.name} was shown something else up to {mark}"
        assert reader.digest.hexdigest() == digests[reader.cursor], f"{reader.name} was shown something else than is recorded"
        assert reader.epoch == ask("SELECT epoch FROM weir.journal")
    assert ask("SELECT count(*) FROM (SELECT revision, row_number() OVER (PARTITION BY stream ORDER BY sequence) - 1 AS place"
               " FROM weir.changes) c WHERE revision <> place") == "0", "a change is missing in a run"
    assert ask("SELECT count(*) FROM (SELECT stream FROM weir.changes c JOIN weir.runs r ON r.opened = c.stream WHERE c.phase >= 2"
               " GROUP BY stream HAVING count(*) > 1) c") == "0", "a run ended twice"
    keys = dict(row.split("|") for row in ask(
        "SELECT convert_from(idempotency_key, 'UTF8'), convert_from(id, 'UTF8') FROM weir.runs WHERE idempotency_key IS NOT NULL"
    ).splitlines())
    count = ask("SELECT count(*) FROM weir.runs WHERE idempotency_key IS NOT NULL")
    assert int(count) == len(keys), "a start was carried out twice"
    for starter in starters:
        for key, run in starter.answered.items():
            assert keys.get(key) == run, f"{key} was answered with {run}, and recorded is {keys.get(key)}"
    states = dict(row.split("|") for row in ask(
        "SELECT convert_from(r.id, 'UTF8'), count(*) FILTER (WHERE convert_from(c.\"case\", 'UTF8') ~ '^s[0-9]') FROM weir.runs r"
        " JOIN weir.changes c ON c.stream = r.opened WHERE r.report IS NOT NULL GROUP BY 1").splitlines())
    for reporter in reporters:
        for run, sent in reporter.sent.items():
            held = int(next(count for id, count in states.items() if id.endswith(run)))
            # What was on its way when the run was ended for it may have been taken and not answered.
            assert held in (sent, sent + BATCH), f"{sent} states of {run} were accepted, and {held} are recorded"
    return last, len(keys)


def main():
    changes = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    faults = sys.argv[2] if len(sys.argv) > 2 else "21"
    with tempfile.TemporaryDirectory() as folder:
        cluster, reading, writing = Cluster(pathlib.Path(folder)), Gate(), Gate()
        servers = cluster.servers
        if faults == "kills":
            cluster.faults = iter(cluster.kills)
        faults = len(cluster.kills) if faults == "kills" else int(faults)
        try:
            readers = [Reader(f"stays at {name}", [server], reading) for name, server in zip("abc", servers)]
            readers += [Reader(f"hops {n}", servers[n:] + servers[:n], reading) for n in range(3)]
            starters = [Starter(server, writing, f"{name}{n}") for name, server in zip("abc", servers) for n in range(3)]
            talkers = [Talker(server, writing, f"talk-{name}") for name, server in zip("abc", servers)]
            starters += talkers
            reporters = [Reporter(servers, writing, f"r{n}") for n in range(2)]
            reading.open()
            writing.open()
            begun = time.monotonic()
            for reader in readers:
                reader.start()
            threads = working([*starters, *reporters], writing)
            for number in range(faults + 1):
                wanted = changes * (number + 1) // (faults + 1)
                until(lambda: any(w.problem for w in [*readers, *starters, *reporters]) or max(r.cursor for r in readers) >= wanted, 900)
                if number < faults:
                    fault = next(cluster.faults)
                    at = time.monotonic()
                    fault()
                    print(f"{max(r.cursor for r in readers):>9} {fault.__name__} ({time.monotonic() - at:.1f} s)", flush=True)
            writing.end()
            for thread in threads:
                thread.join(60)
            # What runs while it is watched goes on.
            going = "SELECT count(*) FROM weir.runs WHERE ended IS NULL AND idempotency_key IS NOT NULL"
            until(lambda: cluster.postgres.ask(going) == "0", 120)
            last, starts = check(cluster, reading, readers, starters, reporters)
            check_lines(cluster, [run for talker in talkers for run in talker.answered.values()])
            seconds = time.monotonic() - begun
            print(
                f"{BINARY}: {last} changes, {starts} runs started at three servers, {faults} faults, {seconds:.0f} s; {len(readers)} readers"
                f" were each shown all of them, once and in order, as the database holds them"
                f" ({sum(r.lost for r in readers)} requests broke off or were refused)"
            )
        finally:
            reading.end()
            writing.end()
            cluster.close()
            for server in servers:
                if words := server.log.read_text():
                    print(server.folder.name, words[-1_500:], file=sys.stderr)


SKY = Sky()

if __name__ == "__main__":
    main()
