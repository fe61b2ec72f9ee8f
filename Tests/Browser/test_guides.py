"""Every command that the guides show works, except those that build Weir, install it, or administer a machine."""

import json
import os
import pathlib
import re
import shutil
import subprocess

import httpx
import pytest
from postgres import Postgres, program
from weir import BINARY, until

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Tests/Packaging, script/examples and the machine's own tools have these.
ELSEWHERE = re.compile(
    r"(sudo )?(apt-get|systemctl|docker|tar -xf weir|weir-\d|script/|swift |Benchmarks/|createuser|createdb|claude |-u weir (sh|mv) )"
    r"|export (WEIR_BENCHMARKS|PGPASSFILE)|WEIR_BINARY=|sed .*Documentation/")
# Stands in for the programs of an example: `serve` examines its settings and starts nothing, and passwords are typed.
TOOLS = {
    "weir": """
case "$1" in
serve) exec "$WEIR" "$@" --check-config ;;
login) exec "$WEIR" "$@" < "$HOME/token" ;;
user | secret) printf 'correct horse battery\\n' | "$WEIR" "$@" ;;
*) exec "$WEIR" "$@" ;;
esac
""",
    "sudo": '[ "$1" = -u ] && shift 2\nexec "$@"\n',
    "curl": """
set -- --fail-with-body --silent --show-error "$@"
[[ "$*" = *Authorization:* ]] || set -- --header "Authorization: Bearer $WEIR_TOKEN" "$@"
exec "$CURL" "$@"
""",
}
PG_DUMP = 'while [ "$1" ] && [ "$1" != -f ]; do shift; done\necho dump > "$2"\n'
OPERATIONS = {
    "backup": "title: Backup\nreported: true\n",
    "waiting": "title: Waiting\ncommand: [sleep, '600']\n",
    "deploy": "title: Deploy\ninputs: [{name: branch}]\ncommand: ['true']\n"
              "triggers: [{name: push, secret: github, inputs: {branch: '{{body.ref}}'}}]\n",
}


def shown():
    """The blocks of commands of each guide."""
    for file in [ROOT / "README.md", *sorted((ROOT / "Documentation").glob("*.md"))]:
        blocks = re.findall(r"^```(?:sh\n|\n(?=curl ))(.*?)^```$", file.read_text(), re.M | re.S)
        if blocks := [block for block in map(runnable, blocks) if block]:
            yield pytest.param(file, blocks, id=file.stem)


def runnable(block):
    """The commands of a block that are run here; a command can have several lines."""
    commands = re.findall(r"while [\s\S]*?^done\n|(?:.*\\\n)*.*\n", block, re.M)
    return "".join(command for command in commands if not ELSEWHERE.match(command))


@pytest.fixture
def settings(tmp_path, sky):
    folder = tmp_path / "operations"
    folder.mkdir()
    for name, text in OPERATIONS.items():
        (folder / f"{name}.yml").write_text(text)
    shutil.copytree(ROOT / "Examples/Runbooks", tmp_path / "Runbooks")
    return {
        "WEIR_OPERATIONS": str(folder), "WEIR_RUNBOOK": str(tmp_path / "Runbooks/release.md"),
        "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_AUTH": "password",
    }


class Reader:
    """A person at a terminal on the server's machine, who types what a guide shows, with values of their own."""

    def __init__(self, weir, folder):
        self.weir, self.folder, self.database = weir, folder, None
        for name in ("bin", "home", "orders", "etc/weir", "backups", "var/lib", "my-templates", "my-files"):
            (folder / name).mkdir(parents=True)
        self.tool(**TOOLS, pg_dump=PG_DUMP)
        for name in ("backup.tar", "film.mov"):
            (folder / name).write_bytes(os.urandom(1_000))
        (folder / "etc/weir/weir.yml").write_text(f"data: {weir.data}\n")
        (folder / "etc/weir/backup.key").write_text("correct horse battery staple\n")
        (folder / "weir.yml").write_text("log-level: warning\n")
        shutil.copytree(ROOT / "Examples", folder / "Examples")
        for name in ("release.md", "incident.md"):
            (folder / name).write_text("# Release\n\n- [ ] Tag it\n")
        self.environment = {
            **{name: value for name, value in weir.environment.items() if name not in ("WEIR_RUNBOOK", "WEIR_OPERATIONS")},
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder / "home"), "WEIR": BINARY,
            "CURL": shutil.which("curl"), "WEIR_DATA": str(weir.data), "WEIR_SERVER": weir.url,
            "OFFSET": "0",
        }
        self.said("weir secret set github")
        token = self.said("weir token create reader --role admin").strip()
        (folder / "home/token").write_text(token + "\n")
        self.environment["WEIR_TOKEN"] = token
        weir.headers = {"Authorization": f"Bearer {token}"}
        weir.add_people(eva="admin")
        (folder / "var/lib/weir").symlink_to(weir.data)

    def tool(self, **scripts):
        for name, text in scripts.items():
            file = self.folder / "bin" / name
            file.write_text("#!/bin/bash\n" + text)
            file.chmod(0o755)

    def said(self, script, code=0):
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == code, f"{script}\n{done.stdout[-2_000:]}{done.stderr[-2_000:]}"
        return done.stdout

    def run(self):
        """A run that has ended."""
        return self.weir.ended(self.weir.run("greeting"))["id"]

    def begun(self):
        """A run that is active."""
        return self.weir.run("waiting")["id"]

    def typed(self, command):
        """A command with the reader's own values in place of the guide's."""
        own = {
            r"https://weir\.example(\.com)?(?!\.)|http://127\.0\.0\.1:8080": lambda: self.weir.url,
            r"(?<![\w.])(?=/(etc|backups|var)/)": lambda: str(self.folder),
            r"weir_…": lambda: self.environment["WEIR_TOKEN"],
            r"\$SECRET": lambda: json.loads((self.weir.data / "secrets.json").read_text())["github"],
            r"(?<=cancel )01j…|\bRUN(?=/cancellation)": self.begun, r"\b01j…|\bRUN\b": self.run,
            # A stream that ends; the guide's is endless.
            r"streams/board": lambda: f"streams/run-{self.run()}",
            r"EPOCH\.41": lambda: (feed := self.weir.ask("feeds/board/changes"))["epoch"] + f".{feed['to'] - 1}",
            r"(?<=copy )weir-data": self.stopped, r"(?<=' )weir-data": lambda: "copied-back",
            r"(?<=token revoke )ID": lambda: self.first("weir token create other --role viewer > other; weir token list"),
            r"(?<=session end )ID": lambda: self.first("weir session list"),
            r"(?<=link revoke )ID": self.link,
            r"https://id\.example/realms/company#8f2c41d0": lambda: "user:rui",
            r"(?<=uploads/)ID": self.upload, r"@incident\.jsonl": self.exported,
            r"1042:9f86d0…": lambda: re.search(r"\d+:[0-9a-f]{64}", self.said("weir audit verify"))[0],
            r"postgres://weir@db\.example(\.org)?/weir(\?[^' ]*)?": self.url_of_database,
            r"nightly-\$\(date \+%s\)-\$\$": lambda: "nightly-1",
        }
        for pattern, value in own.items():
            command = re.sub(pattern, lambda _, value=value: value(), command)
        return command

    def first(self, command):
        """The id in the first line of a list."""
        return self.said(command).split()[0]

    def stopped(self):
        """The data folder of a server that is stopped."""
        self.said("weir backup stopped.backup && weir restore stopped.backup --data stopped")
        return "stopped"

    def link(self):
        """A link that a person has made."""
        with httpx.Client(base_url=self.weir.url, headers={"Sec-Fetch-Site": "same-origin"}, trust_env=False) as person:
            person.post("/sign-in", data={"name": "eva", "password": "correct horse"})
            assert person.post(f"/api/v1/runs/{self.run()}/links", json={"hours": 1}).status_code == 201
        return self.first("weir link list")

    def exported(self):
        self.said(f"weir export {self.run()} -o exported.jsonl")
        return "@exported.jsonl"

    def upload(self):
        """An upload that has begun."""
        address = f"{self.weir.url}/api/v1/operations/file-upload/uploads"
        said = self.said(f"curl -i -X POST -H 'Tus-Resumable: 1.0.0' -H 'Upload-Length: 1000' {address}")
        return re.search(r"uploads/(\S+)", said)[1]

    def url_of_database(self):
        if not self.database:
            self.database = Postgres(self.folder / "postgres").start()
            self.address = self.database.database()
            self.tool(pg_dump=f'exec {program("pg_dump")} "$@"\n')
        return self.address


@pytest.fixture
def reader(weir, tmp_path):
    reader = Reader(weir, tmp_path / "reader")
    yield reader
    if reader.database:
        reader.database.stop()


@pytest.mark.parametrize("guide, blocks", shown())
def test_every_command_of_a_guide_works(reader, guide, blocks):
    for block in blocks:
        reader.said("".join(map(reader.typed, block.splitlines(keepends=True))))


def settings_files():
    """The settings files that guides show."""
    for name in ("access", "backup", "hooks", "installing", "monitoring", "settings"):
        blocks = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / f"Documentation/{name}.md").read_text(), re.M | re.S)
        for number, block in enumerate(block for block in blocks if not block.startswith(("title:", "# prometheus.yml"))):
            yield pytest.param(block, id=f"{name}-{number}")


@pytest.mark.parametrize("text", settings_files())
def test_every_settings_file_of_a_guide_has_no_mistake(tmp_path, text):
    (tmp_path / "weir.yml").write_text(text)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WEIR_")}
    done = subprocess.run(
        [BINARY, "serve", "--check-config"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    # What it names, such as a certificate or a secret, is not on this machine.
    lines = [line for line in (done.stdout + done.stderr).splitlines() if line.startswith("weir.yml:")]
    assert done.returncode in (0, 78) and lines == [], done.stdout + done.stderr
