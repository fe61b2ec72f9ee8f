"""Many viewers of one page, each as the client in Public is: one request at a time, and a growing wait after failures."""

import asyncio
import json
import random
import re
import threading

WATCHDOG = 24
# The client's is 32 s; this asks an origin in trouble more often, and lets a test end sooner.
LONGEST_WAIT = 2


class Viewer:
    """One open page; `shown` has what it was shown, by sequence, `problem` what should not be."""

    # What a request has besides: as a browser does, the name of whoever looks.
    fields = "Cookie: weir-name=Ada\r\n"

    def __init__(self, port, page, chance, watchdog):
        self.port, self.page, self.chance, self.watchdog = port, page, chance, watchdog
        self.answers = 0
        self.shown = {}
        self.cursor = self.began = 0
        self.epoch = self.links = self.problem = None
        self.failures = 0
        self._reader = self._writer = None

    async def follow(self, opened, told):
        try:
            await self._open()
            opened()
            kind = "next"
            while True:
                try:
                    async with asyncio.timeout(self.watchdog):
                        kind, pause = await self._turn(kind)
                    self.failures = 0
                    self.answers += 1
                    told()
                except (OSError, EOFError, TimeoutError, ValueError):
                    self._close()
                    self.failures += 1
                    told()
                    kind, pause = "now", self.chance.random() * min(LONGEST_WAIT, 2 ** (self.failures - 1))
                await asyncio.sleep(pause)
        except AssertionError as problem:
            self.problem = str(problem)
            told()
        finally:
            self._close()

    async def _turn(self, kind):
        return self._take(json.loads(await self._get(self.links[kind])))

    async def _open(self):
        html = (await self._get(self.page)).partition(b"<main")[2]
        found = dict(re.findall(rb'data-(epoch|sequence|next|now)="([^"]*)"', html))
        self.epoch = found[b"epoch"].decode()
        self.cursor = self.began = int(found[b"sequence"])
        self.links = {"next": found[b"next"].decode(), "now": found[b"now"].decode()}

    def _take(self, answer):
        """What to ask next, and after which pause."""
        assert answer["k"] in ("batch", "empty", "drain") and answer["e"] == self.epoch, f"after {self.cursor} came {answer}"
        start, end = answer["from"], answer["to"]
        if start > self.cursor:
            return "now", 0
        for sequence, *content in answer.get("ev", []):
            if sequence > self.cursor:
                assert sequence not in self.shown, f"{sequence} came twice"
                self.shown[sequence] = content
        self.cursor = max(self.cursor, end)
        self.links |= {"next": answer["next"], "now": answer["now"]}
        lowest, highest = answer.get("retry", [0, 0])
        return "now" if answer.get("more") else "next", (lowest + self.chance.random() * (highest - lowest)) / 1_000

    async def _get(self, path):
        head, body = await self._exchange(path)
        if not head.startswith("http/1.1 200 "):
            raise ValueError(head)
        return body

    async def _exchange(self, path):
        """The head and the body of the answer; the head in lower case."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        self._writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{self.fields}\r\n".encode())
        head = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        body = b"" if head.startswith("http/1.1 204 ") else await self._body(head)
        if "connection: close" in head:
            self._close()
        return head, body

    async def _body(self, head):
        if length := re.search(r"content-length: (\d+)", head):
            return await self._reader.readexactly(int(length[1]))
        assert "transfer-encoding: chunked" in head, head
        parts = []
        while size := int(await self._reader.readline(), 16):
            parts.append(await self._reader.readexactly(size))
            await self._reader.readline()
        await self._reader.readline()
        return b"".join(parts)

    def _close(self):
        if self._writer:
            self._writer.close()
        self._reader = self._writer = None


class StreamViewer(Viewer):
    """One program that follows a stream by long polls, as its protocol says."""

    fields = ""

    async def _open(self):
        self.offset, self.stream_cursor, is_read = "-1", None, False
        while not is_read:
            head, body = await self._exchange(f"{self.page}?offset={self.offset}")
            is_read = self._read(head, body)

    async def _turn(self, kind):
        cursor = f"cursor={self.stream_cursor}&" if self.stream_cursor else ""
        self._read(*await self._exchange(f"{self.page}?{cursor}live=long-poll&offset={self.offset}"))
        return kind, 0

    def _read(self, head, body):
        """Takes an answer in; whether that was all there is."""
        if not head.startswith(("http/1.1 200 ", "http/1.1 204 ")):
            assert not head.startswith("http/1.1 4"), f"after {self.cursor} came {head}"
            raise ValueError(head)
        messages = json.loads(body) if body else []
        self.offset = re.search(r"stream-next-offset: (\S+)", head)[1]
        if cursor := re.search(r"stream-cursor: (\S+)", head):
            assert cursor[1] != self.stream_cursor, "an answer has the cursor that was sent"
            self.stream_cursor = cursor[1]
        for change in messages:
            assert change["sequence"] > self.cursor, f"{change['sequence']} came after {self.cursor}"
            self.shown[change["sequence"]] = change
            self.cursor = change["sequence"]
        return "stream-up-to-date: true" in head


class Crowd(threading.Thread):
    """So many viewers of a page, or followers of a stream, in a thread of their own."""

    def __init__(self, port, count, page="/", watchdog=WATCHDOG, seed=20261122, viewer=Viewer):
        super().__init__(daemon=True)
        chances = (random.Random(f"{seed}-{number}") for number in range(count))
        self.viewers = [viewer(port, page, chance, watchdog) for chance in chances]
        self.changed = threading.Condition()
        self.opened = 0
        self._loop = asyncio.new_event_loop()
        self._task = None

    def run(self):
        async def all_of_them():
            await asyncio.gather(*(viewer.follow(self._opened, self._told) for viewer in self.viewers))

        self._task = self._loop.create_task(all_of_them())
        try:
            self._loop.run_until_complete(self._task)
        except asyncio.CancelledError:
            self._loop.run_until_complete(asyncio.sleep(0))  # closed connections leave
        finally:
            self._loop.close()

    def begin(self):
        self.start()
        self.wait(lambda: self.opened == len(self.viewers), 60, "not everybody got the page")
        return self

    def end(self):
        if not self.is_alive():
            return
        self._loop.call_soon_threadsafe(self._task.cancel)
        self.join(20)
        assert not self.is_alive(), "a viewer does not leave"

    def reach(self, sequence, seconds=60):
        """Returns once everybody has been shown all up to a sequence."""
        self.wait(lambda: all(viewer.cursor >= sequence for viewer in self.viewers), seconds, f"not everybody got to {sequence}")

    def hear(self, seconds=60):
        """Returns once everybody has had an answer after this moment."""
        before = [viewer.answers for viewer in self.viewers]
        answered = lambda: all(viewer.answers > count for viewer, count in zip(self.viewers, before, strict=True))
        self.wait(answered, seconds, "not everybody was answered")

    def fail(self, seconds=60):
        """Returns once everybody's last request has failed."""
        self.wait(lambda: all(viewer.failures for viewer in self.viewers), seconds, "not everybody noticed")

    def hold_to(self, changes):
        """Holds each to having been shown these, each once and in order; all of them have left then."""
        for viewer in self.viewers:
            due = [change["sequence"] for change in changes if viewer.began < change["sequence"] <= viewer.cursor]
            assert list(viewer.shown) == due

    def wait(self, condition, seconds, complaint):
        with self.changed:
            came = self.changed.wait_for(lambda: self.problems or condition(), seconds)
        assert self.problems == []
        assert came, f"{complaint}: {sorted({viewer.cursor for viewer in self.viewers})}, {self.opened} opened"

    @property
    def problems(self):
        return [viewer.problem for viewer in self.viewers if viewer.problem]

    def _opened(self):
        self.opened += 1
        self._told()

    def _told(self):
        with self.changed:
            self.changed.notify_all()


def busiest_second(moments):
    """The most of these moments that lie within one second."""
    moments = sorted(moments)
    return max((sum(1 for later in moments[i:] if later < moment + 1) for i, moment in enumerate(moments)), default=0)
