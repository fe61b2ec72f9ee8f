"""Clients that misbehave in every way a connection allows, and one that only wants to be answered.

    python Tests/Browser/crowded.py [CLIENTS] [SECONDS]

starts a server with the default limits and prints what came of it.
"""

import asyncio
import json
import random
import socket
import statistics
import sys
import tempfile
import time

HOST = b"Host: 127.0.0.1\r\n"
POST = b"POST /api/v1/operations/%s/runs HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"


# How long the honest client waits for an answer, in seconds: a busy machine with a debug build takes its time.
PATIENCE = 30


class Ended(Exception):
    """The server ended the connection."""


class Rude:
    """One client that misbehaves on one connection, and says when the server ended it."""

    def __init__(self, port, seconds):
        self.port, self.until = port, time.monotonic() + seconds
        self.opened = self.ended = None
        self.why = ""

    async def run(self):
        loop = asyncio.get_running_loop()
        connection = socket.socket()
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self.loop, self.connection = loop, connection
        try:
            async with asyncio.timeout_at(loop.time() + max(0, self.until - time.monotonic())):
                await loop.sock_connect(connection, ("127.0.0.1", self.port))
                self.opened = time.monotonic()
                await self.misbehave()
        except (Ended, ConnectionError, BrokenPipeError) as end:
            self.ended, self.why = time.monotonic(), repr(end)
        except (TimeoutError, OSError) as end:
            self.why = repr(end)
        finally:
            connection.close()

    async def send(self, data):
        await self.loop.sock_sendall(self.connection, data)

    async def take_all(self):
        """Reads until the server ends the connection."""
        while await self.loop.sock_recv(self.connection, 65_536):
            pass
        raise Ended

    async def noticing(self, work):
        """Does something while it waits for the end, which only a read shows."""
        tasks = [asyncio.create_task(self.take_all()), asyncio.create_task(work)]
        try:
            # Work that is done goes on as waiting for the end; either that fails is the end.
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()

    async def misbehave(self):
        raise NotImplementedError


class NeverReads(Rude):
    """Asks for more than a connection holds and reads none of it."""

    request = b"GET /assets/world.svg HTTP/1.1\r\n" + HOST + b"\r\n"

    async def misbehave(self):
        while True:
            # What nobody reads fills both buffers; from then on sending waits, until the server breaks off.
            await self.send(self.request * 100)


class Exports(NeverReads):
    request = b"GET /runs/export HTTP/1.1\r\n" + HOST + b"\r\n"


class Pipelines(NeverReads):
    """The same with polls, which are answered without a task of their own."""

    request = b"GET /live/1/board/x/0/0 HTTP/1.1\r\n" + HOST + b"\r\n"


class Idle(Rude):
    async def misbehave(self):
        await self.take_all()


class DripsHead(Rude):
    async def misbehave(self):
        async def drip():
            for byte in b"GET / HTTP/1.1\r\nX-Long: " + b"a" * 10_000:
                await self.send(bytes([byte]))
                await asyncio.sleep(0.5)

        await self.noticing(drip())


class DripsBody(Rude):
    async def misbehave(self):
        async def drip():
            await self.send(POST % (b"greeting", 1_000_000))
            while True:
                await self.send(b" ")
                await asyncio.sleep(0.5)

        await self.noticing(drip())


class DripsUpload(Rude):
    async def misbehave(self):
        async def drip():
            await self.send(
                b"POST /api/v1/operations/file-upload/runs?filename=a HTTP/1.1\r\n" + HOST + b"Content-Length: 100000000\r\n\r\n")
            while True:
                await self.send(b"a")
                await asyncio.sleep(0.5)

        await self.noticing(drip())


class Large(Rude):
    """Sends almost all of the largest body there may be, and then nothing."""

    async def misbehave(self):
        async def fill():
            await self.send(POST % (b"greeting", 2_000_000) + b" " * 1_900_000)

        await self.noticing(fill())


class Refused(Rude):
    """Sends a large body where none is taken."""

    async def misbehave(self):
        async def fill():
            await self.send(b"POST /nothing/here HTTP/1.1\r\n" + HOST + b"Content-Length: 10000000000\r\n\r\n")
            while True:
                await self.send(b"a" * 65_536)

        await self.noticing(fill())


class Holds(Rude):
    """Holds polls, one after the other, as pages do: the only one that may go on."""

    async def misbehave(self):
        reader, writer = await asyncio.open_connection(sock=self.connection)
        target = "/live/1/board/snap"
        while True:
            writer.write(f"GET {target} HTTP/1.1\r\n".encode() + HOST + b"\r\n")
            head = await reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
            answer = json.loads(await reader.readexactly(length))
            target = answer["next"]
            if b"connection: close" in head.lower():
                raise Ended


KINDS = [NeverReads, Exports, Pipelines, Idle, DripsHead, DripsBody, DripsUpload, Large, Refused, Holds]
# Those that ask without end keep a debug build busy until their buffers are full, so there are fewer of them.
CROWD = KINDS + 4 * [Idle, DripsHead, DripsBody, DripsUpload, Refused, Holds]


class Honest:
    """Starts runs, cancels them and asks how the server is, each on a connection of its own, one after the other."""

    def __init__(self, port):
        self.port = port
        self.times = []
        self.failures = []
        self.enough = False

    async def ask(self, method, path, body=None):
        begun = time.monotonic()
        try:
            async with asyncio.timeout(PATIENCE):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                sent = json.dumps(body).encode() if body is not None else b""
                writer.write(
                    f"{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {len(sent)}\r\n".encode()
                    + HOST + b"\r\n" + sent)
                answer = await reader.read()
                writer.close()
        except (OSError, TimeoutError) as error:
            self.failures.append(f"{method} {path}: {error!r}")
            return None
        self.times.append(time.monotonic() - begun)
        status, content = int(answer[9:12] or 0), answer.partition(b"\r\n\r\n")[2]
        if status not in (200, 201, 202):
            self.failures.append(f"{method} {path}: {status} {content[:200]!r}")
            return None
        return json.loads(content)

    async def turn(self):
        await self.ask("GET", "/health/live")
        run = await self.ask("POST", "/api/v1/operations/people-in-space/runs", {})
        if run:
            await self.ask("GET", f"/api/v1/runs/{run['id']}")

    async def run(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until and not self.enough:
            await self.turn()
            await asyncio.sleep(0.1)

    @property
    def p99(self):
        return statistics.quantiles(self.times, n=100)[98] if len(self.times) > 1 else None


def memory(process):
    """What the process takes of the memory, in MB."""
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1_024 for line in status if line.startswith("VmRSS"))


async def crowd(weir, count, seconds, kinds=None):
    """Has so many clients misbehave, all at once, until all are ended that should be or the time is over.

    Returns what came of it.
    """
    kinds = kinds or CROWD
    rude = [kinds[number % len(kinds)](weir.port, seconds) for number in range(count)]
    random.Random(1).shuffle(rude)
    honest = Honest(weir.port)
    before = most = memory(weir.process)
    tasks = [asyncio.create_task(each.run()) for each in rude]
    work = asyncio.create_task(honest.run(seconds))
    while not work.done() and not all(task.done() for task, each in zip(tasks, rude) if type(each) is not Holds):
        await asyncio.sleep(0.2)
        most = max(most, memory(weir.process))
    honest.enough = True
    await work
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return {"rude": rude, "honest": honest, "before": before, "most": most, "after": memory(weir.process)}


def report(result):
    """What came of it, in lines."""
    honest = result["honest"]
    lines = [
        f"memory: {result['before']:.0f} MB before, {result['most']:.0f} MB at most, {result['after']:.0f} MB after",
        f"honest client: {len(honest.times)} answers, p50 {statistics.median(honest.times) * 1_000:.0f} ms, "
        f"p99 {honest.p99 * 1_000:.0f} ms, longest {max(honest.times) * 1_000:.0f} ms, {len(honest.failures)} failures {honest.failures[:3]}",
    ]
    for kind in KINDS:
        all_of_it = [each for each in result["rude"] if type(each) is kind]
        lasted = [each.ended - each.opened for each in all_of_it if each.ended]
        longest = f", after {max(lasted):.1f} s at most" if lasted else ""
        opened = sum(each.opened is not None for each in all_of_it)
        lines.append(f"{kind.__name__}: {opened} of {len(all_of_it)} came in, {len(lasted)} were ended{longest}")
    return "\n".join(lines)


if __name__ == "__main__":
    from sky import Sky
    from weir import Weir

    with tempfile.TemporaryDirectory() as folder:
        sky = Sky()
        weir = Weir(folder, sky, {"WEIR_LOG_LEVEL": "notice"}).start()
        try:
            arguments = [int(argument) for argument in sys.argv[1:]] + [1_000, 60][len(sys.argv) - 1 :]
            print(report(asyncio.run(crowd(weir, *arguments))))
        finally:
            weir.close()
            sky.stop()
            print(weir.log.read_text())
