"""Users behind nginx, Varnish and HAProxy, as the files in Documentation set them up: whom the server sees, and who sees what."""

import base64
import contextlib
import hashlib
import hmac
import http.client
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import httpx
import pytest
from playwright.sync_api import expect
from proxies import USERS, HAProxy, Hitch, Nginx, Varnish, missing
from test_tls import Certificates
from weir import BINARY, until

# The proxy's own address is trusted, so clients have another one.
CLIENT = "127.0.0.2"
OTHER = "203.0.113.9"
# What a server behind a proxy may believe about a client, and what each of them is forged to say.
FORGED = {
    "X-Remote-User": "ana", "X-Remote-Groups": "admins", "X-Forwarded-User": "ana", "X-Forwarded-Groups": "admins",
    "Remote-User": "ana", "Remote-Groups": "admins", "X-Forwarded-For": OTHER, "X-Forwarded-Proto": "http", "X-Real-IP": OTHER,
    "X-Forwarded-Host": "evil.example", "X-Forwarded-Port": "1", "Forwarded": f"for={OTHER};proto=http;host=evil.example",
}


def each(form):
    return [field for name, value in FORGED.items() for field in form(name, value)]


FORMS = {
    "as they are": each(lambda name, value: [(name, value)]),
    "in lower case": each(lambda name, value: [(name.lower(), value)]),
    "in capitals": each(lambda name, value: [(name.upper(), value)]),
    "twice": each(lambda name, value: [(name, value), (name.lower(), value)]),
    "with underscores": each(lambda name, value: [(name.replace("-", "_"), value)]),
    "first empty": each(lambda name, value: [(name, ""), (name, value)]),
    "named by Connection": [*FORGED.items(), ("Connection", ", ".join(FORGED))],
}
# Varnish takes 64 fields in all.
ALL_FORGED = FORMS["twice"] + FORMS["with underscores"]
WEB_TESTS = pathlib.Path(__file__).resolve().parents[1] / "WeirWebTests"
# One spelling for the proxy, and maybe another one for the server.
ODD_PATHS = [
    "//live/1/board/snap", "/live/1/board/../board/snap", "/%6cive/1/board/snap", "/live/1/board%2fsnap", "/live/1/board/snap?x=/y",
    "/hooks/../api/v1/account", "/hooks/%2e%2e/api/v1/account", "/x/../hooks/steps/push", "//hooks/steps/push", "/hooks%2fx/push",
    "/HOOKS/steps/push", "/api/v1/streams/../account", "/api/v1/streams/board?live=long-poll&offset=0123456789_0",
    "/x%20bearer%20/hooks/", "/live/1/board/snap%0a", "/account%3flive=long-poll",
]


def basic(name, password):
    return "Basic " + base64.b64encode(f"{name}:{password}".encode()).decode()


BOB = basic("bob", USERS["bob"])


def routes():
    """A path of each route: the lists of the Swift tests, which hold them against every case there is."""
    table = (WEB_TESTS / "Requests/RouteTableTests.swift").read_text().partition("func paths(")[2].partition("]\n")[0]
    accounts = (WEB_TESTS / "Accounts/AccountTests.swift").read_text().partition("let routes")[2].partition("]\n")[0]
    paths = re.findall(r'"(/[^"]*)"', table + accounts)
    assert len(paths) > 100
    live = [f"/live/1/{label}board/{rest}" for label in ("", "abcdefghijklm/") for rest in ("e/0/0", "e.c/0/now", "snap")]
    return sorted({re.sub(r"\\\((\w+)\)", "x", path) for path in paths} | {*live, "/links/weir_run_x", "/runs/x/links"})


class Origin(http.server.ThreadingHTTPServer):
    """Takes the server's place, and keeps the fields of each request that reaches it."""

    daemon_threads = True

    def __init__(self):
        origin, self.taken = self, {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version, disable_nagle_algorithm = "HTTP/1.1", True

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                origin.taken[self.headers["X-Asked"]] = [(name.lower(), value) for name, value in self.headers.items()]
                body = b'{"role":"recording"}'
                self.send_response(200)
                self.send_header("Cache-Control", "no-store")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            do_GET = do_HEAD = do_POST = answer

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        self.port = self.server_address[1]
        threading.Thread(target=self.serve_forever, daemon=True).start()


@pytest.fixture
def origin():
    with Origin() as origin:
        yield origin
        origin.shutdown()


@pytest.fixture(params=[Nginx, Varnish, HAProxy])
def kind(request):
    if sys.platform != "linux":
        pytest.skip(f"only Linux has {CLIENT} without being told")
    for program in {request.param} | ({Nginx, Hitch} if request.param is Varnish else set()):
        if why := missing(program):
            pytest.skip(why)
    return request.param


@pytest.fixture
def certificates(tmp_path):
    return Certificates(tmp_path)


@pytest.fixture
def opened(tmp_path, kind, certificates):
    """Starts the proxy in front of a port, with HTTPS; `signing_in` is whether it asks for passwords."""
    with contextlib.ExitStack() as stack:

        def start(program, origin, *marks, certificates=None):
            proxy = program(tmp_path / program.__name__, origin, *marks, certificates=certificates)
            stack.callback(proxy.stop)
            return proxy.start()

        def open_proxy(port, signing_in):
            marks = ["tls", "auth"] if signing_in else ["tls"]
            if kind is Nginx:
                return start(Nginx, port, *marks, certificates=certificates)
            if kind is HAProxy:
                proxy = start(HAProxy, [port] * 3, *marks, certificates=certificates)
                until(lambda: len(proxy.up("ready")) == 3 and len(proxy.up("recording")) >= 3)
                return proxy
            varnish = start(Varnish, port, *(["front"] if signing_in else []))
            if signing_in:
                front = start(Nginx, varnish.port, *marks, certificates=certificates)
            else:
                front = start(Hitch, varnish.behind, certificates=certificates)
            front.direct = varnish.port
            return front

        yield open_proxy


class Asking:
    """Asks a proxy, from another address than its own, and says what reached the origin."""

    def __init__(self, origin, certificates, port):
        self.origin, self.count, self.port = origin, 0, port
        self.context = certificates and certificates.context
        self.connection = None

    def __call__(self, path, *fields, method="GET"):
        """The status, and the fields that reached the origin; nil if it was not asked."""
        self.count += 1
        connection = self.connection or self.connect()
        connection.putrequest(method, path, skip_accept_encoding=True)
        for name, value in [*fields, ("X-Asked", str(self.count)), ("Content-Length", "0")]:
            connection.putheader(name, value)
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        self.connection = None if answer.will_close else connection
        return answer.status, self.origin.taken.get(str(self.count))

    def connect(self):
        given = {"timeout": 30, "source_address": (CLIENT, 0)}
        if self.context:
            return http.client.HTTPSConnection("127.0.0.1", self.port, context=self.context, **given)
        return http.client.HTTPConnection("127.0.0.1", self.port, **given)


def believed(fields):
    """What a server could believe of the fields that reached it; nil if none did."""
    if fields is None:
        return None
    found = {name.lower(): [value for field, value in fields if field == name.lower()] for name in [*FORGED, "X-Weir-Actor"]}
    return {name: values for name, values in found.items() if values}


def is_shared(path):
    return re.fullmatch(r"/live/1/[^/]+/[^/]+(/[^/]+/[^/]+)?", path) is not None


@pytest.mark.parametrize("signing_in", [True, False], ids=["signing in", "as it is"])
def test_a_server_is_told_nothing_about_a_client_that_the_client_says(kind, opened, origin, certificates, signing_in):
    proxy = opened(origin.port, signing_in)
    hops = [CLIENT, "127.0.0.1"] if kind is Varnish and signing_in else [CLIENT]

    def expected(user=None, actor=None, scheme="https", hops=hops):
        known = {"x-forwarded-for": [", ".join(hops)], "x-forwarded-proto": [scheme]}
        return known | ({"x-remote-user": [user]} if user else {}) | ({"x-weir-actor": [actor]} if actor else {})

    ask = Asking(origin, certificates, proxy.port)
    user = "bob" if signing_in else None
    actor = ("X-Weir-Actor", "otto")
    refused = {"named by Connection": [(400, None)]} if kind is Varnish else {}
    for path in routes():
        is_asked = signing_in and not path.startswith("/hooks/")
        # Without a password that the proxy has checked, a name is only what the client says.
        for credentials in [[], [("Authorization", basic("ana", USERS["bob"]))]]:
            status, fields = ask(path, *ALL_FORGED, actor, *credentials)
            assert (status, believed(fields)) == ((401, None) if is_asked else (200, expected())), path
        known = user if is_asked and (kind is HAProxy or not is_shared(path)) else None
        for method in ("GET", "POST"):
            status, fields = ask(path, *ALL_FORGED, actor, ("Authorization", BOB), method=method)
            assert (status, believed(fields)) == (200, expected(known, known and "otto")), f"{method} {path}"
    for path in ["/api/v1/account", "/live/1/abcdefghijklm/board/e/0/0", "/api/v1/streams/board"]:
        for form, forged in FORMS.items():
            status, fields = ask(path, *forged, ("Authorization", BOB))
            # Varnish refuses a request whose Connection names such a field.
            assert (status, believed(fields)) in [(200, expected(user)), *refused.get(form, [])], f"{path} {form}"
        # A token is for the server to check, and has no user beside it.
        token = ("Authorization", "bearer weir_x")
        status, fields = ask(path, *ALL_FORGED, actor, token)
        assert (status, believed(fields)) == (200, expected(None, "otto")), path
        for both in [[token, ("Authorization", BOB)], [("Authorization", BOB), token]]:
            status, fields = ask(path, *ALL_FORGED, *both)
            assert status == 400 or "x-remote-user" not in believed(fields), path
    for path in ODD_PATHS:
        for credentials in [[], [("Authorization", BOB)]]:
            status, fields = ask(path, *ALL_FORGED, *credentials)
            named = believed(fields).get("x-remote-user") if fields else None
            assert named in ([None, [user]] if credentials else [None]), path
    # Not encrypted, and past the proxy that signs people in.
    status, _ = Asking(origin, None, proxy.plain)("/", *ALL_FORGED) if kind is not Varnish or signing_in else (308, None)
    assert status == 308
    if kind is Varnish:
        status, fields = Asking(origin, None, proxy.direct)("/account", *ALL_FORGED, actor, ("Authorization", BOB))
        assert (status, believed(fields)) == (200, expected(scheme="http", hops=[CLIENT]))


DEPLOY = """
title: Deploy
inputs: [{name: branch, required: true}]
command: ["true"]
triggers: [{name: push, secret: github, inputs: {branch: "{{body.ref}}"}}]
"""
GRANTS = """
grants:
  - {role: admin, to: ["user:ana", "group:admins"]}
  - {role: operator, to: "user:bob", operations: [greeting, file-upload]}
"""


@pytest.fixture
def signing_in():
    """Whether the proxy signs people in; else the server does."""
    return True


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """The data of a server with a user, made once: hashing a password takes seconds."""
    data = tmp_path_factory.mktemp("people")
    command = [BINARY, "user", "add", "ana", "--role", "admin", "--data", str(data)]
    subprocess.run(command, input="correct horse\n", text=True, check=True, cwd=data, capture_output=True)
    return data


@pytest.fixture
def settings(request, tmp_path, sky, signing_in):
    folder = tmp_path / "operations"
    folder.mkdir()
    (folder / "deploy.yml").write_text(DEPLOY)
    common = {
        "WEIR_OPERATIONS": str(folder), "WEIR_GREETING_URL": sky.url + "/hello", "WEIR_TRUSTED_PROXIES": "127.0.0.1",
        "WEIR_LOG_LEVEL": "warning",
    }
    if not signing_in:
        shutil.copytree(request.getfixturevalue("people"), tmp_path / "data")
        return common | {"WEIR_AUTH": "password", "WEIR_PUBLIC_URL": "https://127.0.0.1"}
    (tmp_path / "weir.yml").write_text(GRANTS)
    names = {"WEIR_ACTOR_HEADER": "X-Remote-User", "WEIR_GROUPS_HEADER": "X-Remote-Groups"}
    return common | names | {"WEIR_AUTH": "proxy"}


@pytest.fixture
def secret(tmp_path, settings):
    command = [BINARY, "secret", "make", "github", "--data", str(tmp_path / "data")]
    return subprocess.run(command, text=True, check=True, cwd=tmp_path, capture_output=True).stdout.strip()


@pytest.fixture
def proxy(opened, weir, signing_in):
    return opened(weir.port, signing_in)


@pytest.fixture
def client(proxy, certificates):
    """Makes clients of a user of the proxy, or of none."""
    with contextlib.ExitStack() as stack:

        def make(user=None, forged=True, **headers):
            transport = httpx.HTTPTransport(verify=certificates.context, local_address=CLIENT)
            fields = (ALL_FORGED if forged else []) + [*headers.items()]
            auth = (user, USERS[user]) if user else None
            return stack.enter_context(
                httpx.Client(base_url=proxy.url, transport=transport, auth=auth, headers=fields, timeout=30))

        yield make


def test_whoever_signs_in_at_the_proxy_is_who_the_server_sees(secret, weir, proxy, client):
    bob, nobody, ana = client("bob"), client(), client("ana", forged=False)
    for path in ["/", "/account", "/api/v1/account", "/live/1/board/snap", "/api/v1/streams/board", "/assets/weir.js"]:
        answer = nobody.get(path)
        assert (answer.status_code, answer.headers["WWW-Authenticate"].split()[0]) == (401, "Basic")
    assert bob.get("/api/v1/account").json()["name"] == "bob"
    page = bob.get("/account", headers={"Accept": "text/html"}).text
    assert "bob" in page and "ana" not in page
    assert bob.get("/audit").status_code == 403 and ana.get("/audit").status_code == 200
    # What only ana may see, she and bob ask for by the same URL.
    run = ana.post("/api/v1/operations/deploy/runs", json={"branch": "secret-branch"}).json()
    for path in [f"/runs/{run['id']}", "/api/v1/streams/operation-deploy", f"/live/1/run-{run['id']}/snap", f"/api/v1/runs/{run['id']}"]:
        assert ana.get(path).status_code in (200, 401)
        answer = bob.get(path)
        assert answer.status_code in (401, 404) and "secret-branch" not in answer.text
    # From a page of this site, and from others, whatever is said about the scheme.
    start = "/api/v1/operations/greeting/runs"
    started = bob.post(start, json={"label": "Bob"}, headers={"Origin": proxy.url, "Cookie": "weir-language=en"})
    assert started.status_code == 201, started.text
    for foreign in [proxy.url.replace("https", "http"), "https://evil.example", "http://evil.example"]:
        assert bob.post(start, json={"label": "x"}, headers={"Origin": foreign}).status_code == 403
    assert ana.get(f"/api/v1/runs/{started.json()['id']}").json()["actor"] == "bob"
    # A file in parts.
    tus, content = {"Tus-Resumable": "1.0.0"}, os.urandom(300_000)
    place = bob.post("/api/v1/operations/file-upload/uploads", headers=tus | {"Upload-Length": str(len(content))}).headers["Location"]
    for begin, end in [(0, 100_000), (100_000, None)]:
        assert bob.head(place, headers=tus).headers["Upload-Offset"] == str(begin)
        assert ana.head(place, headers=tus).status_code in (403, 404)
        part = tus | {"Upload-Offset": str(begin), "Content-Type": "application/offset+octet-stream"}
        assert bob.patch(place, content=content[begin:end], headers=part).status_code == 204
    # A trigger has its own secret, and a program its token.
    body = json.dumps({"ref": "main"}).encode()
    signed = {"X-GitHub-Event": "push", "Content-Type": "application/json"}
    right = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    for signature, status in [("0" * 64, 401), (right, 202)]:
        answer = nobody.post("/hooks/deploy/push", content=body, headers=signed | {"X-Hub-Signature-256": f"sha256={signature}"})
        assert answer.status_code == status, answer.text
    given = {"name": "nightly", "roles": [{"role": "viewer", "operations": ["greeting"]}]}
    token = ana.post("/api/v1/tokens", json=given).json()["token"]
    program = client(Authorization=f"Bearer {token}")
    assert program.get("/api/v1/account").json()["name"] == "token nightly by ana"
    assert program.get("/api/v1/streams/operation-greeting").status_code == 200
    assert program.get("/api/v1/streams/operation-deploy").status_code == 404
    assert client(Authorization="Bearer weir_x").get("/").status_code == 401
    # All of it is recorded as it was.
    entries = ana.get("/api/v1/audit").json()["entries"]
    commands = [entry for entry in entries if entry.get("address") == "command line"]
    assert {entry["action"] for entry in commands} == {"set-secret"}, "the secret of the hook, which was made before"
    assert {entry["address"] for entry in entries if "address" in entry and entry not in commands} == {CLIENT}
    started = {entry["principal"] for entry in entries if entry["action"] == "start" and entry["outcome"] == "done"}
    assert {who for who in started if who.startswith("person:")} == {"person:ana", "person:bob"}, started


def arrive(visit, proxy, path, user=None):
    """A tab at a page, which follows it live."""
    given = {"http_credentials": {"username": user, "password": USERS[user]}} if user else {}
    page = visit(proxy.url + path, ignore_https_errors=True, **given)
    if user:
        expect(page.locator("html[data-live]")).to_be_attached()
        page.evaluate("window.stays = true")
    return page


def test_people_whom_the_proxy_knows_see_changes_at_once_and_only_their_own(visit, proxy, client):
    ana, bob = (arrive(visit, proxy, "/", name) for name in ("ana", "bob"))
    expect(ana.locator(".me a")).to_have_text("ana")
    expect(bob.locator(".me a")).to_have_text("bob")
    labels = [page.locator("#page").get_attribute("data-next").split("/")[3] for page in (ana, bob)]
    assert labels[0] != labels[1] and all(len(label) == 13 for label in labels)
    program = client("ana", forged=False)
    program.post("/api/v1/operations/deploy/runs", json={"branch": "secret-branch"})
    program.post("/api/v1/operations/greeting/runs", json={"label": "for both"})
    for page in (ana, bob):
        expect(page.locator("main")).to_contain_text("Hello, for both!")
    expect(ana.locator("main")).to_contain_text("Deploy")
    assert "Deploy" not in bob.content()
    assert all(page.evaluate("window.stays") for page in (ana, bob))


@pytest.mark.parametrize("signing_in", [False], ids=[""])
def test_people_who_sign_in_at_the_server_see_changes_at_once(visit, proxy):
    page = arrive(visit, proxy, "/sign-in")
    page.get_by_label("Name").fill("ana")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".me a")).to_have_text("ana")
    expect(page.locator("html[data-live]")).to_be_attached()
    cookies = [cookie for cookie in page.context.cookies() if cookie["name"].startswith("__Host-weir")]
    assert len(cookies) == 2, "the session, and the mark of a browser in which somebody signed in"
    assert all(cookie["secure"] and cookie["httpOnly"] for cookie in cookies)
    page.goto(proxy.url + "/operations/greeting")
    expect(page.locator("html[data-live]")).to_be_attached()
    page.evaluate("window.stays = true")
    started = page.request.post(proxy.url + "/api/v1/operations/greeting/runs", data={"label": "Ana"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert started.status == 201
    expect(page.locator("#current .state")).to_have_text("Success: Hello, Ana!")
    assert page.evaluate("window.stays")
