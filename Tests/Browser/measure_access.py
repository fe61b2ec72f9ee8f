"""Measures what it costs that people are known: a held poll and a page beside an open server's, and three audiences beside one.

Run by hand: python Tests/Browser/measure_access.py [viewers] [releases] [rounds]; WEIR_BINARY names the binary, best one built with
optimisation. The server has one processor to itself, and the load another. Processor time is the server's own, as the system
counts it; the configurations take turns, and the median of the rounds is printed.
"""

import http.client
import os
import re
import resource
import statistics
import sys
import tempfile
import urllib.parse

from measure_streams import SETTINGS, Crowd, Reporter, settle
from sky import Sky
from weir import BINARY, Weir

PASSWORD = "correct horse"
PAGES = 1_000
# Who opens the pages: nobody who is asked, people of one role, and people of three.
OPEN, ONE, THREE = {None: None}, {"vera": "viewer"}, {"vera": "viewer", "otto": "operator", "ada": "admin"}


def cpu(weir):
    """Seconds of processor time that the server has used, by the scheduler's own clock."""
    tasks = f"/proc/{weir.process.pid}/task"
    return sum(int(open(f"{tasks}/{task}/schedstat").read().split()[0]) for task in os.listdir(tasks)) / 1e9


class Person:
    """Somebody with a browser, who has signed in if they have a name."""

    def __init__(self, weir, name):
        self.connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=60)
        self.cookie = None
        if name:
            form = urllib.parse.urlencode({"name": name, "password": PASSWORD})
            fields = {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin"}
            self.connection.request("POST", "/sign-in", form, fields)
            answer = self.connection.getresponse()
            answer.read()
            assert answer.status == 303, answer.status
            # The last one: before it, the cookie of a link is cleared.
            self.cookie = answer.headers.get_all("set-cookie")[-1].split(";")[0]

    @property
    def fields(self):
        return {"Cookie": self.cookie} if self.cookie else {}

    def page(self, path):
        self.connection.request("GET", path, headers={"Accept": "text/html", **self.fields})
        answer = self.connection.getresponse()
        text = answer.read().decode()
        assert answer.status == 200, answer.status
        return text

    def get(self, target):
        fields = "".join(f"{name}: {value}\r\n" for name, value in self.fields.items())
        return f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n{fields}\r\n".encode()

    def following(self, head, body):
        """What a page asks after an answer, and whether that was news."""
        assert " 200 " in head[:16], head
        return self.get(re.search(rb'"next":"([^"]*)"', body)[1].decode()), b'"k":"batch"' in body


def measured(people, count, releases):
    """Microseconds of the server's processor for each poll that is answered and held again, and for each page."""
    with tempfile.TemporaryDirectory() as folder:
        weir = Weir(
            folder, Sky(), {**SETTINGS, "WEIR_AUTH": "none" if None in people else "password"},
            prefix=["taskset", "-c", "0"])
        for name, role in {**people, "root": "admin"}.items():
            if None not in people:
                weir.add_user(name, role, PASSWORD)
        weir.start()
        root = Person(weir, None if None in people else "root")
        everybody = [Person(weir, name) for name in people]
        reporter = Reporter(weir, "m", {**root.fields, "Sec-Fetch-Site": "same-origin"})
        crowds = []
        for person in everybody:
            found = re.search(r'data-next="([^"]*)"', person.page("/runs/m"))
            crowds.append(Crowd(weir, count // len(everybody), person.get(found[1]), person.following))
        settle(weir)
        used = cpu(weir)
        for number in range(releases):
            reporter.append({"state": "s", "completed": number})
            for crowd in crowds:
                crowd.drain(count // len(everybody))
        settle(weir)
        poll = (cpu(weir) - used) / releases / (count // len(everybody) * len(everybody))
        for crowd in crowds:
            crowd.close()
        settle(weir)
        used = cpu(weir)
        for number in range(PAGES):
            everybody[number % len(everybody)].page("/runs/m")
        page = (cpu(weir) - used) / PAGES
        weir.close()
        return poll * 1e6, page * 1e6


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    releases = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    print(f"{BINARY}, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors; {count} viewers, {releases} changes")
    results = {"open": (OPEN, []), "one audience": (ONE, []), "three audiences": (THREE, [])}
    for _ in range(rounds):
        for people, values in results.values():
            values.append(measured(people, count, releases))
    medians = {}
    for name, (_, values) in results.items():
        polls, pages = zip(*values)
        medians[name] = statistics.median(polls), statistics.median(pages)
        print(
            f"{name}: {medians[name][0]:.2f} µs a poll ({min(polls):.2f} to {max(polls):.2f}), "
            f"{medians[name][1]:.0f} µs a page ({min(pages):.0f} to {max(pages):.0f})")
    (open_poll, open_page), (one_poll, one_page), (three_poll, _) = medians.values()
    print(f"a poll of one audience beside an open one: {one_poll / open_poll:.3f} (aim: 1.05 at most)")
    print(f"a page of one audience beside an open one: {one_page / open_page:.3f} (aim: 1.05 at most)")
    print(f"three audiences beside one: {three_poll / one_poll:.3f} (aim: 1.3 at most)")


if __name__ == "__main__":
    main()
