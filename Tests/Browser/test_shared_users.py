"""Several servers on one PostgreSQL have the same users, tokens and sessions."""

import json
import subprocess
import time

import httpx
import pytest
from cluster import other, postgres, role, taken_over  # noqa: F401
from cluster import settings as cluster_settings  # noqa: F401
from playwright.sync_api import expect
from proxies import RoundRobin, missing
from test_oidc import GRANTS, SECRET, Visitor, provider, said  # noqa: F401
from weir import BINARY, Weir, free_port, until

PASSWORD = "correct horse"


@pytest.fixture
def settings(cluster_settings):  # noqa: F811
    return cluster_settings | {"WEIR_AUTH": "password"}


class Browser:
    """A browser without a window: its cookies are for all ports of the machine."""

    def __init__(self):
        self.http = httpx.Client(trust_env=False, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}, timeout=30)

    def sign_in(self, server, name, password=PASSWORD):
        return self.http.post(server.url + "/sign-in", data={"name": name, "password": password})

    def name(self, server):
        """Who the browser is signed in as; None for nobody."""
        account = self.http.get(server.url + "/api/v1/account").json()
        return account["name"] if account["kind"] == "person" else None

    def token(self, server, **fields):
        body = {"name": "ci", "roles": [{"role": "viewer"}], **fields}
        answer = self.http.post(server.url + "/api/v1/tokens", json=body)
        assert answer.status_code == 201, answer.text
        return answer.json()["token"]


def with_token(server, token):
    return httpx.get(server.url + "/api/v1/operations", headers={"Authorization": f"Bearer {token}"}, trust_env=False, timeout=30).status_code


def command(weir, *words, check=True):
    return subprocess.run(
        [BINARY, *words, "--data", str(weir.data)], input=PASSWORD + "\n", text=True, check=check, env=weir.environment,
        cwd=weir.folder, capture_output=True)


def audited(browser, server, action):
    entries = browser.http.get(server.url + "/api/v1/audit", params={"action": action}).json()["entries"]
    return [entry["subject"] for entry in entries]


@pytest.fixture
def both(weir, other):  # noqa: F811
    other.start()
    command(weir, "user", "add", "root", "--role", "admin")
    command(other, "user", "add", "vera", "--role", "viewer")
    return weir, other


# K12
def test_whoever_signs_in_at_one_server_is_signed_in_at_all(both):
    a, b = both
    root, vera = Browser(), Browser()
    # Each is asked at once, before it has looked by itself.
    assert root.sign_in(a, "root").status_code == 303
    assert root.name(b) == "root"
    assert vera.sign_in(b, "vera").status_code == 303
    assert vera.name(a) == "vera"
    token = root.token(a)
    assert with_token(b, token) == 200
    assert [user["name"] for user in root.http.get(b.url + "/api/v1/users").json()["users"]] == ["root", "vera"]
    # A stream that is open at one server ends when its reader is removed at the other.
    with vera.http.stream("GET", b.url + "/api/v1/streams/board?live=sse&offset=now") as stream:
        assert stream.status_code == 200
        removed = time.monotonic()
        assert root.http.delete(a.url + "/api/v1/users/vera").status_code == 204
        for _ in stream.iter_raw():
            pass
        assert time.monotonic() - removed < 3
    assert vera.name(b) is None
    assert vera.sign_in(b, "vera").status_code == 422
    assert root.http.post(b.url + "/sign-out").status_code == 303
    until(lambda: root.name(a) is None, 2)


# K12
def test_a_link_and_a_required_change_hold_on_every_server(both):
    a, b = both
    root = Browser()
    assert root.sign_in(a, "root").status_code == 303
    made = root.http.post(a.url + "/api/v1/users/ana/invitation", json={"roles": [{"role": "viewer"}]})
    path = made.json()["url"].removeprefix(a.url)
    ana = Browser()
    assert ana.http.get(b.url + path).status_code == 200
    assert ana.http.post(b.url + path, data={"password": "battery staple"}).status_code == 303
    assert ana.name(a) == ana.name(b) == "ana"
    assert Browser().http.get(a.url + path).status_code == 404
    change = {"required": True}
    assert root.http.put(b.url + "/api/v1/users/ana/password-change", json=change).status_code == 204
    for server in both:
        until(lambda server=server: ana.http.get(server.url + "/api/v1/runs").status_code == 403)


# K12
@pytest.mark.long
def test_what_a_command_changes_holds_at_all_servers_and_is_in_the_audit_of_the_one_that_records(both):
    a, b = both
    root = Browser()
    assert root.sign_in(b, "root").status_code == 303
    token = command(b, "token", "create", "ci", "--role", "viewer").stdout.strip()
    assert with_token(a, token) == 200
    until(lambda: "user:vera" in audited(root, a, "add-user"), 5)
    assert sorted(audited(root, a, "add-user")) == ["user:root", "user:vera"]
    assert audited(root, b, "add-user") == []
    command(a, "user", "password", "root")
    until(lambda: root.name(b) is None, 2)


# K8, K12
@pytest.mark.long
def test_a_takeover_loses_no_session(both):
    a, b = both
    root = Browser()
    assert root.sign_in(a, "root").status_code == 303
    token = root.token(a, roles=[{"role": "operator"}])
    a.kill()
    assert root.name(b) == "root" and with_token(b, token) == 200
    until(lambda: role(b) == "recording")
    assert root.name(b) == "root"
    assert root.sign_in(b, "root").status_code == 303
    a.start()
    assert role(a) == "following"
    assert root.name(a) == "root" and with_token(a, token) == 200


# K3
@pytest.mark.long
def test_nobody_who_is_signed_in_notices_that_the_database_is_away(both, postgres):  # noqa: F811
    a, b = both
    root, late = Browser(), Browser()
    assert root.sign_in(a, "root").status_code == 303
    assert root.name(b) == "root"
    postgres.kill()
    for server in both:
        until(lambda: late.sign_in(server, "vera").status_code == 503)
        for _ in range(3):
            assert root.name(server) == "root"
            answer = late.sign_in(server, "vera")
            assert answer.status_code == 503 and "Try again" in answer.text
    time.sleep(2)
    postgres.start()
    for server in both:
        until(lambda: late.sign_in(server, "vera").status_code == 303)
        assert late.name(server) == "vera"
        log = server.log.read_text()
        assert log.count("Users and sessions cannot be read.") == 1
        assert "hunter2" not in log and "SELECT" not in log


@pytest.mark.long
@pytest.mark.skipif(bool(missing(RoundRobin)), reason=str(missing(RoundRobin)))
def test_somebody_signs_in_through_a_proxy_that_asks_the_servers_in_turn(both, visit, tmp_path):
    proxy = RoundRobin(tmp_path / "proxy", [server.port for server in both])
    try:
        proxy.start()
        for _ in range(4):
            page = visit(proxy.url + "/operations/greeting")
            page.get_by_label("Name").fill("root")
            page.get_by_label("Password").fill(PASSWORD)
            page.get_by_role("button", name="Sign in").click()
            expect(page).to_have_url(proxy.url + "/operations/greeting")
            expect(page.locator("html[data-live]")).to_be_attached()
            for path in ("/", "/runs", "/users", "/account"):
                page.goto(proxy.url + path)
                expect(page.locator(".me a")).to_have_text("root")
            page.goto(proxy.url + "/operations/greeting")
            page.get_by_label("Label").fill("shared")
            page.locator("#start button[type=submit]").click()
            expect(page.locator("#current .state")).to_have_text("Success: Hello, shared!")
            page.goto(proxy.url + "/account")
            page.get_by_role("button", name="Sign out").click()
            expect(page.locator("main")).to_contain_text("signed out")
    finally:
        proxy.stop()


@pytest.mark.long
def test_the_first_user_is_made_at_any_server_and_once(weir, other):  # noqa: F811
    other.start()
    files = [server.data / "setup-code" for server in (weir, other)]
    until(lambda: all(file.exists() and file.read_text().endswith("\n") for file in files))
    codes = dict(zip((weir, other), (file.read_text().strip() for file in files)))
    form = {"name": "root", "password": PASSWORD}
    made = Browser().http.post(other.url + "/setup", data=form | {"code": codes[other]})
    assert made.status_code == 303
    # At once, before that server has looked by itself.
    late = Browser().http.post(weir.url + "/setup", data={"name": "eve", "password": PASSWORD, "code": codes[weir]})
    assert late.status_code == 404
    assert Browser().sign_in(weir, "root").status_code == 303
    assert command(weir, "user", "list").stdout == "root\tadmin\n"


@pytest.mark.long
def test_users_of_a_file_are_taken_over_into_the_database_once(tmp_path, sky, settings):
    file = {key: value for key, value in settings.items() if key != "WEIR_JOURNAL"}
    weir = Weir(tmp_path / "server", sky, file)
    root = Browser()
    try:
        weir.start()
        command(weir, "user", "add", "root", "--role", "admin")
        until(lambda: root.sign_in(weir, "root").status_code == 303)
        token = root.token(weir)
        weir.terminate()
        weir.environment |= settings | {"WEIR_LOG_LEVEL": "notice"}
        refused = command(weir, "user", "add", "eve", "--role", "admin", check=False)
        assert refused.returncode == 65 and "Start the server once" in refused.stderr
        weir.start()
        assert root.name(weir) == "root" and with_token(weir, token) == 200
        command(weir, "user", "add", "vera", "--role", "viewer")
        command(weir, "user", "add", "ana", "--role", "viewer")
        command(weir, "user", "remove", "vera")
        for _ in range(2):
            weir.terminate()
            weir.start()
            assert root.name(weir) == "root"
        assert command(weir, "user", "list").stdout == "ana\tviewer\nroot\tadmin\n"
        assert weir.log.read_text().count("were taken over into the database") == 1
        weir.terminate()
        # And back, with the journal.
        copied = subprocess.run(
            [BINARY, "journal", "copy", "--users", settings["WEIR_JOURNAL"], str(tmp_path / "back/data")], text=True,
            check=True, capture_output=True, cwd=tmp_path)
        assert copied.stdout.endswith("Copied 2 users and 1 tokens.\n")
        back = Weir(tmp_path / "back", sky, file)
        try:
            back.start()
            assert root.name(back) == "root" and with_token(back, token) == 200
        finally:
            back.close()
    finally:
        weir.close()


# K12
def test_a_sign_in_that_begins_at_one_server_ends_at_the_other(tmp_path, sky, cluster_settings, provider):  # noqa: F811
    port = free_port()
    oidc = cluster_settings | {
        "WEIR_AUTH": "oidc", "WEIR_OIDC_ISSUER": provider.issuer, "WEIR_OIDC_CLIENT_ID": "weir",
        "WEIR_OIDC_CLIENT_SECRET": SECRET, "WEIR_PUBLIC_URL": f"http://127.0.0.1:{port}",
    }
    servers = [Weir(tmp_path / name, sky, oidc) for name in ("a", "b")]
    try:
        for server in servers:
            (server.folder / "weir.yml").write_text(GRANTS)
        servers[0].port = port
        a, b = (server.start() for server in servers)
        ana = Visitor(a)
        way = ana.approve(ana.leave("/runs"), "ana")
        ended = ana.http.get(b.url + way)
        assert (ended.status_code, ended.headers["location"]) == (303, "/runs"), said(ended)
        assert ana.account()["name"] == "Ana Ops"
        # Its code is good once, also at the other server.
        assert ana.http.get(a.url + way).status_code == 403
        assert json.loads(ana.http.get(b.url + "/api/v1/account").text)["groups"] == ["night", "ops"]
    finally:
        for server in servers:
            server.close()
            assert SECRET not in server.log.read_text()
