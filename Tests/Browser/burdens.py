"""Kinds of work whose length others decide, each at its worst within the documented limits.

A burden prepares a server's folder before the start (`files`), the running server (`prepare`), and is then carried out by
several processes at once until they are ended (`turn`, again and again).
"""

import http.client
import json
import os
import random
import signal
import string

HEADERS = {"Content-Type": "application/json", "Accept": "text/html", "Sec-Fetch-Site": "same-origin"}
JSON = {"Content-Type": "application/json"}
PROBE = "title: Probe\ncommand: [echo, done]\n"
GRACE = "stop_grace_period: 1s\n"
MANY = 50


def operation(number):
    """An ordinary operation with five states and some inputs."""
    states = "".join(
        f"  {name}: {{match: '^{name} (?<completed>[0-9]+) of (?<total>[0-9]+) (?<file>.+)$', show: '{{{{file}}}}', title: The {name}}}\n"
        for name in ("preparing", "copying", "checking", "switching", "cleaning")
    )
    return (
        f"title: Operation {number}\ntags: [group-{number % 7}]\ninputs:\n"
        "  - {name: release, required: true, pattern: '[A-Za-z0-9._-]+'}\n"
        "  - {name: days, type: integer, min: 1, default: 30}\n"
        "  - {name: kind, options: [full, partial], default: full}\n"
        f"shell: echo copying 1 of 2 a\nstates:\n{states}"
    )


def word(*seed):
    """Twenty letters, the same for the same seed."""
    return "".join(random.Random(str(seed)).choices(string.ascii_lowercase, k=20))


class Burden:
    """One kind of work."""

    #: The number of processes that ask for it at once.
    count = 3
    settings = {}

    def files(self, folder):
        """The operation files by name."""
        return {f"operation-{number}.yml": operation(number) for number in range(8)}

    def prepare(self, weir):
        """Called once when the server runs; what it returns is `self.known` in each process."""

    def turn(self):
        """One request or several, in a process of its own."""
        raise NotImplementedError

    def ask(self, path, method="GET", body=None, headers=None, refused=(401, 403, 404, 405, 500)):
        """Sends a request and reads the whole answer; returns its status and body. The answer is none of `refused`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, body, HEADERS if headers is None else headers)
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status not in refused, f"{method} {path[:80]}: {answer.status} {body[:300]}"
            return answer.status, body
        finally:
            connection.close()

    def loop(self, number, port, known):
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self.number, self.port, self.known = number, port, known
        self.random = random.Random(number)
        while True:
            try:
                self.turn()
            except (OSError, http.client.HTTPException):
                pass  # The server is ending, or has refused it.


class Patterns(Burden):
    """Patterns that scan or backtrack for long on lines that programs print."""

    def files(self, folder):
        print_lines = "awk 'BEGIN { for (i = 0; i < 400; i++) printf \"%4090sx\\n\", \"\" }'"
        letters = "awk 'BEGIN { s = sprintf(\"%4090s\", \"\"); gsub(/ /, \"a\", s); for (i = 0; i < 400; i++) print s \"b\" }'"
        return super().files(folder) | {
            "trailing.yml": f"title: Trailing\n{GRACE}shell: {json.dumps(print_lines)}\nstates: {{trailing: {{match: '\\s+$'}}}}\n",
            "letters.yml": f"title: Letters\n{GRACE}shell: {json.dumps(letters)}\nstates: {{letters: {{match: '^(a|aa)+$'}}}}\n",
            "nested.yml": f"title: Nested\n{GRACE}shell: {json.dumps(letters)}\nstates: {{nested: {{match: '(a+)+$'}}}}\n",
        }

    def turn(self):
        name = ("trailing", "letters", "nested")[self.number]
        status, body = self.ask(f"/api/v1/operations/{name}/runs", "POST", b"{}", JSON)
        if status == 201:
            run = json.loads(body)["id"]
            self.ask(f"/api/v1/runs/{run}/output?after=0&wait=5")


class InputPatterns(Burden):
    """Patterns of inputs that backtrack for long on what people enter."""

    def files(self, folder):
        field = "inputs: [{name: code, pattern: '(x+x+)+y'}, {name: tail, type: text, max_length: 20000, pattern: '(\\s+$|.)*'}]\n"
        return super().files(folder) | {"coded.yml": f"title: Coded\n{field}command: [echo, a]\n"}

    def turn(self):
        body = json.dumps({"code": "x" * 2000, "tail": " " * 19_000 + "x"}).encode()
        self.ask("/api/v1/operations/coded/runs", "POST", body, JSON)


class TemplateChecks(Burden):
    """The check of all templates after each change of the folder, and the page that shows its result."""

    def files(self, folder):
        return {f"operation-{number}.yml": operation(number) for number in range(MANY)}

    def prepare(self, weir):
        return str(weir.folder / "operations"), weir.process.pid

    def turn(self):
        if self.number == 0:
            folder, server = self.known
            with open(f"{folder}/operation-0.yml", "w") as file:
                file.write(operation(0) + f"description: {self.random.random()}\n")
            os.kill(server, signal.SIGHUP)
        self.ask("/system")


class Galleries(Burden):
    """The gallery, the overview and the lists of many operations, in all languages."""

    def files(self, folder):
        return {f"operation-{number}.yml": operation(number) for number in range(MANY)}

    def turn(self):
        language = self.random.choice(["en", "es", "pt-BR"])
        headers = {"Accept": "text/html", "Accept-Language": language}
        for path in ("/gallery", f"/?sort=name&tag=group-{self.random.randrange(7)}", "/?sort=changed&density=compact", "/schedules"):
            self.ask(path, headers=headers)


class Comparisons(Burden):
    """Two runs with large states and inputs, side by side, and moments of one."""

    def files(self, folder):
        return super().files(folder) | {"big.yml": "title: Big\nreported: true\n"}

    def prepare(self, weir):
        runs = []
        for number in range(2):
            path = f"streams/reported/big/compared-{number}"
            weir.send(path, "PUT", {"input": {f"key-{n}": word(number, n) for n in range(4_000)}})
            state = {f"key-{n}": word(number + 2, n) for n in range(4_000)}
            weir.post(path, [{"state": "copying", **state}, {"state": "checking", **state}], closes=True)
            runs.append(f"compared-{number}")
        return runs

    def turn(self):
        a, b = self.known
        self.ask(f"/operations/big/compare?a={a}&b={b}")
        self.ask(f"/api/v1/runs/{a}/comparison?with={b}", headers=JSON)
        self.ask(f"/runs/{a}/moments?a=1")


class Exports(Burden):
    """Exports of all runs in each format, and their import."""

    count = 4

    def prepare(self, weir):
        for _ in range(60):
            weir.run("probe")
        connection = http.client.HTTPConnection("127.0.0.1", weir.port, timeout=60)
        connection.request("GET", "/api/v1/runs/export")
        exported = connection.getresponse().read()
        line = json.dumps({"a" * 10: [[[]]] * 400_000}).encode()
        return exported, line

    def turn(self):
        exported, line = self.known
        if self.number == 0:
            self.ask("/api/v1/imports", "POST", exported, {"Content-Type": "application/jsonl"})
            self.ask("/api/v1/imports", "POST", line + b"\n", {"Content-Type": "application/jsonl"})
            lines = exported.split(b"\n", 1)
            self.ask("/api/v1/imports", "POST", lines[0] + b"\n" + line + b"\n", {"Content-Type": "application/jsonl"})
        else:
            self.ask("/api/v1/runs/export?format=" + ("jsonl", "csv", "json")[self.number - 1])


class BigJSON(Burden):
    """Bodies of two megabytes in the shapes that cost most."""

    def prepare(self, weir):
        size = 2 * 1024 * 1024 - 100
        return [
            b'{"release":[' + b"[]," * (size // 3 - 10) + b"[]]}",
            b'{"release":' + b"[" * 500 + b"]" * 500 + b"}",
            b'{"release":"' + b"\\u0041" * (size // 6 - 10) + b'"}',
            b"{" + b",".join(b'"key-%d":%d' % (index, index) for index in range(120_000)) + b"}",
            b'{"release":[' + b"1e-300," * (size // 7 - 10) + b"0]}",
            b'{"release":' + b"1" * (size - 30) + b"}",
        ]

    def turn(self):
        for body in self.known:
            self.ask("/api/v1/operations/operation-0/runs", "POST", body, JSON)
            self.ask("/operations/operation-0/runs", "POST", body, HEADERS)
        fields = "&".join(f"a{index}=b" for index in range(150_000)).encode()
        self.ask("/operations/operation-0/runs", "POST", fields, {**HEADERS, "Content-Type": "application/x-www-form-urlencoded"})


class Searches(Burden):
    """Searches with as many words as there can be, and with words that match everything."""

    def prepare(self, weir):
        for number in range(100):
            weir.run("operation-1", release=f"word-{number}")

    def turn(self):
        for text in ("a " * 16, "word " * 16, "wo* " * 16, "or " * 16, "x" * 500):
            self.ask("/runs?text=" + text.replace(" ", "+"))
            self.ask("/api/v1/runs?limit=500&text=" + text.replace(" ", "+"), headers=JSON)


class Outputs(Burden):
    """Pages, downloads and searches of output full of colours, in long lines."""

    def files(self, folder):
        script = "awk 'BEGIN { for (i = 0; i < 3000; i++) { for (j = 0; j < 100; j++) printf \"\\033[%dmx\\033[1;4;7m%d\", 31 + j % 7, j; print \"\" } }'"
        return super().files(folder) | {"colours.yml": f"title: Colours\n{GRACE}shell: {json.dumps(script)}\n"}

    def prepare(self, weir):
        return weir.run("colours")["id"]

    def turn(self):
        for path in (f"/runs/{self.known}", f"/runs/{self.known}/output", f"/api/v1/runs/{self.known}/output?limit=1000"):
            self.ask(path, headers={"Accept": "text/html", "Accept-Encoding": "gzip"})
        if self.number == 0:
            self.ask("/api/v1/operations/colours/runs", "POST", b"{}", JSON)


class Markdown(Burden):
    """A runbook and comments in Markdown that is slow to read."""

    def files(self, folder):
        (folder / "runbook.md").write_text("# Release\n\n" + "".join(f"- [ ] Step {n} {'*_[`<' * 200}\n" for n in range(60)))
        return super().files(folder)

    settings = {"WEIR_RUNBOOK": "runbook.md"}

    def prepare(self, weir):
        return weir.ask("stores")["stores"][0]["id"]

    def turn(self):
        self.ask(f"/stores/{self.known}")
        for text in ("[" * 1_900, "*a_" * 600, "<" * 1_900, "> " * 900):
            form = ("action=comment&text=" + text).encode()
            self.ask(f"/stores/{self.known}/actions", "POST", form, {**HEADERS, "Content-Type": "application/x-www-form-urlencoded"})


class Files(Burden):
    """Operation files of the greatest size, changed all at once."""

    count = 2

    def files(self, folder):
        deep = "description: " + "[" * 2_000 + "]" * 2_000 + "\n"
        bomb = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 8)}]\n" for n in range(8))
        wide = "title: Wide\ncommand: [echo, a]\nstates:\n" + "".join(f"  s{n}: {{match: '^{n}x$'}}\n" for n in range(6_000))
        many = {f"operation-{number}.yml": operation(number) for number in range(100)}
        return many | {"deep.yml": deep, "bomb.yml": bomb, "wide.yml": wide}

    def prepare(self, weir):
        return str(weir.folder / "operations"), weir.process.pid

    def turn(self):
        folder, server = self.known
        if self.number == 0:
            for name in os.listdir(folder):
                if name != "probe.yml":
                    with open(f"{folder}/{name}", "a") as file:
                        file.write("#\n")
            os.kill(server, signal.SIGHUP)
        self.ask("/")
        self.ask("/system")


class Choices(Burden):
    """Programs that list choices and hang, for many values each."""

    count = 1

    def files(self, folder):
        values = ", ".join(f"v{index}" for index in range(20))
        choice = (
            f"title: Choosing\ninputs:\n  - {{name: base, options: [{values}], required: true}}\n"
            "  - {name: table, options: {command: [sh, -c, 'sleep 60', '{{base}}'], cache: 1s}}\ncommand: [echo, a]\n"
        )
        return super().files(folder) | {f"choosing-{number}.yml": choice for number in range(4)}

    def turn(self):
        self.ask("/operations/choosing-0")


class Schedules(Burden):
    """Schedules whose next time is far away or never comes."""

    def files(self, folder):
        cron = ("0 0 29 2 *", "0 0 29 2 1", "59 23 31 12 *", "0 12 13 * 5")
        return {
            f"scheduled-{number}.yml": f"title: Scheduled\ncommand: [echo, a]\nschedule: {{cron: '{cron[number % 4]}', timezone: Europe/Lisbon}}\n"
            for number in range(100)
        }

    def turn(self):
        self.ask("/schedules")
        self.ask("/api/v1/schedules", headers=JSON)


class Requests(Burden):
    """Headers, queries and paths of the greatest size."""

    def turn(self):
        lists = [",".join(f"a{index};q=0.{index % 10}" for index in range(1_500)), "; ".join(f"c{index}=d" for index in range(1_800)),
                 ",".join(f'"{index}"' for index in range(2_000)), "\\" * 15_000, "-" * 15_000]
        for field in ("Accept-Language", "Accept-Encoding", "Cookie", "If-None-Match", "Forwarded", "X-Forwarded-For", "Accept"):
            for value in lists:
                # Without sign-in, requests of a proxy get 403 after their header has been read.
                self.ask("/", headers={field: value}, refused=(404, 405, 500))
        self.ask("/?" + "&".join(f"a{index}=b" for index in range(2_500)))
        self.ask("/runs?" + "&".join(f"operation=a{index}" for index in range(1_200)))


class Reports(Burden):
    """Reported runs whose producer sends as much as one request can have."""

    def turn(self):
        path = f"/api/v1/streams/reported/reporting-{self.number}/run-{self.random.randrange(10**9)}"
        self.ask(path, "PUT", b"", JSON)
        messages = json.dumps([{"state": "copying", **{f"k{n}": n for n in range(20)}}] * 2_500).encode()
        self.ask(path, "POST", messages, {**JSON, "Stream-Closed": "true"})


KINDS = [
    Patterns, InputPatterns, TemplateChecks, Galleries, Comparisons, Exports, BigJSON, Searches, Outputs, Markdown, Files,
    Choices, Schedules, Requests, Reports,
]
