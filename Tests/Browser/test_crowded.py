"""Clients that misbehave at once in every way, and one that only wants to be answered.

`WEIR_CROWD=1000` makes it a thousand, for a machine that has nothing else to do.
"""

import http.client
import os
import resource
import socket
import time

import pytest
from crowded import KINDS, Holds, crowd, report
from weir import apart, until

pytestmark = [pytest.mark.alone, pytest.mark.long]

# Each connection may take what is written to it and not taken (64 KiB and one answer), one read of 64 KiB, and what its
# tasks need; all bodies together 64 MiB; and a debug build takes more of everything.
BOUND = 300
CROWD = int(os.environ.get("WEIR_CROWD", "100"))
LIMITS = {
    "WEIR_CONNECTIONS_IDLE": "4", "WEIR_CONNECTIONS_HEAD": "4", "WEIR_CONNECTIONS_BODY_GRACE": "4",
    "WEIR_CONNECTIONS_STALL": "4", "WEIR_CONNECTIONS_UNSENT_BYTES": "16384", "WEIR_LOG_LEVEL": "error",
}


@pytest.fixture
def settings():
    return LIMITS


@pytest.fixture(autouse=True)
def files():
    """As many files as a thousand connections need."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(before[0], min(4_096, before[1])), before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_whatever_many_clients_do_memory_is_bounded_and_an_honest_one_is_answered(weir):
    result = apart(crowd(weir, CROWD, 90))
    print(report(result))
    honest = result["honest"]
    assert honest.failures == []
    assert len(honest.times) > 5
    assert result["most"] - result["before"] < BOUND
    for kind in KINDS:
        all_of_it = [each for each in result["rude"] if type(each) is kind]
        assert all(each.opened for each in all_of_it), f"{kind.__name__} was not let in"
        if kind is not Holds:
            assert all(each.ended for each in all_of_it), f"{kind.__name__} goes on"
    # Everything they took is given back.
    assert weir.ask("runs")["runs"]


def processor_time(weir):
    """How many seconds of a processor the server has used."""
    with open(f"/proc/{weir.process.pid}/stat", encoding="ascii") as stat:
        fields = stat.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class TestFewFiles:
    """A process that may have few files open."""

    @pytest.fixture
    def settings(self):
        return {"WEIR_LOG_LEVEL": "notice"}

    @pytest.fixture
    def prefix(self):
        return ["bash", "-c", 'ulimit -n 256; exec "$@"', "weir"]

    def test_it_answers_though_more_connect_than_it_may_have_files_and_it_does_not_spin(self, weir):
        idle = [socket.create_connection(("127.0.0.1", weir.port), timeout=20) for _ in range(400)]
        try:
            begun = time.monotonic()
            for path in ("/health/live", "/health/ready", "/api/v1/runs"):
                connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=20)
                connection.request("GET", path)
                assert connection.getresponse().status == 200
                connection.close()
            assert time.monotonic() - begun < 10
            before, moment = processor_time(weir), time.monotonic()
            until(lambda: time.monotonic() - moment > 3)
            assert processor_time(weir) - before < 1.5, "it spins"
        finally:
            for connection in idle:
                connection.close()
        until(lambda: "There is room for connections again." in weir.log.read_text())
        assert weir.log.read_text().count("All connections are in use.") == 1
