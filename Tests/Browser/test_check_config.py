"""`weir serve --check-config`: every mistake of a configuration, without a server."""

import os
import subprocess

from postgres import Postgres
from weir import BINARY, until


def check(folder, *words):
    """The exit code, the mistakes and the remarks."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("WEIR_")}
    ended = subprocess.run(
        [BINARY, "serve", "--check-config", *words], cwd=folder, env=environment, capture_output=True, text=True,
        timeout=300, check=False,
    )
    return ended.returncode, ended.stdout.splitlines(), ended.stderr.splitlines()


def test_a_configuration_without_mistakes_is_accepted_and_nothing_is_made(tmp_path):
    (tmp_path / "weir.yml").write_text("port: 8080\n")
    code, said, remarks = check(tmp_path)
    assert (code, remarks) == (0, []) and said[-1].endswith("No problems.")
    assert [path.name for path in tmp_path.iterdir()] == ["weir.yml"]


def test_mistakes_of_all_parts_are_told_at_once(tmp_path):
    (tmp_path / "weir.yml").write_text(
        "tls: {cert: chain.pem, key: key.pem}\nmail: {server: 'mail.example:587'}\n"
        "backup: {schedule: '0 3 * * *'}\ntemplates: nowhere\n"
        "notify:\n  - {when: [server], webhook: {url: '{{secrets.chat}}', body: slack}}\n"
    )
    (tmp_path / "operations").mkdir()
    (tmp_path / "operations" / "copy.yml").write_text("title: Copy\ncomand: [x]\n")
    code, said, remarks = check(tmp_path)
    assert code == 78
    for words in ("chain.pem cannot be read", "mail.from is not", "backup.folder is not", "copy.yml:2", "folder of templates"):
        assert any(words in line for line in said), (words, said)
    assert any("The secret “chat” is not set" in line for line in remarks)
    assert remarks[-1] == f"{len(said)} problems"


def test_mistakes_of_the_settings_file_have_their_lines(tmp_path):
    (tmp_path / "weir.yml").write_text(
        "port: 99999\nprt: 1\nnotify:\n  - {when: [failed], email: [nobody]}\ngrants:\n  - {role: unknown, to: x}\n")
    code, _, mistakes = check(tmp_path, "--log-level", "loud")
    assert code == 78
    for place in ("--log-level", "weir.yml:1", "weir.yml:2", "weir.yml:4", "weir.yml:6"):
        assert any(line.startswith(place + ":") for line in mistakes), (place, mistakes)


def test_every_mistake_of_the_settings_of_sign_in_is_told_at_once(tmp_path):
    (tmp_path / "weir.yml").write_text(
        "host: 0.0.0.0\nauth: oidc\nactor-header: X-User\noidc: {ca-file: nowhere.pem}\n"
        "tls: {cert: chain.pem, key: key.pem}\n"
    )
    code, said, _ = check(tmp_path)
    assert code == 78
    for words in (
        "chain.pem cannot be read", "key.pem cannot be read", "oidc.client-id", "client secret", "needs public-url",
        "nowhere.pem of oidc.ca-file", "actor-header is set", "no user has a role",
    ):
        assert any(words in line for line in said), (words, said)


def test_grants_of_what_nothing_has_are_remarks(tmp_path):
    (tmp_path / "weir.yml").write_text(
        "roles: {deployer: {verbs: [see, start], operations: ['deploy-*'], tags: [nightly]}}\n"
        "grants:\n  - {role: viewer, to: signed-in, operations: [greeting]}\n"
    )
    code, _, remarks = check(tmp_path)
    assert code == 0
    assert any("The role `deployer` names the operation `deploy-*`" in line for line in remarks)
    assert any("names the tag `nightly`" in line for line in remarks) and not any("greeting" in line for line in remarks)


def test_users_and_tokens_are_compared_with_the_roles_and_grants(tmp_path):
    settings = "auth: password\ngrants: [{role: viewer, to: [user:bob, group:ops]}]\n"
    (tmp_path / "weir.yml").write_text(settings + "roles: {deployer: {verbs: [see, start]}}\n")

    def weir(*words, given=None):
        subprocess.run(
            [BINARY, *words, "--data", str(tmp_path / "weir-data")], cwd=tmp_path, input=given, text=True, check=True,
            capture_output=True)

    weir("user", "add", "ana", "--role", "deployer", "--operations", "deploy*", given="a long enough password\n")
    weir("token", "create", "ci", "--role", "deployer")
    code, said, remarks = check(tmp_path)
    assert code == 0, said
    assert remarks == [
        "The user “ana” names the operation `deploy*`, and there is none.",
        "A grant names the group “ops”. With auth: password, nobody is in a group; name users.",
        "A grant names the user “bob”, and there is none. Add the user: weir user add bob",
        "No user can administer the server. Give one the role: weir user role NAME --role admin",
    ]
    (tmp_path / "weir.yml").write_text(settings)
    users = (tmp_path / "weir-data" / "access.sqlite").read_bytes()
    files = sorted((tmp_path / "weir-data").iterdir())
    code, said, _ = check(tmp_path)
    assert code == 78 and len(said) == 2
    assert said[0].startswith("The user “ana” has the role `deployer`, which is not declared and grants nothing.")
    assert said[0].endswith("give one of admin, operator, viewer: weir user role ana --role ROLE")
    assert said[1].startswith("The token “ci” has the role `deployer`")
    assert users == (tmp_path / "weir-data" / "access.sqlite").read_bytes()
    assert files == sorted((tmp_path / "weir-data").iterdir())
    for path in (tmp_path / "weir-data").glob("access.sqlite*"):
        path.unlink()
    (tmp_path / "weir-data" / "access.sqlite").write_bytes(b"no database" * 500)
    code, said, _ = check(tmp_path)
    assert code == 78 and "access.sqlite in the data folder, is damaged" in said[-1]


def test_users_in_a_database_are_compared_and_one_that_is_away_is_told(tmp_path):
    database = Postgres(tmp_path / "postgres")
    journal = f"postgres://weir@127.0.0.1:{database.port}/postgres"
    (tmp_path / "weir.yml").write_text("auth: password\n")
    code, said, _ = check(tmp_path, "--journal", journal)
    assert code == 78 and said[-1].startswith("The users cannot be read. The database cannot be reached.")
    try:
        database.start()
        until(lambda: "ready to accept" in (database.folder / "log").read_text())
        assert check(tmp_path, "--journal", journal)[0] == 0
        assert not (tmp_path / "weir-data").exists()
        (tmp_path / "weir.yml").write_text("auth: password\nroles: {deployer: {verbs: [see, start]}}\n")
        subprocess.run(
            [BINARY, "token", "create", "ci", "--role", "deployer", "--journal", journal], cwd=tmp_path, check=True, capture_output=True)
        (tmp_path / "weir.yml").write_text("auth: password\n")
        files = sorted(tmp_path.glob("weir-data/**/*"))
        code, said, _ = check(tmp_path, "--journal", journal)
        assert code == 78 and said[0].startswith("The token “ci” has the role `deployer`")
        assert files == sorted(tmp_path.glob("weir-data/**/*"))
        clients = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        until(lambda: database.client("psql", "-d", "postgres", "-tAc", clients).strip() == "0")
    finally:
        database.stop()
