"""People sign in through a real OpenID provider: a process of its own on this machine."""

import html
import json
import os
import re
import select
import signal
import socket
import ssl
import subprocess
import sys

import httpx
import pytest
import trustme
from playwright.sync_api import expect
from weir import Weir, free_port, until

USERS = {
    "ana": {"name": "Ana Ops", "groups": ["ops", "night"]},
    "vera": {"name": "Vera", "groups": ["staff"]},
    "noel": {"name": "Noël"},
    "eve": {"name": "Ana Ops", "groups": []},
}
GRANTS = """
grants:
  - {role: operator, to: "group:ops"}
  - {role: viewer, to: "group:staff"}
"""
SECRET = "canary-of-the-client-secret"


class Provider:
    """`oidc-provider-mock` as a process."""

    # The same with a certificate: the program has no option for it.
    ENCRYPTED = (
        "import sys, uvicorn; run = uvicorn.run; cert, key = sys.argv[1:3]; del sys.argv[1:3]\n"
        "uvicorn.run = lambda *all, **named: run(*all, **named, ssl_certfile=cert, ssl_keyfile=key)\n"
        "from oidc_provider_mock.__main__ import run as main; main()"
    )

    def __init__(self, folder):
        self.certificate = None
        self.port = free_port()
        self.log = folder / "provider.log"
        self.process = None

    @property
    def issuer(self):
        return f"http{'s' if self.certificate else ''}://127.0.0.1:{self.port}"

    def start(self, *options):
        users = [part for sub, claims in USERS.items() for part in ("--user-claims", json.dumps({"sub": sub, **claims}))]
        program = ["-c", self.ENCRYPTED, *self.certificate] if self.certificate else ["-m", "oidc_provider_mock"]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, *program, "--port", str(self.port), *users, *options],
                stdout=log, stderr=log, env={**os.environ, "NO_COLOR": "1"},
            )
        until(self.answers)
        return self

    def answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            return httpx.get(self.issuer + "/.well-known/openid-configuration", trust_env=False, verify=False, timeout=30).status_code == 200
        except httpx.TransportError:
            return False

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def register(self, redirect):
        """Makes a client with a secret, which the provider then insists on."""
        body = {"redirect_uris": [redirect], "token_endpoint_auth_method": "client_secret_basic"}
        answer = httpx.post(self.issuer + "/oauth2/clients", json=body, trust_env=False, timeout=30)
        return answer.json()["client_id"], answer.json()["client_secret"]


@pytest.fixture
def provider(tmp_path):
    provider = Provider(tmp_path)
    yield provider.start()
    provider.stop()


@pytest.fixture
def serve(tmp_path, sky, provider):
    """Starts the server, with these settings besides."""
    started = []

    def start(port=None, **settings):
        (tmp_path / "weir.yml").write_text(GRANTS)
        port = port or free_port()
        weir = Weir(
            tmp_path, sky,
            {
                "WEIR_AUTH": "oidc", "WEIR_OIDC_ISSUER": provider.issuer, "WEIR_OIDC_CLIENT_ID": "weir",
                "WEIR_OIDC_CLIENT_SECRET": SECRET, "WEIR_PUBLIC_URL": f"http://127.0.0.1:{port}", **settings,
            },
        )
        weir.port = port
        started.append(weir)
        return weir.start()

    yield start
    for weir in started:
        weir.close()
        assert SECRET not in weir.log.read_text()
        for file in weir.data.rglob("*"):
            assert not file.is_file() or SECRET.encode() not in file.read_bytes(), file


@pytest.fixture
def weir(serve):
    return serve()


class Visitor:
    """A browser without a window, which follows redirects one by one."""

    def __init__(self, weir):
        self.weir = weir
        self.http = httpx.Client(trust_env=False, headers={"Accept": "text/html", "Sec-Fetch-Site": "same-origin"}, timeout=30)

    def get(self, path):
        return self.http.get(self.weir.url + path)

    def leave(self, back="/"):
        """Goes to the provider; returns the address there."""
        answer = self.get("/sign-in/provider?back=" + back)
        assert answer.status_code == 303, said(answer)
        return answer.headers["location"]

    def approve(self, address, sub):
        """Signs in there; returns the way back."""
        answer = self.http.post(address, data={"sub": sub})
        assert answer.status_code == 302, answer.text
        return answer.headers["location"].removeprefix(self.weir.url)

    def sign_in(self, sub, back="/"):
        return self.get(self.approve(self.leave(back), sub))

    def account(self):
        return self.http.get(self.weir.url + "/api/v1/account").json()


def said(answer):
    """The sentence on the sign-in page."""
    found = re.search(r'id="sign-in-error"[^>]*>([^<]*)<', answer.text)
    return html.unescape(found[1]) if found else None


def test_somebody_signs_in_works_and_signs_out(visit, weir, provider):
    page = visit("/operations/greeting")
    assert "/sign-in" in page.url
    page.get_by_role("link", name="Sign in with your organisation").click()
    assert page.url.startswith(provider.issuer)
    page.get_by_role("button", name="ana", exact=True).click()
    expect(page).to_have_url(weir.url + "/operations/greeting")
    page.get_by_label("Label").fill("Ada")
    page.locator("#start button[type=submit]").click()
    expect(page.locator("#current .state")).to_contain_text("Ada")
    page.goto("/account")
    expect(page.locator("main")).to_contain_text("Ana Ops")
    expect(page.locator("main")).to_contain_text("night")
    page.get_by_role("button", name="Sign out").click()
    expect(page.locator("main")).to_contain_text("You are signed out of this server.")
    page.get_by_role("link", name="Sign out of your organisation as well").click()
    assert page.url.startswith(provider.issuer)
    page.locator("button[type=submit]").first.click()
    expect(page).to_have_url(weir.url + "/sign-in")
    page.goto("/")
    expect(page.get_by_role("link", name="Sign in with your organisation")).to_be_visible()


def test_groups_decide_about_roles_and_names_do_not(weir):
    ana, vera, eve, nobody = Visitor(weir), Visitor(weir), Visitor(weir), Visitor(weir)
    for visitor, sub in ((ana, "ana"), (vera, "vera"), (eve, "eve")):
        assert visitor.sign_in(sub, "/runs").headers["location"] == "/runs"
    assert ana.account()["groups"] == ["night", "ops"] and "start" in ana.account()["may"]
    assert vera.account()["may"] == ["see"]
    # Of the same name as Ana, and of no group.
    assert eve.account()["name"] == "Ana Ops" and eve.account()["may"] == []
    start = {"url": weir.url + "/api/v1/operations/greeting/runs", "json": {"label": "x"}}
    assert [visitor.http.post(**start).status_code for visitor in (ana, vera, nobody)] == [201, 403, 401]
    assert eve.http.post(**start).status_code in (403, 404)
    assert [visitor.get("/runs").status_code for visitor in (ana, vera)] == [200, 200]
    assert nobody.get("/runs").headers["location"] == "/sign-in?back=%2Fruns"


def test_a_forged_return_signs_nobody_in(weir):
    visitor, other = Visitor(weir), Visitor(weir)
    way = visitor.approve(visitor.leave(), "ana")
    stale = "This sign-in took too long, or was begun in another window. Begin again."
    assert said(other.get(way)) == stale
    other.leave()
    assert said(other.get(way)) == stale
    assert said(visitor.get(re.sub("state=[^&]*", "state=x", way))) == stale
    assert said(visitor.get("/sign-in/return")) == stale
    assert visitor.get(way + "&code=twice").status_code == 403
    assert visitor.get("/runs").status_code == 303
    cookie = dict(visitor.http.cookies)
    assert visitor.get(way).status_code == 303 and visitor.get("/runs").status_code == 200
    # The same way a second time, with the cookie that it came with.
    again = Visitor(weir)
    again.http.cookies.update(cookie)
    assert said(again.get(way)) == stale
    # A code of somebody else, in the sign-in of this browser.
    victim, attacker = Visitor(weir), Visitor(weir)
    theirs = re.search("code=([^&]*)", attacker.approve(attacker.leave(), "eve"))[1]
    own = victim.approve(victim.leave(), "ana")
    answer = victim.get(re.sub("code=[^&]*", "code=" + theirs, own))
    assert answer.status_code == 403 and victim.get("/runs").status_code == 303


@pytest.mark.long
@pytest.mark.parametrize("back", ["//evil.example/", "https://evil.example/", "/%5Cevil.example", "%0d%0aX:y", "/" + "x" * 3000])
def test_the_way_back_never_leads_elsewhere(weir, back):
    answer = Visitor(weir).sign_in("ana", back)
    assert answer.status_code == 303 and answer.headers["location"] == "/"


@pytest.mark.long
def test_a_session_that_a_browser_brings_along_is_not_taken_over(weir):
    visitor = Visitor(weir)
    visitor.sign_in("vera")
    before = dict(visitor.http.cookies)
    visitor.sign_in("ana")
    assert visitor.account()["name"] == "Ana Ops"
    old = Visitor(weir)
    old.http.cookies.update(before)
    assert old.get("/runs").status_code == 303


@pytest.mark.long
def test_a_provider_that_is_down_keeps_nobody_out_who_is_in(weir, provider):
    visitor, late = Visitor(weir), Visitor(weir)
    visitor.sign_in("ana")
    way = late.approve(late.leave(), "vera")
    provider.stop()
    answer = late.get(way)
    assert answer.status_code == 503
    assert said(answer) == "The identity provider cannot be reached. Try again in a minute. People who are signed in stay signed in."
    assert visitor.get("/runs").status_code == 200
    weir.terminate()
    weir.start()
    assert visitor.get("/runs").status_code == 200
    assert late.get("/sign-in").status_code == 200
    assert late.get("/sign-in/provider").status_code == 503
    until(lambda: "The identity provider is not available for sign-in." in weir.log.read_text())
    provider.start()
    until(lambda: late.get("/sign-in/provider").status_code == 303, seconds=40)
    assert late.sign_in("vera").status_code == 303


@pytest.mark.long
def test_the_right_secret_is_needed_and_a_wrong_one_is_said(serve, provider):
    port = free_port()
    client, secret = provider.register(f"http://127.0.0.1:{port}/sign-in/return")
    weir = serve(port, WEIR_OIDC_CLIENT_ID=client)
    answer = Visitor(weir).sign_in("ana")
    assert said(answer) == (
        "The identity provider does not accept this server’s name or secret. An administrator must correct oidc.client-id or the client secret."
    )
    assert "invalid_client" in weir.log.read_text()
    weir.terminate()
    file = weir.folder / "secret"
    file.write_text(secret + "\n")
    weir.environment["WEIR_OIDC_CLIENT_SECRET_FILE"] = str(file)
    weir.start()
    assert Visitor(weir).sign_in("ana").status_code == 303
    assert secret not in weir.log.read_text()


@pytest.mark.long
def test_a_wrong_issuer_is_said_with_both_names_in_the_log(serve, provider):
    weir = serve(WEIR_OIDC_ISSUER=provider.issuer + "/")
    answer = Visitor(weir).get("/sign-in/provider")
    assert said(answer).startswith("The identity provider uses a different name from the one that this server expects.")
    assert f'\\"{provider.issuer}/\\"' in weir.log.read_text() and f'\\"{provider.issuer}\\"' in weir.log.read_text()


@pytest.mark.long
def test_a_redirect_uri_that_is_not_registered_is_in_the_log(serve, provider):
    client, _ = provider.register("http://127.0.0.1:1/sign-in/return")
    weir = serve(WEIR_OIDC_CLIENT_ID=client)
    visitor = Visitor(weir)
    # The provider keeps the browser, and says so itself.
    assert visitor.http.get(visitor.leave()).status_code == 400
    until(lambda: f"redirect={weir.url}/sign-in/return" in weir.log.read_text())


@pytest.mark.long
def test_clocks_that_differ_are_said(serve, provider):
    provider.stop()
    provider.start("--token-max-age", "-3600")
    weir = serve()
    answer = Visitor(weir).sign_in("ana")
    assert said(answer) == "The clocks of this server and of the identity provider differ. An administrator must set the time."
    assert "expired" in weir.log.read_text()


@pytest.mark.long
def test_a_provider_with_a_root_of_its_own_needs_it_in_a_file(tmp_path, serve, provider):
    provider.stop()
    root, other = trustme.CA(), trustme.CA()
    leaf = root.issue_cert("127.0.0.1")
    (tmp_path / "leaf.pem").write_bytes(b"".join(part.bytes() for part in leaf.cert_chain_pems))
    leaf.private_key_pem.write_to_path(tmp_path / "leaf.key")
    for name, authority in (("root", root), ("other", other)):
        authority.cert_pem.write_to_path(tmp_path / f"{name}.pem")
    (tmp_path / "both.pem").write_bytes(other.cert_pem.bytes() + root.cert_pem.bytes())
    provider.certificate = (str(tmp_path / "leaf.pem"), str(tmp_path / "leaf.key"))
    provider.start()
    for settings, works in (({}, False), ({"WEIR_OIDC_CA_FILE": "other.pem"}, False), ({"WEIR_OIDC_CA_FILE": "both.pem"}, True)):
        weir = serve(**{name: str(tmp_path / file) for name, file in settings.items()})
        visitor = Visitor(weir)
        visitor.http = httpx.Client(
            trust_env=False, headers=visitor.http.headers, timeout=30, verify=ssl.create_default_context(cafile=tmp_path / "root.pem"))
        if works:
            assert visitor.sign_in("ana", "/runs").headers["location"] == "/runs"
            assert visitor.account()["name"] == "Ana Ops"
        else:
            assert said(visitor.get("/sign-in/provider")).startswith("The identity provider cannot be reached.")
            assert "CERTIFICATE_VERIFY_FAILED" in weir.log.read_text()
        weir.close()


@pytest.mark.long
def test_groups_that_the_provider_does_not_name_are_said(weir):
    visitor = Visitor(weir)
    answer = visitor.sign_in("noel")
    assert said(answer).startswith("The identity provider knows you, but named none of your groups")
    assert "claim=groups" in weir.log.read_text()
    assert visitor.get("/runs").status_code == 303


@pytest.mark.long
def test_somebody_who_declines_is_not_signed_in(weir):
    visitor = Visitor(weir)
    way = visitor.http.post(visitor.leave(), data={"action": "deny"}).headers["location"].removeprefix(weir.url)
    if "state=" not in way:  # This provider leaves the state out, so that nobody knows whose answer it is.
        assert said(visitor.get(way)).startswith("This sign-in took too long")
    else:
        assert said(visitor.get(way)) == "The identity provider did not let you in, or you declined."


@pytest.mark.parametrize(
    "settings", [
        {"WEIR_OIDC_ISSUER": "http://192.0.2.1"}, {"WEIR_PUBLIC_URL": "http://weir.example"}, {"WEIR_OIDC_CLIENT_SECRET": ""},
        {"WEIR_OIDC_CLIENT_SECRET_FILE": "/nowhere"}, {"WEIR_OIDC_CA_FILE": "/nowhere"}, {"WEIR_HOST": "0.0.0.0"}, {"WEIR_AUTH": "password"},
    ],
)
def test_settings_that_are_not_safe_or_not_whole_are_refused(tmp_path, sky, settings):
    (tmp_path / "weir.yml").write_text(GRANTS)
    weir = Weir(
        tmp_path, sky,
        {
            "WEIR_AUTH": "oidc", "WEIR_OIDC_ISSUER": "https://id.example", "WEIR_OIDC_CLIENT_ID": "weir",
            "WEIR_OIDC_CLIENT_SECRET": SECRET, "WEIR_PUBLIC_URL": "https://weir.example", **settings,
        },
    )
    ended = subprocess.run(weir.command, capture_output=True, text=True, env=weir.environment, cwd=tmp_path, timeout=30)
    weir.close()
    assert ended.returncode == 78 and SECRET not in ended.stderr


@pytest.mark.long
def test_strangers_who_wait_for_a_provider_that_does_not_answer_keep_nobody_out(weir, provider):
    def attempt():
        visitor = Visitor(weir)
        return visitor, "/sign-in/return?code=x&state=" + re.search(r"[?&]state=([^&]+)", visitor.leave())[1]

    strangers = [attempt() for _ in range(20)]
    visitor, path = attempt()
    os.kill(provider.process.pid, signal.SIGSTOP)
    try:
        waiting = []
        for stranger, way in strangers:
            cookie = "; ".join(f"{name}={value}" for name, value in stranger.http.cookies.items())
            connection = socket.create_connection(("127.0.0.1", weir.port))
            connection.sendall(f"GET {way} HTTP/1.1\r\nHost: 127.0.0.1:{weir.port}\r\nCookie: {cookie}\r\n\r\n".encode())
            waiting.append(connection)
        # More than the share of one address: some are refused at once.
        refused, _, _ = select.select(waiting, [], [], 30)
        assert refused[0].recv(12) == b"HTTP/1.1 503"
        answer = visitor.get(path)
        assert answer.status_code == 503 and "Too many people" in said(answer)
    finally:
        os.kill(provider.process.pid, signal.SIGCONT)
    for connection in waiting:
        connection.close()
    # The provider answers again, and does not know the code.
    until(lambda: "Too many people" not in said(visitor.get(path)))
    visitor.sign_in("ana")
    assert visitor.account()["name"] == "Ana Ops"
