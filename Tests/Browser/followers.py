"""Clients that follow a server's feeds, and remember all they were shown, while the server dies and comes back."""

import http.client
import json
import re
import threading

ATTEMPT = 20


class Lost(Exception):
    """The server went away in the middle of a request, or was not there."""


class Gate:
    """Open while the server may be asked: clients come in for one request at a time."""

    def __init__(self):
        self.changed = threading.Condition()
        self.over = False
        self._open = False
        self._inside = 0

    def open(self):
        with self.changed:
            self._open = True
            self.changed.notify_all()

    def shut(self):
        """Lets nobody in, and waits until all have left, which those whose server is dead do at once."""
        with self.changed:
            self._open = False
            assert self.changed.wait_for(lambda: self._inside == 0, 60), "a client holds on to a server that is dead"

    def end(self):
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def each_turn(self, turn):
        """Does it again and again, while the gate is open, until the end."""
        while True:
            with self.changed:
                assert self.changed.wait_for(lambda: self._open or self.over, 60), "the server did not come back"
                if self.over:
                    return
                self._inside += 1
            try:
                turn()
            finally:
                with self.changed:
                    self._inside -= 1
                    self.changed.notify_all()


class Client:
    """One connection to the server, made anew when it is gone."""

    def __init__(self, weir):
        self._weir = weir
        self._connection = None

    def ask(self, path, method="GET", body=None, headers=None):
        """The status and the bytes of a whole answer; one that was cut off is none."""
        try:
            if self._connection is None:
                self._connection = http.client.HTTPConnection("127.0.0.1", self._weir.port, timeout=ATTEMPT)
            self._connection.request(method, path, body, headers or {})
            answer = self._connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise Lost from error

    def json(self, path, *rest, **options):
        status, body = self.ask(path, *rest, **options)
        assert status in (200, 201, 202), f"{path} was answered {status}: {body[:300]!r}"
        return json.loads(body)

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None


class Follower(threading.Thread):
    """Follows one feed until told to stop; `shown` has what it was shown, by sequence, `problem` what should not be."""

    def __init__(self, weir, gate, feed):
        super().__init__(daemon=True)
        self.client, self.gate, self.feed = Client(weir), gate, feed
        self.shown = {}
        self.began = self.cursor = 0
        self.epoch = None
        self.problem = None

    def run(self):
        try:
            self.gate.each_turn(self._try)
        except BaseException as problem:  # told by whoever waits for the thread
            self.problem = f"{self.feed}: {problem!r}"
            with self.gate.changed:
                self.gate.changed.notify_all()

    def _try(self):
        try:
            self.turn()
        except Lost:
            self.missed()

    def take(self, sequence, content):
        assert sequence > self.cursor, f"change {sequence} came after {self.cursor}"
        with self.gate.changed:
            self.shown[sequence] = content
            self.cursor = sequence
            self.gate.changed.notify_all()

    def missed(self):
        """The last request was not answered."""

    def turn(self):
        raise NotImplementedError


class PollFollower(Follower):
    """Follows as an open page does: by the held poll, whose changes are HTML."""

    def __init__(self, weir, gate, feed, page, language="en"):
        super().__init__(weir, gate, feed)
        self.page, self.language = page, {"Accept-Language": language}
        self.next = self.now = None

    def turn(self):
        if self.next is None:
            _, body = self.client.ask(self.page, headers=self.language)
            found = dict(re.findall(rb'data-(epoch|sequence|next|now)="([^"]*)"', body.partition(b"<main")[2]))
            self.epoch = found[b"epoch"].decode()
            self.began = self.cursor = int(found[b"sequence"])
            self.next, self.now = found[b"next"].decode(), found[b"now"].decode()
        answer = self.client.json(self.next)
        # A server that is being stopped lets everybody go with the address to go on from.
        assert answer["k"] in ("batch", "empty", "drain"), f"after {self.cursor} came {answer}"
        assert answer["e"] == self.epoch and answer["from"] == self.cursor, f"after {self.cursor} came {answer}"
        for sequence, stream, revision, operations in answer.get("ev", []):
            self.take(sequence, [stream, revision, operations])
        assert answer["to"] == self.cursor
        self.next, self.now = answer["now" if answer["more"] else "next"], answer["now"]

    def missed(self):
        self.next = self.now

    def again(self, client, after):
        """What the server tells now of the changes after one, by the same feed."""
        told, url = {}, f"/live/1/{self.feed}/{self.epoch}/{after}/now"
        while (answer := client.json(url))["k"] == "batch":
            told |= {sequence: rest for sequence, *rest in answer["ev"]}
            if not answer["more"]:
                break
            url = answer["now"]
        return told


class APIFollower(Follower):
    """Follows as a program does: by the API, whose changes are states."""

    def turn(self):
        after = f"after={self.epoch}.{self.cursor}&wait=20&" if self.epoch else ""
        answer = self.client.json(f"/api/v1/feeds/{self.feed}/changes?{after}limit=500")
        assert "reset" not in answer, f"after {self.cursor} came {answer['reset']}, from {answer['from']} to {answer['to']}"
        assert self.epoch in (None, answer["epoch"]) and answer["from"] == self.cursor
        self.epoch = answer["epoch"]
        for change in answer["changes"]:
            self.take(change["sequence"], change)

    def again(self, client, after):
        """What the server tells now of the changes after one, by the same feed."""
        told, more = {}, True
        while more:
            url = f"/api/v1/feeds/{self.feed}/changes?after={self.epoch}.{after}&limit=500"
            answer = client.json(url)
            assert "reset" not in answer, f"after {after} came {answer}"
            told |= {change["sequence"]: change for change in answer["changes"]}
            after, more = max(told, default=after), answer["more"]
        return told
