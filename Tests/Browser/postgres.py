"""PostgreSQL and PgBouncer as processes of their own, in a folder of their own, as a user without rights."""

import glob
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess

from weir import free_port, until

FOLDERS = [*filter(None, [os.environ.get("WEIR_POSTGRES")]), *sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True), "/opt/homebrew/opt/postgresql@15/bin"]


def program(name):
    path = shutil.which(name, path=os.pathsep.join([*FOLDERS, "/usr/sbin", os.environ["PATH"]]))
    assert path, f"{name} cannot be found: script/dependencies test installs it"
    return path


def unprivileged():
    """What a process is started with, so that it is not root's: PostgreSQL refuses that."""
    if os.getuid() != 0:
        return {}
    user = pwd.getpwnam("postgres")
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Process:
    """A program in a folder of its own, which its user may enter."""

    def __init__(self, folder):
        self.folder, self.port, self.process = pathlib.Path(folder), free_port(), None
        self.folder.mkdir()
        for parent in self.folder.parents:
            if parent.stat().st_uid == os.getuid() and parent != pathlib.Path("/tmp"):
                parent.chmod(parent.stat().st_mode | 0o011)
        if who := unprivileged():
            os.chown(self.folder, who["user"], who["group"])

    def launch(self, *command):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **unprivileged())

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                # Whoever runs the tests may have had the signal ignored.
                self.process.kill()
                self.process.wait()


class Postgres(Process):
    """A database server on a port of its own."""

    def __init__(self, folder, *options):
        super().__init__(folder)
        self.options = options
        self.call("initdb", "-D", self.folder / "data", "-U", "weir", "-E", "UTF8", "--locale=C", "-A", "trust", "-N")

    def call(self, name, *arguments):
        done = subprocess.run(
            [program(name), *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, **unprivileged()
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def client(self, name, *arguments):
        return self.call(name, "-h", "127.0.0.1", "-p", self.port, "-U", "weir", *arguments)

    def start(self):
        self.launch(
            program("postgres"), "-D", str(self.folder / "data"), "-p", str(self.port), "-k", str(self.folder),
            "-c", "listen_addresses=127.0.0.1", *self.options,
        )
        until(self.answers)
        return self

    def answers(self):
        assert self.process.poll() is None, (self.folder / "log").read_text()
        return not subprocess.run([program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode

    def kill(self):
        """Ends it at once with all its processes: only what the disk holds is left."""
        found = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True)
        pids = [self.process.pid, *map(int, found.stdout.split())]
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.wait()
        listed = ",".join(map(str, pids))
        until(lambda: not subprocess.run(["ps", "-o", "stat=", "-p", listed], capture_output=True, text=True)
              .stdout.replace("Z", "").strip("sl+<N\n "))
        (self.folder / "data/postmaster.pid").unlink()

    def database(self, name="weir"):
        """Creates a database; returns its URL."""
        self.client("createdb", name)
        return f"postgres://weir@127.0.0.1:{self.port}/{name}"

    def ask(self, statement, name="weir"):
        return self.client("psql", "-d", name, "-Atc", statement).strip()

    def dump(self, name="weir"):
        """All that is in a database, as text; what is kept as bytes too."""
        text = self.client("pg_dump", "--data-only", name)
        return text + re.sub(r"\\\\x([0-9a-f]+)", lambda found: bytes.fromhex(found[1]).decode(errors="replace"), text)


class PgBouncer(Process):
    """A pooler in front of a database server."""

    def __init__(self, folder, postgres, mode):
        super().__init__(folder)
        (self.folder / "users").write_text('"weir" ""\n')
        (self.folder / "ini").write_text(
            f"[databases]\n* = host=127.0.0.1 port={postgres.port}\n"
            f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {self.port}\nunix_socket_dir =\n"
            f"auth_type = any\nauth_file = {self.folder}/users\npool_mode = {mode}\n"
            f"[users]\n"
        )
        ini = self.folder / "ini"
        ini.write_text(ini.read_text().replace("port=", "user=weir port=", 1))

    def start(self):
        self.launch(program("pgbouncer"), str(self.folder / "ini"))
        until(lambda: not subprocess.run(
            [program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]).returncode)
        return self
