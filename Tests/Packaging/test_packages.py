"""Installing, upgrading and removing Weir where there is no compiler and no Swift."""

import json
import re
import shutil
import subprocess
import tarfile
import time
import urllib.request

import pytest
from conftest import BUILD, CHROOT, ROOT

VERSION = re.search(r'static let version = "([^"]+)"', (ROOT / "Sources/WeirCommand/Commands/RootCommand.swift").read_text())[1]


def deb(folder, system):
    """Copies the package of a folder into a system; returns its path there."""
    [file] = folder.glob("weir_*.deb")
    shutil.copy(file, system.path("/root"))
    return f"/root/{file.name}"


def page(address, path=""):
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(address + path, timeout=30) as answer:
        return answer.read().decode()


def test_a_bare_machine_shows_the_first_page_within_a_minute_and_purging_leaves_nothing(system, packages, newer):
    begun = time.monotonic()
    system.run("dpkg", "-i", deb(packages, system))
    server, address = system.serve()
    assert "<title>" in page(address)
    assert time.monotonic() - begun < 60
    assert system.run("weir", "--version").stdout.startswith(VERSION)

    # The server's user owns its data, and no program of it can read a credential.
    owners = system.run("stat", "-c", "%U:%G %a", "/var/lib/weir", "/etc/weir/weir.yml", "/etc/weir/credentials").stdout
    assert owners.split("\n")[:3] == ["weir:weir 700", "root:weir 640", "root:root 700"]
    operation = system.path("/etc/weir/operations/hello.yml")
    operation.write_text("title: Hello\ncommand: [echo, hello]\n")
    server.terminate()
    assert server.wait(20) == 0
    server, address = system.serve()
    request = urllib.request.Request(
        address + "api/v1/operations/hello/runs", b"{}", {"Content-Type": "application/json"}, method="POST")
    run = json.load(urllib.request.urlopen(request, timeout=30))["id"]
    while json.loads(page(address, f"api/v1/runs/{run}"))["phase"] not in ("succeeded", "failed"):
        pass
    assert page(address, f"runs/{run}/output").strip() == "hello"
    server.terminate()
    assert server.wait(20) == 0

    # An upgrade keeps a settings file that somebody changed, and the runs.
    settings = system.path("/etc/weir/weir.yml")
    settings.write_text(settings.read_text() + "log-level: warning\n")
    system.run("dpkg", "-i", "--force-confdef", "--force-confold", deb(newer, system))
    assert system.run("dpkg-query", "-W", "-f", "${Version}", "weir").stdout == "9.9.9"
    assert "log-level: warning" in settings.read_text()
    server, address = system.serve()
    assert json.loads(page(address, f"api/v1/runs/{run}"))["phase"] == "succeeded"
    server.terminate()
    assert server.wait(20) == 0

    system.run("dpkg", "--remove", "weir")
    assert settings.exists() and system.path("/var/lib/weir/journal.sqlite").exists()
    operation.unlink()
    system.run("dpkg", "--purge", "weir")
    left = system.run("find", "/etc/weir", "/etc/default/weir", "/var/lib/weir", "/usr/lib/weir", "/usr/bin/weir", check=False)
    assert [line for line in left.stdout.splitlines() if "No such file" not in line] == []
    assert system.run("getent", "passwd", "weir", check=False).returncode == 2


def test_a_postgresql_journal_without_libpq_is_refused_in_words(system, packages):
    system.run("dpkg", "-i", deb(packages, system))
    for library in system.path("/usr/lib/weir").glob("libpq.so*"):
        library.unlink()
    answer = system.run("weir", "serve", "--journal", "postgres://weir@127.0.0.1/weir", check=False)
    assert answer.returncode == 78 and "apt-get install libpq5" in answer.stdout


def test_the_tar_file_runs_from_any_folder_and_through_a_link(system, packages):
    [file] = packages.glob("weir-*-linux-*.tar.xz")
    subprocess.run(["tar", "-C", system.path("/root"), "-xf", file], check=True)
    folder = file.name.removesuffix(".tar.xz")
    system.path("/usr/local/bin/weir").symlink_to(f"/root/{folder}/weir")
    assert system.run("weir", "--version").stdout.startswith(VERSION)
    # It reads its templates, and finds no mistake in them.
    assert system.run("weir", "check").returncode == 0


def test_every_command_has_a_man_page_without_a_fault(packages, tmp_path):
    [file] = packages.glob("weir_*.deb")
    subprocess.run(["dpkg-deb", "-x", file, tmp_path], check=True)
    pages = sorted(tmp_path.glob("usr/share/man/man1/*.gz"))
    assert {"weir.1.gz", "weir-serve.1.gz", "weir-user-add.1.gz"} <= {each.name for each in pages}
    text = subprocess.run(["zcat", *pages], capture_output=True, check=True).stdout
    assert subprocess.run(["groff", "-man", "-Kutf8", "-Tutf8", "-ww", "-z"], input=text, capture_output=True).stderr == b""
    assert text.count(b".SH EXAMPLE") > 40 and b".SH EXIT CODES" in text
    completion = (tmp_path / "usr/share/bash-completion/completions/weir").read_text()
    assert "serve" in completion and subprocess.run(["bash", "-n"], input=completion, text=True).returncode == 0


def test_the_unit_exposes_little(tmp_path):
    shutil.copy(ROOT / "Packaging/weir.service", tmp_path)
    answer = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=25", tmp_path / "weir.service"],
        capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.skipif(bool(BUILD), reason="only release builds are held to Debian's rules")
def test_lintian_finds_no_error(packages):
    [file] = packages.glob("weir_*.deb")
    answer = subprocess.run(["lintian", "--fail-on", "error", "--allow-root", file], capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout


@pytest.mark.skipif(bool(BUILD), reason="only release builds have their final size and needs")
def test_every_download_is_at_most_40_megabytes_and_needs_libc_of_ubuntu_22_04(packages):
    files = [file for file in packages.iterdir() if file.name != "SHA256SUMS"]
    assert {file.name: file.stat().st_size for file in files if file.stat().st_size > 40_000_000} == {}
    [file] = packages.glob("weir_*.deb")
    depends = subprocess.run(["dpkg-deb", "-f", file, "Depends"], capture_output=True, text=True, check=True).stdout
    floor = re.search(r"libc6 \(>= 2\.(\d+)\)", depends)
    assert int(floor[1]) <= 35, depends
    assert "libpq" not in depends


@pytest.mark.skipif(bool(BUILD), reason="an image of a debug build is as large as the build")
def test_the_image_is_read_by_other_tools_and_serves(packages, tmp_path):
    [file] = packages.glob("weir-*-image-*.tar.xz")
    for transport in ("oci-archive", "docker-archive"):
        answer = json.loads(subprocess.run(
            ["skopeo", "inspect", "--config", f"{transport}:{file}"], capture_output=True, text=True, check=True).stdout)
        assert answer["config"]["Entrypoint"] == ["/usr/bin/weir"]
    # What a container's root folder would be.
    with tarfile.open(file) as image:
        for name in json.load(image.extractfile("manifest.json"))[0]["Layers"]:
            with tarfile.open(fileobj=image.extractfile(name)) as layer:
                layer.extractall(tmp_path / "root", filter="fully_trusted")
    command = [CHROOT, "--userspec=10001:10001", tmp_path / "root", "/usr/bin/weir", "serve", "--port", "0"]
    environment = {"PATH": "/usr/bin", "WEIR_DATA": "/var/lib/weir", "WEIR_HOST": "0.0.0.0", "WEIR_AUTH": "none"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        address = server.stdout.readline().removeprefix("Weir is at ").strip().replace("0.0.0.0", "127.0.0.1")
        assert "<title>" in page(address)
        server.terminate()
        assert server.wait(20) == 0
