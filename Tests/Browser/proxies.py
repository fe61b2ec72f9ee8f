"""nginx, Varnish and HAProxy with the very files in Documentation, ports and folders aside, and what they ask the origin."""

import csv
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import urllib.request

from weir import free_port, until

# Who signs in at a proxy, and the password.
USERS = {"ana": "correct-horse", "bob": "battery-staple"}
DOCUMENTATION = pathlib.Path(__file__).resolve().parents[2] / "Documentation"


def replaced(text, *changes):
    """The text with each of these replaced, which all have to be there: else the test would run another file."""
    for old, new in changes:
        assert old in text, f"{old} is not in the file any more"
        text = text.replace(old, new)
    return text


class Proxy:
    """A proxy as a process, in front of an origin on a loopback port.

    `marks` are those of its file whose lines are switched on: `tls` needs `certificates`, and `auth` lets in USERS.
    """

    program = file = None

    def __init__(self, folder, origin, *marks, certificates=None):
        self.folder, self.origin, self.port = pathlib.Path(folder), origin, free_port()
        self.folder.mkdir()
        self.marks, self.certificates = marks, certificates
        # With tls, where HTTP is redirected.
        self.plain = free_port() if "tls" in marks else self.port
        self.processes = []
        self.asked_marks = 0

    @classmethod
    def shipped(cls):
        return (DOCUMENTATION / cls.file).read_text()

    def switched(self, *changes):
        """The file with its marked lines switched on, as its comment says, and with these replaced."""
        text = self.shipped()
        for mark in self.marks:
            text, count = re.subn(f"^(.*?)#{mark} ", r"\1", text, flags=re.MULTILINE)
            assert count, f"nothing in {self.file} is marked {mark}"
        return replaced(text, *changes)

    @property
    def url(self):
        return f"{'https' if self.certificates else 'http'}://127.0.0.1:{self.port}"

    def launch(self, *command):
        with open(self.folder / "output", "ab") as output:
            self.processes.append(subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True))

    def takes_connections(self):
        assert self.processes[0].poll() is None, (self.folder / "output").read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
        except OSError:
            return False
        return True

    def stop(self):
        for process in reversed(self.processes):
            process.send_signal(signal.SIGTERM)
        for process in reversed(self.processes):
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def kill(self):
        """Ends it at once, with all its workers."""
        for process in self.processes:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes = []

    def mark(self):
        """Asks the origin for what nothing else does, which its log then has."""
        self.asked_marks += 1
        mark = f"/hello?label=mark-{self.asked_marks}"
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(self.url + mark, timeout=30):
            pass
        return mark

    def asked(self, since=0):
        """The moment and the path of each request that the origin was asked, or would have been had it been there."""
        mark = self.mark()
        found = until(lambda: [*self.logged()] if mark in self.log.read_text() else None)
        return [(moment, path) for moment, path in found if moment >= since and not path.startswith("/hello")]

    def lines(self):
        """What its log has by now, without a line of which only a part is written."""
        return self.log.read_text().rpartition("\n")[0].splitlines()


class Nginx(Proxy):
    program, file = "nginx", "nginx.conf"

    def start(self):
        self.log = self.folder / "access.log"
        places = " ".join(f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
        log = f"log_format asked '$msec|$upstream_response_time|$request_uri'; access_log {self.log} asked;"
        conf = self.folder / "nginx.conf"
        users = self.folder / "users"
        users.write_text("".join(f"{name}:{{PLAIN}}{password}\n" for name, password in USERS.items()))
        encrypted = [
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} ssl"), ("/etc/nginx/weir.pem", str(self.certificates.chain)),
            ("/etc/nginx/weir.key", str(self.certificates.key)),
        ] if "tls" in self.marks else []
        conf.write_text(self.switched(
            ("http {", f"http {{ {places} {log}"),
            (f"proxy_cache_path {self.cache()}", f"proxy_cache_path {self.folder}/cache"),
            ("listen 80;", f"listen 127.0.0.1:{self.plain};"),
            ("server 127.0.0.1:8080;", f"server 127.0.0.1:{self.origin};"),
            ("/etc/nginx/weir.users", str(users)),
            *encrypted,
        ))
        user = "user root;" if os.geteuid() == 0 else ""  # else it could not enter the test's folder
        orders = f"daemon off; pid {self.folder}/pid; {user}"
        self.launch("nginx", "-p", self.folder, "-e", self.folder / "output", "-c", conf, "-g", orders)
        until(self.takes_connections)
        return self

    @classmethod
    def cache(cls):
        return re.search(r"proxy_cache_path (\S+)", cls.shipped())[1]

    def logged(self):
        """nginx notes each request of a viewer, with how long each attempt to ask the origin took."""
        for line in self.lines():
            moment, took, path = line.split("|")
            for seconds in re.findall(r"[\d.]+", took):
                yield float(moment) - float(seconds), path


class RoundRobin(Proxy):
    """nginx that sends each request to the next of several servers, and nothing of one twice."""

    program = "nginx"

    def start(self):
        places = " ".join(f"{name}_temp_path {self.folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "scgi", "uwsgi"))
        servers = " ".join(f"server 127.0.0.1:{port};" for port in self.origin)
        conf = self.folder / "nginx.conf"
        conf.write_text(
            "events {}\n"
            f"http {{ {places} access_log off; upstream servers {{ {servers} }}\n"
            f"server {{ listen 127.0.0.1:{self.port}; location / {{ proxy_pass http://servers; proxy_http_version 1.1; "
            "proxy_set_header Host $http_host; proxy_set_header Connection ''; proxy_buffering off; "
            "proxy_next_upstream off; }}}\n")
        user = "user root;" if os.geteuid() == 0 else ""  # else it could not enter the test's folder
        orders = f"daemon off; worker_processes 1; pid {self.folder}/pid; {user}"
        self.launch("nginx", "-p", self.folder, "-e", self.folder / "output", "-c", conf, "-g", orders)
        until(self.takes_connections)
        return self


class Varnish(Proxy):
    program, file = "varnishd", "varnish.vcl"

    def start(self):
        # Where it takes the PROXY protocol.
        self.behind = free_port()
        self.log = self.folder / "fetches.log"
        self.log.write_text("")
        vcl = self.folder / "varnish.vcl"
        vcl.write_text(self.switched(('.port = "8080";', f'.port = "{self.origin}";')))
        place = self.folder / "varnish"
        addresses = ["-a", f"127.0.0.1:{self.port}", "-a", f"proxy=127.0.0.1:{self.behind},PROXY"]
        self.launch("varnishd", "-F", "-j", "none", "-n", place, *addresses, "-f", vcl, "-s", "malloc,64m")
        until(self.takes_connections, 240)  # It compiles its file.
        self.launch("varnishncsa", "-b", "-n", place, "-F", "%{VSL:Timestamp:Start[1]}x|%U%q", "-w", self.log)
        # What is asked before it looks is not noted.
        until(lambda: self.mark() and self.lines())
        return self

    def logged(self):
        """varnishncsa notes each request to the origin."""
        for line in self.lines():
            moment, path = line.split("|")
            yield float(moment), path


class Hitch(Proxy):
    """Hitch in front of Varnish, as the comment in Varnish's file says."""

    program = "hitch"

    def start(self):
        pem = self.folder / "weir.pem"
        pem.write_bytes(self.certificates.key.read_bytes() + self.certificates.chain.read_bytes())
        user = ["--user=root"] if os.geteuid() == 0 else []  # else it could not enter the test's folder
        self.launch(
            "hitch", f"--backend=[127.0.0.1]:{self.origin}", f"--frontend=[127.0.0.1]:{self.port}", "--write-proxy-v2=on",
            "--alpn-protos=http/1.1", *user, pem)
        until(self.takes_connections)
        return self


class HAProxy(Proxy):
    """HAProxy in front of three servers."""

    program, file = "haproxy", "haproxy.cfg"

    def start(self):
        self.told_at = free_port()
        conf = self.folder / "haproxy.cfg"
        pem, encrypted = self.folder / "weir.pem", []
        if "tls" in self.marks:
            pem.write_bytes(self.certificates.key.read_bytes() + self.certificates.chain.read_bytes())
            encrypted = [("bind :443 ", f"bind 127.0.0.1:{self.port} "), ("/etc/haproxy/weir.pem", str(pem))]
        users = "".join(f"    user {name} insecure-password {password}\n" for name, password in USERS.items())
        conf.write_text(self.switched(
            ("bind :80\n", f"bind 127.0.0.1:{self.plain}\n"),
            ("userlist weir\n", "userlist weir\n" + users),
            *encrypted,
            *((f"10.0.0.{number}:8080", f"127.0.0.1:{port}") for number, port in enumerate(self.origin, 1)),
            # So that a test can ask which servers it knows to be ready.
            ("\nglobal\n", f"\nglobal\n    stats socket ipv4@127.0.0.1:{self.told_at} level user\n"),
        ))
        self.launch("haproxy", "-db", "-f", conf)
        until(self.takes_connections)
        return self

    def servers(self, backend):
        """What HAProxy knows of the servers of a backend, by their names in the file."""
        with socket.create_connection(("127.0.0.1", self.told_at)) as asked:
            asked.sendall(b"show stat -1 4 -1\n")
            told = asked.makefile().read()
        rows = csv.DictReader(told.removeprefix("# ").splitlines())
        return {row["svname"]: row for row in rows if row["pxname"] == backend}

    def up(self, backend):
        """The names of the servers of a backend that it has found to be up."""
        return [name for name, row in self.servers(backend).items() if row["status"].startswith("UP")]


def missing(proxy):
    """Why a proxy cannot be tried here, if so."""
    needed = [proxy.program, "varnishncsa"] if proxy is Varnish else [proxy.program]
    absent = [program for program in needed if not shutil.which(program)]
    return f"{' and '.join(absent)} cannot be found; on Debian, script/dependencies test installs it" if absent else None
