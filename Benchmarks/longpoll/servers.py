"""The servers that are measured: what each has used of the processor, how much memory it takes, and where it is polled."""

import atexit
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
MODULE = Path("/usr/lib/nginx/modules/ngx_nchan_module.so")
BODY = 10_000
SERVER, CLIENT = "0", "1"


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if result := condition():
            return result
        time.sleep(0.02)
    sys.exit(f"{what} did not happen within {seconds} s.")


def answers(url):
    try:
        return urllib.request.urlopen(url, timeout=2).status == 200
    except OSError:
        return False


class Server:
    """A server that is measured: what it has used of the processor, and how much memory it takes."""

    def __init__(self, folder):
        self.folder, self.port = folder, free_port()

    def tasks(self):
        return [task for pid in self.pids() for task in Path(f"/proc/{pid}/task").iterdir()]

    def processor(self):
        """Seconds of all threads."""
        total = 0
        for task in self.tasks():
            try:
                total += int((task / "schedstat").read_text().split()[0])
            except OSError:
                pass
        return total / 1e9

    def memory(self):
        """Bytes that are resident and not shared."""
        total = 0
        for pid in self.pids():
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
            total += sum(int(each) for each in re.findall(r"^Private_(?:Clean|Dirty):\s+(\d+)", text, re.M))
        return total * 1024

    def started(self, process):
        atexit.register(process.kill)
        self.process = process

    def close(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Weir(Server):
    kind = "weir"

    def __init__(self, folder, binary, *options):
        super().__init__(folder)
        self.log = open(folder / "weir.log", "w")
        self.started(subprocess.Popen(
            ["taskset", "-c", SERVER, binary, "serve", "--port", str(self.port), "--data", str(folder / "data"),
             "--reports-undeclared", "yes", "--connections-count", "24000", *options],
            stdout=self.log, stderr=self.log))
        self.url = f"http://127.0.0.1:{self.port}"
        until(lambda: answers(self.url + "/health/live"), "Weir's start")
        self.publish = self.open_run("bench", "run-1")
        self.poll = self.poll_of("/runs/run-1")

    def open_run(self, operation, run):
        """Begins a run that is reported; returns where."""
        path = f"/api/v1/streams/reported/{operation}/{run}"
        urllib.request.urlopen(urllib.request.Request(
            self.url + path, b'{"title":"Bench"}', {"Content-Type": "application/json"}, method="PUT"))
        return path

    def poll_of(self, page):
        """What a viewer of a page asks for first, once the page has it."""
        def poll():
            return re.search(r"/live/1/[a-z0-9./-]+/\d+/\d+", urllib.request.urlopen(self.url + page).read().decode())
        return until(poll, f"a poll on {page}")[0]

    def pids(self):
        return [self.process.pid]


class Nchan(Server):
    kind = "nchan"

    def __init__(self, folder):
        super().__init__(folder)
        configuration = (HERE / "nchan.conf").read_text()
        for name, value in {"FOLDER": str(folder), "PORT": str(self.port), "MODULE": str(MODULE)}.items():
            configuration = configuration.replace(name, value)
        (folder / "nginx.conf").write_text(configuration)
        self.started(subprocess.Popen(
            ["taskset", "-c", SERVER, "nginx", "-e", str(folder / "errors"), "-c", str(folder / "nginx.conf")]))
        until(lambda: answers(f"http://127.0.0.1:{self.port}/health"), "nginx's start")
        self.poll, self.publish = "/poll", "/publish"

    def pids(self):
        parent = self.process.pid
        return [int(pid) for pid in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]


class Viewers:
    """The program that holds the polls and publishes."""

    def __init__(self, program, server, count):
        self.process = subprocess.Popen(
            ["taskset", "-c", CLIENT, program, server.kind, str(server.port), server.poll, str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.server, self.count = server, count
        assert self.process.stdout.readline().startswith("held"), "the viewers could not connect"

    def publish(self, count, interval, size):
        self.process.stdin.write(f"publish {count} {interval} {size} {self.server.publish}\n")
        result = json.loads(self.process.stdout.readline())
        result["missing"] += self.count - result["finished"]
        return result

    def quiet(self, seconds):
        self.process.stdin.write(f"quiet {seconds}\n")
        self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def binary(path=None):
    """The server, built with optimisation if no path is given."""
    if not path:
        for product in ["weir", "weir-exec"]:
            subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=HERE.parent.parent, check=True)
    return path or str(HERE.parent.parent / ".build/release/weir")


def compiled(folder, name):
    """A program in C of this folder, compiled."""
    program = f"{folder}/{name}"
    subprocess.run(["cc", "-O2", "-o", program, str(HERE / f"{name}.c"), "-lpthread"], check=True)
    return program


def allow_files():
    """As many open files as this process may have; there must be two processors."""
    if (os.cpu_count() or 1) < 2:
        sys.exit("This needs two processors: one for the server, one for the viewers.")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
